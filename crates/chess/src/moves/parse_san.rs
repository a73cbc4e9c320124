//! Text to SAN, as files in the wild spell it.

use shakmaty::{
    CastlingSide, File, Rank, Role, Square,
    san::{San, Suffix},
};

/// Reads the SAN at the start of `bytes`: the move, its check mark, and how many bytes they take.
///
/// The longest reading wins, so `e4e5` is the move from e4 to e5, and what cannot belong to a
/// move is left for the caller: `e4-+` takes two bytes, `Nf3!?` three. Besides SAN it reads
///
/// - `P` for pawns; `-`, `:` or `x` between the squares: `Ng1-f3`, `e4:d5`;
/// - UCI: `g1f3`, `e7e8q` (a pawn's SAN with file and rank, see [`resolve`](crate::resolve));
/// - promotions as `=Q`, `Q`, `(Q)`, `/Q` and in lower case;
/// - castling with `O`, `0` or `o`;
/// - null moves: `--`, `Z0`, `0000`, `@@@@`, `null`;
/// - double check `++`. A `+` that begins `+-`, `+/-` or `+=` judges the position and stays.
///
/// Results (`0-1`, `1-0`) and move numbers are not moves.
///
/// ```
/// use tabiya_chess::parse_san;
///
/// let (san, suffix, consumed) = parse_san(b"Qh4xe1# 0-1").expect("a move");
/// assert_eq!(san.to_string(), "Qh4xe1");
/// assert!(suffix.is_some());
/// assert_eq!(consumed, 7);
/// assert_eq!(parse_san(b"0-1"), None);
/// ```
#[inline]
#[must_use]
pub fn parse_san(bytes: &[u8]) -> Option<(San, Option<Suffix>, usize)> {
    if let Some(usual) = bytes.first_chunk().and_then(usual) {
        return Some(usual);
    }
    unusual(bytes)
}

/// Reads what nearly every move looks like: a target with perhaps an `x` or one letter or digit before it, and nothing
/// odd behind. Eight bytes that are known to be there need no checks of length, which halves the work.
#[inline]
fn usual(bytes: &[u8; 8]) -> Option<(San, Option<Suffix>, usize)> {
    let (role, start) = match bytes[0] {
        b'a'..=b'h' => (Role::Pawn, 0),
        b'N' => (Role::Knight, 1),
        b'B' => (Role::Bishop, 1),
        b'R' => (Role::Rook, 1),
        b'Q' => (Role::Queen, 1),
        b'K' => (Role::King, 1),
        _ => return None,
    };
    let (first, second) = (bytes[start], bytes[start + 1]);
    let (from_file, from_rank, capture, target) = match (file(first), second) {
        (Some(_), b'1'..=b'8') => (None, None, false, start),
        (Some(from), b'x') => (Some(from), None, true, start + 2),
        (Some(from), b'a'..=b'h') if role != Role::Pawn => (Some(from), None, false, start + 1),
        (None, _) if first == b'x' => (None, None, true, start + 1),
        (None, b'a'..=b'h') => (None, Some(rank(first)?), false, start + 1),
        _ => return None,
    };
    let to = Square::from_coords(file(bytes[target])?, rank(bytes[target + 1])?);
    let end = target + 2;
    let (suffix, end) = match bytes[end] {
        b' ' | b'\n' | b'\r' | b'!' | b'?' | b')' | b'{' | b'$' => (None, end),
        mark @ (b'+' | b'#') if matches!(bytes[end + 1], b' ' | b'\n' | b'\r' | b'!' | b'?' | b')') => {
            let suffix = if mark == b'+' { Suffix::Check } else { Suffix::Checkmate };
            (Some(suffix), end + 1)
        }
        _ => return None,
    };
    let san = San::Normal {
        role,
        file: from_file,
        rank: from_rank,
        capture,
        to,
        promotion: None,
    };
    Some((san, suffix, end))
}

/// Every spelling there is.
fn unusual(bytes: &[u8]) -> Option<(San, Option<Suffix>, usize)> {
    let (role, start) = match *bytes.first()? {
        b'a'..=b'h' => (Role::Pawn, 0),
        b'N' => (Role::Knight, 1),
        b'B' => (Role::Bishop, 1),
        b'R' => (Role::Rook, 1),
        b'Q' => (Role::Queen, 1),
        b'K' => (Role::King, 1),
        b'P' => (Role::Pawn, 1),
        _ => return special(bytes),
    };
    let (san, end) = squares(role, bytes, start)?;
    let (suffix, end) = suffix(bytes, end);
    Some((san, suffix, end))
}

/// Past the end reads as 0, which is part of no move.
#[inline]
fn at(bytes: &[u8], i: usize) -> u8 {
    bytes.get(i).copied().unwrap_or(0)
}

#[inline]
fn file(byte: u8) -> Option<File> {
    let index = byte.wrapping_sub(b'a');
    (index < 8).then(|| File::new(u32::from(index)))
}

#[inline]
fn rank(byte: u8) -> Option<Rank> {
    let index = byte.wrapping_sub(b'1');
    (index < 8).then(|| Rank::new(u32::from(index)))
}

#[inline]
fn square(bytes: &[u8], i: usize) -> Option<Square> {
    Some(Square::from_coords(file(at(bytes, i))?, rank(at(bytes, i + 1))?))
}

/// Everything after the piece letter, which ends at `start`.
#[inline]
fn squares(role: Role, bytes: &[u8], start: usize) -> Option<(San, usize)> {
    let mut i = start;
    if at(bytes, i) == b'@' {
        let to = square(bytes, i + 1)?;
        return Some((San::Put { role, to }, i + 3));
    }

    let first_file = file(at(bytes, i));
    i += usize::from(first_file.is_some());
    let first_rank = rank(at(bytes, i));
    i += usize::from(first_rank.is_some());

    let mark = at(bytes, i);
    let target = i + usize::from(matches!(mark, b'x' | b'-' | b':'));
    let (file, rank, capture, to, end) = if let Some(to) = square(bytes, target) {
        let capture = matches!(mark, b'x' | b':');
        (first_file, first_rank, capture, to, target + 2)
    } else {
        // One square only: it is the target, and the mark belongs to something else.
        let to = Square::from_coords(first_file?, first_rank?);
        (None, None, false, to, i)
    };

    let (promotion, end) = match at(bytes, end) {
        b'=' | b'(' | b'/' | b'B' | b'N' | b'Q' | b'R' | b'b' | b'n' | b'q' | b'r' => promotion(role, to, bytes, end),
        _ => (None, end),
    };
    let san = San::Normal {
        role,
        file,
        rank,
        capture,
        to,
        promotion,
    };
    Some((san, end))
}

fn promotion(role: Role, to: Square, bytes: &[u8], end: usize) -> (Option<Role>, usize) {
    let piece = |i| Role::from_char(char::from(at(bytes, i)));
    // Without `=` a letter after the square is a promotion only where a pawn can promote:
    // elsewhere it is more likely the next word.
    let promotes = role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth);
    let (role, length) = match at(bytes, end) {
        b'=' => (piece(end + 1), 2),
        b'/' if promotes => (piece(end + 1), 2),
        b'(' if promotes && at(bytes, end + 2) == b')' => (piece(end + 1), 3),
        b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n' if promotes => (piece(end), 1),
        _ => (None, 0),
    };
    match role {
        Some(role) => (Some(role), end + length),
        None => (None, end),
    }
}

/// Castling and null moves.
fn special(bytes: &[u8]) -> Option<(San, Option<Suffix>, usize)> {
    for null in [&b"--"[..], b"Z0", b"0000", b"@@@@", b"null"] {
        if bytes.starts_with(null) {
            return Some((San::Null, None, null.len()));
        }
    }
    let o = |i| matches!(at(bytes, i), b'O' | b'0' | b'o');
    let dash = |i| at(bytes, i) == b'-';
    if !(o(0) && dash(1) && o(2)) {
        return None;
    }
    let (side, end) = if dash(3) && o(4) {
        (CastlingSide::QueenSide, 5)
    } else {
        (CastlingSide::KingSide, 3)
    };
    let (suffix, end) = suffix(bytes, end);
    Some((San::Castle(side), suffix, end))
}

#[inline]
fn suffix(bytes: &[u8], end: usize) -> (Option<Suffix>, usize) {
    match (at(bytes, end), at(bytes, end + 1)) {
        (b'#', _) => (Some(Suffix::Checkmate), end + 1),
        (b'+', b'-' | b'/' | b'=') => (None, end),
        (b'+', b'+') => (Some(Suffix::Check), end + 2),
        (b'+', _) => (Some(Suffix::Check), end + 1),
        _ => (None, end),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `text` is read whole, as the canonical `expected`.
    fn check(text: &str, expected: &str) {
        check_prefix(text, expected, "");
        // The same before a blank and before an annotation.
        check_prefix(&format!("{text} e5"), expected, " e5");
        check_prefix(&format!("{text}!?"), expected, "!?");
    }

    fn check_prefix(text: &str, expected: &str, rest: &str) {
        let (san, suffix, consumed) = parse_san(text.as_bytes()).expect(text);
        let mut found = san.to_string();
        found.extend(suffix.map(Suffix::char));
        assert_eq!((&*found, &text[consumed..]), (expected, rest), "{text}");
    }

    fn check_none(text: &str) {
        assert_eq!(parse_san(text.as_bytes()), None, "{text}");
    }

    /// The short way must be a short way, not another one.
    #[test]
    fn usual_moves_read_as_all_others_do() {
        let bodies = [
            "e4", "xe4", "exd5", "Nf3", "Nxf3", "Nbd7", "N1d2", "Nbxd7", "N1xd2", "Rad1", "Qh4xe1", "Kxe2",
        ];
        let ends = [
            " ", "\n", "+ ", "# ", "+!", "!?", ") ", "+)", "++ ", "+- ", "+/-", "=Q ", "=", "e5 ", "-", "{", "$1",
        ];
        for body in bodies {
            for end in ends {
                let text = format!("{body}{end}        ");
                let short = text.as_bytes().first_chunk().and_then(usual);
                if let Some(short) = short {
                    assert_eq!(Some(short), unusual(text.as_bytes()), "{text:?}");
                }
            }
        }
        assert!(usual(b"Nbxd7+ e").is_some());
        assert!(usual(b"e4 e5   ").is_some());
    }

    #[test]
    fn reads_san() {
        for text in [
            "e4", "exd5", "Nf3", "Nxf3", "Nbd2", "N1f3", "Ng1f3", "Ng1xf3", "Kf1", "Qa1", "Rh8", "Bb5+", "Qxf7#",
            "e8=Q", "dxe8=N+", "O-O", "O-O-O", "O-O+", "O-O-O#", "bxc3", "b4", "N@f3",
        ] {
            check(text, text);
        }
    }

    #[test]
    fn reads_what_files_spell_otherwise() {
        check("Pe4", "e4");
        check("Ng1-f3", "Ng1f3");
        check("e2-e4", "e2e4");
        check("e4:d5", "e4xd5");
        check("N:f3", "Nxf3");
        check("ed5", "ed5");
        check("e8Q", "e8=Q");
        check("e8q", "e8=Q");
        check("e8=q", "e8=Q");
        check("e8(Q)", "e8=Q");
        check("e8/Q+", "e8=Q+");
        check("a7b8b", "a7b8=B");
        check("e7e8n#", "e7e8=N#");
        check("0-0", "O-O");
        check("o-o-o", "O-O-O");
        check("0-0-0+", "O-O-O+");
        check("Qxf7++", "Qxf7+");
        check("e8=K", "e8=K");
    }

    #[test]
    fn reads_uci() {
        for text in ["e2e4", "g1f3", "e4e5", "b4b5"] {
            check(text, text);
        }
        check("e7e8q", "e7e8=Q");
    }

    #[test]
    fn reads_null_moves() {
        for text in ["--", "Z0", "0000", "@@@@", "null"] {
            check(text, "--");
        }
    }

    #[test]
    fn leaves_what_is_not_the_move() {
        check_prefix("e4-+", "e4", "-+");
        check_prefix("e4+-", "e4", "+-");
        check_prefix("Qh5+/-", "Qh5", "+/-");
        check_prefix("Nf3+=", "Nf3", "+=");
        check_prefix("exd6e.p.", "exd6", "e.p.");
        check_prefix("exd6ep", "exd6", "ep");
        check_prefix("e4=", "e4", "=");
        check_prefix("e4(=)", "e4", "(=)");
        check_prefix("e8(=)", "e8", "(=)");
        check_prefix("e4x", "e4", "x");
        check_prefix("e4)", "e4", ")");
        check_prefix("Nf3{", "Nf3", "{");
        check_prefix("e4Nf6", "e4", "Nf6");
        check_prefix("O-O-", "O-O", "-");
        check_prefix("e4\u{2212}", "e4", "\u{2212}");
    }

    #[test]
    fn refuses_what_is_no_move() {
        for text in [
            "", "1-0", "0-1", "1/2-1/2", "*", "1.", "1", "e", "e9", "i4", "N", "Nf", "N9", "x", "xd5", "2e4", "0",
            "00", "0-", "O", "-", "Z", "@", "P", "Pe", "nf3", "$1", "!", "ß",
        ] {
            check_none(text);
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_consumes_what_is_there(bytes: Vec<u8>) {
            if let Some((_, _, consumed)) = parse_san(&bytes) {
                prop_assert!((2..=bytes.len()).contains(&consumed));
            }
        }

        #[test]
        fn reads_whatever_shakmaty_reads(text in "[NBRQKP]?[a-h]?[1-8]?x?[a-h][1-8](=[NBRQ])?[+#]?") {
            use shakmaty::san::SanPlus;
            let expected = SanPlus::from_ascii(text.as_bytes()).unwrap();
            // We read neither a digit nor an `x` first; see `refuses_what_is_no_move`.
            if text.starts_with(|ch: char| ch.is_ascii_digit() || ch == 'x') {
                prop_assert_eq!(parse_san(text.as_bytes()), None);
            } else {
                prop_assert_eq!(
                    parse_san(text.as_bytes()),
                    Some((expected.san, expected.suffix, text.len()))
                );
            }
        }
    }
}
