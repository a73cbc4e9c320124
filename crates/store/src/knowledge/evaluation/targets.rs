//! Which nodes there are to evaluate.

use std::cmp::Reverse;
use std::collections::HashMap;

use tabiya_chess::PositionId;

use super::rows::{AnnotationTarget, TargetKinds};
use crate::Identity;
use crate::knowledge::KnowledgeGraph;
use crate::rows::fen;

impl TargetKinds {
    fn include(self, moves: usize) -> bool {
        match self {
            TargetKinds::Branching => moves >= 2,
            TargetKinds::Terminal => moves == 0,
            TargetKinds::BranchingAndTerminal => moves != 1,
            TargetKinds::All => true,
        }
    }
}

/// The nodes of some kinds, by games, most first, then by id.
pub(super) fn targets(graph: KnowledgeGraph, kinds: TargetKinds) -> Vec<AnnotationTarget> {
    let places: HashMap<PositionId, usize> = graph.nodes.iter().map(|node| node.id).zip(0..).collect();
    let mut moves = vec![0usize; graph.nodes.len()];
    let mut parents: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    for edge in &graph.edges {
        let (Some(&parent), Some(&child)) = (places.get(&edge.parent), places.get(&edge.child)) else {
            continue;
        };
        moves[parent] += 1;
        let way = |place: usize| (graph.nodes[place].ply, &graph.nodes[place].epd);
        // Pieces can be moved back to where they came from, also all the way to the initial position.
        if way(parent).0 < way(child).0 && parents[child].is_none_or(|known| way(parent) < way(known)) {
            parents[child] = Some(parent);
        }
    }
    let ids: Vec<PositionId> = graph.nodes.iter().map(|node| node.id).collect();
    let mut targets: Vec<AnnotationTarget> = graph
        .nodes
        .into_iter()
        .enumerate()
        .filter(|(place, _)| kinds.include(moves[*place]))
        .map(|(place, node)| AnnotationTarget {
            id: node.id,
            fen: fen(node.epd, node.ply.into(), node.halfmove.into(), Identity::Position),
            ply: node.ply,
            is_branching: moves[place] >= 2,
            is_terminal: moves[place] == 0,
            game_count: node.stats.games(),
            parent: parents[place].map(|parent| ids[parent]),
            evaluation: node.evaluation,
        })
        .collect();
    // Nodes come by id, and the sort is stable.
    targets.sort_by_key(|target| Reverse(target.game_count));
    targets
}
