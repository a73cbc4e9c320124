//! A move, what was known before it and after it, and what it is called.

use shakmaty::{Chess, Move, Position};

use super::{
    Class, Reason, RuleSet, Thresholds,
    brilliant::{is_brilliant, is_candidate, is_critical},
    lichess::{lichess_accuracy, lichess_drop, lichess_judgement},
    wintr::class_by_evaluation,
};
use crate::{Eval, expected_points_loss, move_accuracy, shown_accuracy};

/// What is known of the position before a move, and the move.
#[derive(Clone, Copy, Debug)]
pub struct Before<'a> {
    pub position: &'a Chess,
    /// The evaluation of its best line.
    pub eval: Eval,
    /// The best line's first move; unknown where somebody noted down no more than the evaluation.
    pub top: Option<Move>,
    /// The evaluation of the second best line, where there is one.
    pub second: Option<Eval>,
    /// The move that was played.
    pub played: Move,
}

/// What is known of the position after it.
#[derive(Clone, Copy, Debug)]
pub struct After<'a> {
    pub position: &'a Chess,
    /// Its evaluation.
    pub eval: Eval,
    /// Whether it has a name of its own, and theory counts.
    pub theory: bool,
}

/// What a move is called, with the numbers that led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    pub class: Class,
    /// Expected points that were given away, 0 to 1.
    pub loss: f64,
    /// In percent, 0 to 100.
    pub accuracy: f64,
    /// Centipawns that were given away, both evaluations within ±1000.
    pub centipawn_loss: u32,
    /// Why.
    pub reason: Reason,
}

/// Judges a move. The top move never loses anything, whatever two searches make of it.
#[must_use]
pub fn classify(rules: RuleSet, thresholds: &Thresholds, before: &Before<'_>, after: &After<'_>) -> Verdict {
    let mover = before.position.turn();
    let is_top = before.top == Some(before.played);
    let is_mate = after.position.is_checkmate();
    let worth = match (is_mate, is_top) {
        (true, _) => Eval::Checkmate(mover),
        (false, true) => before.eval,
        (false, false) => after.eval,
    };
    let centipawn_loss = centipawn_loss(before.eval, worth, mover);
    match rules {
        RuleSet::Wintr => {
            let loss = expected_points_loss(before.eval, worth, mover);
            let (class, reason) = wintr(thresholds, before, after, is_top, is_mate);
            Verdict {
                class,
                loss,
                accuracy: shown_accuracy(move_accuracy(loss)),
                centipawn_loss,
                reason,
            }
        }
        RuleSet::Lichess => {
            let (class, reason) = lichess(thresholds, before, worth, is_top, is_mate);
            Verdict {
                class,
                loss: lichess_drop(before.eval, worth, mover).max(0.0) / 2.0,
                accuracy: lichess_accuracy(before.eval, worth, mover),
                centipawn_loss,
                reason,
            }
        }
    }
}

fn wintr(
    thresholds: &Thresholds,
    before: &Before<'_>,
    after: &After<'_>,
    is_top: bool,
    is_mate: bool,
) -> (Class, Reason) {
    let mover = before.position.turn();
    if before.position.legal_moves().len() <= 1 {
        return (Class::Forced, Reason::OnlyMove);
    }
    if after.theory {
        return (Class::Theory, Reason::Named);
    }
    if is_mate {
        return (Class::Best, Reason::Checkmate);
    }
    let (mut class, mut reason) = if is_top {
        (Class::Best, Reason::TopMove)
    } else {
        let class = class_by_evaluation(before.eval, after.eval, mover, thresholds);
        (class, Reason::by_evaluation(before.eval, after.eval, mover))
    };
    if !class.is_at_least_best() || !is_candidate(before, after, thresholds) {
        return (class, reason);
    }
    if is_top && let Some(loss) = is_critical(before, after, thresholds) {
        (class, reason) = (Class::Critical, Reason::OnlyGood { loss });
    }
    match is_brilliant(before, after) {
        Some(offered) => (Class::Brilliant, Reason::Offer { square: offered }),
        None => (class, reason),
    }
}

fn lichess(thresholds: &Thresholds, before: &Before<'_>, worth: Eval, is_top: bool, is_mate: bool) -> (Class, Reason) {
    let mover = before.position.turn();
    if is_mate {
        return (Class::Best, Reason::Checkmate);
    }
    if is_top {
        return (Class::Best, Reason::TopMove);
    }
    // Whatever Lichess does not complain about has no name there.
    let class = lichess_judgement(before.eval, worth, mover, thresholds).unwrap_or(Class::Okay);
    let reason = match Reason::by_evaluation(before.eval, worth, mover) {
        // Points are Lichess's here.
        Reason::Loss { .. } => Reason::Loss {
            loss: lichess_drop(before.eval, worth, mover).max(0.0) / 2.0,
        },
        reason => reason,
    };
    (class, reason)
}

/// What a mate counts for, and the most that anything else does.
const MOST_CP: i32 = 1000;

fn centipawn_loss(before: Eval, after: Eval, mover: shakmaty::Color) -> u32 {
    let number = |eval: Eval| match eval.to_mover(mover) {
        Eval::Cp(cp) => cp.clamp(-MOST_CP, MOST_CP),
        Eval::Mate(moves) => moves.signum() * MOST_CP,
        Eval::Checkmate(winner) => winner.fold_wb(MOST_CP, -MOST_CP),
    };
    (number(before) - number(after)).max(0).unsigned_abs()
}

#[cfg(test)]
mod tests;
