//! The evaluation itself.

use shakmaty::{Chess, Color, Position as _};

/// An evaluation from White's point of view.
///
/// `Mate(n)` counts moves and is never 0: White mates in `n`, or Black in `-n`. Checkmate on
/// the board has a variant of its own because "mate in 0" cannot carry a sign, and every
/// reader of an evaluation has to know who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Eval {
    /// Centipawns; positive is good for White.
    Cp(i32),
    /// Moves to mate; positive if White mates.
    Mate(i32),
    /// Checkmate on the board, delivered by this side.
    Checkmate(Color),
}

impl Eval {
    /// A UCI `score cp`, which is the mover's (the side to move).
    #[must_use]
    pub fn from_uci_cp(cp: i32, mover: Color) -> Eval {
        Eval::from_mover(Eval::Cp(cp), mover)
    }

    /// A UCI `score mate`, which is the mover's. `mate 0` says that the mover is checkmated.
    #[must_use]
    pub fn from_uci_mate(moves: i32, mover: Color) -> Eval {
        match moves {
            0 => Eval::Checkmate(!mover),
            _ => Eval::from_mover(Eval::Mate(moves), mover),
        }
    }

    /// What the board itself says where nobody has a move left; none where the game goes on.
    #[must_use]
    pub fn at_end(position: &Chess) -> Option<Eval> {
        if !position.legal_moves().is_empty() {
            return None;
        }
        Some(match position.is_check() {
            true => Eval::Checkmate(!position.turn()),
            false => Eval::Cp(0),
        })
    }

    /// An evaluation given from `mover`'s point of view, where "White" reads "the mover".
    #[must_use]
    pub fn from_mover(score: Eval, mover: Color) -> Eval {
        mover.fold_wb(score, score.flip())
    }

    /// This evaluation from `mover`'s point of view, where "White" reads "the mover".
    #[must_use]
    pub fn to_mover(self, mover: Color) -> Eval {
        Eval::from_mover(self, mover)
    }

    /// The same evaluation from the other side. (`i32::MIN`, which has no opposite, saturates.)
    #[must_use]
    pub const fn flip(self) -> Eval {
        match self {
            Eval::Cp(cp) => Eval::Cp(cp.saturating_neg()),
            Eval::Mate(moves) => Eval::Mate(moves.saturating_neg()),
            Eval::Checkmate(winner) => Eval::Checkmate(winner.other()),
        }
    }

    /// Whether this is a mate, announced or on the board.
    #[must_use]
    pub const fn is_mate(self) -> bool {
        matches!(self, Eval::Mate(_) | Eval::Checkmate(_))
    }

    /// Whether `side` is ahead: by more than nothing, or by mate.
    #[must_use]
    pub fn is_winning_for(self, side: Color) -> bool {
        match self.to_mover(side) {
            Eval::Cp(number) | Eval::Mate(number) => number > 0,
            Eval::Checkmate(winner) => winner.is_white(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn uci_scores_are_the_mover_s() {
        assert_eq!(Eval::from_uci_cp(32, Color::White), Eval::Cp(32));
        assert_eq!(Eval::from_uci_cp(32, Color::Black), Eval::Cp(-32));
        assert_eq!(Eval::from_uci_mate(-3, Color::Black), Eval::Mate(3));
        assert_eq!(Eval::from_uci_mate(0, Color::White), Eval::Checkmate(Color::Black));
        assert_eq!(Eval::from_uci_mate(0, Color::Black), Eval::Checkmate(Color::White));
    }

    #[test]
    fn somebody_is_ahead_or_nobody() {
        assert!(Eval::Cp(1).is_winning_for(Color::White));
        assert!(!Eval::Cp(0).is_winning_for(Color::White));
        assert!(!Eval::Cp(0).is_winning_for(Color::Black));
        assert!(Eval::Mate(-1).is_winning_for(Color::Black));
        assert!(Eval::Checkmate(Color::Black).is_winning_for(Color::Black));
        assert!(!Eval::Checkmate(Color::Black).is_winning_for(Color::White));
        assert!(Eval::Checkmate(Color::Black).is_mate());
        assert!(!Eval::Cp(9999).is_mate());
    }

    proptest! {
        #[test]
        fn two_flips_are_none(number in -i32::MAX..=i32::MAX) {
            for eval in [Eval::Cp(number), Eval::Mate(number), Eval::Checkmate(Color::White)] {
                prop_assert_eq!(eval.flip().flip(), eval);
                for mover in Color::ALL {
                    prop_assert_eq!(Eval::from_mover(eval.to_mover(mover), mover), eval);
                }
            }
        }
    }
}
