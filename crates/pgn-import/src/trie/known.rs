//! What a worker has handed on already, so that the millionth 1.e4 costs one look-up and no row.

use hashbrown::HashMap;
use shakmaty::{Move, Role, Square};

/// Forgotten all at once when it grows past this. Handing a row on twice does no harm, so nothing is lost by it.
const MOST: usize = 400_000;

/// An edge by its parent's id and its move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct EdgeKey {
    parent: u64,
    m: u32,
}

impl EdgeKey {
    pub(super) fn new(parent: u64, m: Move) -> EdgeKey {
        let from = m.from().map_or(64, u32::from);
        let promotion = m.promotion().map_or(0, |role: Role| role as u32);
        let castle = u32::from(m.is_castle());
        EdgeKey {
            parent,
            m: from | u32::from(m.to() as Square) << 7 | promotion << 14 | castle << 18,
        }
    }
}

/// What is remembered of an edge.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownEdge {
    pub(super) id: u64,
    pub(super) child: u64,
    /// The smallest ply at which the child was handed on.
    pub(super) child_ply: u32,
    /// The repertoire label it was handed on under last, as the harvester numbers them.
    pub(super) label: u32,
}

#[derive(Debug, Default)]
pub(super) struct KnownEdges {
    map: HashMap<EdgeKey, KnownEdge>,
}

impl KnownEdges {
    pub(super) fn get_mut(&mut self, key: &EdgeKey) -> Option<&mut KnownEdge> {
        self.map.get_mut(key)
    }

    pub(super) fn insert(&mut self, key: EdgeKey, edge: KnownEdge) {
        if self.map.len() >= MOST {
            self.map.clear();
        }
        self.map.insert(key, edge);
    }
}
