//! Chess symbols of Unicode, where people write them in place of letters.

/// The letter that the chess symbol at the start of `bytes` stands for, and how many bytes the symbol takes.
///
/// White's symbols and Black's stand for the same letters: whose move it is, the move does not say. A pawn's is `P`, which
/// [`parse_san`](crate::parse_san) takes and drops.
///
/// ```
/// use tabiya_chess::figurine;
///
/// assert_eq!(figurine("♘f3".as_bytes()), Some((b'N', 3)));
/// assert_eq!(figurine("♞\u{fe0e}f3".as_bytes()), Some((b'N', 6)));
/// assert_eq!(figurine(b"Nf3"), None);
/// ```
#[must_use]
pub fn figurine(bytes: &[u8]) -> Option<(u8, usize)> {
    let Some([0xe2, 0x99, symbol @ 0x94..=0x9f]) = bytes.get(..3) else {
        return None;
    };
    let letter = b"KQRBNP"[usize::from((symbol - 0x94) % 6)];
    // Some fonts want to be told that the symbol is text, some that it is a picture.
    let length = match bytes.get(3..6) {
        Some([0xef, 0xb8, 0x8e | 0x8f]) => 6,
        _ => 3,
    };
    Some((letter, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_both_colours_are_letters() {
        for (symbols, letters) in [("♔♕♖♗♘♙", "KQRBNP"), ("♚♛♜♝♞♟", "KQRBNP")] {
            for (symbol, letter) in symbols.chars().zip(letters.bytes()) {
                for (behind, length) in [("", 3), ("f3", 3), ("\u{fe0e}f3", 6), ("\u{fe0f}", 6), ("\u{fe00}", 3)] {
                    let text = format!("{symbol}{behind}");
                    assert_eq!(figurine(text.as_bytes()), Some((letter, length)), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn nothing_else_is() {
        // The neighbours on both sides, a die and a yin-yang among them; a symbol cut short; bytes that are no text.
        for text in ["", "N", "☯", "♓", "♠", "⚔", "½", "é"] {
            assert_eq!(figurine(text.as_bytes()), None, "{text:?}");
        }
        assert_eq!(figurine(&"♘".as_bytes()[..2]), None);
        assert_eq!(figurine(b"\xff\xfe\xfd"), None);
    }
}
