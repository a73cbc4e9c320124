//! `build validate`: which named lines of a corpus the graph lacks.

mod strangers;
mod walk;

use std::{
    collections::HashMap,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use pgn_import::{Input, Source, Watch, Watcher, expand_inputs, read_games_parallel};
use serde::Serialize;
use tabiya_chess::PositionId;
use tabiya_counts::PositionKey;
use tabiya_store::{Graph, GraphEdge, GraphNode, NodeSource, Store, Stub};

use super::{
    count::LeftOut,
    expand::check_depth,
    names,
    phases::{self, Phase},
    progress::{Step, Steps},
};
use crate::AppError;
use crate::opening_graph::OpeningGraph;
use strangers::{Stranger, Strangers};
use walk::{Known, Walk};

#[derive(Debug, Clone)]
pub struct ValidateRequest {
    pub database: String,
    pub inputs: Vec<String>,
    /// Lines with fewer games are not told.
    pub min_count: u64,
    /// Half-moves beyond the nearest named position; as the graph was built, if not said.
    pub depth: Option<u16>,
    pub add_stubs: bool,
    pub threads: usize,
    pub stop: Arc<AtomicBool>,
}

#[derive(Debug, Clone, Default, Serialize)]
pub struct ValidateReport {
    pub games: u64,
    /// Games with a move that cannot be played; they say nothing, not even up to it.
    pub corrupt: u64,
    /// Games from another start or of another variant, which are not followed either.
    pub elsewhere: u64,
    /// Games that leave the graph by a named line within the depth, however rare.
    pub leaving: u64,
    /// Games that leave it and are in the corpus more than once; the first counts.
    pub duplicates: u64,
    pub missing: Vec<MissingVariation>,
    pub stubs_added: u64,
}

/// A line that is played and is not in the graph: the first position of it that is missing.
#[derive(Debug, Clone, Serialize)]
pub struct MissingVariation {
    pub epd: String,
    /// The move that leads there, and from where.
    pub san: String,
    pub parent_epd: String,
    pub ply: u32,
    /// The `Opening` tag of most games, and the `ECO` tag.
    pub opening: String,
    pub eco: String,
    pub games: u64,
    /// The first game that went there.
    pub example: String,
}

/// Walks a corpus against the graph.
pub async fn validate(request: &ValidateRequest, steps: &Steps) -> Result<ValidateReport, AppError> {
    let inputs = expand_inputs(&request.inputs)?;
    if inputs.is_empty() {
        return Err(AppError::NothingToCount);
    }
    if request.min_count == 0 {
        return Err(AppError::OutOfRange("--min-count must be 1 or more".to_owned()));
    }
    if let Some(depth) = request.depth {
        check_depth(depth)?;
    }
    let store = Store::connect(&request.database).await?;
    let graph = OpeningGraph::new(store.knowledge_graph(None).await?);
    if graph.nodes.is_empty() {
        return Err(AppError::NoOpenings);
    }
    let built = store
        .collections()
        .await?
        .iter()
        .map(|known| known.depth)
        .max()
        .unwrap_or(0);
    let depth = request
        .depth
        .unwrap_or(if built == 0 { super::DEFAULT_DEPTH } else { built });
    steps.begin(Step::Validate);
    let corpus = Corpus {
        inputs,
        known: Arc::new(known(&graph, depth)?),
        threads: request.threads,
        stop: request.stop.clone(),
        watcher: steps.watcher(),
    };
    let (mut report, found) = tokio::task::spawn_blocking(move || corpus.walk())
        .await
        .map_err(|panic| AppError::Corrupt(panic.to_string()))??;
    let missing = found.told(request.min_count, &graph)?;
    if request.add_stubs {
        phases::forget_after(&store, &Phase::validation()).await?;
        if !missing.is_empty() {
            report.stubs_added = missing.len() as u64;
            let ways = graph.ways();
            let stubs = missing.iter().map(|stranger| stub(stranger, &graph, &ways));
            store.add_stubs(stubs.collect()).await?;
        }
        // Even if none is missing: a run that was ended here may have left stubs without names.
        names::settle(&store).await?;
        phases::graph_changed(&store).await?;
    }
    report.missing = missing.into_iter().map(|stranger| stranger.told).collect();
    store.close().await;
    Ok(report)
}

/// What is walked through, and with what.
struct Corpus {
    inputs: Vec<Input>,
    known: Arc<HashMap<u64, Known>>,
    threads: usize,
    stop: Arc<AtomicBool>,
    watcher: Option<Watcher>,
}

impl Corpus {
    fn walk(self) -> Result<(ValidateReport, Strangers), AppError> {
        let mut report = ValidateReport::default();
        let mut left_out = LeftOut::default();
        let mut found = Strangers::default();
        for input in &self.inputs {
            let name = input.to_string();
            let source = Source::open(input).map_err(|source| AppError::Unreadable {
                input: name.clone(),
                source,
            })?;
            if let Some(watcher) = &self.watcher {
                watcher(Watch::Opened {
                    source: &name,
                    progress: source.progress(),
                });
            }
            let known = self.known.clone();
            let walked = read_games_parallel(
                source,
                self.threads,
                move || Walk::new(known.clone()),
                |walk, games| {
                    report.games += games;
                    left_out += walk.left_out;
                    for game in walk.departures {
                        if found.enter(game) {
                            report.leaving += 1;
                        } else {
                            report.duplicates += 1;
                        }
                    }
                    if let Some(watcher) = &self.watcher {
                        watcher(Watch::Games(report.games));
                    }
                    if self.stop.load(Relaxed) {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                },
            );
            if self.stop.load(Relaxed) {
                return Err(AppError::Interrupted);
            }
            walked.map_err(|cut| AppError::CutShort {
                input: name,
                reason: cut.in_full(),
            })?;
        }
        report.corrupt = left_out.broken;
        report.elsewhere = left_out.other_start + left_out.other_variant;
        // That nothing is missing would be said of nothing.
        if report.games == left_out.total() {
            return Err(AppError::NothingFollowed {
                inputs: self.inputs.iter().map(Input::to_string).collect(),
                games: report.games,
                left_out,
            });
        }
        Ok((report, found))
    }
}

/// Which positions are there, and from which of them a missing one would be within the depth. What lies behind a stub is
/// not missing as long as no games are counted there: the stub says already that games go on.
fn known(graph: &OpeningGraph, depth: u16) -> Result<HashMap<u64, Known>, AppError> {
    let depths = graph.depths();
    let mut known = HashMap::with_capacity(graph.nodes.len());
    for ((node, at), place) in graph.nodes.iter().zip(depths).zip(0..) {
        let start = tabiya_chess::parse_fen(&node.epd)
            .map_err(|error| AppError::Corrupt(format!("the position {}: {error}", node.epd)))?;
        let key = PositionKey::of(&start.position).value(&start.position);
        let is_stub = node.stub_count > 0 && node.source == NodeSource::Validation;
        let inside = at.is_some_and(|at| at < depth) && !is_stub;
        known.insert(key, Known { place, inside });
    }
    Ok(known)
}

/// The whole line to a position that is missing, as it is stored: a later build may leave out what leads there now.
fn stub(stranger: &Stranger, graph: &OpeningGraph, ways: &[Option<usize>]) -> Stub {
    let parent = &graph.nodes[stranger.parent];
    let after = stranger.after();
    let id = PositionId::of(&after);
    let mut line = Graph {
        nodes: vec![GraphNode {
            id,
            epd: stranger.told.epd.clone(),
            ply: parent.ply + 1,
            halfmove: if stranger.by.is_zeroing() {
                0
            } else {
                parent.halfmove + 1
            },
        }],
        edges: vec![GraphEdge {
            parent: parent.id,
            child: id,
            uci: tabiya_chess::to_uci(&stranger.before, stranger.by),
            san: stranger.told.san.clone(),
        }],
    };
    let mut place = Some(stranger.parent);
    while let Some(at) = place {
        let node = &graph.nodes[at];
        line.nodes.push(GraphNode {
            id: node.id,
            epd: node.epd.clone(),
            ply: node.ply,
            halfmove: node.halfmove,
        });
        place = ways[at].map(|way| {
            let edge = &graph.edges[way];
            line.edges.push(GraphEdge {
                parent: edge.parent,
                child: edge.child,
                uci: edge.uci.clone(),
                san: edge.san.clone(),
            });
            graph.parent(way)
        });
    }
    Stub {
        line,
        node: id,
        count: stranger.told.games,
    }
}
