//! Whether a piece may stay where it is.

use shakmaty::{Bitboard, Board, Color, Role, Square};

use super::pieces::{Attack, attackers, cheapest, defenders, direct_attackers, piece_value};

/// What a minor piece is worth.
const MINOR: u32 = piece_value(Role::Knight);

/// Whether the piece on `square` is safe. `captured` is what the move that led here took.
pub(super) fn is_safe(board: &Board, square: Square, captured: Option<Role>) -> bool {
    let Some(piece) = board.piece_at(square) else {
        return true;
    };
    let value = piece_value(piece.role);
    let direct = direct_attackers(board, square, !piece.color);
    // Most pieces are attacked by nobody, and then every rule says safe: no attacker, no battery.
    if direct.is_empty() {
        return true;
    }
    let all = attackers(board, square, !piece.color);
    let defending = defenders(board, square);

    // A rook for two minor pieces.
    let took_minor = captured.is_some_and(|role| piece_value(role) == MINOR);
    if piece.role == Role::Rook
        && took_minor
        && let [only] = all[..]
        && only.value() == MINOR
        && !defending.is_empty()
    {
        return true;
    }
    let least = cheapest(&direct).unwrap_or(u32::MAX);
    if least < value {
        return false;
    }
    if all.len() <= defending.len() {
        return true;
    }
    if value < least && defending.iter().any(|defender| defender.value() < least) {
        return true;
    }
    defending.iter().any(|defender: &Attack| defender.role == Role::Pawn)
}

/// The knights, bishops, rooks and queens of a side that are not safe and are worth more than what was just taken.
pub(super) fn unsafe_pieces(board: &Board, side: Color, captured: Option<Role>) -> Bitboard {
    let gained = captured.map_or(0, piece_value);
    let pieces = board.by_color(side) & !board.pawns() & !board.kings();
    let is_unsafe = |square: &Square| {
        board.role_at(*square).is_some_and(|role| piece_value(role) > gained) && !is_safe(board, *square, captured)
    };
    pieces.into_iter().filter(is_unsafe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_board;

    /// Whether the piece on a square is safe, as it stands and with colours exchanged.
    #[track_caller]
    fn check(text: &str, square: Square, captured: Option<Role>, safe: bool) {
        let board = parse_board(text).expect(text);
        assert_eq!(is_safe(&board, square, captured), safe, "{text}");
        let mirrored = board.into_mirrored();
        assert_eq!(
            is_safe(&mirrored, square.flip_vertical(), captured),
            safe,
            "{text} mirrored"
        );
    }

    #[test]
    fn rule_1_a_rook_for_two_minor_pieces() {
        let rook_to_a_bishop = "4k3/8/8/2b5/8/4R3/3P4/4K3";
        check(rook_to_a_bishop, Square::E3, None, false);
        check(rook_to_a_bishop, Square::E3, Some(Role::Knight), true);
        check(rook_to_a_bishop, Square::E3, Some(Role::Bishop), true);
        check(rook_to_a_bishop, Square::E3, Some(Role::Pawn), false);
        check(rook_to_a_bishop, Square::E3, Some(Role::Rook), false);
        // Nobody takes back.
        check("4k3/8/8/2b5/8/4R3/8/7K", Square::E3, Some(Role::Knight), false);
        // Two attackers.
        check("4k3/8/1b6/2b5/8/4R3/3P4/4K3", Square::E3, Some(Role::Knight), false);
        // No rook.
        check("4k3/8/8/2b5/8/4Q3/3P4/4K3", Square::E3, Some(Role::Knight), false);
    }

    #[test]
    fn rule_2_a_cheaper_attacker() {
        check("4k3/8/8/2p5/3N4/4P3/8/4K3", Square::D4, None, false);
        check("4k3/8/5n2/3R4/2P5/8/8/4K3", Square::D5, None, false);
        check("4k3/3r4/8/3Q4/2P5/8/8/4K3", Square::D5, None, false);
    }

    #[test]
    fn rule_3_as_many_defenders() {
        check("4k3/8/5n2/3N4/2P5/8/8/4K3", Square::D5, None, true);
        check("3rk3/8/8/3R4/8/8/3R4/4K3", Square::D5, None, true);
        check("3rk3/3r4/8/3R4/8/8/3R4/4K3", Square::D5, None, false);
    }

    #[test]
    fn rule_4_nobody_attacks_or_the_piece_and_a_defender_are_cheap() {
        check("4k3/8/8/3N4/8/8/8/4K3", Square::D5, None, true);
        // Two rooks attack a knight that a bishop defends.
        check("3rk3/3r4/8/3N4/8/1B6/8/4K3", Square::D5, None, true);
        // … that a rook defends.
        check("3rk3/3r4/8/3N4/8/8/3R4/4K3", Square::D5, None, false);
        // A king attacks too, and is dearer than everything.
        check("8/8/2k5/3N4/8/8/3Q4/4K3", Square::D5, None, true);
    }

    #[test]
    fn rule_5_a_pawn_defends() {
        check("4k3/8/1n3n2/3N4/2P5/8/8/4K3", Square::D5, None, true);
        check("4k3/8/1n3n2/3N4/8/8/3R4/4K3", Square::D5, None, false);
    }

    #[test]
    fn rule_6_otherwise_unsafe() {
        check("3rk3/8/8/3N4/8/8/8/4K3", Square::D5, None, false);
        check("3qk3/8/8/3Q4/8/8/8/4K3", Square::D5, None, false);
    }

    #[test]
    fn what_was_taken_is_set_against_what_hangs() {
        let text = "4k3/8/8/2p3p1/3N3R/8/8/q3K3";
        let board = parse_board(text).expect(text);
        let of = |captured| {
            let found = unsafe_pieces(&board, Color::White, captured);
            found.into_iter().map(|square| square.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(of(None), ["d4", "h4"]);
        assert_eq!(of(Some(Role::Pawn)), ["d4", "h4"]);
        assert_eq!(of(Some(Role::Bishop)), ["h4"]);
        assert!(of(Some(Role::Rook)).is_empty());
        assert!(
            unsafe_pieces(&board, Color::Black, None).is_empty(),
            "a queen is attacked by nobody"
        );
    }
}
