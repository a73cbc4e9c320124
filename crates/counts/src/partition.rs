//! The departures of one partition, sorted.

use std::sync::LazyLock;

use hashbrown::HashMap;
use shakmaty::{Chess, Position as _};
use tabiya_chess::FacetKinds;

use crate::{
    CountError, GameInfo, PackedMove, PositionKey, State,
    departure::Departure,
    group::{GameRef, Group, Lists},
    parts::Tallied,
    sieve::Sieve,
    spill::Departures,
};

/// The positions that so many games pass that their departures are added up as they are read, never held: the first
/// two half-moves. Rising.
static CROWDED: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut keys = Vec::new();
    let mut level = vec![Chess::default()];
    for _ in 0..3 {
        keys.extend(level.iter().map(|pos| PositionKey::of(pos).value(pos)));
        let next = level.iter().flat_map(|pos| {
            pos.legal_moves().into_iter().map(|m| {
                let mut child = pos.clone();
                child.play_unchecked(m);
                child
            })
        });
        level = next.collect();
    }
    keys.sort_unstable();
    keys
});

/// Those of one partition: one or two of them, which are found sooner by looking at each.
fn crowded_in(part: usize) -> &'static [u64] {
    let of_partition = |part: usize| CROWDED.partition_point(|key| Departure::partition(*key) < part);
    &CROWDED[of_partition(part)..of_partition(part + 1)]
}

/// One collection's share of one range of keys.
#[derive(Debug)]
pub(crate) struct Sorted<'a> {
    /// Key, move and game, packed so that comparing them is comparing integers.
    order: Vec<u128>,
    /// What is known of each game.
    infos: &'a [GameInfo],
    tallied: Vec<Tallied>,
    crowded: HashMap<u64, Group>,
    next_departure: usize,
    next_tallied: usize,
}

/// A range of keys within a partition: large partitions are read several times rather than held.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slice {
    pub(crate) part: usize,
    pub(crate) slice: u64,
    pub(crate) slices: u64,
}

impl Slice {
    pub(crate) fn holds(self, key: u64) -> bool {
        // The eight highest bits are the partition's; the next ones spread the keys over its slices.
        self.slices == 1 || (u128::from(key << 8) * u128::from(self.slices)) >> 64 == u128::from(self.slice)
    }
}

impl<'a> Sorted<'a> {
    /// What passes the sieve.
    pub(crate) fn read(
        state: &'a State,
        departures: &Departures<'_>,
        slice: Slice,
        sieve: &Sieve,
        kinds: FacetKinds,
    ) -> Result<Sorted<'a>, CountError> {
        let mut sorted = Sorted {
            order: Vec::new(),
            infos: state.infos(),
            tallied: Vec::new(),
            crowded: HashMap::new(),
            next_departure: 0,
            next_tallied: 0,
        };
        let crowded = crowded_in(slice.part);
        let mut is_damaged = false;
        departures.each(|departure| {
            if slice.holds(departure.key) && sieve.passes(departure.key) {
                let is_known = (departure.game as usize) < sorted.infos.len();
                is_damaged |= !is_known;
                if is_known {
                    sorted.take(departure, kinds, crowded);
                }
            }
        })?;
        if is_damaged {
            return Err(departures.damaged());
        }
        state.read_tallies(slice.part, |tallied| {
            if slice.holds(tallied.key) && sieve.passes(tallied.key) {
                sorted.tallied.push(tallied);
            }
        })?;
        sorted.order.sort_unstable();
        sorted.tallied.sort_unstable_by_key(|tallied| (tallied.key, tallied.by));
        Ok(sorted)
    }

    /// A departure of a game that is known.
    fn take(&mut self, departure: Departure, kinds: FacetKinds, crowded: &[u64]) {
        let Departure { key, by, game } = departure;
        if crowded.contains(&key) {
            let game = self.game(game, by);
            self.crowded.entry(key).or_default().add(game, kinds, Lists::With);
            return;
        }
        self.order
            .push(u128::from(key) << 64 | u128::from(by.bits()) << 48 | u128::from(game));
    }

    fn game(&self, game: u32, by: PackedMove) -> GameRef {
        let info = self.infos[game as usize];
        GameRef { game, by, info }
    }

    /// The lowest key that has not been taken; crowded positions are asked for by [`Sorted::crowded_keys`].
    pub(crate) fn peek(&self) -> Option<u64> {
        let departure = self.order.get(self.next_departure).map(|packed| (packed >> 64) as u64);
        let tallied = self.tallied.get(self.next_tallied).map(|tallied| tallied.key);
        match (departure, tallied) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    pub(crate) fn crowded_keys(&self) -> impl Iterator<Item = u64> {
        self.crowded.keys().copied()
    }

    /// How many games `key` has here; departures are counted no further than `enough`.
    pub(crate) fn games_up_to(&self, key: u64, enough: u64) -> u64 {
        let rest = &self.order[self.next_departure..];
        let departures = rest
            .iter()
            .take(enough.min(rest.len() as u64) as usize)
            .take_while(|packed| (**packed >> 64) as u64 == key)
            .count() as u64;
        let tallied = self.tallied[self.next_tallied..]
            .iter()
            .take_while(|tallied| tallied.key == key);
        departures + tallied.map(|tallied| tallied.stats.games()).sum::<u64>()
    }

    /// Passes over `key`.
    pub(crate) fn skip(&mut self, key: u64) {
        let departures = self.order[self.next_departure..].iter();
        self.next_departure += departures.take_while(|packed| (**packed >> 64) as u64 == key).count();
        let tallied = self.tallied[self.next_tallied..].iter();
        self.next_tallied += tallied.take_while(|tallied| tallied.key == key).count();
    }

    /// Gathers everything about `key` into `group` and passes over it.
    pub(crate) fn gather(&mut self, key: u64, kinds: FacetKinds, lists: Lists, group: &mut Group) {
        group.clear();
        if let Some(crowded) = self.crowded.remove(&key) {
            *group = crowded;
        }
        let rest = self.order[self.next_departure..].iter();
        let mut departures = 0;
        let of_key = rest.take_while(|packed| (**packed >> 64) as u64 == key).map(|packed| {
            departures += 1;
            self.game(*packed as u32, PackedMove::from_bits((packed >> 48) as u16))
        });
        group.add_all(of_key, kinds, lists);
        self.next_departure += departures;
        while let Some(tallied) = self.tallied.get(self.next_tallied) {
            if tallied.key != key {
                break;
            }
            group.add_tallied(tallied, kinds);
            self.next_tallied += 1;
        }
        group.add_up();
    }
}
