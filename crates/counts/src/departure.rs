//! One game leaving one position, as it lies in the spilled files.

use crate::PackedMove;

/// A game leaves a position by a move, or is not followed further.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Departure {
    pub(crate) key: u64,
    pub(crate) by: PackedMove,
    /// The game's number in its state.
    pub(crate) game: u32,
}

/// Bytes of a departure on disk, little endian: key, move, game. The key's highest byte is the number of the file. What the
/// game says about all positions it reached is kept once, with the game.
pub(crate) const DEPARTURE_BYTES: usize = 13;

const KEY_BITS: u32 = 56;

impl Departure {
    /// In two overlapping words, which is how a processor likes to write thirteen bytes.
    #[inline]
    pub(crate) fn bytes(self) -> [u8; DEPARTURE_BYTES] {
        let by = u64::from(self.by.bits());
        let first = self.key << 8 >> 8 | by << KEY_BITS;
        let last = self.key >> 40 & 0xffff | by << 16 | u64::from(self.game) << 32;
        let mut bytes = [0; DEPARTURE_BYTES];
        bytes[..8].copy_from_slice(&first.to_le_bytes());
        bytes[5..].copy_from_slice(&last.to_le_bytes());
        bytes
    }

    /// From the file of a partition.
    #[inline]
    pub(crate) fn read(bytes: &[u8; DEPARTURE_BYTES], part: usize) -> Departure {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m] = *bytes;
        let first = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
        let last = u64::from_le_bytes([f, g, h, i, j, k, l, m]);
        Departure {
            key: (part as u64) << KEY_BITS | first << 8 >> 8,
            by: PackedMove::from_bits((last >> 16) as u16),
            game: (last >> 32) as u32,
        }
    }

    /// Which of the state's files it goes to: files are in the order of keys.
    pub(crate) fn partition(key: u64) -> usize {
        (key >> KEY_BITS) as usize
    }
}

/// How many files the keys are spread over.
pub(crate) const PARTITIONS: usize = 256;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn everything_comes_back(key: u64, by: u16, game: u32) {
            let departure = Departure { key, by: PackedMove::from_bits(by), game };
            prop_assert_eq!(Departure::read(&departure.bytes(), Departure::partition(key)), departure);
        }
    }
}
