//! `build expand --explorer`: asks a server that counts games already.

mod before;
mod room;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, atomic::AtomicBool};

use serde::Serialize;
use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::{FacetKinds, PositionId, Stats, epd, fen_at, from_uci, to_san, to_uci};
use tabiya_lichess::{
    CrawlEnd, CrawlOptions, CrawlReport, CrawlSink, CrawledNode, Explorer, ExplorerConfig, KnownMove, Seed, Target,
    Wait, crawl,
};
use tabiya_store::{
    Collection, CollectionCounts, CollectionSource, CrawlAnswer, Graph, GraphEdge, GraphNode, Load, Store,
};
use tokio_util::sync::CancellationToken;

use self::{
    before::{Asked, Limits, go_on, known},
    room::{Answer, Answers, Room},
};
use super::{
    expand::{check_collection, check_named},
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
    /// The threshold rises until the named lines and what was asked for have no more nodes than this.
    pub max_nodes: Option<u64>,
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
    pub asked_min_games: u64,
    /// Higher than what was asked for where there is not room for more.
    pub min_games: u64,
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
    if request.max_nodes == Some(0) {
        return Err(AppError::OutOfRange("--max-nodes must be 1 or more".to_owned()));
    }
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
    let stop = CancellationToken::new();
    let explorer = Explorer::new(request.explorer.clone())?.on_wait(tell);
    let answers = known(&store, request).await?;
    let (asked, min_games) = if answers.is_empty() {
        (Asked::of(request), request.min_games)
    } else {
        go_on(&store, request, &collections).await?
    };
    let graph = OpeningGraph::new(store.knowledge_graph(Some(Collection::OPENINGS)).await?);
    let seeds = seeds(&graph)?;
    let room = room(request, &graph, &seeds)?;
    let _listening = interrupt::cancel_when_asked(request.stop.clone(), stop.clone());
    phases::forget_after(&store, &Phase::expand(&request.collection)).await?;
    let mut crawling = Crawling {
        store: &store,
        request,
        collection: Collection {
            name: request.collection.clone(),
            source: CollectionSource::Explorer,
            games: 0,
            min_games,
            depth: request.depth,
            max_ply: None,
            facets: FacetKinds::default(),
        },
        asked,
        answers,
        room,
        lines: lines(&graph)?,
        has_begun: false,
    };
    let (report, end) = crawling.ask(explorer, &seeds, &stop).await?;
    if matches!(end, CrawlEnd::Complete) {
        crawling.fit().await?;
    }
    let summary = crawling.summary(report, &end);
    // What was answered is numbered and named, however the crawl ended.
    steps.begin(Step::Names);
    store.settle_nodes().await?;
    names::settle(&store).await?;
    phases::graph_changed(&store).await?;
    match end {
        CrawlEnd::Complete | CrawlEnd::Cancelled => {}
        CrawlEnd::Explorer(error) => return Err(error.into()),
        CrawlEnd::Sink(error) => return Err(error),
        CrawlEnd::Known { epd, source } => return Err(AppError::Corrupt(format!("a move from {epd}: {source}"))),
        other => return Err(AppError::Corrupt(format!("the crawl ended: {other:?}"))),
    }
    store.close().await;
    Ok(summary)
}

/// A crawl that is under way.
struct Crawling<'a> {
    store: &'a Store,
    request: &'a CrawlRequest,
    /// With the threshold at hand.
    collection: Collection,
    asked: Asked,
    /// Those of earlier runs, and of this one too where there is a limit to them.
    answers: Answers,
    room: Option<Room>,
    lines: Lines,
    has_begun: bool,
}

impl Crawling<'_> {
    /// Asks until nothing is left to ask for. When too much has come in the threshold is raised, and the crawl goes on from the
    /// beginning: what is known is not asked for again.
    async fn ask(
        &mut self,
        mut explorer: Explorer,
        seeds: &[Seed],
        stop: &CancellationToken,
    ) -> Result<(CrawlReport, CrawlEnd<AppError>), AppError> {
        let mut report = CrawlReport::default();
        loop {
            // A run may have been killed before it could cut, or there was more room then.
            if self.is_overfull() {
                self.fit().await?;
            }
            let full = stop.child_token();
            explorer = explorer.stopped_by(full.clone());
            let options = CrawlOptions {
                depth: self.request.depth.into(),
                min_games: self.collection.min_games,
            };
            let filling = self.room.as_ref().map(|room| Filling {
                met: room.reach(&self.answers, options.min_games).met,
                most: room.overfull(),
                full,
                answers: Answers::new(),
            });
            let mut sink = Sink {
                store: self.store,
                request: self.request,
                collection: &self.collection,
                asked: &self.asked,
                lines: &self.lines,
                has_begun: self.has_begun,
                filling,
            };
            let already = |target: &Target| {
                let answer = self.answers.get(&target.id)?;
                Some(answer.moves.iter().map(|(known, _)| known.clone()).collect())
            };
            let outcome = crawl(&explorer, seeds.iter().cloned(), options, already, &mut sink).await;
            report += outcome.report;
            let Sink { has_begun, filling, .. } = sink;
            self.has_begun = has_begun;
            self.answers
                .extend(filling.into_iter().flat_map(|filling| filling.answers));
            match outcome.end {
                CrawlEnd::Cancelled if !stop.is_cancelled() => {}
                end => return Ok((report, end)),
            }
        }
    }

    fn is_overfull(&self) -> bool {
        self.room.as_ref().is_some_and(|room| {
            let reach = room.reach(&self.answers, self.collection.min_games);
            reach.met.len() > room.overfull()
        })
    }

    /// Raises the threshold until there is room for what is known, and forgets what has fewer games. Where nothing has to go, depths are
    /// put right that were not known when the threshold was raised before.
    async fn fit(&mut self) -> Result<(), AppError> {
        let Some(room) = &self.room else { return Ok(()) };
        let min_games = room.lowest(&self.answers, self.collection.min_games);
        let reach = room.reach(&self.answers, min_games);
        let stays = match self.asked.raised_for {
            Some(_) => reach.is_all_of(&self.answers),
            // What a run has asked that went deeper is no reason to forget it.
            None => room.has_all(&self.answers),
        };
        if stays && min_games == self.collection.min_games {
            return Ok(());
        }
        if min_games > self.collection.min_games {
            // First: to refuse a wider limit without need costs less than to take it for what was cut by a narrower one.
            self.asked.raised_for = Some(Limits {
                max_nodes: room.most as u64,
                depth: room.depth,
            });
            self.asked.record(self.store, self.request).await?;
            self.collection.min_games = min_games;
        }
        self.store
            .keep_answers(&self.collection, reach.answered.clone())
            .await?;
        let mut all = std::mem::take(&mut self.answers);
        for (id, depth) in reach.answered {
            if let Some(mut answer) = all.remove(&id) {
                answer.depth = depth;
                room.cut(id, &mut answer, min_games);
                self.answers.insert(id, answer);
            }
        }
        Ok(())
    }

    fn summary(&self, report: CrawlReport, end: &CrawlEnd<AppError>) -> CrawlSummary {
        let mut summary = CrawlSummary {
            collection: self.request.collection.clone(),
            answered: report.answered,
            known: report.known,
            moves: report.moves,
            pruned: report.pruned,
            flagged: report.flagged,
            asked_min_games: self.asked.min_games,
            min_games: self.collection.min_games,
            interrupted: matches!(end, CrawlEnd::Cancelled),
        };
        if self.room.is_some() {
            // A report knows nothing of what was cut, and takes for known what an earlier round has asked.
            let (new, before): (Vec<&Answer>, Vec<&Answer>) = self.answers.values().partition(|answer| answer.is_new);
            summary.known = before.len() as u64;
            summary.moves = new.iter().map(|answer| answer.moves.len() as u64).sum();
            summary.pruned = (report.moves + report.pruned).saturating_sub(summary.moves);
            summary.flagged = new.iter().filter(|answer| answer.is_flagged).count() as u64;
        }
        summary
    }
}

/// The limit to what may be kept, unless the named lines alone are more.
fn room(request: &CrawlRequest, graph: &OpeningGraph, seeds: &[Seed]) -> Result<Option<Room>, AppError> {
    let Some(max_nodes) = request.max_nodes else {
        return Ok(None);
    };
    let seeds: HashSet<PositionId> = seeds.iter().map(|seed| PositionId::of(&seed.position)).collect();
    let mut named: HashSet<PositionId> = graph.nodes.iter().map(|node| node.id).collect();
    named.extend(&seeds);
    check_named(named.len(), max_nodes)?;
    Ok(Some(Room {
        most: usize::try_from(max_nodes).unwrap_or(usize::MAX),
        depth: request.depth,
        seeds,
        named,
        lines: graph.edges.iter().fold(HashMap::new(), |mut lines, edge| {
            lines.entry(edge.parent).or_default().push(edge.child);
            lines
        }),
    }))
}

/// Every named position, and the initial one.
fn seeds(graph: &OpeningGraph) -> Result<Vec<Seed>, AppError> {
    let mut seeds = vec![Seed::new(Chess::default(), 0)];
    for node in graph.nodes.iter().filter(|node| node.named) {
        let fen = fen_at(&node.epd, node.halfmove.into(), node.ply.into());
        let start = tabiya_chess::parse_fen(&fen)
            .map_err(|error| AppError::Corrupt(format!("the position {}: {error}", node.epd)))?;
        seeds.push(Seed::new(start.position, node.ply.into()));
    }
    Ok(seeds)
}

/// The moves of the named lines. Counting keeps them with whatever games they have, and goes on behind them; so does a crawl.
type Lines = HashMap<PositionId, Vec<Move>>;

fn lines(graph: &OpeningGraph) -> Result<Lines, AppError> {
    let mut lines = Lines::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let broken = |error: &dyn std::fmt::Display| AppError::Corrupt(format!("the position {}: {error}", node.epd));
        let position = tabiya_chess::parse_fen(&node.epd)
            .map_err(|error| broken(&error))?
            .position;
        for edge in graph.edges_from(place) {
            let m = from_uci(&position, &graph.edges[edge].uci).map_err(|error| broken(&error))?;
            lines.entry(node.id).or_default().push(m);
        }
    }
    Ok(lines)
}

struct Sink<'a> {
    store: &'a Store,
    request: &'a CrawlRequest,
    collection: &'a Collection,
    asked: &'a Asked,
    lines: &'a Lines,
    has_begun: bool,
    filling: Option<Filling>,
}

/// What comes in where there is not room for everything.
struct Filling {
    met: HashSet<PositionId>,
    most: usize,
    /// Cancelled when more were met.
    full: CancellationToken,
    answers: Answers,
}

impl Filling {
    fn take_in(&mut self, id: PositionId, answer: Answer) {
        self.met.extend(answer.moves.iter().map(|(_, child)| child));
        self.answers.insert(id, answer);
        if self.met.len() > self.most {
            self.full.cancel();
        }
    }
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
        self.asked.record(self.store, self.request).await?;
        self.has_begun = true;
        Ok(())
    }
}

impl CrawlSink for Sink<'_> {
    type Error = AppError;

    fn always(&self, target: &Target) -> Vec<Move> {
        self.lines.get(&target.id).cloned().unwrap_or_default()
    }

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
        let taken = self.filling.is_some().then(|| taken(&answer));
        self.store.commit_answer(self.collection, answer).await?;
        if let (Some(filling), Some(taken)) = (&mut self.filling, taken) {
            filling.take_in(node.id, taken);
        }
        Ok(())
    }
}

/// An answer, as it would be known to a later run.
fn taken(answer: &CrawlAnswer) -> Answer {
    let moves = answer.edges.iter().map(|(edge, _, stats)| {
        let known = KnownMove {
            uci: edge.uci.clone(),
            games: stats.games(),
        };
        (known, edge.child)
    });
    Answer {
        depth: answer.depth,
        moves: moves.collect(),
        is_new: true,
        is_flagged: answer.flagged.is_some(),
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
