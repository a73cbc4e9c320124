//! Stage 5: derived values.

use shakmaty::Color;
use tabiya_chess::{Eval, expected_points, expected_points_loss, move_accuracy, shown_accuracy};

/// An evaluation from a player's side.
pub fn subjective(eval: Eval, player: Color) -> Eval {
    eval.to_mover(player)
}

/// What a move did to the expected points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Derived {
    /// White's, before and after.
    pub expected_before: f64,
    pub expected_after: f64,
    /// The mover's loss.
    pub loss: f64,
    /// In percent, 0 to 100.
    pub accuracy: f64,
}

/// The numbers of a move, by the evaluations before and after it.
pub fn derive(before: Eval, after: Eval, mover: Color) -> Derived {
    let loss = expected_points_loss(before, after, mover);
    Derived {
        expected_before: expected_points(before),
        expected_after: expected_points(after),
        loss,
        accuracy: shown_accuracy(move_accuracy(loss)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_s_table_of_sides() {
        for (eval, player, expected) in [
            (Eval::Cp(200), Color::White, Eval::Cp(200)),
            (Eval::Cp(200), Color::Black, Eval::Cp(-200)),
            (Eval::Cp(-150), Color::White, Eval::Cp(-150)),
            (Eval::Cp(-150), Color::Black, Eval::Cp(150)),
            (Eval::Mate(3), Color::White, Eval::Mate(3)),
            (Eval::Mate(3), Color::Black, Eval::Mate(-3)),
        ] {
            assert_eq!(subjective(eval, player), expected);
        }
    }

    #[test]
    fn the_seed_s_examples_with_the_right_numbers() {
        let better = derive(Eval::Cp(150), Eval::Cp(80), Color::Black);
        assert_eq!((better.loss, better.accuracy > 99.9), (0.0, true));
        let worse = derive(Eval::Cp(150), Eval::Cp(80), Color::White);
        assert!((worse.loss - 0.0587).abs() < 1e-3, "{worse:?}");
        assert!((worse.expected_before - 0.628).abs() < 1e-3 && (worse.expected_after - 0.570).abs() < 1e-3);
    }
}
