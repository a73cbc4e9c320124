//! The ways to the named positions.

use std::collections::{BTreeMap, HashMap, HashSet};

use shakmaty::{Chess, Move, Position};

use crate::{PositionId, epd, to_san, to_uci};

/// A position on the way to a named one.
#[derive(Clone, Debug)]
pub struct SkeletonNode {
    /// The position's id.
    pub id: PositionId,
    /// The position, with the counters of the path over its parents.
    pub position: Chess,
    /// Its EPD.
    pub epd: String,
    /// How many half-moves it is from the initial position.
    pub ply: usize,
    /// The parent nearest to the initial position, of several as near the one with the smaller EPD; none at the root.
    pub parent: Option<PositionId>,
    /// The move from that parent in SAN; none at the root.
    pub san: Option<String>,
}

/// A move on the way to a named position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkeletonEdge {
    /// The position before the move.
    pub parent: PositionId,
    /// The position behind it.
    pub child: PositionId,
    /// The move in UCI.
    pub uci: String,
    /// The move in SAN.
    pub san: String,
}

/// Every position and every move on the way to a named position, from the initial position on.
#[derive(Clone, Debug)]
pub struct Skeleton {
    nodes: Vec<SkeletonNode>,
    edges: Vec<SkeletonEdge>,
}

impl Skeleton {
    pub(super) fn of<'a>(lines: impl IntoIterator<Item = &'a [Move]>) -> Skeleton {
        let mut moves_from: HashMap<PositionId, BTreeMap<String, Move>> = HashMap::new();
        for line in lines {
            let mut position = Chess::default();
            for m in line {
                let moves = moves_from.entry(PositionId::of(&position)).or_default();
                moves.entry(to_uci(&position, *m)).or_insert(*m);
                position.play_unchecked(*m);
            }
        }

        let initial = Chess::default();
        let mut nodes = vec![SkeletonNode {
            id: PositionId::of(&initial),
            epd: epd(&initial),
            position: initial,
            ply: 0,
            parent: None,
            san: None,
        }];
        let mut edges = Vec::new();
        let mut known = HashSet::from([nodes[0].id]);
        // Level by level, each in the order of EPDs: whoever reaches a position first is its parent.
        let mut level = 0;
        while level < nodes.len() {
            let end = nodes.len();
            for at in level..end {
                let node = nodes[at].clone();
                for (uci, m) in moves_from.get(&node.id).into_iter().flatten() {
                    let mut position = node.position.clone();
                    position.play_unchecked(*m);
                    let (id, san) = (PositionId::of(&position), to_san(&node.position, *m));
                    edges.push(SkeletonEdge {
                        parent: node.id,
                        child: id,
                        uci: uci.clone(),
                        san: san.clone(),
                    });
                    if known.insert(id) {
                        nodes.push(SkeletonNode {
                            id,
                            epd: epd(&position),
                            position,
                            ply: node.ply + 1,
                            parent: Some(node.id),
                            san: Some(san),
                        });
                    }
                }
            }
            nodes[end..].sort_by(|a, b| a.epd.cmp(&b.epd));
            level = end;
        }
        Skeleton { nodes, edges }
    }

    /// The positions: the initial one first, parents before children.
    #[must_use]
    pub fn nodes(&self) -> &[SkeletonNode] {
        &self.nodes
    }

    /// The moves, those of one position together.
    #[must_use]
    pub fn edges(&self) -> &[SkeletonEdge] {
        &self.edges
    }
}
