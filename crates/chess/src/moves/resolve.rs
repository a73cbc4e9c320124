//! SAN to move: the hot path of every import.

use shakmaty::{Bitboard, CastlingSide, Chess, File, Move, Position, Rank, Role, Square, attacks, san::San};
use thiserror::Error;

use super::legality::{king_is_safe, origins};

/// Why a SAN is not a move here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SanError {
    /// No legal move fits.
    #[error("no legal move fits")]
    Illegal,
    /// More than one legal move fits.
    #[error("more than one legal move fits")]
    Ambiguous,
}

/// The one legal move that `san` means in `pos`.
///
/// Decides as shakmaty's [`San::to_move`] does, at more than twice the speed, except for what
/// real files need (and python-chess reads too, all but the last):
///
/// - The capture mark is ignored, missing (`ed5`, `Nd5`) or superfluous (`Nxd5` to an empty square).
/// - A pawn move without a file never captures: `d5` is a push or nothing.
/// - A pawn's file *and* rank mean the piece on that square, whatever it is: `g1f3`, `e7e8q`, and
///   castling as `e1g1` or `e1h1` (the king takes its own rook).
/// - `Kg1` and `Kc1` are castling where the king cannot step there.
///
/// ```
/// use shakmaty::{Chess, san::San};
/// use tabiya_chess::{SanError, resolve, to_uci};
///
/// let pos = Chess::default();
/// let knight: San = "Nf3".parse()?;
/// assert_eq!(to_uci(&pos, resolve(&pos, knight)?), "g1f3");
/// let rook: San = "Ra3".parse()?;
/// assert_eq!(resolve(&pos, rook), Err(SanError::Illegal));
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`SanError`] if no legal move fits, or several do. A null move is nobody's legal move:
/// callers that accept it handle it themselves.
#[inline]
pub fn resolve(pos: &Chess, san: San) -> Result<Move, SanError> {
    match san {
        San::Normal {
            role: Role::Pawn,
            file,
            rank,
            to,
            promotion,
            ..
        } => match (file, rank) {
            (Some(file), Some(rank)) => from_square(pos, Square::from_coords(file, rank), to, promotion),
            _ => pawn_move(pos, file, rank, to, promotion),
        },
        San::Normal { promotion: Some(_), .. } => Err(SanError::Illegal),
        San::Normal {
            role: Role::King,
            file,
            rank,
            to,
            ..
        } => king_move(pos, file, rank, to),
        San::Normal {
            role, file, rank, to, ..
        } => piece_move(pos, role, file, rank, to),
        San::Castle(side) => castle(pos, side),
        San::Put { .. } | San::Null => Err(SanError::Illegal),
    }
}

/// Knights, bishops, rooks and queens.
#[inline]
fn piece_move(pos: &Chess, role: Role, file: Option<File>, rank: Option<Rank>, to: Square) -> Result<Move, SanError> {
    let (board, turn) = (pos.board(), pos.turn());
    let (us, occupied) = (board.by_color(turn), board.occupied());
    let king = board.king_of(turn).ok_or(SanError::Illegal)?;
    if us.contains(to) {
        return Err(SanError::Illegal);
    }

    let target = Bitboard::from_square(to);
    let mut candidates = us & board.by_role(role);
    if let Some(file) = file {
        candidates &= Bitboard::from_file(file);
    }
    if let Some(rank) = rank {
        candidates &= Bitboard::from_rank(rank);
    }
    let candidates = origins(role, to, occupied, candidates);

    let mut found = None;
    for from in candidates {
        let moved = occupied.without(from) | target;
        if king_is_safe(board, turn, king, moved, target) && found.replace(from).is_some() {
            return Err(SanError::Ambiguous);
        }
    }
    let from = found.ok_or(SanError::Illegal)?;
    Ok(Move::Normal {
        role,
        from,
        capture: board.role_at(to),
        to,
        promotion: None,
    })
}

/// Pawns, by a file at most: never ambiguous, as a push has one origin and so has a capture
/// from a given file.
#[inline]
fn pawn_move(
    pos: &Chess,
    file: Option<File>,
    rank: Option<Rank>,
    to: Square,
    promotion: Option<Role>,
) -> Result<Move, SanError> {
    let (board, turn) = (pos.board(), pos.turn());
    let occupied = board.occupied();
    let pawns = board.by_piece(turn.pawn());
    let king = board.king_of(turn).ok_or(SanError::Illegal)?;
    let target = Bitboard::from_square(to);

    let promotes = to.rank() == turn.relative_rank(Rank::Eighth);
    if promotes != promotion.is_some() || matches!(promotion, Some(Role::Pawn | Role::King)) {
        return Err(SanError::Illegal);
    }

    let (from, captured) = match file {
        Some(file) if file != to.file() => {
            let from = (attacks::pawn_attacks(!turn, to) & pawns & Bitboard::from_file(file))
                .first()
                .ok_or(SanError::Illegal)?;
            if board.by_color(!turn).contains(to) {
                (from, target)
            } else if pos.maybe_ep_square() == Some(to) {
                let captured = Square::from_coords(to.file(), from.rank());
                (from, Bitboard::from_square(captured))
            } else {
                return Err(SanError::Illegal);
            }
        }
        _ => {
            if occupied.contains(to) {
                return Err(SanError::Illegal);
            }
            let back = turn.fold_wb(-8, 8);
            let step = to.offset(back).ok_or(SanError::Illegal)?;
            let from = if pawns.contains(step) {
                step
            } else if to.rank() == turn.relative_rank(Rank::Fourth)
                && !occupied.contains(step)
                && let Some(start) = step.offset(back)
                && pawns.contains(start)
            {
                start
            } else {
                return Err(SanError::Illegal);
            };
            (from, Bitboard::EMPTY)
        }
    };
    if rank.is_some_and(|rank| rank != from.rank()) {
        return Err(SanError::Illegal);
    }

    let moved = (occupied & !captured).without(from) | target;
    if !king_is_safe(board, turn, king, moved, captured) {
        return Err(SanError::Illegal);
    }
    Ok(if captured.any() && captured != target {
        Move::EnPassant { from, to }
    } else {
        Move::Normal {
            role: Role::Pawn,
            from,
            capture: board.role_at(to),
            to,
            promotion,
        }
    })
}

#[inline]
fn king_move(pos: &Chess, file: Option<File>, rank: Option<Rank>, to: Square) -> Result<Move, SanError> {
    let (board, turn) = (pos.board(), pos.turn());
    let king = board.king_of(turn).ok_or(SanError::Illegal)?;
    if file.is_some_and(|file| file != king.file()) || rank.is_some_and(|rank| rank != king.rank()) {
        return Err(SanError::Illegal);
    }

    let occupied = board.occupied().without(king);
    // A piece captured on `to` does not attack `to`, so it need not be taken off.
    if attacks::king_attacks(king).contains(to)
        && !board.by_color(turn).contains(to)
        && king_is_safe(board, turn, to, occupied, Bitboard::EMPTY)
    {
        return Ok(Move::Normal {
            role: Role::King,
            from: king,
            capture: board.role_at(to),
            to,
            promotion: None,
        });
    }
    castle_to(pos, to)
}

/// Castling written as the king's move to where castling takes it.
#[cold]
fn castle_to(pos: &Chess, to: Square) -> Result<Move, SanError> {
    let side = CastlingSide::ALL
        .into_iter()
        .find(|side| side.king_to(pos.turn()) == to)
        .ok_or(SanError::Illegal)?;
    castle(pos, side)
}

fn castle(pos: &Chess, side: CastlingSide) -> Result<Move, SanError> {
    // Twice a game: shakmaty's rule, with all of Chess960, is fast enough.
    let moves = pos.castling_moves(side);
    moves.first().copied().ok_or(SanError::Illegal)
}

/// UCI and long algebraic notation: the piece on `from`, whatever it is.
pub(crate) fn from_square(pos: &Chess, from: Square, to: Square, promotion: Option<Role>) -> Result<Move, SanError> {
    if !pos.us().contains(from) {
        return Err(SanError::Illegal);
    }
    let role = pos.board().role_at(from).ok_or(SanError::Illegal)?;
    let (file, rank) = (Some(from.file()), Some(from.rank()));
    match (role, promotion) {
        (Role::Pawn, _) => pawn_move(pos, file, rank, to, promotion),
        (_, Some(_)) => Err(SanError::Illegal),
        (Role::King, None) => {
            let own_rook = CastlingSide::ALL
                .into_iter()
                .find(|side| pos.castles().rook(pos.turn(), *side) == Some(to));
            match own_rook {
                Some(side) => castle(pos, side),
                None => king_move(pos, file, rank, to),
            }
        }
        (_, None) => piece_move(pos, role, file, rank, to),
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::CastlingMode;

    use super::*;
    use crate::{parse_fen_with_mode, parse_san, to_uci};

    fn uci(fen: &str, mode: CastlingMode, text: &str) -> Result<String, SanError> {
        let pos = parse_fen_with_mode(fen, mode).expect(fen).position;
        let (san, _, consumed) = parse_san(text.as_bytes()).expect(text);
        assert_eq!(consumed, text.len(), "{text}");
        resolve(&pos, san).map(|m| to_uci(&pos, m))
    }

    fn check(fen: &str, text: &str, expected: &str) {
        let found = uci(fen, CastlingMode::Standard, text);
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }

    fn check_960(fen: &str, text: &str, expected: &str) {
        let found = uci(fen, CastlingMode::Chess960, text);
        assert_eq!(found.as_deref(), Ok(expected), "{text}");
    }

    fn check_error(fen: &str, text: &str, expected: SanError) {
        let found = uci(fen, CastlingMode::Standard, text);
        assert_eq!(found, Err(expected), "{text}");
    }

    const SCOTCH: &str = "r1bqkbnr/pppp1ppp/2n5/4p3/3PP3/5N2/PPP2PPP/RNBQKB1R b KQkq d3 0 3";
    const CASTLES: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";

    #[test]
    fn the_capture_mark_is_ignored() {
        for text in ["exd4", "ed4", "e5d4", "e5xd4"] {
            check(SCOTCH, text, "e5d4");
        }
        check(SCOTCH, "Nd4", "c6d4");
        check(SCOTCH, "Nxb4", "c6b4");
        check(SCOTCH, "axa6", "a7a6");
    }

    #[test]
    fn a_pawn_without_a_file_never_captures() {
        check_error(SCOTCH, "d4", SanError::Illegal);
        check_error(SCOTCH, "Pxd4", SanError::Illegal);
    }

    #[test]
    fn a_full_square_means_whatever_stands_there() {
        check("startpos", "g1f3", "g1f3");
        check("startpos", "e2-e4", "e2e4");
        check(CASTLES, "e1g1", "e1g1");
        check(CASTLES, "e1h1", "e1g1");
        check(CASTLES, "e1a1", "e1c1");
        check(CASTLES, "h1h8", "h1h8");
        check_error("startpos", "e7e5", SanError::Illegal);
        check_error("startpos", "e4e5", SanError::Illegal);
    }

    #[test]
    fn a_king_s_leap_to_its_castled_square_is_castling() {
        check(CASTLES, "Kg1", "e1g1");
        check(CASTLES, "Kc1", "e1c1");
        check(CASTLES, "Kf1", "e1f1");
        check_error(CASTLES, "Kb1", SanError::Illegal);
        check_error(CASTLES, "Kh1", SanError::Illegal);
        // Here the king can step to g1, so `Kg1` is that step.
        let fen = "1k6/8/8/8/8/8/8/5K1R w H - 0 1";
        check_960(fen, "Kg1", "f1g1");
        check_960(fen, "O-O", "f1h1");
        check_960(fen, "f1h1", "f1h1");
        check_960("1k6/8/8/8/8/8/8/1K5R w H - 0 1", "Kg1", "b1h1");
    }

    #[test]
    fn castling_is_refused_through_check() {
        let fen = "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1";
        for text in ["O-O", "0-0", "Kg1", "e1g1", "e1h1"] {
            check_error(fen, text, SanError::Illegal);
        }
        check(fen, "O-O-O", "e1c1");
    }

    #[test]
    fn promotions_belong_to_the_last_rank() {
        let fen = "3r3k/4P3/8/8/8/8/4P3/K7 w - - 0 1";
        check(fen, "e8=Q", "e7e8q");
        check(fen, "exd8=N", "e7d8n");
        check(fen, "e7e8r", "e7e8r");
        for text in ["e8", "e8=K", "e8=P", "e4=Q", "exd8", "Ka2=Q", "e7e8"] {
            check_error(fen, text, SanError::Illegal);
        }
    }

    #[test]
    fn pins_leave_one_knight() {
        let fen = "4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1";
        check(fen, "Ne2", "g1e2");
        check_error(fen, "Nce2", SanError::Illegal);
        check_error("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "Ne2", SanError::Ambiguous);
    }

    #[test]
    fn en_passant_may_bare_the_king() {
        check_error("7k/8/8/K2pP2r/8/8/8/8 w - d6 0 1", "exd6", SanError::Illegal);
        check("7k/8/8/K2pP3/8/8/8/8 w - d6 0 1", "exd6", "e5d6");
    }

    #[test]
    fn null_moves_and_drops_are_not_legal_moves() {
        check_error("startpos", "--", SanError::Illegal);
        check_error("startpos", "N@f3", SanError::Illegal);
    }
}
