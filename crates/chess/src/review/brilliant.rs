//! Critical and brilliant moves.

use shakmaty::{Move, Position, Role, Square};

use super::{
    Thresholds,
    classify::{After, Before},
    pieces::as_seen_by,
    safety::{is_safe, unsafe_pieces},
    scene::Scene,
    threats::{has_danger_levels, is_trapped},
};
use crate::{Eval, expected_points_loss};

/// Whether a move may be critical or brilliant at all.
pub(super) fn is_candidate(before: &Before<'_>, after: &After<'_>, thresholds: &Thresholds) -> bool {
    let mover = before.position.turn();
    let is_won = |eval: Eval| matches!(eval.to_mover(mover), Eval::Cp(cp) if cp >= thresholds.winning);
    if is_won(before.second.unwrap_or(after.eval)) {
        return false;
    }
    let is_lost = match after.eval.to_mover(mover) {
        Eval::Cp(number) | Eval::Mate(number) => number < 0,
        Eval::Checkmate(winner) => winner.is_black(),
    };
    !is_lost && before.played.promotion() != Some(Role::Queen) && !before.position.is_check()
}

/// Whether a candidate that is the top move is critical; gives what the second best would have lost.
pub(super) fn is_critical(before: &Before<'_>, after: &After<'_>, thresholds: &Thresholds) -> Option<f64> {
    let mover = before.position.turn();
    if after.eval.is_mate() && after.eval.is_winning_for(mover) {
        return None;
    }
    if let Some(square) = captured_on(before.played)
        && !is_safe(before.position.board(), square, None)
    {
        return None;
    }
    let loss = expected_points_loss(before.eval, before.second?, mover);
    (loss >= thresholds.critical).then_some(loss)
}

/// Whether a candidate is brilliant; gives a piece that it leaves to the opponent.
pub(super) fn is_brilliant(before: &Before<'_>, after: &After<'_>) -> Option<Square> {
    if before.played.is_promotion() {
        return None;
    }
    let mover = before.position.turn();
    let (was, is) = (Scene::of(before.position), Scene::of(after.position));
    let unsafe_after = unsafe_pieces(&is.board, mover, before.played.capture());
    // Nearly every move ends here.
    if unsafe_after.is_empty() {
        return None;
    }
    let unsafe_before = unsafe_pieces(&was.board, mover, None);
    if !after.position.is_check() && unsafe_after.count() < unsafe_before.count() {
        return None;
    }
    if unsafe_after.into_iter().all(|square| has_danger_levels(&is, square)) {
        return None;
    }
    let trapped = |scene: &Scene, squares: shakmaty::Bitboard| -> shakmaty::Bitboard {
        squares
            .into_iter()
            .filter(|square| is_trapped(scene, *square))
            .collect()
    };
    let trapped_after = trapped(&is, unsafe_after);
    if trapped_after.count() == unsafe_after.count() {
        return None;
    }
    let trapped_before = trapped(&was, unsafe_before);
    let moved = before.played.from();
    if moved.is_some_and(|from| trapped_before.contains(from)) || trapped_after.count() < trapped_before.count() {
        return None;
    }
    // The dearest of them is the one to speak of, of several the foremost.
    let dearest = |square: &Square| is.board.role_at(*square).map(super::piece_value);
    as_seen_by(mover, unsafe_after & !trapped_after).max_by_key(dearest)
}

/// Where the piece stands that a move takes.
pub(super) fn captured_on(m: Move) -> Option<Square> {
    match m {
        Move::EnPassant { from, to } => Some(Square::from_coords(to.file(), from.rank())),
        _ => m.capture().map(|_| m.to()),
    }
}
