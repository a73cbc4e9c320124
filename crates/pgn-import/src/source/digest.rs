//! A digest of a file's bytes, as fast as they can be read.

use std::io::{self, Read};

use super::read_up_to;

const LANES: usize = 8;
const WORD: usize = 8;
/// Small enough for a processor's cache, and a whole number of rounds.
const BUFFER: usize = 256 << 10;
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Tells contents apart, not friend from foe: 64 bits that change with every bit of what was read. Words go to eight lanes in
/// turn, because a processor multiplies eight numbers in the time that it takes to multiply one and use it; the byte-wise hash of
/// positions would take longer than reading the games does.
#[derive(Debug)]
pub(super) struct Digest {
    lanes: [u64; LANES],
    bytes: u64,
}

impl Digest {
    /// Of everything that is left to read.
    pub(super) fn of(mut reader: impl Read) -> io::Result<Digest> {
        let mut digest = Digest {
            lanes: std::array::from_fn(|lane| ODD.wrapping_mul(lane as u64 + 1)),
            bytes: 0,
        };
        let mut buffer = vec![0; BUFFER];
        loop {
            let got = read_up_to(&mut reader, &mut buffer)?;
            digest.bytes += got as u64;
            // Zeros up to a whole round: the length tells them from zeros that were read.
            let end = got.next_multiple_of(LANES * WORD);
            buffer[got..end].fill(0);
            digest.rounds(&buffer[..end]);
            if got < BUFFER {
                return Ok(digest);
            }
        }
    }

    fn rounds(&mut self, bytes: &[u8]) {
        let mut lanes = self.lanes;
        for round in bytes.as_chunks::<WORD>().0.as_chunks::<LANES>().0 {
            for (lane, word) in lanes.iter_mut().zip(round) {
                *lane = step(*lane, u64::from_le_bytes(*word));
            }
        }
        self.lanes = lanes;
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn value(&self) -> u64 {
        self.lanes.into_iter().fold(self.bytes, step)
    }
}

/// Both halves of the product, so that high bits count as much as low ones.
fn step(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ word) * u128::from(ODD);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(bytes: &[u8]) -> (u64, u64) {
        let digest = Digest::of(bytes).expect("memory can be read");
        (digest.bytes(), digest.value())
    }

    #[test]
    fn every_bit_and_every_length_counts() {
        let long: Vec<u8> = (0..BUFFER + 1000).map(|at| (at * 7 % 251 + 1) as u8).collect();
        let mut seen = std::collections::HashSet::new();
        for len in (0..300).chain([BUFFER - 1, BUFFER, BUFFER + 1, long.len()]) {
            assert!(seen.insert(of(&long[..len])), "{len}");
        }
        for at in (0..long.len()).step_by(997) {
            let mut other = long.clone();
            other[at] ^= 1 << (at % 8);
            assert!(seen.insert(of(&other)), "{at}");
        }
        // Words that change places, within a lane and between lanes.
        for apart in [WORD, LANES * WORD] {
            let mut other = long.clone();
            let (one, rest) = other[640..].split_at_mut(apart);
            one[..WORD].swap_with_slice(&mut rest[..WORD]);
            assert!(seen.insert(of(&other)), "{apart}");
        }
        for zeros in 0..200 {
            assert!(seen.insert(of(&vec![0; zeros])) == (zeros > 0), "{zeros}");
        }
    }

    #[test]
    fn it_does_not_depend_on_how_much_is_read_at_once() {
        struct Dripping<'a>(&'a [u8]);
        impl Read for Dripping<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let few = buffer.len().min(777);
                self.0.read(&mut buffer[..few])
            }
        }
        let long: Vec<u8> = (0..2 * BUFFER + 3).map(|at| (at * at % 253) as u8).collect();
        let digest = Digest::of(Dripping(&long)).expect("memory can be read");
        assert_eq!((digest.bytes(), digest.value()), of(&long));
        // What is written to databases and counts must be known there by later versions.
        assert_eq!(of(b"1. e4 e5 2. Nf3 *\n"), (18, 0x2054_df62_0f44_d7e8));
    }
}
