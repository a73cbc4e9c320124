//! Configurations and sinks for tests.

use std::{
    collections::{BTreeMap, HashMap},
    convert::Infallible,
    num::NonZeroU32,
    sync::{Arc, Mutex},
    time::Duration,
};

use shakmaty::Chess;
use tabiya_chess::PositionId;
use tabiya_lichess::{
    CrawlEnd, CrawlOptions, CrawlOutcome, CrawlSink, CrawledNode, Explorer, ExplorerConfig, KnownMove, Politeness,
    Seed, Target, Url, Wait, crawl,
};

/// Fast, and with short pauses of a known length.
pub(crate) fn hasty(base: &Url) -> ExplorerConfig {
    let mut config = ExplorerConfig::new(base.clone());
    config.rate = 10_000.0;
    config.timeout = Duration::from_secs(20);
    config.politeness = Politeness {
        first_backoff: Duration::from_millis(20),
        max_backoff: Duration::from_millis(100),
        jitter: false,
        long_pause: Duration::from_millis(250),
        max_tries: NonZeroU32::new(4).expect("four"),
        ..Politeness::default()
    };
    config
}

pub(crate) fn explorer(base: &Url) -> Explorer {
    Explorer::new(hasty(base)).expect("a sound configuration")
}

/// An explorer whose pauses can be looked at.
pub(crate) fn watched(config: ExplorerConfig) -> (Explorer, Arc<Mutex<Vec<Wait>>>) {
    let waits = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&waits);
    let explorer = Explorer::new(config).expect("a sound configuration");
    (
        explorer.on_wait(move |wait| seen.lock().expect("no test panicked here").push(*wait)),
        waits,
    )
}

/// What a database would have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Kept {
    pub(crate) nodes: BTreeMap<String, CrawledNode>,
    /// In the order they came in.
    pub(crate) order: Vec<String>,
}

impl CrawlSink for Kept {
    type Error = Infallible;

    async fn answered(&mut self, node: CrawledNode) -> Result<(), Infallible> {
        self.order.push(node.epd.clone());
        let before = self.nodes.insert(node.epd.clone(), node);
        assert_eq!(before, None, "every position once");
        Ok(())
    }
}

impl Kept {
    /// What a later run is told.
    pub(crate) fn already(&self) -> impl Fn(&Target) -> Option<Vec<KnownMove>> + use<> {
        let known: HashMap<PositionId, Vec<KnownMove>> = self
            .nodes
            .values()
            .map(|node| {
                let moves = node.moves.iter().map(|m| KnownMove {
                    uci: m.edge.uci.clone(),
                    games: m.edge.tally.games(),
                });
                (node.id, moves.collect())
            })
            .collect();
        move |target| known.get(&target.id).cloned()
    }

    /// Everything that was kept, progress aside. By debug output, since positions are equal whatever their counters.
    pub(crate) fn content(&self) -> Vec<String> {
        let content = |node: &CrawledNode| {
            let node = CrawledNode {
                waiting: 0,
                ..node.clone()
            };
            format!("{node:?}")
        };
        self.nodes.values().map(content).collect()
    }

    /// All positions, asked for or not.
    pub(crate) fn positions(&self) -> usize {
        let children = self.nodes.values().flat_map(|node| &node.moves);
        let mut ids: Vec<PositionId> = children.map(|m| PositionId::of(&m.child)).collect();
        ids.extend(self.nodes.values().map(|node| node.id));
        ids.sort_unstable();
        ids.dedup();
        ids.len()
    }

    /// The moves that were kept, as (parent, UCI).
    pub(crate) fn edges(&self) -> Vec<(&str, &str)> {
        let nodes = self.nodes.values();
        nodes
            .flat_map(|node| node.moves.iter().map(|m| (node.epd.as_str(), m.edge.uci.as_str())))
            .collect()
    }
}

pub(crate) fn options(depth: u32, min_games: u64) -> CrawlOptions {
    CrawlOptions { depth, min_games }
}

pub(crate) fn start() -> Seed {
    Seed::new(Chess::default(), 0)
}

/// A crawl from the initial position that goes on from `kept`.
pub(crate) async fn go_on(explorer: &Explorer, options: CrawlOptions, kept: &mut Kept) -> CrawlOutcome<Infallible> {
    let already = kept.already();
    crawl(explorer, [start()], options, already, kept).await
}

/// A whole crawl from the initial position.
pub(crate) async fn crawl_all(explorer: &Explorer, options: CrawlOptions) -> Kept {
    let mut kept = Kept::default();
    let outcome = go_on(explorer, options, &mut kept).await;
    assert!(matches!(outcome.end, CrawlEnd::Complete), "{outcome:?}");
    assert_eq!(outcome.report.answered, kept.nodes.len() as u64);
    kept
}
