//! The one question behind legality: is my king attacked once the piece has moved?

use shakmaty::{Bitboard, Board, Color, Piece, Role, Square, attacks};

/// What a rook and a bishop reach on an empty board, by square: a kilobyte that stays in the cache.
static ROOK_LINES: [Bitboard; 64] = on_an_empty_board(Role::Rook);
static BISHOP_LINES: [Bitboard; 64] = on_an_empty_board(Role::Bishop);

const fn on_an_empty_board(role: Role) -> [Bitboard; 64] {
    let mut lines = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        let piece = Piece {
            color: Color::White,
            role,
        };
        lines[square as usize] = attacks::attacks(Square::new(square), piece, Bitboard::EMPTY);
        square += 1;
    }
    lines
}

/// Those of `pieces`, all of one `role`, that reach `to`. Pawns are not meant to come here: they move and capture
/// differently.
///
/// One or two of them are on a line with `to`, and looking between these takes 3 % off reading games: all that is reached
/// from `to` would be looked up in a table of 700 kB, which rarely is near at hand.
#[inline]
pub(super) fn origins(role: Role, to: Square, occupied: Bitboard, pieces: Bitboard) -> Bitboard {
    let lines = match role {
        Role::Pawn => return Bitboard::EMPTY,
        Role::Knight => return attacks::knight_attacks(to) & pieces,
        Role::King => return attacks::king_attacks(to) & pieces,
        Role::Bishop => BISHOP_LINES[to as usize],
        Role::Rook => ROOK_LINES[to as usize],
        Role::Queen => BISHOP_LINES[to as usize] | ROOK_LINES[to as usize],
    };
    let mut reaching = lines & pieces;
    for from in reaching {
        if (attacks::between(from, to) & occupied).any() {
            reaching.discard(from);
        }
    }
    reaching
}

/// Whether the king of `us` on `king` is safe with `occupied` as it is after the move and the
/// pieces on `captured` gone.
///
/// Asked once per candidate, this covers pins, checks, en passant and the king's own moves
/// alike. Computing pins and checkers first, as a move generator must, costs more than the
/// one or two candidates a SAN leaves.
#[inline]
pub(crate) fn king_is_safe(board: &Board, us: Color, king: Square, occupied: Bitboard, captured: Bitboard) -> bool {
    let them = board.by_color(!us) & !captured;
    let leapers = (attacks::knight_attacks(king) & board.knights())
        | (attacks::king_attacks(king) & board.kings())
        | (attacks::pawn_attacks(us, king) & board.pawns());
    if (leapers & them).any() {
        return false;
    }
    // Mostly no slider is even on a line with the king, and hardly ever more than two are.
    let rooks = board.rooks_and_queens() & ROOK_LINES[king as usize];
    let bishops = board.bishops_and_queens() & BISHOP_LINES[king as usize];
    ((rooks | bishops) & them)
        .into_iter()
        .all(|slider| (attacks::between(king, slider) & occupied).any())
}
