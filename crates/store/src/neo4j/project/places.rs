//! Where positions lie in the graph, and which lane writes them.

use std::cmp::Reverse;
use std::collections::HashMap;

use uuid::Uuid;

use super::sent::LANES;
use crate::knowledge::OpeningView;

/// All positions by id, with the server's own numbers for their nodes. Looked up by those
/// numbers, the two positions of a move take a third off its time; looked up by their ids, the server locks what it finds.
#[derive(Default)]
pub(super) struct Places {
    ids: Vec<i64>,
    /// Negative where it is not known.
    nodes: Vec<i64>,
    lanes: Vec<u8>,
}

impl Places {
    /// Enters a position behind those with smaller ids.
    pub(super) fn push(&mut self, id: i64, lane: usize, node: Option<i64>) {
        debug_assert!(self.ids.last().is_none_or(|last| *last < id), "positions come by id");
        self.ids.push(id);
        self.nodes.push(node.unwrap_or(-1));
        self.lanes.push(lane as u8);
    }

    /// Enters the nodes of positions that were written.
    pub(super) fn found(&mut self, written: Vec<(i64, i64)>) {
        for (id, node) in written {
            if let Ok(place) = self.ids.binary_search(&id) {
                self.nodes[place] = node;
            }
        }
    }

    /// The node of a position that is there, and its lane.
    pub(super) fn of(&self, id: i64) -> Option<(i64, usize)> {
        let place = self.ids.binary_search(&id).ok()?;
        let node = self.nodes[place];
        (node >= 0).then(|| (node, usize::from(self.lanes[place])))
    }
}

/// Which lane writes the positions of an opening. A family stays together: most moves lead from a position to another one
/// of its family, and are written by its lane too.
pub(super) struct Homes {
    lanes: HashMap<Uuid, usize>,
    homeless: usize,
}

impl Homes {
    /// `sizes` has the positions of each opening; `total` counts those of none too.
    pub(super) fn new(openings: &[OpeningView], sizes: &HashMap<Uuid, u64>, total: u64) -> Homes {
        let mut families: HashMap<&str, u64> = HashMap::new();
        for view in openings {
            let size = sizes.get(&view.opening.id).copied().unwrap_or_default();
            *families.entry(&view.opening.family).or_default() += size;
        }
        let rest = total.saturating_sub(families.values().sum());
        // No opening has an empty name.
        *families.entry("").or_default() += rest;
        let mut by_size: Vec<(&str, u64)> = families.into_iter().collect();
        by_size.sort_unstable_by_key(|(family, size)| (Reverse(*size), *family));
        let mut load = [0; LANES];
        let mut of_family = HashMap::new();
        for (family, size) in by_size {
            let lane = (0..LANES).min_by_key(|lane| load[*lane]).unwrap_or_default();
            load[lane] += size;
            of_family.insert(family, lane);
        }
        let lane = |family: &str| of_family.get(family).copied().unwrap_or_default();
        Homes {
            lanes: (openings.iter())
                .map(|view| (view.opening.id, lane(&view.opening.family)))
                .collect(),
            homeless: lane(""),
        }
    }

    pub(super) fn of(&self, opening: Option<Uuid>) -> usize {
        let lane = opening.and_then(|opening| self.lanes.get(&opening));
        lane.copied().unwrap_or(self.homeless)
    }
}
