//! Move to canonical SAN.

use shakmaty::{Bitboard, Chess, Move, Position, Role, Square};

use super::{
    PackedSan,
    legality::{king_is_safe, origins},
};
use crate::ascii::AsciiText;

/// `Qa1xb2#` and `exd8=Q#` are the longest.
pub(super) type SanText = AsciiText<7>;

/// The canonical SAN of the legal move `m`, with `+` and `#`.
///
/// ```
/// use shakmaty::Chess;
/// use tabiya_chess::{from_uci, to_san};
///
/// let pos = Chess::default();
/// assert_eq!(to_san(&pos, from_uci(&pos, "g1f3")?), "Nf3");
/// # Ok::<_, tabiya_chess::UciError>(())
/// ```
#[must_use]
pub fn to_san(pos: &Chess, m: Move) -> String {
    let mut after = pos.clone();
    after.play_unchecked(m);
    let mut san = String::with_capacity(7);
    write_san(pos, m, &after, &mut san);
    san
}

/// Appends the canonical SAN of the legal move `m`, which leads from `before` to `after`.
///
/// Whoever needs SAN plays the move anyway, so the position after it is asked for instead of
/// made again.
pub fn write_san(before: &Chess, m: Move, after: &Chess, out: &mut String) {
    write_san_unmarked(before, m, out);
    write_check_mark(after, out);
}

/// Appends `+` or `#` where `after`, the position behind a move, is a check or a mate.
pub fn write_check_mark(after: &Chess, out: &mut String) {
    match mark_of(after) {
        None => {}
        Some(Mark::Check) => out.push('+'),
        Some(Mark::Mate) => out.push('#'),
    }
}

/// What stands behind a move's squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Check,
    Mate,
}

#[inline]
pub(super) fn in_check(pos: &Chess) -> bool {
    let (board, turn) = (pos.board(), pos.turn());
    let is_safe = |king| king_is_safe(board, turn, king, board.occupied(), Bitboard::EMPTY);
    board.king_of(turn).is_some_and(|king| !is_safe(king))
}

#[inline]
pub(super) fn mark_of(after: &Chess) -> Option<Mark> {
    if !in_check(after) {
        return None;
    }
    // Mate needs all legal moves, so it is looked for only behind a check.
    Some(if after.legal_moves().is_empty() {
        Mark::Mate
    } else {
        Mark::Check
    })
}

/// Appends the SAN of the legal move `m` without its check mark, for whoever has not made the move yet.
pub fn write_san_unmarked(before: &Chess, m: Move, out: &mut String) {
    if let Move::Put { role, to } = m {
        // There are no drops in chess, but shakmaty has them.
        if role != Role::Pawn {
            out.push(role.upper_char());
        }
        out.push('@');
        out.push_str(&to.to_string());
        return;
    }
    out.push_str(PackedSan::of(before, m).text().as_str());
}

/// Whether file and rank have to be named, because another piece of the same kind could legally go to the same square.
#[inline]
pub(super) fn origin(pos: &Chess, role: Role, from: Square, to: Square) -> (bool, bool) {
    let (board, turn) = (pos.board(), pos.turn());
    let rivals = board.by_piece(role.of(turn)).without(from);
    // A single piece of its kind, as queens mostly are, needs no look at the rays.
    if rivals.is_empty() {
        return (false, false);
    }
    let occupied = board.occupied();
    let rivals = origins(role, to, occupied, rivals);
    let Some(king) = board.king_of(turn).filter(|_| rivals.any()) else {
        return (false, false);
    };

    let target = Bitboard::from_square(to);
    let rivals: Bitboard = rivals
        .into_iter()
        .filter(|rival| {
            let moved = occupied.without(*rival) | target;
            king_is_safe(board, turn, king, moved, target)
        })
        .collect();
    if rivals.is_empty() {
        return (false, false);
    }
    let same_file = (rivals & Bitboard::from_file(from.file())).any();
    let same_rank = (rivals & Bitboard::from_rank(from.rank())).any();
    (!same_file || same_rank, same_file)
}

/// Whether a move, by its SAN, sets the half-move clock back: a pawn's, or one that takes something.
///
/// ```
/// use tabiya_chess::resets_clock;
/// assert!(resets_clock("e4") && resets_clock("Nxe5") && resets_clock("exd8=Q+"));
/// assert!(!resets_clock("Nf3") && !resets_clock("O-O") && !resets_clock("Bb5+"));
/// ```
pub fn resets_clock(san: &str) -> bool {
    san.starts_with(|first: char| first.is_ascii_lowercase()) || san.contains('x')
}

/// A line from the initial position with the numbers of its moves.
///
/// ```
/// assert_eq!(tabiya_chess::numbered_line(["e4", "e5", "Nf3"]), "1.e4 e5 2.Nf3");
/// ```
#[must_use]
pub fn numbered_line(sans: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut line = String::new();
    for (ply, san) in sans.into_iter().enumerate() {
        if ply > 0 {
            line.push(' ');
        }
        if ply % 2 == 0 {
            line.push_str(&format!("{}.", ply / 2 + 1));
        }
        line.push_str(san.as_ref());
    }
    line
}

#[cfg(test)]
mod tests {
    use shakmaty::san::SanPlus;

    use super::*;
    use crate::{from_uci, parse_fen};

    fn check(fen: &str, uci: &str, expected: &str) {
        let pos = parse_fen(fen).expect(fen).position;
        let m = from_uci(&pos, uci).expect(uci);
        assert_eq!(to_san(&pos, m), expected);
        assert_eq!(SanPlus::from_move(pos.clone(), m).to_string(), expected);

        let mut after = pos.clone();
        after.play_unchecked(m);
        let mut line = String::from("1. ");
        write_san(&pos, m, &after, &mut line);
        assert_eq!(line, format!("1. {expected}"));
    }

    #[test]
    fn origin_is_named_only_as_far_as_needed() {
        check("startpos", "g1f3", "Nf3");
        check("4k3/8/8/8/8/2N5/8/4K1N1 w - - 0 1", "g1e2", "Nge2");
        check("4k3/8/8/8/8/2N5/8/2N1K3 w - - 0 1", "c1e2", "N1e2");
        check("4k3/8/8/8/8/2N5/8/2N1K1N1 w - - 0 1", "c1e2", "Nc1e2");
        // The other knight is pinned.
        check("4k3/8/8/8/1b6/2N5/8/4K1N1 w - - 0 1", "g1e2", "Ne2");
        check("1k6/8/8/8/4Q2Q/8/8/K6Q w - - 0 1", "h4e1", "Qh4e1");
    }

    #[test]
    fn check_and_mate_are_marked() {
        check(
            "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq g3 0 2",
            "d8h4",
            "Qh4#",
        );
        check("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "h1h8", "Rh8+");
        check("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O+");
        check("3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+");
        check("7k/4P1pp/8/8/8/8/8/4K3 w - - 0 1", "e7e8q", "e8=Q#");
    }

    #[test]
    fn the_longest_texts_fit() {
        check("2r4k/1P4pp/8/8/8/8/8/K7 w - - 0 1", "b7c8q", "bxc8=Q#");
        check("8/8/8/k7/4Q2Q/8/8/K3r2Q w - - 0 1", "h4e1", "Qh4xe1+");
    }
}
