//! One game leaving one position, as it lies in the spilled files.

use crate::{GameInfo, PackedMove};

/// A game leaves a position by a move, or is not followed further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Departure {
    pub(crate) key: u64,
    pub(crate) by: PackedMove,
    /// The game's number in its state.
    pub(crate) game: u32,
    pub(crate) info: GameInfo,
}

/// Bytes of a departure on disk, little endian: key, move, game, info.
pub(crate) const DEPARTURE_BYTES: usize = 18;

impl Departure {
    pub(crate) fn bytes(self) -> [u8; DEPARTURE_BYTES] {
        let mut bytes = [0; DEPARTURE_BYTES];
        bytes[..8].copy_from_slice(&self.key.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.by.bits().to_le_bytes());
        bytes[10..14].copy_from_slice(&self.game.to_le_bytes());
        bytes[14..].copy_from_slice(&self.info.bits().to_le_bytes());
        bytes
    }

    pub(crate) fn read(bytes: &[u8; DEPARTURE_BYTES]) -> Departure {
        let [a, b, c, d, e, f, g, h, m, n, i, j, k, l, w, x, y, z] = *bytes;
        Departure {
            key: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            by: PackedMove::from_bits(u16::from_le_bytes([m, n])),
            game: u32::from_le_bytes([i, j, k, l]),
            info: GameInfo::from_bits(u32::from_le_bytes([w, x, y, z])),
        }
    }

    /// Which of the state's files it goes to: files are in the order of keys.
    pub(crate) fn partition(key: u64) -> usize {
        (key >> 56) as usize
    }
}

/// How many files the keys are spread over.
pub(crate) const PARTITIONS: usize = 256;
