//! `build expand --explorer`: asks a server that counts games already.

use std::collections::HashMap;
use std::sync::{Arc, atomic::AtomicBool};

use serde::Serialize;
use shakmaty::{Chess, Position as _};
use tabiya_chess::{FacetKinds, PositionId, Stats, epd, to_san, to_uci};
use tabiya_lichess::{
    CrawlEnd, CrawlOptions, CrawlSink, CrawledNode, Explorer, ExplorerConfig, KnownMove, Seed, Target, Wait, crawl,
};
use tabiya_store::{
    Collection, CollectionCounts, CollectionSource, CrawlAnswer, Graph, GraphEdge, GraphNode, Load, Store,
};
use tokio_util::sync::CancellationToken;

use super::{
    expand::check_collection,
    names,
    phases::{self, Phase},
    progress::{Step, Steps},
};
use crate::opening_graph::OpeningGraph;
use crate::{AppError, interrupt};

/// Whom to ask, and how far.
#[derive(Debug, Clone)]
pub struct CrawlRequest {
    pub database: String,
    pub explorer: ExplorerConfig,
    pub collection: String,
    pub depth: u16,
    pub min_games: u64,
    /// Begins anew instead of going on.
    pub fresh: bool,
    pub stop: Arc<AtomicBool>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct CrawlSummary {
    pub collection: String,
    pub answered: u64,
    /// By an earlier run.
    pub known: u64,
    pub moves: u64,
    pub pruned: u64,
    pub flagged: u64,
    pub interrupted: bool,
}

/// Asks for every position within reach of the named ones. Every answer is kept before the next question, so a run that
/// ends early is gone on with by the next.
pub async fn crawl_explorer(
    request: &CrawlRequest,
    steps: &Steps,
    tell: impl Fn(&Wait) + Send + Sync + 'static,
) -> Result<CrawlSummary, AppError> {
    check_collection(&request.collection, request.depth)?;
    steps.begin(Step::Crawl);
    let store = Store::connect(&request.database).await?;
    if store.openings().await?.is_empty() {
        return Err(AppError::NoOpenings);
    }
    let collections = store.collections().await?;
    let counted = |known: &&Collection| known.name == request.collection && known.source != CollectionSource::Explorer;
    if let Some(known) = collections.iter().find(counted) {
        return Err(AppError::OutOfRange(format!(
            "--collection {:?}: its {} games were counted here, and an explorer's do not add up with them; choose another name",
            known.name, known.games
        )));
    }
    let collection = Collection {
        name: request.collection.clone(),
        source: CollectionSource::Explorer,
        games: 0,
        min_games: request.min_games,
        depth: request.depth,
        max_ply: None,
        facets: FacetKinds::default(),
    };
    let stop = CancellationToken::new();
    let explorer = Explorer::new(request.explorer.clone())?
        .stopped_by(stop.clone())
        .on_wait(tell);
    let known = known(&store, request).await?;
    if !known.is_empty() {
        go_on(&store, request, &collections).await?;
    }
    let _listening = interrupt::cancel_when_asked(request.stop.clone(), stop);
    let graph = OpeningGraph::new(store.knowledge_graph(Some(Collection::OPENINGS)).await?);
    let seeds = seeds(&graph)?;
    phases::forget_after(&store, &Phase::expand(&request.collection)).await?;
    let options = CrawlOptions {
        depth: request.depth.into(),
        min_games: request.min_games,
    };
    let mut sink = Sink {
        store: &store,
        request,
        collection: &collection,
        has_begun: false,
    };
    let outcome = crawl(
        &explorer,
        seeds,
        options,
        |target: &Target| known.get(&target.id).cloned(),
        &mut sink,
    )
    .await;
    let summary = CrawlSummary {
        collection: request.collection.clone(),
        answered: outcome.report.answered,
        known: outcome.report.known,
        moves: outcome.report.moves,
        pruned: outcome.report.pruned,
        flagged: outcome.report.flagged,
        interrupted: matches!(outcome.end, CrawlEnd::Cancelled),
    };
    // What was answered is named, however the crawl ended.
    steps.begin(Step::Names);
    names::settle(&store).await?;
    phases::graph_changed(&store).await?;
    match outcome.end {
        CrawlEnd::Complete | CrawlEnd::Cancelled => {}
        CrawlEnd::Explorer(error) => return Err(error.into()),
        CrawlEnd::Sink(error) => return Err(error),
        CrawlEnd::Known { epd, source } => return Err(AppError::Corrupt(format!("a move from {epd}: {source}"))),
        other => return Err(AppError::Corrupt(format!("the crawl ended: {other:?}"))),
    }
    store.close().await;
    Ok(summary)
}

/// What earlier runs have asked, unless all is to be asked anew.
async fn known(store: &Store, request: &CrawlRequest) -> Result<HashMap<PositionId, Vec<KnownMove>>, AppError> {
    if request.fresh {
        return Ok(HashMap::new());
    }
    let answered = store.crawled(&request.collection).await?;
    Ok(answered
        .into_iter()
        .map(|node| {
            let moves = node.edges.into_iter().map(|edge| KnownMove {
                games: edge.stats.games(),
                uci: edge.uci,
            });
            (node.node.id, moves.collect())
        })
        .collect())
}

/// Answers add up to one tree only if they are the same explorer's, and all with the same moves left out.
async fn go_on(store: &Store, request: &CrawlRequest, collections: &[Collection]) -> Result<(), AppError> {
    let name = &request.collection;
    let before = collections.iter().find(|known| known.name == *name);
    if let Some(known) = before.filter(|known| known.min_games != request.min_games) {
        return Err(AppError::OutOfRange(format!(
            "--min-games {}: the answers in {name:?} are kept with moves of {} or more games; say so to go on, or --fresh to \
             ask for everything anew",
            request.min_games, known.min_games
        )));
    }
    let (asked, address) = (phases::input(store, &Phase::explorer(name)).await?, address(request));
    match asked {
        Some(asked) if asked != address => Err(AppError::OutOfRange(format!(
            "--explorer {address}: the answers in {name:?} are from {asked}; choose another --collection, or --fresh to ask \
             for everything anew"
        ))),
        _ => Ok(()),
    }
}

/// The explorer by what its answers depend on.
fn address(request: &CrawlRequest) -> String {
    let mut url = request.explorer.base.clone();
    url.set_fragment(None);
    url.to_string()
}

/// Every named position, and the initial one.
fn seeds(graph: &OpeningGraph) -> Result<Vec<Seed>, AppError> {
    let mut seeds = vec![Seed::new(Chess::default(), 0)];
    for node in graph.nodes.iter().filter(|node| node.named) {
        let fen = format!("{} {} {}", node.epd, node.halfmove, node.ply / 2 + 1);
        let start = tabiya_chess::parse_fen(&fen)
            .map_err(|error| AppError::Corrupt(format!("the position {}: {error}", node.epd)))?;
        seeds.push(Seed::new(start.position, node.ply.into()));
    }
    Ok(seeds)
}

struct Sink<'a> {
    store: &'a Store,
    request: &'a CrawlRequest,
    collection: &'a Collection,
    has_begun: bool,
}

impl Sink<'_> {
    /// Forgets the old answers where all is asked anew, and says whose the new ones are. Only once there is one: a wrong token or
    /// address must not cost what took days to ask. Forgetting comes first, because it does not matter whose no answers are.
    async fn begin(&mut self) -> Result<(), AppError> {
        if self.request.fresh {
            let nothing = Load {
                graph: Graph::default(),
                counts: vec![CollectionCounts::new(self.collection.clone())],
            };
            self.store.load_counts(nothing).await?;
        }
        let asked = Phase::explorer(&self.request.collection);
        phases::record(self.store, &asked, Some(&address(self.request)), &()).await?;
        self.has_begun = true;
        Ok(())
    }
}

impl CrawlSink for Sink<'_> {
    type Error = AppError;

    async fn answered(&mut self, node: CrawledNode) -> Result<(), AppError> {
        if !self.has_begun {
            self.begin().await?;
        }
        let edges = node.moves.iter().map(|known| {
            let m = known.edge.played;
            let edge = GraphEdge {
                parent: node.id,
                child: PositionId::of(&known.child),
                uci: to_uci(&node.position, m),
                san: to_san(&node.position, m),
            };
            let child = graph_node(&known.child, node.ply + 1);
            (edge, child, stats(known.edge.tally, known.edge.average_rating))
        });
        let illegal = node
            .illegal
            .iter()
            .map(|bad| format!("{} ({}): {}", bad.san, bad.uci, bad.reason));
        let illegal: Vec<String> = illegal.collect();
        let answer = CrawlAnswer {
            node: graph_node(&node.position, node.ply),
            depth: node.depth as u16,
            stats: stats(node.tally, node.average_rating),
            edges: edges.collect(),
            flagged: (!illegal.is_empty()).then(|| format!("the explorer listed {}", illegal.join("; "))),
        };
        Ok(self.store.commit_answer(self.collection, answer).await?)
    }
}

fn graph_node(pos: &Chess, ply: u32) -> GraphNode {
    GraphNode {
        id: PositionId::of(pos),
        epd: epd(pos),
        ply: ply as u16,
        halfmove: pos.halfmoves() as u16,
    }
}

/// An explorer tells a mean, we keep a sum.
fn stats(tally: tabiya_lichess::Tally, average_rating: Option<u32>) -> Stats {
    let games = tally.games();
    Stats {
        white: tally.white(),
        draws: tally.draws(),
        black: tally.black(),
        rating_sum: average_rating.map_or(0, |rating| u64::from(rating) * games),
        rated: if average_rating.is_some() { games } else { 0 },
        first_year: 0,
        last_year: 0,
    }
}
