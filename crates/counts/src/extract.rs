//! From everything that was counted to what is worth keeping.

use std::{
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use hashbrown::{HashMap, HashSet};
use tabiya_chess::FacetKinds;

use crate::{
    CollectionKept, CountError, PackedMove, State,
    departure::{Departure, PARTITIONS},
    group::{Group, Lists},
    partition::{Slice, Sorted},
    sieve::Sieve,
};

/// Departures that are held and sorted at once by one thread: 16 bytes each.
const HELD: u64 = 2 << 20;

/// What to keep, and how to go about it.
#[derive(Debug)]
pub struct Extraction<'a> {
    /// A move is kept when all collections together have so many games of it, a position likewise.
    pub min_games: u64,
    pub facets: FacetKinds,
    /// Positions, and moves from them, that are kept however few their games are.
    pub always: &'a HashMap<u64, HashSet<PackedMove>>,
    pub threads: usize,
    pub stop: &'a AtomicBool,
}

/// Goes through everything that was counted. Gives each collection's share, in the order of `states`.
pub fn extract(states: &[&State], wanted: &Extraction<'_>) -> Result<Vec<CollectionKept>, CountError> {
    extract_within(states, wanted, None)
}

/// The same for those with these keys alone, rising.
pub(crate) fn extract_within(
    states: &[&State],
    wanted: &Extraction<'_>,
    keys: Option<&[u64]>,
) -> Result<Vec<CollectionKept>, CountError> {
    let shares = in_slices(states, wanted, |slice| {
        let within = keys.map_or(Within::Everything, |keys| Within::keys(keys, slice));
        let mut share = vec![CollectionKept::default(); states.len()];
        each_kept(states, slice, wanted, within, Lists::With, |found| {
            found.push_to(&mut share, wanted.facets);
        })?;
        Ok(share)
    })?;
    Ok(together(states.len(), shares))
}

/// The shares of all slices, each collection's behind each other.
pub(crate) fn together(collections: usize, shares: Vec<Vec<CollectionKept>>) -> Vec<CollectionKept> {
    let of = |collection: usize| CollectionKept::of(shares.iter().map(move |share| &share[collection]));
    (0..collections).map(of).collect()
}

fn rows_of(states: &[&State], rows: fn(&State, usize) -> u64) -> u64 {
    let parts = |state| (0..PARTITIONS).map(move |part| rows(state, part));
    states.iter().copied().flat_map(parts).sum()
}

/// No more positions and no more moves than this have so many games. A departure is one game's; a sum that was counted elsewhere
/// may be any number's, and may bring a move alone.
pub(crate) fn most_with(states: &[&State], min_games: u64) -> u64 {
    rows_of(states, State::departures_in) / min_games.max(1) + rows_of(states, State::tallies_in)
}

/// The lowest threshold from `wanted.min_games` up under which no more than `most` moves are kept.
pub fn threshold(states: &[&State], wanted: &Extraction<'_>, most: u64) -> Result<u64, CountError> {
    if most_with(states, wanted.min_games) <= most {
        return Ok(wanted.min_games);
    }
    let histogram: Mutex<Vec<u64>> = Mutex::new(Vec::new());
    in_slices(states, wanted, |slice| {
        let mut counts: Vec<u64> = Vec::new();
        each_kept(states, slice, wanted, Within::Everything, Lists::Without, |found| {
            counts.extend(found.moves().map(|(_, games)| games));
        })?;
        let mut histogram = histogram.lock().unwrap_or_else(PoisonError::into_inner);
        for games in counts {
            let at = games.min(1 << 20) as usize;
            if histogram.len() <= at {
                histogram.resize(at + 1, 0);
            }
            histogram[at] += 1;
        }
        Ok(())
    })?;
    let histogram = histogram.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut kept = 0;
    for (games, moves) in histogram.iter().enumerate().rev() {
        kept += moves;
        if kept > most {
            return Ok(wanted.min_games.max(games as u64 + 1));
        }
    }
    Ok(wanted.min_games)
}

/// Cuts the keys so that about `held` rows are in each slice.
pub(crate) fn slices(states: &[&State], held: u64) -> Vec<Slice> {
    (0..PARTITIONS)
        .flat_map(|part| {
            let rows: u64 = states
                .iter()
                .map(|state| state.departures_in(part) + state.tallies_in(part))
                .sum();
            let slices = rows.div_ceil(held).max(1);
            (0..slices).map(move |slice| Slice { part, slice, slices })
        })
        .collect()
}

/// Does `work` for each slice of the keys. Gives what it made of them, in their order.
pub(crate) fn in_slices<T: Send>(
    states: &[&State],
    wanted: &Extraction<'_>,
    work: impl Fn(Slice) -> Result<T, CountError> + Sync,
) -> Result<Vec<T>, CountError> {
    let slices = slices(states, HELD);
    let shares: Vec<Mutex<Option<T>>> = slices.iter().map(|_| Mutex::new(None)).collect();
    in_parallel(wanted, slices.len(), |number| {
        let share = work(slices[number])?;
        *shares[number].lock().unwrap_or_else(PoisonError::into_inner) = Some(share);
        Ok(())
    })?;
    let shares = shares
        .into_iter()
        .filter_map(|share| share.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(shares.collect())
}

/// Runs `work` for each number below `count`, on as many threads as are wanted.
fn in_parallel(
    wanted: &Extraction<'_>,
    count: usize,
    work: impl Fn(usize) -> Result<(), CountError> + Sync,
) -> Result<(), CountError> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let work = &work;
    let run = || {
        loop {
            if wanted.stop.load(Ordering::Relaxed) {
                return Err(CountError::Stopped);
            }
            let number = next.fetch_add(1, Ordering::Relaxed);
            // Whoever failed says why.
            if number >= count || failed.load(Ordering::Relaxed) {
                return Ok(());
            }
            work(number).inspect_err(|_| failed.store(true, Ordering::Relaxed))?;
        }
    };
    thread::scope(|scope| {
        let others: Vec<_> = (1..wanted.threads.max(1)).map(|_| scope.spawn(run)).collect();
        let mut outcome = run();
        for other in others {
            let ended = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            outcome = outcome.and(ended);
        }
        outcome
    })
}

/// Which positions are looked at.
#[derive(Clone, Copy)]
pub(crate) enum Within<'a> {
    /// Those that may have enough games.
    Everything,
    /// Those of a partition that were named, rising.
    Keys(&'a [u64]),
}

impl<'a> Within<'a> {
    fn keys(all: &'a [u64], slice: Slice) -> Within<'a> {
        let of_partition = |part: usize| all.partition_point(|key| Departure::partition(*key) < part);
        Within::Keys(&all[of_partition(slice.part)..of_partition(slice.part + 1)])
    }
}

/// A position that is kept.
pub(crate) struct Found<'a> {
    pub(crate) key: u64,
    /// Each collection's departures.
    groups: &'a [Group],
    /// All collections' games, by move.
    sums: &'a [(PackedMove, u64)],
    always: Option<&'a HashSet<PackedMove>>,
    min_games: u64,
}

impl Found<'_> {
    fn keeps(&self, by: PackedMove) -> bool {
        let is_enough = |(known, games): &(PackedMove, u64)| *known == by && *games >= self.min_games;
        by != PackedMove::NONE
            && (self.always.is_some_and(|moves| moves.contains(&by)) || self.sums.iter().any(is_enough))
    }

    pub(crate) fn push_to(&self, kept: &mut [CollectionKept], facets: FacetKinds) {
        for (kept, group) in kept.iter_mut().zip(self.groups) {
            kept.push(self.key, group, facets, |by| self.keeps(by));
        }
    }

    /// The moves that are kept, with their games.
    pub(crate) fn moves(&self) -> impl Iterator<Item = (PackedMove, u64)> {
        self.sums.iter().copied().filter(|(by, _)| self.keeps(*by))
    }
}

/// Gives each position of a slice that is kept, by key.
pub(crate) fn each_kept(
    states: &[&State],
    slice: Slice,
    wanted: &Extraction<'_>,
    within: Within<'_>,
    lists: Lists,
    mut each: impl FnMut(&Found<'_>),
) -> Result<(), CountError> {
    let departures = states
        .iter()
        .map(|state| state.departures(slice.part))
        .collect::<Result<Vec<_>, CountError>>()?;
    let sieve = match within {
        Within::Keys(keys) => Sieve::of_keys(keys),
        Within::Everything => {
            let always = wanted.always.keys().copied();
            let always = always.filter(|key| slice.part == Departure::partition(*key) && slice.holds(*key));
            Sieve::new(states, &departures, slice, wanted.min_games, always)?
        }
    };
    let mut runs = states
        .iter()
        .zip(&departures)
        .map(|(state, departures)| Sorted::read(state, departures, slice, &sieve, wanted.facets))
        .collect::<Result<Vec<Sorted<'_>>, CountError>>()?;
    let mut groups = vec![Group::default(); states.len()];
    let mut crowded: Vec<u64> = runs.iter().flat_map(Sorted::crowded_keys).collect();
    crowded.sort_unstable();
    crowded.dedup();
    let mut crowded = crowded.into_iter().peekable();
    let mut sums: Vec<(PackedMove, u64)> = Vec::new();
    loop {
        let lowest = runs.iter().filter_map(Sorted::peek).min();
        let key = match (lowest, crowded.peek()) {
            (Some(key), Some(full)) if *full <= key => *full,
            (Some(key), _) => key,
            (None, Some(full)) => *full,
            (None, None) => return Ok(()),
        };
        let is_crowded = crowded.next_if_eq(&key).is_some();
        let always = wanted.always.get(&key);
        let is_asked_for = match within {
            Within::Keys(keys) => keys.binary_search(&key).is_ok(),
            Within::Everything => {
                is_crowded
                    || always.is_some()
                    || runs
                        .iter()
                        .map(|run| run.games_up_to(key, wanted.min_games))
                        .sum::<u64>()
                        >= wanted.min_games
            }
        };
        if !is_asked_for {
            runs.iter_mut().for_each(|run| run.skip(key));
            continue;
        }
        sums.clear();
        let mut games = 0;
        for (run, group) in runs.iter_mut().zip(&mut groups) {
            run.gather(key, wanted.facets, lists, group);
            games += group.total.games();
            for known in &group.moves {
                match sums.iter_mut().find(|(by, _)| *by == known.by) {
                    Some((_, games)) => *games += known.stats.games(),
                    None => sums.push((known.by, known.stats.games())),
                }
            }
        }
        if games < wanted.min_games && always.is_none() {
            continue;
        }
        each(&Found {
            key,
            groups: &groups,
            sums: &sums,
            always,
            min_games: wanted.min_games,
        });
    }
}

#[cfg(test)]
mod tests {
    use tabiya_chess::{Facet, Stats};

    use super::*;
    use crate::Rules;

    #[test]
    fn nobody_goes_on_when_one_has_failed() {
        let wanted = Extraction {
            min_games: 1,
            facets: FacetKinds::default(),
            always: &HashMap::new(),
            threads: 2,
            stop: &AtomicBool::new(false),
        };
        let done = AtomicUsize::new(0);
        let failed = in_parallel(&wanted, 100_000, |number| {
            done.fetch_add(1, Ordering::Relaxed);
            if number == 0 {
                return Err(CountError::TooManyGames);
            }
            thread::sleep(std::time::Duration::from_micros(50));
            Ok(())
        });
        assert!(matches!(failed, Err(CountError::TooManyGames)), "{failed:?}");
        let done = done.into_inner();
        assert!(done < 50_000, "{done} of 100000 were done");
    }

    #[test]
    fn sums_counted_elsewhere_raise_the_threshold_too() {
        let dir = tempfile::tempdir().expect("a directory");
        let rules = Rules {
            max_ply: 40,
            min_elo: None,
            since: None,
            until: None,
        };
        let mut state = State::create(dir.path(), rules).expect("a new state");
        for games in 1..=20 {
            let stats = Stats {
                draws: games,
                ..Stats::default()
            };
            let by = PackedMove::from_bits(games as u16);
            state.add_sum(7, by, Facet::default(), stats).expect("room on the disk");
        }
        let source = crate::CountedSource {
            name: "part".to_owned(),
            fingerprint: None,
            games: 210,
            counted: 210,
            duplicates: 0,
        };
        state.commit(source).expect("room on the disk");
        let wanted = Extraction {
            min_games: 1,
            facets: FacetKinds::default(),
            always: &HashMap::new(),
            threads: 1,
            stop: &AtomicBool::new(false),
        };
        // The five moves with the most games have 16 to 20 of them.
        assert_eq!(threshold(&[&state], &wanted, 5).expect("readable"), 16);
        assert_eq!(threshold(&[&state], &wanted, 20).expect("readable"), 1);
        assert_eq!(most_with(&[&state], 10), 20, "each of them may have ten games");
    }
}
