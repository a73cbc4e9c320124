//! Sums that were counted elsewhere, as they lie beside the departures.

use tabiya_chess::{Facet, FacetKinds, RatingBand, Speed, Stats};

use crate::PackedMove;

/// The sum of some departures from one position by one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tallied {
    pub(crate) key: u64,
    pub(crate) by: PackedMove,
    pub(crate) facet: Facet,
    pub(crate) stats: Stats,
}

/// Bytes on disk, little endian: key, move, year, band, speed, five sums, first and last year.
pub(crate) const TALLY_BYTES: usize = 8 + 2 + 2 + 2 + 1 + 5 * 8 + 2 * 2;

impl Tallied {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.key.to_le_bytes());
        out.extend_from_slice(&self.by.bits().to_le_bytes());
        out.extend_from_slice(&self.facet.year.to_le_bytes());
        out.extend_from_slice(&self.facet.band.lower_end().to_le_bytes());
        out.push(self.facet.speed as u8);
        let stats = &self.stats;
        for sum in [stats.white, stats.draws, stats.black, stats.rating_sum, stats.rated] {
            out.extend_from_slice(&sum.to_le_bytes());
        }
        out.extend_from_slice(&stats.first_year.to_le_bytes());
        out.extend_from_slice(&stats.last_year.to_le_bytes());
    }

    pub(crate) fn read(bytes: &[u8; TALLY_BYTES]) -> Tallied {
        let u16_at = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let u64_at = |at: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        Tallied {
            key: u64_at(0),
            by: PackedMove::from_bits(u16_at(8)),
            facet: Facet {
                year: u16_at(10),
                band: RatingBand::of(Some(u16_at(12))),
                speed: Speed::ALL.get(usize::from(bytes[14])).copied().unwrap_or_default(),
            },
            stats: Stats {
                white: u64_at(15),
                draws: u64_at(23),
                black: u64_at(31),
                rating_sum: u64_at(39),
                rated: u64_at(47),
                first_year: u16_at(55),
                last_year: u16_at(57),
            },
        }
    }

    /// Told apart by no more than `kinds`.
    pub(crate) fn facet(&self, kinds: FacetKinds) -> Facet {
        Facet {
            year: if kinds.year { self.facet.year } else { 0 },
            band: if kinds.rating {
                self.facet.band
            } else {
                RatingBand::default()
            },
            speed: if kinds.speed { self.facet.speed } else { Speed::Unknown },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_come_back() {
        let tallied = Tallied {
            key: 0x0123_4567_89ab_cdef,
            by: PackedMove::from_bits(777),
            facet: Facet {
                year: 1999,
                band: RatingBand::of(Some(2200)),
                speed: Speed::Blitz,
            },
            stats: Stats {
                white: 1,
                draws: 2,
                black: 3,
                rating_sum: 14_000,
                rated: 6,
                first_year: 1999,
                last_year: 2024,
            },
        };
        let mut bytes = Vec::new();
        tallied.write(&mut bytes);
        assert_eq!(Tallied::read(bytes.as_slice().try_into().expect("its length")), tallied);
    }
}
