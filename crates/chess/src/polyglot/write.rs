//! Writing opening books.

use std::cmp::Reverse;

use shakmaty::{
    Chess, File, Move, Role,
    zobrist::{Zobrist64, ZobristValue},
};

use super::polyglot_key;

/// Collects the moves of a book and writes them in the order that readers search in: by key, the heaviest move first.
///
/// ```
/// use shakmaty::Chess;
/// use tabiya_chess::{BookWriter, PolyglotBook, from_uci, polyglot_key};
///
/// let start = Chess::default();
/// let mut book = BookWriter::default();
/// book.add(polyglot_key(&start), from_uci(&start, "d2d4")?, 40);
/// book.add(polyglot_key(&start), from_uci(&start, "e2e4")?, 60);
///
/// let read = PolyglotBook::from_bytes(&book.into_bytes())?;
/// assert_eq!(read.moves(&start).moves[0].weight, 60);
/// # Ok::<_, Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct BookWriter {
    /// Key, weight and packed move, so that plain order is the book's.
    entries: Vec<(u64, Reverse<u16>, u16)>,
}

impl BookWriter {
    /// Adds a move of the position that has this key. A weight of 0 would tell engines never to play it, so the least is 1.
    pub fn add(&mut self, key: u64, m: Move, weight: u16) {
        self.entries.push((key, Reverse(weight.max(1)), pack(m)));
    }

    /// Takes over the moves of another book.
    pub fn append(&mut self, mut other: BookWriter) {
        self.entries.append(&mut other.entries);
    }

    /// How many moves there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no move.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The book: the order of additions does not show, and of a move that came twice the heavier entry stays.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let mut entries = self.entries;
        entries.sort_unstable();
        let mut bytes = Vec::with_capacity(16 * entries.len());
        let mut here = 0;
        for (index, (key, weight, packed)) in entries.iter().enumerate() {
            if entries[here].0 != *key {
                here = index;
            }
            // Positions have a few dozen moves at most.
            if entries[here..index].iter().any(|(_, _, earlier)| earlier == packed) {
                continue;
            }
            bytes.extend_from_slice(&key.to_be_bytes());
            bytes.extend_from_slice(&packed.to_be_bytes());
            bytes.extend_from_slice(&weight.0.to_be_bytes());
            bytes.extend_from_slice(&[0; 4]);
        }
        bytes
    }
}

/// The key of a position that was reached by a double step of the pawn on `file`, beside an enemy pawn that may not capture
/// it: Polyglot hashes that file all the same, and the position does not remember it.
///
/// Where the capture is legal, [`polyglot_key`] knows of it already.
#[must_use]
pub fn polyglot_key_beside(position: &Chess, file: File) -> u64 {
    polyglot_key(position) ^ Zobrist64::zobrist_for_en_passant_file(file).0
}

/// Weights of a position's moves by their games: the games themselves as long as the largest number fits into an entry,
/// otherwise in proportion; at least 1.
#[must_use]
pub fn book_weight(games: u64, most: u64) -> u16 {
    let largest = u64::from(u16::MAX);
    let scaled = if most <= largest {
        games
    } else {
        (u128::from(games) * u128::from(largest) / u128::from(most)) as u64
    };
    scaled.clamp(1, largest) as u16
}

/// Three bits each, from the right: target file and row, origin file and row, promotion piece. Castling is the king taking
/// its own rook.
fn pack(m: Move) -> u16 {
    let (from, to) = match m {
        Move::Castle { king, rook } => (king, rook),
        // A drop, which chess has not, would be from its own square.
        _ => (m.from().unwrap_or(m.to()), m.to()),
    };
    let promotion = match m.promotion() {
        Some(Role::Knight) => 1,
        Some(Role::Bishop) => 2,
        Some(Role::Rook) => 3,
        Some(Role::Queen) => 4,
        _ => 0,
    };
    promotion << 12 | (from as u16) << 6 | to as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use shakmaty::Position as _;

    use super::*;
    use crate::{PolyglotBook, from_uci, parse_fen, to_uci};

    fn written(fen: &str, moves: &[(&str, u16)]) -> Vec<(String, u16)> {
        let position = parse_fen(fen).expect(fen).position;
        let mut book = BookWriter::default();
        for (uci, weight) in moves {
            book.add(polyglot_key(&position), from_uci(&position, uci).expect(uci), *weight);
        }
        let read = PolyglotBook::from_bytes(&book.into_bytes()).expect("whole entries");
        assert!(read.was_sorted());
        let found = read.moves(&position);
        assert_eq!(found.illegal, 0);
        (found.moves.iter())
            .map(|found| (to_uci(&position, found.m), found.weight))
            .collect()
    }

    #[test]
    fn castling_and_promotions_come_back() {
        let castles = written(
            "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
            &[("e1g1", 3), ("e1c1", 9), ("e1d1", 5)],
        );
        assert_eq!(
            castles,
            [("e1c1".to_owned(), 9), ("e1d1".to_owned(), 5), ("e1g1".to_owned(), 3)]
        );
        let promotes = written("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", &[("a7a8n", 1), ("a7a8q", 2)]);
        assert_eq!(promotes, [("a7a8q".to_owned(), 2), ("a7a8n".to_owned(), 1)]);
    }

    #[test]
    fn a_castle_is_written_as_the_king_taking_its_rook() {
        let position = parse_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap().position;
        let mut book = BookWriter::default();
        book.add(0, from_uci(&position, "e1g1").unwrap(), 1);
        // e1 is 4, h1 is 7.
        assert_eq!(book.into_bytes()[8..10], (4_u16 << 6 | 7).to_be_bytes());
    }

    #[test]
    fn a_move_that_came_twice_stays_once_with_the_larger_weight() {
        let twice = written("startpos", &[("e2e4", 1), ("d2d4", 2), ("e2e4", 5), ("d2d4", 0)]);
        assert_eq!(twice, [("e2e4".to_owned(), 5), ("d2d4".to_owned(), 2)]);
    }

    #[test]
    fn weights_are_scaled_only_where_they_do_not_fit() {
        assert_eq!([0, 1, 65_535].map(|games| book_weight(games, 65_535)), [1, 1, 65_535]);
        assert_eq!(
            [0, 1, 500_000, 1_000_000].map(|games| book_weight(games, 1_000_000)),
            [1, 1, 32_767, 65_535]
        );
        assert_eq!(book_weight(u64::MAX, u64::MAX), u16::MAX);
    }

    #[test]
    fn a_double_step_beside_an_enemy_pawn_is_part_of_the_key() {
        // Both pawns would leave the fifth row and bare the king: the capture is not legal, and hashed all the same.
        let pinned = parse_fen("7k/8/8/K2pP2r/8/8/8/8 w - - 0 1").unwrap().position;
        let pushed = parse_fen("7k/8/8/K2pP2r/8/8/8/8 w - d6 0 1").unwrap().position;
        assert_eq!(polyglot_key_beside(&pinned, File::D), polyglot_key(&pushed));
    }

    proptest! {
        #[test]
        fn the_order_of_additions_does_not_show(mut entries in prop::collection::vec((0_u64..4, 0_u32..20, any::<u16>()), 0..40)) {
            let moves = Chess::default().legal_moves();
            let bytes = |entries: &[(u64, u32, u16)]| {
                let mut book = BookWriter::default();
                for (key, m, weight) in entries {
                    book.add(*key, moves[*m as usize], *weight);
                }
                book.into_bytes()
            };
            let one = bytes(&entries);
            entries.reverse();
            prop_assert_eq!(&one, &bytes(&entries));
            let keys: Vec<(u64, Reverse<u16>)> = one
                .as_chunks::<16>().0
                .iter()
                .map(|entry| (u64::from_be_bytes(entry[..8].try_into().unwrap()), Reverse(u16::from_be_bytes([entry[10], entry[11]]))))
                .collect();
            prop_assert!(keys.is_sorted());
        }
    }
}
