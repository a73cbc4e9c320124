//! Spots names of openings as games go by.

use shakmaty::{Chess, Move, Position as _};
use tabiya_chess::Opening;
use tabiya_counts::PositionKey;

use super::openings::Names;

/// Follows one game after another and finds the last position of each that has a name.
#[derive(Debug)]
pub(super) struct Spotter {
    names: &'static Names,
    initial: PositionKey,
    key: PositionKey,
    pieces: u32,
    /// The last move may have been the last one before which a name was to be expected.
    doubtful: bool,
    /// No name comes any more.
    over: bool,
    /// Of the positions so far. They are looked up from the last one back when the game is over: openings are named position
    /// after position, and only the last of them matters.
    keys: Vec<u64>,
}

impl Spotter {
    pub(super) fn new() -> Spotter {
        let initial = PositionKey::of(&Chess::default());
        Spotter {
            names: Names::embedded(),
            initial,
            key: initial,
            pieces: 32,
            doubtful: false,
            over: false,
            keys: Vec::new(),
        }
    }

    pub(super) fn begin(&mut self) {
        self.key = self.initial;
        self.pieces = 32;
        self.doubtful = false;
        self.over = false;
        self.keys.clear();
    }

    #[inline]
    pub(super) fn playing(&mut self, before: &Chess, m: Move) {
        if self.over {
            return;
        }
        self.key.play(before.turn(), m);
        if m.is_capture() || m.is_castle() {
            self.pieces -= u32::from(m.is_capture());
            self.doubtful = true;
        }
    }

    #[inline]
    pub(super) fn reached(&mut self, after: &Chess) {
        if self.over {
            return;
        }
        self.keys.push(self.key.value(after));
        // Most of a game is behind every name.
        if self.doubtful {
            self.doubtful = false;
            self.over = !self.names.are_ahead(after, self.pieces);
        }
    }

    pub(super) fn opening(&self) -> Option<&'static Opening> {
        self.keys.iter().rev().find_map(|key| self.names.get(*key))
    }
}
