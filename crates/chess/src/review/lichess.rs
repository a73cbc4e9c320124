//! Lichess's formulas, which need evaluations only.

use shakmaty::Color;

use super::{Class, Thresholds};
use crate::Eval;

/// What the initial position counts for.
pub const INITIAL_CP: i32 = 15;

/// Nothing counts for more, and mates for as much.
const CEILING: i32 = 1000;

fn ceiled(eval: Eval) -> f64 {
    f64::from(match eval {
        Eval::Cp(cp) => cp.clamp(-CEILING, CEILING),
        Eval::Mate(moves) => moves.signum() * CEILING,
        Eval::Checkmate(winner) => winner.fold_wb(CEILING, -CEILING),
    })
}

/// White's winning chances, −1 to 1.
fn chances(eval: Eval) -> f64 {
    2.0 / (1.0 + (-0.003_682_08 * ceiled(eval)).exp()) - 1.0
}

/// White's chance to win, in percent.
#[must_use]
pub fn lichess_win_percent(eval: Eval) -> f64 {
    50.0 + 50.0 * chances(eval)
}

/// How far a move lets the mover's winning chances drop, on a scale from −1 to 1; negative where they rise.
#[must_use]
pub fn lichess_drop(before: Eval, after: Eval, mover: Color) -> f64 {
    let drop = chances(before) - chances(after);
    mover.fold_wb(drop, -drop)
}

/// The accuracy of a move, in percent.
#[must_use]
pub fn lichess_accuracy(before: Eval, after: Eval, mover: Color) -> f64 {
    accuracy_of_drop(50.0 * lichess_drop(before, after, mover))
}

/// `drop` in percent of Win%.
fn accuracy_of_drop(drop: f64) -> f64 {
    if drop <= 0.0 {
        return 100.0;
    }
    let raw = 103.166_810_071_164_9 * (-0.043_544_153_867_539_51 * drop).exp() - 3.166_924_740_191_411;
    // Lichess gives one for the doubt about its own evaluations.
    (raw + 1.0).clamp(0.0, 100.0)
}

/// Inaccuracy, mistake, blunder, or nothing to complain about.
#[must_use]
pub fn lichess_judgement(before: Eval, after: Eval, mover: Color, thresholds: &Thresholds) -> Option<Class> {
    // Beyond the first it hardly matters any more, beyond the second a little.
    let by_rest = |cp: i32| match cp {
        cp if cp > thresholds.mates.lichess_inaccuracy => Class::Inaccuracy,
        cp if cp > thresholds.mates.lichess_mistake => Class::Mistake,
        _ => Class::Blunder,
    };
    let is_mate = |eval: Eval, side: Color| eval.is_mate() && eval.is_winning_for(side);
    let own = |eval: Eval| match eval.to_mover(mover) {
        Eval::Cp(cp) => cp,
        _ => 0,
    };
    if is_mate(before, mover) {
        // A mate is lost, whether to nothing or to another's mate.
        return (!is_mate(after, mover)).then(|| by_rest(own(after)));
    }
    if is_mate(after, !mover) {
        return (!is_mate(before, !mover)).then(|| by_rest(own(before).saturating_neg()));
    }
    if before.is_mate() || after.is_mate() {
        return None;
    }
    match lichess_drop(before, after, mover) {
        drop if drop >= thresholds.lichess_blunder => Some(Class::Blunder),
        drop if drop >= thresholds.lichess_mistake => Some(Class::Mistake),
        drop if drop >= thresholds.lichess_inaccuracy => Some(Class::Inaccuracy),
        _ => None,
    }
}

/// The accuracy of both sides' moves as a whole, White's first: `start` is what the first position counts for, `evals` are
/// those behind each move. Who made no move has none.
#[must_use]
pub fn lichess_game_accuracy(start: Eval, first: Color, evals: &[Eval]) -> [Option<f64>; 2] {
    let percents: Vec<f64> = std::iter::once(start)
        .chain(evals.iter().copied())
        .map(lichess_win_percent)
        .collect();
    let window = (evals.len() / 10).clamp(2, 8);
    let first_window = &percents[..window.min(percents.len())];
    let copies = window.min(percents.len()).saturating_sub(2);
    let weights = std::iter::repeat_n(first_window, copies).chain(percents.windows(window));
    let mut sides: [Vec<(f64, f64)>; 2] = [Vec::new(), Vec::new()];
    let mut mover = first;
    for (pair, window) in percents.windows(2).zip(weights) {
        let drop = mover.fold_wb(pair[0] - pair[1], pair[1] - pair[0]);
        let weight = deviation(window).clamp(0.5, 12.0);
        sides[mover.fold_wb(0, 1)].push((accuracy_of_drop(drop), weight));
        mover = !mover;
    }
    sides.map(|moves| side_accuracy(&moves))
}

/// Half the weighted mean, half the harmonic one.
fn side_accuracy(moves: &[(f64, f64)]) -> Option<f64> {
    if moves.is_empty() {
        return None;
    }
    let weights: f64 = moves.iter().map(|(_, weight)| weight).sum();
    let weighted: f64 = moves.iter().map(|(accuracy, weight)| accuracy * weight).sum::<f64>() / weights;
    let harmonic = moves.len() as f64 / moves.iter().map(|(accuracy, _)| 1.0 / accuracy.max(1.0)).sum::<f64>();
    Some((weighted + harmonic) / 2.0)
}

/// The population's standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / values.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 5e-5, "{found} ≠ {expected}");
    }

    fn game(cps: &[i32]) -> [Option<f64>; 2] {
        let evals: Vec<Eval> = cps.iter().map(|cp| Eval::Cp(*cp)).collect();
        lichess_game_accuracy(Eval::Cp(INITIAL_CP), Color::White, &evals)
    }

    #[test]
    fn games_have_the_published_accuracies() {
        let [white, black] = game(&[-900, -900]).map(Option::unwrap_or_default);
        close(white, 10.6641);
        close(black, 100.0);
        let [white, black] = game(&[-50, 15].repeat(5)).map(Option::unwrap_or_default);
        close(white, 77.3830);
        close(black, 77.3830);
        let mut steady = vec![15; 20];
        steady.push(-900);
        let [white, black] = game(&steady).map(Option::unwrap_or_default);
        close(white, 46.8534);
        close(black, 100.0);
    }

    #[test]
    fn who_made_no_move_has_no_accuracy() {
        assert_eq!(game(&[]), [None, None]);
        let [white, black] = game(&[15]);
        assert_eq!((white, black), (Some(100.0), None));
    }

    #[test]
    fn colours_are_alike() {
        let cps = [30, -80, 120, 90, 400, -300, -200, 0, 15, 700, 650, 20];
        let evals: Vec<Eval> = cps.iter().map(|cp| Eval::Cp(*cp)).collect();
        let mirrored: Vec<Eval> = evals.iter().map(|eval| eval.flip()).collect();
        let [white, black] = lichess_game_accuracy(Eval::Cp(15), Color::White, &evals);
        let [other_white, other_black] = lichess_game_accuracy(Eval::Cp(-15), Color::Black, &mirrored);
        close(white.unwrap_or(0.0), other_black.unwrap_or(1.0));
        close(black.unwrap_or(0.0), other_white.unwrap_or(1.0));
    }

    #[test]
    fn win_percent_is_clamped() {
        close(lichess_win_percent(Eval::Cp(0)), 50.0);
        assert_eq!(lichess_win_percent(Eval::Cp(1000)), lichess_win_percent(Eval::Mate(1)));
        assert_eq!(
            lichess_win_percent(Eval::Cp(-5000)),
            lichess_win_percent(Eval::Checkmate(Color::Black))
        );
        close(lichess_win_percent(Eval::Cp(100)), 59.1026);
    }

    /// What White is told of a move, and Black of the same with colours exchanged.
    #[track_caller]
    fn check(before: Eval, after: Eval, expected: Option<Class>) {
        let usual = Thresholds::default();
        let told = lichess_judgement(before, after, Color::White, &usual);
        assert_eq!(told, expected, "{before:?} {after:?}");
        let mirrored = lichess_judgement(before.flip(), after.flip(), Color::Black, &usual);
        assert_eq!(mirrored, expected, "{before:?} {after:?} mirrored");
    }

    #[test]
    fn judgements_go_by_the_drop_in_chances() {
        // Chances at 0 are 0; they are −.1 at −54.5 cp, −.2 at −110.1, −.3 at −168.1.
        check(Eval::Cp(0), Eval::Cp(-54), None);
        check(Eval::Cp(0), Eval::Cp(-55), Some(Class::Inaccuracy));
        check(Eval::Cp(0), Eval::Cp(-110), Some(Class::Inaccuracy));
        check(Eval::Cp(0), Eval::Cp(-111), Some(Class::Mistake));
        check(Eval::Cp(0), Eval::Cp(-168), Some(Class::Mistake));
        check(Eval::Cp(0), Eval::Cp(-169), Some(Class::Blunder));
        check(Eval::Cp(0), Eval::Cp(300), None);
        check(Eval::Cp(3000), Eval::Cp(1000), None);
    }

    #[test]
    fn judgements_of_mates() {
        check(Eval::Cp(-1000), Eval::Mate(-3), Some(Class::Inaccuracy));
        check(Eval::Cp(-999), Eval::Mate(-3), Some(Class::Mistake));
        check(Eval::Cp(-701), Eval::Mate(-3), Some(Class::Mistake));
        check(Eval::Cp(-700), Eval::Mate(-3), Some(Class::Blunder));
        check(Eval::Cp(200), Eval::Mate(-1), Some(Class::Blunder));
        check(Eval::Mate(2), Eval::Cp(1000), Some(Class::Inaccuracy));
        check(Eval::Mate(2), Eval::Cp(999), Some(Class::Mistake));
        check(Eval::Mate(2), Eval::Cp(701), Some(Class::Mistake));
        check(Eval::Mate(2), Eval::Cp(700), Some(Class::Blunder));
        check(Eval::Mate(2), Eval::Mate(-2), Some(Class::Blunder));
        check(Eval::Mate(2), Eval::Mate(9), None);
        check(Eval::Mate(-2), Eval::Mate(-1), None);
        check(Eval::Mate(-2), Eval::Cp(-900), None);
        check(Eval::Cp(50), Eval::Mate(4), None);
    }

    #[test]
    fn move_accuracy_never_falls_for_a_smaller_drop() {
        let accuracy = |cp| lichess_accuracy(Eval::Cp(0), Eval::Cp(cp), Color::White);
        assert_eq!(accuracy(10), 100.0);
        assert!(accuracy(-1) <= 100.0 && accuracy(-1) > accuracy(-100) && accuracy(-100) > accuracy(-900));
        assert!(lichess_accuracy(Eval::Mate(1), Eval::Mate(-1), Color::White) >= 0.0);
    }
}
