//! Expected points and the accuracy of a move.

use shakmaty::Color;

use crate::Eval;

/// How fast centipawns turn into points.
const CENTIPAWN_GRADIENT: f64 = 0.0035;

/// White's expected points, 0 to 1.
///
/// EP(cp) = 1 / (1 + e^(−0.0035 · cp)). A mate, announced or on the board, is 1 for White
/// and 0 for Black.
///
/// ```
/// use tabiya_chess::{Eval, expected_points};
///
/// assert_eq!(expected_points(Eval::Cp(0)), 0.5);
/// assert_eq!(expected_points(Eval::Mate(-3)), 0.0);
/// ```
#[must_use]
pub fn expected_points(eval: Eval) -> f64 {
    match eval {
        Eval::Cp(cp) => 1.0 / (1.0 + (-CENTIPAWN_GRADIENT * f64::from(cp)).exp()),
        mate if mate.is_winning_for(Color::White) => 1.0,
        _ => 0.0,
    }
}

/// The expected points a move gave away: never negative, and both evaluations from White's
/// point of view, as everywhere.
#[must_use]
pub fn expected_points_loss(before: Eval, after: Eval, mover: Color) -> f64 {
    let change = expected_points(before) - expected_points(after);
    mover.fold_wb(change, -change).max(0.0)
}

/// The accuracy, in percent, of a move that gave away `loss` expected points:
/// 103.16 · e^(−4 · loss) − 3.17.
///
/// The formula runs from 99.99 down to −1.28. Averages are taken of this number; what is shown
/// or exported goes through [`shown_accuracy`].
#[must_use]
pub fn move_accuracy(loss: f64) -> f64 {
    103.16 * (-4.0 * loss).exp() - 3.17
}

/// An accuracy as it is shown: clamped to 0–100.
#[must_use]
pub const fn shown_accuracy(accuracy: f64) -> f64 {
    accuracy.clamp(0.0, 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found} ≠ {expected}");
    }

    #[test]
    fn expected_points_agree_with_the_specification() {
        for (cp, points) in [
            (0, 0.5),
            (45, 0.539),
            (150, 0.628),
            (300, 0.741),
            (500, 0.852),
            (800, 0.943),
            (1000, 0.971),
        ] {
            check(expected_points(Eval::Cp(cp)), points, 0.0005);
            check(expected_points(Eval::Cp(-cp)), 1.0 - points, 0.0005);
        }
        check(expected_points(Eval::Cp(i32::MAX)), 1.0, 1e-12);
        check(expected_points(Eval::Cp(i32::MIN)), 0.0, 1e-12);
    }

    #[test]
    fn a_mate_is_the_whole_point() {
        for white in [Eval::Mate(1), Eval::Mate(12), Eval::Checkmate(Color::White)] {
            assert_eq!(expected_points(white), 1.0);
            assert_eq!(expected_points(white.flip()), 0.0);
        }
    }

    #[test]
    fn accuracy_agrees_with_the_specification() {
        for (loss, accuracy) in [
            (0.0, 99.99),
            (0.01, 95.95),
            (0.05, 81.29),
            (0.10, 65.98),
            (0.20, 43.18),
            (0.30, 27.90),
            (0.50, 10.79),
        ] {
            check(move_accuracy(loss), accuracy, 0.005);
        }
        assert_eq!(shown_accuracy(move_accuracy(1.0)), 0.0);
        assert_eq!(shown_accuracy(101.0), 100.0);
    }

    #[test]
    fn loss_has_the_mover_s_sign() {
        let (before, after) = (Eval::Cp(45), Eval::Cp(-150));
        let loss = expected_points_loss(before, after, Color::White);
        check(loss, 0.539 - 0.372, 0.001);
        assert_eq!(expected_points_loss(before, after, Color::Black), 0.0);
        check(
            expected_points_loss(before.flip(), after.flip(), Color::Black),
            loss,
            1e-12,
        );
    }
}
