//! Danger levels and traps: what becomes of whoever acts on a threat.

use shakmaty::{Color, Role, Square, attacks};

use super::{
    pieces::{Attack, direct_attackers, may_go, piece_value},
    safety::{is_safe, unsafe_pieces},
    scene::Scene,
};

/// The attacks on unsafe pieces of `side` that are worth at least `value`; the piece on `but` is not asked after.
fn attacks_on_unsafe(
    scene: &Scene,
    side: Color,
    value: u32,
    but: Square,
    captured: Option<Role>,
) -> Vec<(Square, Attack)> {
    let board = &scene.board;
    unsafe_pieces(board, side, captured)
        .into_iter()
        .filter(|square| *square != but && board.role_at(*square).is_some_and(|role| piece_value(role) >= value))
        .flat_map(|square| {
            let attacks = direct_attackers(board, square, !side);
            attacks.into_iter().map(move |attack| (square, attack))
        })
        .collect()
}

/// Whether taking the piece on `square` costs whoever does it as much elsewhere, whichever way it is taken.
pub(super) fn has_danger_levels(scene: &Scene, square: Square) -> bool {
    let Some(piece) = scene.board.piece_at(square) else {
        return false;
    };
    let value = piece_value(piece.role);
    let captures = direct_attackers(&scene.board, square, !piece.color);
    captures.iter().all(|capture| {
        if !capture.legal {
            return false;
        }
        let after = scene.after(capture.from, square, capture.promotion);
        !attacks_on_unsafe(&after, !piece.color, value, square, Some(piece.role)).is_empty()
            || (value < piece_value(Role::Queen) && after.has_mate_in_one(piece.color))
    })
}

/// Whether the piece on `square` is lost: it is not safe, and wherever it goes it is not safe either, or leaves something
/// as bad behind.
pub(super) fn is_trapped(scene: &Scene, square: Square) -> bool {
    let board = &scene.board;
    let Some(piece) = board.piece_at(square) else {
        return false;
    };
    let Some(king) = board.king_of(piece.color) else {
        return false;
    };
    if is_safe(board, square, None) {
        return false;
    }
    let value = piece_value(piece.role);
    let before = attacks_on_unsafe(scene, piece.color, value, square, None);
    let reached = attacks::attacks(square, piece, board.occupied()) & !board.by_color(piece.color);
    reached
        .into_iter()
        .filter(|to| may_go(board, piece.color, king, square, *to))
        .all(|to| {
            let captured = board.role_at(to);
            if captured == Some(Role::King) {
                return false;
            }
            let after = scene.after(square, to, None);
            let threatens = || {
                let now = attacks_on_unsafe(&after, piece.color, value, square, captured);
                now.iter().any(|attack| !before.contains(attack))
            };
            let is_mated = || value < piece_value(Role::Queen) && after.has_mate_in_one(!piece.color);
            !is_safe(&after.board, to, captured) || threatens() || is_mated()
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_fen;

    /// A question about the piece on a square, as it stands and with colours exchanged.
    #[track_caller]
    fn check(asked: fn(&Scene, Square) -> bool, fen: &str, square: Square, expected: bool) {
        let scene = Scene::of(&parse_fen(fen).expect(fen).position);
        assert_eq!(asked(&scene, square), expected, "{fen}");
        let mut mirrored = scene.clone();
        mirrored.board.mirror();
        assert_eq!(asked(&mirrored, square.flip_vertical()), expected, "{fen} mirrored");
    }

    #[test]
    fn a_piece_in_the_corner_is_trapped() {
        // The bishop that took on a2: b3 shuts it in, and the king has come for it.
        check(is_trapped, "4k3/8/8/8/8/1P6/bKP5/8 w - - 0 1", Square::A2, true);
        // The same with a way out.
        check(is_trapped, "4k3/8/8/8/8/8/bKP5/8 w - - 0 1", Square::A2, false);
        // Nobody attacks it.
        check(is_trapped, "4k3/8/8/8/8/1P6/b1P5/4K3 w - - 0 1", Square::A2, false);
    }

    #[test]
    fn a_piece_that_may_not_move_is_trapped_when_it_is_attacked() {
        check(is_trapped, "4r1k1/8/8/8/3p4/4N3/8/4K3 w - - 0 1", Square::E3, true);
        check(is_trapped, "6k1/8/8/8/3p4/4N3/8/4K3 w - - 0 1", Square::E3, false);
    }

    #[test]
    fn a_piece_that_lets_itself_be_mated_by_going_is_trapped() {
        // All of its rank is attacked, and on its file it no longer guards the king.
        check(is_trapped, "4r1k1/8/b7/8/8/8/1bb2PPP/R5K1 w - - 0 1", Square::A1, true);
        check(is_trapped, "6k1/8/b7/8/8/8/1bb2PPP/R5K1 w - - 0 1", Square::A1, false);
    }

    #[test]
    fn a_piece_that_leaves_something_as_bad_behind_is_trapped() {
        // The knight shields the queen from the rook: wherever it goes, that is attacked.
        check(is_trapped, "3r2k1/8/8/2p5/3N4/8/8/3Q3K w - - 0 1", Square::D4, true);
        // A rook there has one square from which it does not matter: it takes the attacker.
        check(is_trapped, "6k1/8/8/2p5/3N4/8/8/3Q3K w - - 0 1", Square::D4, false);
    }

    #[test]
    fn a_king_capture_is_no_bad_move() {
        // It is Black's turn and Black is in check; asked as if White moved, the rook could take the king.
        check(is_trapped, "4k3/8/8/3p4/4R3/8/8/4K3 b - - 0 1", Square::E4, false);
    }

    #[test]
    fn whoever_takes_loses_as_much() {
        // The queen that takes the knight leaves the rook to White's, if nobody else defends it.
        check(
            has_danger_levels,
            "3r4/8/k7/8/3q2N1/8/8/3RK3 b - - 0 1",
            Square::G4,
            true,
        );
        check(
            has_danger_levels,
            "3rk3/8/8/8/3q2N1/8/8/3RK3 b - - 0 1",
            Square::G4,
            false,
        );
        // The pawn that takes opens the bishop's line to the rook.
        check(
            has_danger_levels,
            "4k3/2r5/8/4p3/3N1B2/8/8/4K3 b - - 0 1",
            Square::D4,
            true,
        );
        // A rook that takes too loses nothing.
        check(
            has_danger_levels,
            "4k3/2r5/3r4/4p3/3N1B2/8/8/4K3 b - - 0 1",
            Square::D4,
            false,
        );
        // What is left behind has to be worth more than what was taken.
        check(
            has_danger_levels,
            "4k3/2b5/8/4p3/3N1B2/8/8/4K3 b - - 0 1",
            Square::D4,
            false,
        );
    }

    #[test]
    fn whoever_takes_is_mated() {
        // The rook that takes no longer guards the back rank.
        check(
            has_danger_levels,
            "6k1/5ppp/8/8/1r5N/8/5PPP/R5K1 b - - 0 1",
            Square::H4,
            true,
        );
        // A queen is worth more than that.
        check(
            has_danger_levels,
            "6k1/5ppp/8/8/1r5Q/8/5PPP/R5K1 b - - 0 1",
            Square::H4,
            false,
        );
    }

    #[test]
    fn an_attacker_that_cannot_take_breaks_it() {
        check(has_danger_levels, "8/8/8/4k3/3N4/8/8/3RK3 b - - 0 1", Square::D4, false);
    }
}
