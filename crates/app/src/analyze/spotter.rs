//! Spots names of openings as games go by.

use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::Opening;
use tabiya_counts::PositionKey;

use super::openings::Names;

/// Follows one game after another and remembers the last position of each that has a name.
#[derive(Debug)]
pub(super) struct Spotter {
    names: &'static Names,
    initial: PositionKey,
    key: PositionKey,
    pieces: u32,
    last: Option<&'static Opening>,
}

impl Spotter {
    pub(super) fn new() -> Spotter {
        let initial = PositionKey::of(&Chess::default());
        Spotter {
            names: Names::embedded(),
            initial,
            key: initial,
            pieces: 32,
            last: None,
        }
    }

    pub(super) fn begin(&mut self) {
        self.key = self.initial;
        self.pieces = 32;
        self.last = None;
    }

    #[inline]
    pub(super) fn playing(&mut self, before: &Chess, m: Move) {
        self.pieces -= u32::from(m.is_capture());
        if self.may_be_named() {
            self.key.play(before.turn(), m);
        }
    }

    #[inline]
    pub(super) fn reached(&mut self, after: &Chess) {
        if self.may_be_named()
            && let Some(opening) = self.names.get(self.key.value(after))
        {
            self.last = Some(opening);
        }
    }

    /// Pieces never come back, so most of a game is behind every name.
    #[inline]
    fn may_be_named(&self) -> bool {
        self.pieces >= self.names.fewest_pieces()
    }

    pub(super) fn opening(&self) -> Option<&'static Opening> {
        self.last
    }
}
