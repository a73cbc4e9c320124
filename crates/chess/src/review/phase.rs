//! Opening, middlegame, endgame.

use shakmaty::{Bitboard, Board, Color};

/// A part of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Pieces are brought out.
    Opening,
    /// Some are gone, or all are out.
    Middlegame,
    /// Few are left.
    Endgame,
}

impl Phase {
    /// All of them, in the order of a game.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// The name in small letters.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Phase::Opening => "opening",
            Phase::Middlegame => "middlegame",
            Phase::Endgame => "endgame",
        }
    }

    /// What a board looks like: an endgame has at most six pieces besides pawns and kings, a middlegame at most ten, or a
    /// back rank that fewer than four pieces are left on.
    fn of(board: &Board) -> Phase {
        let pieces = (board.occupied() & !board.pawns() & !board.kings()).count();
        let sparse = |side: Color| (board.by_color(side) & Bitboard::from(side.backrank())).count() < 4;
        match pieces {
            0..=6 => Phase::Endgame,
            7..=10 => Phase::Middlegame,
            _ if sparse(Color::White) || sparse(Color::Black) => Phase::Middlegame,
            _ => Phase::Opening,
        }
    }
}

/// Follows a line of play, on which no phase ever comes back.
#[derive(Clone, Copy, Debug)]
pub struct Phases(Phase);

impl Default for Phases {
    fn default() -> Phases {
        Phases(Phase::Opening)
    }
}

impl Phases {
    /// The phase of the next board.
    pub fn next(&mut self, board: &Board) -> Phase {
        self.0 = self.0.max(Phase::of(board));
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_board;

    #[test]
    fn boards_have_phases_and_no_phase_comes_back() {
        let mut phases = Phases::default();
        let mut next = |text: &str| phases.next(&parse_board(text).expect(text));
        assert_eq!(next("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"), Phase::Opening);
        assert_eq!(
            next("r4rk1/1bqnbppp/p2ppn2/1p6/3NP3/P1NBBP2/1PPQ2PP/R4RK1"),
            Phase::Middlegame,
            "a back rank is empty"
        );
        assert_eq!(next("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"), Phase::Middlegame);
        assert_eq!(next("3r2k1/5ppp/8/8/3N4/8/5PPP/R5K1"), Phase::Endgame);
    }
}
