//! What is kept of one collection, in one piece.

use std::ops::Range;

use tabiya_chess::{FacetKinds, Stats};

use crate::{GameRef, KeptMove, PackedMove, group::Group};

/// A position with its games in one collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPosition {
    pub key: u64,
    pub total: Stats,
    moves: Range<u32>,
    top: Range<u32>,
    recent: Range<u32>,
}

/// One collection's share of what is kept.
#[derive(Debug, Clone, Default)]
pub struct CollectionKept {
    /// By key.
    pub positions: Vec<KeptPosition>,
    moves: Vec<KeptMove>,
    games: Vec<GameRef>,
}

impl CollectionKept {
    /// The moves that are kept, one entry for each facet of each.
    pub fn moves(&self, position: &KeptPosition) -> &[KeptMove] {
        &self.moves[position.moves.start as usize..position.moves.end as usize]
    }

    pub fn top(&self, position: &KeptPosition) -> &[GameRef] {
        &self.games[position.top.start as usize..position.top.end as usize]
    }

    pub fn recent(&self, position: &KeptPosition) -> &[GameRef] {
        &self.games[position.recent.start as usize..position.recent.end as usize]
    }

    pub fn position(&self, key: u64) -> Option<&KeptPosition> {
        let found = self.positions.binary_search_by_key(&key, |position| position.key);
        found.ok().map(|at| &self.positions[at])
    }

    /// Where facets are told apart, what leaves by other moves or not at all is kept under no move, so that the
    /// position's own facets add up.
    pub(crate) fn push(&mut self, key: u64, group: &Group, facets: FacetKinds, keep: impl Fn(PackedMove) -> bool) {
        if group.total.games() == 0 {
            return;
        }
        let moves = self.moves.len() as u32;
        self.moves.extend(group.moves.iter().filter(|known| keep(known.by)));
        if facets.any() {
            let rest = self.moves.len();
            for other in group.moves.iter().filter(|known| !keep(known.by)) {
                match self.moves[rest..].iter_mut().find(|known| known.facet == other.facet) {
                    Some(known) => known.stats += other.stats,
                    None => self.moves.push(KeptMove {
                        by: PackedMove::NONE,
                        ..*other
                    }),
                }
            }
        }
        let top = self.games.len() as u32;
        self.games.extend(&group.top);
        let recent = self.games.len() as u32;
        self.games.extend(&group.recent);
        self.positions.push(KeptPosition {
            key,
            total: group.total,
            moves: moves..self.moves.len() as u32,
            top: top..recent,
            recent: recent..self.games.len() as u32,
        });
    }

    /// Forgets the positions that are not among these, rising as they are. Their moves and games stay where they are: moving
    /// the others together would take longer than it is worth.
    pub(crate) fn retain(&mut self, keys: &[u64]) {
        let mut keys = keys.iter().peekable();
        self.positions.retain(|position| {
            while keys.next_if(|key| **key < position.key).is_some() {}
            keys.peek() == Some(&&position.key)
        });
    }

    /// One behind the other.
    pub(crate) fn of<'a>(shares: impl Iterator<Item = &'a CollectionKept> + Clone) -> CollectionKept {
        let mut whole = CollectionKept {
            positions: Vec::with_capacity(shares.clone().map(|share| share.positions.len()).sum()),
            moves: Vec::with_capacity(shares.clone().map(|share| share.moves.len()).sum()),
            games: Vec::with_capacity(shares.clone().map(|share| share.games.len()).sum()),
        };
        shares.for_each(|share| whole.append(share));
        whole
    }

    fn append(&mut self, other: &CollectionKept) {
        let (moves, games) = (self.moves.len() as u32, self.games.len() as u32);
        let shift = |range: &Range<u32>, by: u32| range.start + by..range.end + by;
        self.positions
            .extend(other.positions.iter().map(|position| KeptPosition {
                key: position.key,
                total: position.total,
                moves: shift(&position.moves, moves),
                top: shift(&position.top, games),
                recent: shift(&position.recent, games),
            }));
        self.moves.extend_from_slice(&other.moves);
        self.games.extend_from_slice(&other.games);
    }
}
