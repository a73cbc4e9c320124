//! shakmaty's `PackedSetup`, which is Lichess's binary FEN.

use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, packed::PackedSetup};

use super::PackingError;
use crate::fen::position_of_setup;

/// Appends the position with its counters: at most 24 bytes and the counters' for any position of up to 32 pieces.
pub fn write_packed(pos: &Chess, out: &mut Vec<u8>) {
    let setup = pos.to_setup(EnPassantMode::Legal);
    // It fails for set-ups whose castling rights or en-passant square have no rook or pawn, which no position has.
    if let Ok(packed) = PackedSetup::pack_standard(&setup) {
        out.extend_from_slice(packed.as_bytes());
    }
}

/// Reads back what [`write_packed`] wrote.
///
/// # Errors
///
/// [`PackingError`] for anything else.
pub fn from_packed(bytes: &[u8], mode: CastlingMode) -> Result<Chess, PackingError> {
    let packed =
        PackedSetup::try_from_bytes(bytes).map_err(|_| PackingError::TooLong(bytes.len() - PackedSetup::MAX_BYTES))?;
    let setup = packed
        .unpack_standard()
        .map_err(|_| PackingError::Misfit("a piece, a counter or the variant"))?;
    position_of_setup(setup, mode)
}

/// What makes two positions the same: everything but the counters, padded with zeros.
pub type PositionKey = [u8; 24];

/// The position without its counters, to compare; none for a board with more than 32 pieces.
#[must_use]
pub fn position_key(pos: &Chess) -> Option<PositionKey> {
    let setup = pos.to_setup(EnPassantMode::Legal);
    let packed = PackedSetup::pack_standard_normalized(&setup).ok()?;
    let bytes = packed.as_bytes();
    let mut key = [0; 24];
    key.get_mut(..bytes.len())?.copy_from_slice(bytes);
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PositionId, full_fen, parse_fen};

    #[test]
    fn positions_come_back_with_their_counters() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
            "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 b - - 77 300",
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        ] {
            let pos = parse_fen(fen).expect(fen).position;
            let mut bytes = Vec::new();
            write_packed(&pos, &mut bytes);
            let back = from_packed(&bytes, CastlingMode::Standard).expect(fen);
            assert_eq!(full_fen(&back), fen);
        }
    }

    #[test]
    fn counters_do_not_make_another_position() {
        let key = |fen: &str| position_key(&parse_fen(fen).expect(fen).position).expect("a key");
        let base = "4k3/8/8/8/8/8/4P3/R3K3 w Q - 0 1";
        assert_eq!(key(base), key("4k3/8/8/8/8/8/4P3/R3K3 w Q - 31 90"));
        for other in [
            "4k3/8/8/8/8/8/4P3/R3K3 b Q - 0 1",
            "4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1",
            "4k3/8/8/8/8/4P3/8/R3K3 w Q - 0 1",
        ] {
            assert_ne!(key(base), key(other), "{other}");
        }
        // An en-passant square nobody can use is none, as in ids.
        let (one, two) = (
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        );
        assert_eq!(key(one), key(two));
        let id = |fen: &str| PositionId::of(&parse_fen(fen).expect(fen).position);
        assert_eq!(id(one), id(two));
    }

    #[test]
    fn other_bytes_are_refused() {
        for bytes in [
            &[][..],
            &[0; 8],
            &[0xff; 65],
            &[0xff; 40],
            &[1, 0, 0, 0, 0, 0, 0, 0, 10],
        ] {
            assert!(from_packed(bytes, CastlingMode::Standard).is_err(), "{bytes:?}");
        }
    }
}
