//! Tells departures apart that cannot belong to a position with enough games, before they are sorted.

use crate::{CountError, State, files::Departures, partition::Slice};

/// Counts departures by a few bits of their keys. Positions may share a count, so one that is too low is too low for
/// all of them; most positions are met once, and are never sorted.
#[derive(Debug)]
pub(crate) struct Sieve {
    counts: Vec<u8>,
    shift: u32,
    enough: u8,
}

impl Sieve {
    /// Looks through all departures of a slice. What `always` names passes however rare it is.
    pub(crate) fn new(
        states: &[&State],
        departures: &[Departures],
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

    /// The highest bits are the same for all keys of a partition.
    fn place(&self, key: u64) -> usize {
        (key << 8 >> self.shift) as usize
    }
}
