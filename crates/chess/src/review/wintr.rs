//! The table of rule set `wintr`: two evaluations and a loss make a class.

use shakmaty::Color;

use super::{Class, MateThresholds, Thresholds};
use crate::{Eval, expected_points_loss};

/// The class of a move that was not the top one, by the evaluations before and after it (White's, as everywhere).
#[must_use]
pub fn class_by_evaluation(before: Eval, after: Eval, mover: Color, thresholds: &Thresholds) -> Class {
    match (Sight::of(before, mover), Sight::of(after, mover)) {
        (Sight::Cp(_), Sight::Cp(_)) => by_loss(expected_points_loss(before, after, mover), thresholds),
        (Sight::Mate(before), Sight::Mate(after)) => mate_to_mate(before, after, &thresholds.mates),
        (Sight::Mate(_), Sight::Cp(after)) => mate_to_cp(after, &thresholds.mates),
        (Sight::Cp(_), Sight::Mate(after)) => cp_to_mate(after, &thresholds.mates),
    }
}

fn by_loss(loss: f64, thresholds: &Thresholds) -> Class {
    match loss {
        loss if loss < thresholds.best => Class::Best,
        loss if loss < thresholds.excellent => Class::Excellent,
        loss if loss < thresholds.okay => Class::Okay,
        loss if loss < thresholds.inaccuracy => Class::Inaccuracy,
        loss if loss < thresholds.mistake => Class::Mistake,
        _ => Class::Blunder,
    }
}

/// Moves to mate in the mover's sign: positive is good.
///
/// `cur − prev` "in the mover's sign" is a distance that grew: mating in 5 instead of 3 is +2, being mated in 5 instead of
/// 3 is −2.
fn mate_to_mate(before: i32, after: i32, figures: &MateThresholds) -> Class {
    if before > 0 && after < 0 {
        return match after >= -figures.turned_blunder {
            true => Class::Blunder,
            false => Class::Mistake,
        };
    }
    let grown = after.saturating_sub(before);
    if grown < 0 || (grown == 0 && after < 0) {
        Class::Best
    } else if grown < figures.slower_excellent {
        Class::Excellent
    } else if grown < figures.slower_okay {
        Class::Okay
    } else {
        Class::Inaccuracy
    }
}

/// By what is left, in the mover's sign.
fn mate_to_cp(after: i32, figures: &MateThresholds) -> Class {
    match after {
        cp if cp >= figures.lost_excellent => Class::Excellent,
        cp if cp >= figures.lost_okay => Class::Okay,
        cp if cp >= figures.lost_inaccuracy => Class::Inaccuracy,
        cp if cp >= figures.lost_mistake => Class::Mistake,
        _ => Class::Blunder,
    }
}

/// Moves to mate in the mover's sign.
fn cp_to_mate(after: i32, figures: &MateThresholds) -> Class {
    match after {
        1.. => Class::Best,
        moves if moves >= -figures.allowed_blunder => Class::Blunder,
        moves if moves >= -figures.allowed_mistake => Class::Mistake,
        _ => Class::Inaccuracy,
    }
}

/// An evaluation from the mover's side.
enum Sight {
    Cp(i32),
    Mate(i32),
}

impl Sight {
    fn of(eval: Eval, mover: Color) -> Sight {
        match eval.to_mover(mover) {
            Eval::Cp(cp) => Sight::Cp(cp),
            Eval::Mate(moves) => Sight::Mate(moves),
            // A mate on the board has no moves left: it counts as one, so that its sign survives.
            Eval::Checkmate(winner) => Sight::Mate(winner.fold_wb(1, -1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What White's move is called, and Black's with colours exchanged.
    #[track_caller]
    fn check(before: Eval, after: Eval, expected: Class) {
        let usual = Thresholds::default();
        let found = class_by_evaluation(before, after, Color::White, &usual);
        assert_eq!(found, expected, "{before:?} {after:?}");
        let mirrored = class_by_evaluation(before.flip(), after.flip(), Color::Black, &usual);
        assert_eq!(mirrored, expected, "{before:?} {after:?} mirrored");
    }

    #[test]
    fn centipawns_go_by_loss() {
        for (cp, class) in [
            (50, Class::Best),
            (0, Class::Best),
            // A loss of .01 is 11.4 cp from 0, .045 is 51.6, .08 is 92.2, .12 is 139.8, .22 is 269.
            (-11, Class::Best),
            (-12, Class::Excellent),
            (-51, Class::Excellent),
            (-52, Class::Okay),
            (-92, Class::Okay),
            (-93, Class::Inaccuracy),
            (-139, Class::Inaccuracy),
            (-140, Class::Mistake),
            (-269, Class::Mistake),
            (-270, Class::Blunder),
        ] {
            check(Eval::Cp(0), Eval::Cp(cp), class);
        }
    }

    #[test]
    fn thresholds_may_be_others() {
        let strict = Thresholds {
            mistake: 0.121,
            ..Thresholds::default()
        };
        let class = class_by_evaluation(Eval::Cp(0), Eval::Cp(-150), Color::White, &strict);
        assert_eq!(class, Class::Blunder);
        let mates = MateThresholds {
            slower_excellent: 1,
            slower_okay: 1,
            turned_blunder: 9,
            lost_excellent: 1000,
            lost_okay: 900,
            lost_inaccuracy: 850,
            lost_mistake: 840,
            allowed_blunder: 0,
            allowed_mistake: 1,
            ..MateThresholds::default()
        };
        let own = Thresholds {
            mates,
            ..Thresholds::default()
        };
        for (before, after, class) in [
            (Eval::Mate(3), Eval::Mate(4), Class::Inaccuracy),
            (Eval::Mate(3), Eval::Mate(-9), Class::Blunder),
            (Eval::Mate(3), Eval::Mate(-10), Class::Mistake),
            (Eval::Mate(3), Eval::Cp(999), Class::Okay),
            (Eval::Mate(3), Eval::Cp(899), Class::Inaccuracy),
            (Eval::Mate(3), Eval::Cp(849), Class::Mistake),
            (Eval::Mate(3), Eval::Cp(839), Class::Blunder),
            (Eval::Cp(0), Eval::Mate(-1), Class::Mistake),
            (Eval::Cp(0), Eval::Mate(-2), Class::Inaccuracy),
        ] {
            let found = class_by_evaluation(before, after, Color::White, &own);
            assert_eq!(found, class, "{before:?} {after:?}");
        }
    }

    #[test]
    fn from_mate_to_mate() {
        for (before, after, class) in [
            (3, -4, Class::Mistake),
            (3, -3, Class::Blunder),
            (3, -1, Class::Blunder),
            (3, 2, Class::Best),
            (3, 3, Class::Excellent),
            (3, 4, Class::Excellent),
            (3, 5, Class::Okay),
            (3, 9, Class::Okay),
            (3, 10, Class::Inaccuracy),
            (-3, -3, Class::Best),
            (-3, -5, Class::Best),
            (-3, -2, Class::Excellent),
            (-5, -3, Class::Okay),
            (-9, -3, Class::Okay),
            (-9, -2, Class::Inaccuracy),
        ] {
            check(Eval::Mate(before), Eval::Mate(after), class);
        }
    }

    #[test]
    fn from_mate_to_centipawns() {
        for (cp, class) in [
            (800, Class::Excellent),
            (799, Class::Okay),
            (400, Class::Okay),
            (399, Class::Inaccuracy),
            (200, Class::Inaccuracy),
            (199, Class::Mistake),
            (0, Class::Mistake),
            (-1, Class::Blunder),
        ] {
            check(Eval::Mate(4), Eval::Cp(cp), class);
        }
        check(Eval::Mate(-4), Eval::Cp(-300), Class::Blunder);
    }

    #[test]
    fn from_centipawns_to_mate() {
        for (moves, class) in [
            (1, Class::Best),
            (12, Class::Best),
            (-1, Class::Blunder),
            (-2, Class::Blunder),
            (-3, Class::Mistake),
            (-5, Class::Mistake),
            (-6, Class::Inaccuracy),
        ] {
            check(Eval::Cp(30), Eval::Mate(moves), class);
        }
        check(Eval::Cp(30), Eval::Checkmate(Color::White), Class::Best);
    }
}
