//! Which nodes an engine is to think about, and in which order.

use shakmaty::Chess;
use tabiya_chess::{Question, SearchLimit, fen_at, numbered_line, parse_fen};
use tabiya_store::NodeEvaluation;

use super::{
    AnnotateRequest,
    batch::{Batch, BatchPosition},
    neighbours,
    wish::Kind,
};
use crate::AppError;
use crate::opening_graph::OpeningGraph;

/// A node that is wanted, and for how long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Its place in the graph.
    pub(super) place: usize,
    pub(super) kind: Kind,
    pub(super) limit: SearchLimit,
}

/// All nodes of the kinds that are evaluated, the most played first.
pub(super) fn wanted(graph: &OpeningGraph, request: &AnnotateRequest) -> Vec<Wanted> {
    let mut wanted: Vec<Wanted> = (0..graph.nodes.len())
        .filter_map(|place| {
            let kind = match graph.edges_from(place).len() {
                0 => Kind::Terminal,
                1 => return None,
                _ => Kind::Branching,
            };
            let limit = request.effort.limit(kind, games(graph, place), request.millis);
            Some(Wanted { place, kind, limit })
        })
        .collect();
    wanted.sort_by_cached_key(|wish| {
        let games = games(graph, wish.place);
        (std::cmp::Reverse(games), graph.nodes[wish.place].id)
    });
    wanted
}

/// How many games come by. Where an explorer's tree ends nobody has counted them, but on the moves that lead there.
fn games(graph: &OpeningGraph, place: usize) -> u64 {
    let on_the_way: u64 = graph.edges_to(place).map(|edge| graph.edges[edge].stats.games()).sum();
    graph.nodes[place].stats.games().max(on_the_way)
}

/// Whether what a node shows is as deep as it is wanted. A number of nodes does not show there: the evaluations know.
pub(super) fn is_served(shown: Option<&NodeEvaluation>, limit: &SearchLimit, engine: Option<&str>) -> bool {
    shown.is_some_and(|shown| {
        let own = engine.is_none_or(|engine| shown.engine == engine);
        // Where the game is over nothing is left to search.
        own && (shown.best_move.is_none() || limit.depth.is_some_and(|depth| shown.depth >= depth))
    })
}

/// The node's FEN, with the counters along its nearest parents.
pub(super) fn fen(graph: &OpeningGraph, place: usize) -> String {
    let node = &graph.nodes[place];
    fen_at(&node.epd, node.halfmove.into(), node.ply.into())
}

/// What would be asked of a store about a node.
pub(super) fn question(wish: &Wanted, request: &AnnotateRequest, engine: Option<&str>) -> Question {
    Question {
        limit: wish.limit,
        multipv: request.multipv,
        engine: engine.map(str::to_owned),
    }
}

/// Cuts nodes into batches: each holds the most played node that is left and, depth first, what lies behind it; where that is
/// less than a batch, the next one with what lies behind it follows, because a small batch costs a queue as much as a large one.
/// An engine that keeps its hash goes through it from the end: of children that were searched as deep, a parent's search needs no
/// more than to look them up, while a parent leaves its children short of the last half-moves, which cost the most.
pub(super) fn batches(graph: &OpeningGraph, wanted: &[Wanted], request: &AnnotateRequest) -> Vec<Batch> {
    cut(graph, wanted, batch_size(wanted.len(), request), request)
}

fn cut(graph: &OpeningGraph, wanted: &[Wanted], size: usize, request: &AnnotateRequest) -> Vec<Batch> {
    let lines = Lines::new(graph);
    let mut wish_at: Vec<Option<u32>> = vec![None; graph.nodes.len()];
    for (number, wish) in wanted.iter().enumerate() {
        wish_at[wish.place] = Some(number as u32);
    }
    let mut batches = Vec::new();
    let mut positions = Vec::new();
    let mut stack = Vec::new();
    for wish in wanted {
        let mut visited = 0;
        stack.clear();
        stack.extend(wish_at[wish.place].map(|_| wish.place));
        while let Some(place) = stack.pop() {
            if let Some(number) = wish_at[place].take() {
                positions.push(position(graph, &wanted[number as usize], &lines));
            }
            visited += 1;
            if positions.len() >= size || visited >= size * 8 {
                break;
            }
            let first = stack.len();
            stack.extend(
                graph
                    .edges_from(place)
                    .map(|edge| graph.child(edge))
                    .filter(|child| graph.nodes[*child].ply > graph.nodes[place].ply),
            );
            // The most played one is gone to first.
            stack[first..].sort_by_key(|child| (games(graph, *child), std::cmp::Reverse(graph.nodes[*child].id)));
        }
        if positions.len() >= size {
            batches.push(batch(std::mem::take(&mut positions), request));
        }
    }
    if !positions.is_empty() {
        batches.push(batch(positions, request));
    }
    batches
}

/// Smaller where there is little to do, so that no engine is left with a large batch while the others have nothing.
fn batch_size(positions: usize, request: &AnnotateRequest) -> usize {
    const BATCHES_EACH: usize = 4;
    (positions / (request.engine.count() * BATCHES_EACH)).clamp(1, request.batch)
}

fn batch(mut positions: Vec<BatchPosition>, request: &AnnotateRequest) -> Batch {
    if request.reuse_hash {
        positions.reverse();
    }
    Batch {
        positions,
        multipv: request.multipv,
        reuse_hash: request.reuse_hash,
        engine_only: request.engine_only,
        gap: Some(request.gap),
    }
}

fn position(graph: &OpeningGraph, wish: &Wanted, lines: &Lines) -> BatchPosition {
    let node = &graph.nodes[wish.place];
    BatchPosition {
        fen: fen(graph, wish.place),
        limit: wish.limit.to_string(),
        line: lines.to(graph, wish.place),
        games: games(graph, wish.place),
        shown: node.evaluation.is_some(),
        children: neighbours::children(graph, wish.place),
    }
}

/// The way to each node along its nearest parents.
struct Lines {
    /// The edge that leads there; of several, that of the smaller EPD.
    by: Vec<Option<u32>>,
}

impl Lines {
    fn new(graph: &OpeningGraph) -> Lines {
        let by = (0..graph.nodes.len()).map(|place| {
            let before = graph.nodes[place].ply.checked_sub(1)?;
            graph
                .edges_to(place)
                .filter(|edge| graph.nodes[graph.parent(*edge)].ply == before)
                .min_by_key(|edge| &graph.nodes[graph.parent(*edge)].epd)
                .map(|edge| edge as u32)
        });
        Lines { by: by.collect() }
    }

    /// `1.e4 e5 2.Nf3`.
    fn to(&self, graph: &OpeningGraph, place: usize) -> String {
        let mut sans = Vec::new();
        let mut at = place;
        while let Some(edge) = self.by[at] {
            sans.push(graph.edges[edge as usize].san.as_str());
            at = graph.parent(edge as usize);
        }
        sans.reverse();
        numbered_line(sans)
    }
}

/// The position of a node.
pub(super) fn chess(graph: &OpeningGraph, place: usize) -> Result<Chess, AppError> {
    let fen = fen(graph, place);
    match parse_fen(&fen) {
        Ok(start) => Ok(start.position),
        Err(error) => Err(AppError::Corrupt(format!("the database has a node {fen:?}: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Position as _;
    use tabiya_chess::{PositionId, Stats, epd, from_uci};
    use tabiya_store::{KnowledgeEdge, KnowledgeGraph, KnowledgeNode, NodeSource};

    use super::*;

    /// A graph of lines of UCI moves, each played so often.
    fn graph(lines: &[(&str, u64)]) -> OpeningGraph {
        let mut graph = KnowledgeGraph::default();
        let mut node = |position: &Chess, ply: u16, games: u64| {
            let id = PositionId::of(position);
            match graph.nodes.iter_mut().find(|node| node.id == id) {
                Some(node) => node.stats.white += games,
                None => graph.nodes.push(KnowledgeNode {
                    id,
                    epd: epd(position),
                    ply,
                    halfmove: 0,
                    source: NodeSource::Corpus,
                    stats: Stats {
                        white: games,
                        ..Stats::default()
                    },
                    opening: None,
                    named: false,
                    structure: None,
                    is_branching: false,
                    stub_count: 0,
                    evaluation: None,
                }),
            }
            id
        };
        let mut edges: Vec<KnowledgeEdge> = Vec::new();
        for (line, games) in lines {
            let mut position = Chess::default();
            let mut parent = node(&position, 0, *games);
            for (ply, uci) in (1..).zip(line.split(' ')) {
                position.play_unchecked(from_uci(&position, uci).expect(uci));
                let child = node(&position, ply, *games);
                if !edges.iter().any(|edge| edge.parent == parent && edge.child == child) {
                    edges.push(KnowledgeEdge {
                        parent,
                        child,
                        uci: uci.to_owned(),
                        san: uci.to_owned(),
                        stats: Stats::default(),
                    });
                }
                parent = child;
            }
        }
        graph.nodes.sort_by_key(|node| node.id);
        edges.sort_by(|a, b| (a.parent, &a.uci).cmp(&(b.parent, &b.uci)));
        graph.edges = edges;
        OpeningGraph::new(graph)
    }

    /// The lines of each batch, in order.
    fn lines(graph: &OpeningGraph, batch: usize, reuse_hash: bool) -> Vec<Vec<String>> {
        let request = AnnotateRequest {
            reuse_hash,
            ..AnnotateRequest::new("")
        };
        let batches = cut(graph, &wanted(graph, &request), batch, &request);
        let lines = |batch: Batch| batch.positions.into_iter().map(|position| position.line).collect();
        batches.into_iter().map(lines).collect()
    }

    #[test]
    fn an_engine_that_keeps_its_hash_searches_children_before_their_parent() {
        let graph = graph(&[("e2e4 e7e5", 5), ("e2e4 c7c5", 4), ("d2d4 d7d5", 3), ("d2d4 g8f6", 2)]);
        let cold = lines(&graph, 5, false);
        assert_eq!(
            cold,
            [
                vec!["", "1.e2e4", "1.e2e4 e7e5", "1.e2e4 c7c5", "1.d2d4"],
                vec!["1.d2d4 d7d5", "1.d2d4 g8f6"]
            ]
        );
        let mut warm = lines(&graph, 5, true);
        warm.iter_mut().for_each(|batch| batch.reverse());
        assert_eq!(warm, cold, "the same batches, each from its end");
    }

    #[test]
    fn little_work_is_shared_out_in_small_batches() {
        let mut request = AnnotateRequest::new("");
        request.engine.workers = Some(2);
        let size = |positions| batch_size(positions, &request);
        assert_eq!((size(1), size(8), size(40), size(10_000)), (1, 1, 5, request.batch));
    }
}
