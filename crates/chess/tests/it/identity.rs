//! Our FEN and EPD are shakmaty's, byte for byte, and read back.

use proptest::prelude::*;
use shakmaty::{
    EnPassantMode, Position,
    fen::{Epd, Fen},
};
use tabiya_chess::{PositionId, epd, full_fen, parse_fen_with_mode, write_epd};

use crate::walks::walk;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn text_is_shakmaty_s_and_reads_back(seed: u64) {
        walk(seed, 120, |pos, _| {
            let text = epd(pos);
            assert_eq!(text, Epd::from_position(pos, EnPassantMode::Legal).to_string());
            assert_eq!(full_fen(pos), Fen::from_position(pos, EnPassantMode::Legal).to_string());

            let mut again = String::new();
            write_epd(pos, &mut again);
            assert_eq!(again, text);
            assert_eq!(PositionId::of(pos), PositionId::from_text(&text));

            let mode = pos.castles().mode();
            let read = parse_fen_with_mode(&full_fen(pos), mode).expect("our own FEN");
            assert!(!read.ignored.castling_rights && !read.ignored.ep_square);
            assert_eq!(&read.position, pos);
            assert_eq!(full_fen(&read.position), full_fen(pos));
            assert_eq!(PositionId::of(&read.position), PositionId::of(pos));
        });
    }
}
