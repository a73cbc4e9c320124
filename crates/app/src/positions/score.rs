//! Evaluations as trainers want them.

use tabiya_chess::Eval;

/// What a forced mate is worth, and the most that anything is.
const MATE: i32 = 10_000;

/// Centipawns, White's, mates as ±10000.
pub(super) fn training_score(eval: Eval) -> i32 {
    match eval {
        Eval::Cp(cp) => cp.clamp(-MATE, MATE),
        Eval::Mate(moves) => MATE * moves.signum(),
        Eval::Checkmate(winner) => winner.fold_wb(MATE, -MATE),
    }
}

/// Whether a side is ahead by at least `margin` centipawns and lost the game. A draw contradicts nothing.
pub(super) fn result_contradicts(score: i32, result: i8, margin: u32) -> bool {
    score.unsigned_abs() >= margin && score != 0 && i32::from(result) == -score.signum()
}

#[cfg(test)]
mod tests {
    use shakmaty::Color;

    use super::*;

    #[test]
    fn mates_are_worth_ten_thousand() {
        assert_eq!(training_score(Eval::Cp(-35)), -35);
        assert_eq!(training_score(Eval::Cp(25_000)), 10_000);
        assert_eq!(training_score(Eval::Mate(-7)), -10_000);
        assert_eq!(training_score(Eval::Mate(1)), 10_000);
        assert_eq!(training_score(Eval::Checkmate(Color::Black)), -10_000);
    }

    #[test]
    fn only_whoever_is_ahead_and_loses_is_contradicted() {
        assert!(result_contradicts(300, -1, 200));
        assert!(result_contradicts(-300, 1, 300));
        assert!(!result_contradicts(300, 0, 200));
        assert!(!result_contradicts(300, 1, 200));
        assert!(!result_contradicts(100, -1, 200));
        assert!(!result_contradicts(0, -1, 0));
    }
}
