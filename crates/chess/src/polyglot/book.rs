//! Reading opening books.

use std::cmp::Reverse;

use shakmaty::{Chess, Move, Role, Square};
use thiserror::Error;

use super::polyglot_key;
use crate::moves::from_square;

/// Why bytes are not a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PolyglotError {
    /// The last entry is cut off, or this is no book at all.
    #[error("a Polyglot book has 16 bytes an entry, but {0} bytes are no multiple of that")]
    Size(usize),
}

/// An entry as it stands in the file, without its learning data.
#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    packed: u16,
    weight: u16,
}

/// A move of a book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookMove {
    /// The move; castling is castling, however the book writes it.
    pub m: Move,
    /// How much the book likes it, against the others of the position.
    pub weight: u16,
}

/// What a book says about a position.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BookMoves {
    /// The moves, heaviest first; of equal ones in the book's order.
    pub moves: Vec<BookMove>,
    /// How many entries were left out because they cannot be played: another position with the same key, or a broken book.
    pub illegal: usize,
}

/// An opening book in Polyglot's `.bin` format.
///
/// ```
/// use shakmaty::Chess;
/// use tabiya_chess::{PolyglotBook, polyglot_key, to_san};
///
/// let mut bytes = polyglot_key(&Chess::default()).to_be_bytes().to_vec();
/// bytes.extend([0b0000_0011, 0b0001_1100]); // from row 1, file e to row 3, file e
/// bytes.extend([0, 7, 0, 0, 0, 0]); // weight 7, nothing learnt
///
/// let book = PolyglotBook::from_bytes(&bytes)?;
/// let known = book.moves(&Chess::default());
/// assert_eq!(to_san(&Chess::default(), known.moves[0].m), "e4");
/// # Ok::<_, tabiya_chess::PolyglotError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PolyglotBook {
    entries: Vec<Entry>,
    sorted: bool,
}

impl PolyglotBook {
    /// Reads a book. One that is not sorted by key, as the format asks, is sorted here.
    ///
    /// # Errors
    ///
    /// [`PolyglotError::Size`] where the last entry is cut off.
    pub fn from_bytes(bytes: &[u8]) -> Result<PolyglotBook, PolyglotError> {
        let (chunks, []) = bytes.as_chunks::<16>() else {
            return Err(PolyglotError::Size(bytes.len()));
        };
        let mut entries: Vec<Entry> = chunks
            .iter()
            .map(|[k0, k1, k2, k3, k4, k5, k6, k7, m0, m1, w0, w1, ..]| Entry {
                key: u64::from_be_bytes([*k0, *k1, *k2, *k3, *k4, *k5, *k6, *k7]),
                packed: u16::from_be_bytes([*m0, *m1]),
                weight: u16::from_be_bytes([*w0, *w1]),
            })
            .collect();
        let sorted = entries.is_sorted_by_key(|entry| entry.key);
        if !sorted {
            entries.sort_by_key(|entry| entry.key);
        }
        Ok(PolyglotBook { entries, sorted })
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the bytes were in the order the format asks for; other readers find nothing in a book that is not.
    #[must_use]
    pub const fn was_sorted(&self) -> bool {
        self.sorted
    }

    /// The book's moves in a position.
    ///
    /// The key tells whether an enemy pawn stands beside one that has just made a double step. So ask about positions that were
    /// played, or read from a FEN with its en-passant square; see [`polyglot_key`].
    #[must_use]
    pub fn moves(&self, position: &Chess) -> BookMoves {
        let key = polyglot_key(position);
        let start = self.entries.partition_point(|entry| entry.key < key);
        let here = self.entries[start..].iter().take_while(|entry| entry.key == key);
        let mut found = BookMoves::default();
        for entry in here {
            match unpack(position, entry.packed) {
                Some(m) => found.moves.push(BookMove {
                    m,
                    weight: entry.weight,
                }),
                None => found.illegal += 1,
            }
        }
        found.moves.sort_by_key(|found| Reverse(found.weight));
        found
    }
}

/// Three bits each, from the right: target file and row, origin file and row, promotion piece.
fn unpack(position: &Chess, packed: u16) -> Option<Move> {
    let square = |shift: u16| Square::new(u32::from(packed >> shift & 0o77));
    let promotion = match packed >> 12 {
        0 => None,
        1 => Some(Role::Knight),
        2 => Some(Role::Bishop),
        3 => Some(Role::Rook),
        4 => Some(Role::Queen),
        _ => return None,
    };
    // Castling is the king taking its own rook, which is read as castling whatever the position's mode.
    from_square(position, square(6), square(0), promotion).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse_fen, parse_line, to_uci};

    fn entry(position: &Chess, from: Square, to: Square, promotion: u16, weight: u16) -> Vec<u8> {
        let packed = promotion << 12 | (from as u16) << 6 | to as u16;
        let mut bytes = polyglot_key(position).to_be_bytes().to_vec();
        bytes.extend(packed.to_be_bytes());
        bytes.extend(weight.to_be_bytes());
        bytes.extend([0; 4]);
        bytes
    }

    fn book(entries: &[Vec<u8>]) -> PolyglotBook {
        PolyglotBook::from_bytes(&entries.concat()).expect("whole entries")
    }

    fn moves(book: &PolyglotBook, position: &Chess) -> Vec<(String, u16)> {
        let found = book.moves(position).moves;
        found
            .iter()
            .map(|found| (to_uci(position, found.m), found.weight))
            .collect()
    }

    #[test]
    fn moves_come_heaviest_first() {
        let start = Chess::default();
        let after = parse_line("e4").unwrap().last();
        let mut entries = vec![
            entry(&start, Square::D2, Square::D4, 0, 5),
            entry(&start, Square::E2, Square::E4, 0, 9),
            entry(&start, Square::G1, Square::F3, 0, 5),
            entry(&after, Square::C7, Square::C5, 0, 1),
        ];
        let expected = [("e2e4".to_owned(), 9), ("d2d4".to_owned(), 5), ("g1f3".to_owned(), 5)];
        let sorted = book(&entries);
        assert!(sorted.was_sorted());
        assert_eq!((moves(&sorted, &start), sorted.len()), (expected.to_vec(), 4));
        assert_eq!(moves(&sorted, &after), [("c7c5".to_owned(), 1)]);
        assert!(sorted.moves(&parse_line("d4").unwrap().last()).moves.is_empty());

        entries.rotate_left(3);
        let unsorted = book(&entries);
        assert!(!unsorted.was_sorted());
        assert_eq!(moves(&unsorted, &start), expected);
        assert!(book(&[]).is_empty());
    }

    #[test]
    fn castling_is_read_in_both_forms_and_promotions_too() {
        let castles = parse_fen("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1").unwrap().position;
        let both = book(&[
            entry(&castles, Square::E8, Square::H8, 0, 2),
            entry(&castles, Square::E8, Square::C8, 0, 1),
        ]);
        assert_eq!(moves(&both, &castles), [("e8g8".to_owned(), 2), ("e8c8".to_owned(), 1)]);

        let promotes = parse_fen("4k3/P7/8/8/8/8/8/4K3 w - - 0 1").unwrap().position;
        let both = book(&[
            entry(&promotes, Square::A7, Square::A8, 4, 2),
            entry(&promotes, Square::A7, Square::A8, 1, 1),
        ]);
        assert_eq!(
            moves(&both, &promotes),
            [("a7a8q".to_owned(), 2), ("a7a8n".to_owned(), 1)]
        );
    }

    #[test]
    fn what_cannot_be_played_is_counted() {
        let start = Chess::default();
        let broken = book(&[
            entry(&start, Square::E2, Square::E5, 0, 9),
            entry(&start, Square::E2, Square::E4, 7, 9),
            entry(&start, Square::E2, Square::E4, 0, 1),
        ]);
        let found = broken.moves(&start);
        assert_eq!((found.moves.len(), found.illegal), (1, 2));
    }

    #[test]
    fn a_cut_entry_is_an_error() {
        let error = PolyglotBook::from_bytes(&[0; 17]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a Polyglot book has 16 bytes an entry, but 17 bytes are no multiple of that"
        );
    }
}
