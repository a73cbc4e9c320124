//! `build validate`: which named lines of a corpus the graph lacks.

mod walk;

use std::{
    collections::HashMap,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use pgn_import::{Source, expand_inputs, read_games_parallel};
use serde::Serialize;
use tabiya_chess::{PositionId, epd};
use tabiya_counts::{CountError, PositionKey};
use tabiya_store::{Graph, GraphEdge, GraphNode, Store, Stub};

use super::{
    names,
    phases::{self, Phase},
    progress::{Step, Steps},
};
use crate::AppError;
use crate::opening_graph::OpeningGraph;
use walk::{Known, Stranger, Walk};

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
    /// Games with a move that cannot be played; they are followed up to it no more than that.
    pub corrupt: u64,
    /// Games that leave the graph by a named line within the depth, however rare.
    pub leaving: u64,
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
    let known = Arc::new(known(&graph, depth)?);
    let watcher = steps.watcher();
    let (threads, stop, min_count) = (request.threads, request.stop.clone(), request.min_count);
    let (mut report, found) = tokio::task::spawn_blocking(move || {
        let mut report = ValidateReport::default();
        let mut found: HashMap<u64, Stranger> = HashMap::new();
        for input in &inputs {
            let name = input.to_string();
            let source = Source::open(input).map_err(|source| AppError::Unreadable {
                input: name.clone(),
                source,
            })?;
            if let Some(watcher) = &watcher {
                watcher(pgn_import::Watch::Opened {
                    source: &name,
                    progress: source.progress(),
                });
            }
            let known = known.clone();
            let walked = read_games_parallel(
                source,
                threads,
                move || Walk::new(known.clone()),
                |walk, games| {
                    report.games += games;
                    report.corrupt += walk.corrupt;
                    report.leaving += walk.strangers.len() as u64;
                    for stranger in walk.strangers {
                        match found.get_mut(&stranger.key) {
                            Some(known) => known.merge(stranger),
                            None => {
                                found.insert(stranger.key, stranger);
                            }
                        }
                    }
                    if let Some(watcher) = &watcher {
                        watcher(pgn_import::Watch::Games(report.games));
                    }
                    if stop.load(Relaxed) {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                },
            );
            if stop.load(Relaxed) {
                return Err(CountError::Stopped.into());
            }
            walked.map_err(|cut| AppError::CutShort {
                input: name,
                reason: cut.to_string(),
            })?;
        }
        Ok::<_, AppError>((report, found))
    })
    .await
    .map_err(|panic| AppError::Corrupt(panic.to_string()))??;
    let mut missing: Vec<Stranger> = found
        .into_values()
        .filter(|stranger| stranger.games >= min_count)
        .collect();
    missing.sort_by(|a, b| (b.games, &a.before_epd(), a.key).cmp(&(a.games, &b.before_epd(), b.key)));
    report.missing = missing.iter().map(Stranger::tell).collect();
    if request.add_stubs && !missing.is_empty() {
        report.stubs_added = missing.len() as u64;
        phases::forget_after(&store, &Phase::validation()).await?;
        store
            .add_stubs(missing.iter().map(|stranger| stub(stranger, &graph)).collect())
            .await?;
        names::settle(&store).await?;
        phases::graph_changed(&store).await?;
    }
    store.close().await;
    Ok(report)
}

/// Which positions are there, and from which of them a missing one would be within the depth.
fn known(graph: &OpeningGraph, depth: u16) -> Result<HashMap<u64, Known>, AppError> {
    let depths = graph.depths();
    graph
        .nodes
        .iter()
        .zip(depths)
        .map(|(node, at)| {
            let start = tabiya_chess::parse_fen(&node.epd)
                .map_err(|error| AppError::Corrupt(format!("the position {}: {error}", node.epd)))?;
            let key = PositionKey::of(&start.position).value(&start.position);
            let inside = at.is_some_and(|at| at < depth);
            Ok((key, Known { inside }))
        })
        .collect()
}

/// The move and the position behind it, as they are stored.
fn stub(stranger: &Stranger, graph: &OpeningGraph) -> Stub {
    let before = epd(&stranger.before);
    let parent = graph
        .place(PositionId::from_text(&before))
        .map(|place| &graph.nodes[place]);
    let (ply, halfmove) = parent.map_or((0, 0), |node| (node.ply, node.halfmove));
    let after = stranger.after();
    let id = PositionId::of(&after);
    let node = |id, epd: String, ply, halfmove| GraphNode { id, epd, ply, halfmove };
    let zeroing = stranger.by.is_zeroing();
    Stub {
        line: Graph {
            nodes: vec![
                node(PositionId::from_text(&before), before.clone(), ply, halfmove),
                node(id, epd(&after), ply + 1, if zeroing { 0 } else { halfmove + 1 }),
            ],
            edges: vec![GraphEdge {
                parent: PositionId::from_text(&before),
                child: id,
                uci: tabiya_chess::to_uci(&stranger.before, stranger.by),
                san: tabiya_chess::to_san(&stranger.before, stranger.by),
            }],
        },
        node: id,
        count: stranger.games,
    }
}
