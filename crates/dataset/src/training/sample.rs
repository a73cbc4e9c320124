//! One position to learn from.

use shakmaty::{Chess, Color, Move, Position as _};
use tabiya_chess::Variant;

/// A position of a game, and all that is known about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    pub position: Chess,
    pub variant: Variant,
    /// Centipawns, White's; a forced mate is ±10000.
    pub score: Option<i32>,
    /// How deep was searched for it.
    pub depth: Option<u8>,
    /// Half-moves played before it.
    pub ply: Option<u16>,
    /// The mean of both players' ratings.
    pub elo_avg: Option<u16>,
    /// 1 White won, 0 a draw, −1 Black won.
    pub result: Option<i8>,
    /// The move that was played here.
    pub played: Option<Move>,
    /// The game's id at Lichess, or a hash of its text; empty where a format has none.
    pub game_id: String,
}

impl Sample {
    /// A position about which nothing else is known.
    #[must_use]
    pub fn bare(position: Chess, variant: Variant) -> Sample {
        Sample {
            position,
            variant,
            score: None,
            depth: None,
            ply: None,
            elo_avg: None,
            result: None,
            played: None,
            game_id: String::new(),
        }
    }

    /// Turns White's number into the mover's, and back.
    pub(super) fn turned(mover: Color, number: i32) -> i32 {
        mover.fold_wb(number, -number)
    }

    /// The score as the mover sees it, in what a trainer's file has room for.
    pub(super) fn mover_score(&self) -> Option<i16> {
        let score = Sample::turned(self.position.turn(), self.score?);
        Some(score.clamp(i16::MIN.into(), i16::MAX.into()) as i16)
    }

    /// 1, 0 or −1 as the mover sees it.
    pub(super) fn mover_result(&self) -> Option<i8> {
        Some(Sample::turned(self.position.turn(), self.result?.into()) as i8)
    }
}
