//! The knowledge base's form: clamped centipawns, mates beside them.

use shakmaty::Color;

use super::Eval;

const CP_LIMIT: i32 = 1500;
const MATE_CP: i32 = 1000;

/// An evaluation as the knowledge base keeps it: centipawns within ±1500, and a mate as ±1000
/// with the signed number of moves beside it. Checkmate on the board is ±1000 with `mate` 0,
/// so there the sign is that of `cp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StoredEval {
    /// Centipawns from White's point of view.
    pub cp: i32,
    /// Signed moves to mate, if it is one.
    pub mate: Option<i32>,
}

impl StoredEval {
    /// Whether `mover`, who just moved here, stands at −50 or worse.
    #[must_use]
    pub fn is_dubious_for(self, mover: Color) -> bool {
        mover.fold_wb(self.cp, -self.cp) <= -50
    }

    /// Whether `mover`, who just moved here, stands at −150 or worse.
    #[must_use]
    pub fn is_busted_for(self, mover: Color) -> bool {
        mover.fold_wb(self.cp, -self.cp) <= -150
    }
}

impl From<Eval> for StoredEval {
    fn from(eval: Eval) -> StoredEval {
        match eval {
            Eval::Cp(cp) => StoredEval {
                cp: cp.clamp(-CP_LIMIT, CP_LIMIT),
                mate: None,
            },
            Eval::Mate(moves) => StoredEval {
                cp: MATE_CP * moves.signum(),
                mate: Some(moves),
            },
            Eval::Checkmate(winner) => StoredEval {
                cp: winner.fold_wb(MATE_CP, -MATE_CP),
                mate: Some(0),
            },
        }
    }
}

impl From<StoredEval> for Eval {
    fn from(stored: StoredEval) -> Eval {
        match stored.mate {
            None => Eval::Cp(stored.cp),
            Some(0) => Eval::Checkmate(Color::from_white(stored.cp > 0)),
            Some(moves) => Eval::Mate(moves),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(eval: Eval, cp: i32, mate: Option<i32>) {
        assert_eq!(StoredEval::from(eval), StoredEval { cp, mate }, "{eval}");
    }

    #[test]
    fn is_clamped_and_mates_stand_beside() {
        check(Eval::Cp(32), 32, None);
        check(Eval::Cp(1501), 1500, None);
        check(Eval::Cp(-9999), -1500, None);
        check(Eval::Mate(5), 1000, Some(5));
        check(Eval::Mate(-1), -1000, Some(-1));
        check(Eval::Checkmate(Color::White), 1000, Some(0));
        check(Eval::Checkmate(Color::Black), -1000, Some(0));
    }

    #[test]
    fn a_bad_move_is_bad_for_its_mover() {
        let stored = |eval| StoredEval::from(eval);
        assert!(!stored(Eval::Cp(-49)).is_dubious_for(Color::White));
        assert!(stored(Eval::Cp(-50)).is_dubious_for(Color::White));
        assert!(stored(Eval::Cp(150)).is_busted_for(Color::Black));
        assert!(!stored(Eval::Cp(149)).is_busted_for(Color::Black));
        assert!(stored(Eval::Mate(9)).is_busted_for(Color::Black));
        assert!(!stored(Eval::Mate(9)).is_busted_for(Color::White));
        assert!(stored(Eval::Checkmate(Color::White)).is_busted_for(Color::Black));
    }

    proptest! {
        #[test]
        fn nothing_but_the_clamp_is_lost(number in -1500..=1500) {
            let mut evals = vec![
                Eval::Cp(number),
                Eval::Checkmate(Color::White),
                Eval::Checkmate(Color::Black),
            ];
            evals.extend((number != 0).then_some(Eval::Mate(number)));
            for eval in evals {
                prop_assert_eq!(Eval::from(StoredEval::from(eval)), eval);
            }
        }
    }
}
