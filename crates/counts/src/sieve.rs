//! Tells departures apart that cannot belong to a position with enough games, before they are sorted.

use crate::{CountError, State, partition::Slice, spill::Departures};

/// Counts departures by a few bits of their keys. Positions may share a count, so one that is too low is too low for
/// all of them; most positions are met once, and are never sorted.
#[derive(Debug)]
pub(crate) struct Sieve {
    counts: Vec<u8>,
    shift: u32,
    slices: u64,
    enough: u8,
}

impl Sieve {
    /// Looks through all departures of a slice. What `always` names passes however rare it is.
    pub(crate) fn new(
        states: &[&State],
        departures: &[Departures<'_>],
        slice: Slice,
        min_games: u64,
        always: impl Iterator<Item = u64>,
    ) -> Result<Sieve, CountError> {
        if min_games <= 1 {
            return Ok(Sieve::open());
        }
        let rows: u64 = states.iter().map(|state| state.departures_in(slice.part)).sum();
        let bits = (rows * 2 / slice.slices).max(64).ilog2() + 1;
        let mut sieve = Sieve {
            counts: vec![0; 1 << bits],
            shift: 64 - bits,
            slices: slice.slices,
            enough: u8::try_from(min_games).unwrap_or(u8::MAX),
        };
        for departures in departures {
            departures.each(|departure| {
                if slice.holds(departure.key) {
                    sieve.count(departure.key, 1);
                }
            })?;
        }
        for state in states {
            state.read_tallies(slice.part, |tallied| {
                if slice.holds(tallied.key) {
                    sieve.count(tallied.key, tallied.stats.games());
                }
            })?;
        }
        always.for_each(|key| sieve.count(key, u64::MAX));
        Ok(sieve)
    }

    /// Lets through what has one of these keys, and little else.
    pub(crate) fn of_keys(keys: &[u64]) -> Sieve {
        let bits = (keys.len() * 8).max(64).ilog2() + 1;
        let mut sieve = Sieve {
            counts: vec![0; 1 << bits],
            shift: 64 - bits,
            slices: 1,
            enough: 1,
        };
        keys.iter().for_each(|key| sieve.count(*key, 1));
        sieve
    }

    /// Lets everything through.
    pub(crate) fn open() -> Sieve {
        Sieve {
            counts: Vec::new(),
            shift: 0,
            slices: 1,
            enough: 0,
        }
    }

    fn count(&mut self, key: u64, games: u64) {
        let place = self.place(key);
        let count = &mut self.counts[place];
        *count = count.saturating_add(u8::try_from(games).unwrap_or(u8::MAX));
    }

    /// Whether a position with this key can have enough games.
    pub(crate) fn passes(&self, key: u64) -> bool {
        self.enough == 0 || self.counts[self.place(key)] >= self.enough
    }

    /// The highest bits are the same for all keys of a partition, and the next nearly so for all of a slice: of the product whose
    /// upper half is the slice, the lower half tells its keys apart.
    fn place(&self, key: u64) -> usize {
        ((key << 8).wrapping_mul(self.slices) >> self.shift) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_keys_of_any_slice_are_spread_over_all_counters() {
        for slices in [1, 3, 7] {
            for slice in 0..slices {
                let slice = Slice { part: 5, slice, slices };
                let mut sieve = Sieve {
                    counts: vec![0; 64],
                    shift: 64 - 6,
                    slices,
                    enough: 1,
                };
                let keys = (1..20_000u64).map(|n| 5 << 56 | n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 8);
                keys.filter(|key| slice.holds(*key)).for_each(|key| sieve.count(key, 1));
                let unused = sieve.counts.iter().filter(|count| **count == 0).count();
                assert_eq!(unused, 0, "{slice:?}");
            }
        }
    }
}
