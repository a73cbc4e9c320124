//! What must hold for any bytes at all: the fuzz targets and the replay of their corpora call this. No part of the crate's
//! interface.

use shakmaty::CastlingMode;

use crate::{
    PositionId, Variant, from_compact, from_packed, full_fen, parse_board, parse_fen_with_mode, write_compact,
    write_packed,
};

/// Any text is a position or refused; what is accepted is written so that it comes back, with nothing left to overlook.
///
/// # Panics
///
/// If not.
pub fn fen(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else { return };
    let _any_answer_will_do = parse_board(text);
    for mode in [CastlingMode::Standard, CastlingMode::Chess960] {
        let Ok(start) = parse_fen_with_mode(text, mode) else {
            continue;
        };
        let written = full_fen(&start.position);
        let again = parse_fen_with_mode(&written, mode).expect("written here");
        assert_eq!(full_fen(&again.position), written);
        assert_eq!(PositionId::of(&again.position), PositionId::of(&start.position));
        assert!(
            !again.ignored.castling_rights && !again.ignored.ep_square,
            "{written} claims what it does not have"
        );
    }
}

/// Any bytes are a position in the compact or the packed form, or refused; what is accepted comes back from its own bytes.
///
/// # Panics
///
/// If not.
pub fn packed_positions(bytes: &[u8]) {
    if let Ok((position, variant)) = from_compact(bytes) {
        let mut again = Vec::new();
        write_compact(&position, variant, &mut again);
        assert_eq!(from_compact(&again).expect("written here").0, position);
    }
    for variant in [Variant::Standard, Variant::Chess960] {
        if let Ok(position) = from_packed(bytes, variant.castling_mode()) {
            let mut again = Vec::new();
            write_packed(&position, &mut again);
            let back = from_packed(&again, variant.castling_mode());
            assert_eq!(back.expect("written here"), position);
        }
    }
}
