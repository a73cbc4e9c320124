//! The first look at everything that was counted: which moves a graph can be grown from.

use std::thread::{self, JoinHandle};

use crate::{
    CollectionKept, CountError, Extraction, PackedMove, State,
    extract::{Within, each_kept, extract_within, in_slices, most_with, together},
    group::Lists,
};

/// Which moves are kept, and nothing else about them: all that a graph is grown from. Of many positions with enough games most
/// lie too deep for the graph, and what is known of them need not be held.
#[derive(Debug, Clone, Default)]
pub struct Outline {
    /// Rising.
    keys: Vec<u64>,
    /// Where each position's moves end.
    ends: Vec<u32>,
    /// A position's most played moves first.
    moves: Vec<PackedMove>,
    /// Each move's games.
    games: Vec<u32>,
    /// Moves with fewer games are left out.
    least: u64,
}

impl Outline {
    /// The moves that are kept from a position; none where it is not kept.
    pub fn moves(&self, key: u64) -> &[PackedMove] {
        let Some(at) = self.place(key) else {
            return &[];
        };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        let games = &self.games[start..self.ends[at] as usize];
        let enough = games.partition_point(|games| u64::from(*games) >= self.least);
        &self.moves[start..start + enough]
    }

    /// Keys are as good as random, so where one stands can be told from its size, give or take a few places.
    fn place(&self, key: u64) -> Option<usize> {
        let keys = self.keys.as_slice();
        let guess = ((u128::from(key) * keys.len() as u128) >> 64) as usize;
        let (mut low, mut high, mut step) = (guess, guess, 8);
        while low > 0 && keys[low] > key {
            low = low.saturating_sub(step);
            step *= 2;
        }
        step = 8;
        while high < keys.len() && keys[high] < key {
            high += step;
            step *= 2;
        }
        let high = keys.len().min(high + 1);
        let found = keys[low.min(high)..high].binary_search(&key);
        found.ok().map(|at| low + at)
    }

    /// Leaves out moves with fewer games from here on, or brings them back. No look at what was counted is needed for that, so
    /// thresholds can be tried.
    pub fn keep_from(&mut self, games: u64) {
        self.least = games;
    }

    /// The lowest threshold under which no more than `most` moves are left.
    pub fn threshold(&self, most: usize) -> u64 {
        let mut games = self.games.clone();
        games.sort_unstable_by(|one, other| other.cmp(one));
        games.get(most).map_or(0, |games| u64::from(*games) + 1)
    }

    /// `moves` are put in order on the way.
    fn push(&mut self, key: u64, moves: &mut [(PackedMove, u64)]) {
        moves.sort_unstable_by_key(|(_, games)| std::cmp::Reverse(*games));
        self.keys.push(key);
        self.moves.extend(moves.iter().map(|(by, _)| *by));
        let games = moves.iter().map(|(_, games)| u32::try_from(*games).unwrap_or(u32::MAX));
        self.games.extend(games);
        self.ends.push(self.moves.len() as u32);
    }

    /// One behind the other.
    fn of(shares: &[Outline]) -> Outline {
        let keys = shares.iter().map(|share| share.keys.len()).sum();
        let moves = shares.iter().map(|share| share.moves.len()).sum();
        let mut whole = Outline {
            keys: Vec::with_capacity(keys),
            ends: Vec::with_capacity(keys),
            moves: Vec::with_capacity(moves),
            games: Vec::with_capacity(moves),
            least: 0,
        };
        for share in shares {
            let moves = whole.moves.len() as u32;
            whole.keys.extend_from_slice(&share.keys);
            whole.ends.extend(share.ends.iter().map(|end| end + moves));
            whole.moves.extend_from_slice(&share.moves);
            whole.games.extend_from_slice(&share.games);
        }
        whole
    }
}

/// What one look at everything that was counted shows.
#[derive(Debug, Default)]
pub struct Survey {
    pub outline: Outline,
    /// What is known of every position with enough games, where that is little: it is being put together.
    held: Option<JoinHandle<Vec<CollectionKept>>>,
}

/// Positions whose games are held while it is not known yet which of them lie in the graph.
const MOST_HELD: u64 = 2_000_000;

/// Goes through everything that was counted for the moves that are kept.
pub fn survey(states: &[&State], wanted: &Extraction<'_>) -> Result<Survey, CountError> {
    let is_held = most_with(states, wanted.min_games) <= MOST_HELD;
    let lists = if is_held { Lists::With } else { Lists::Without };
    let shares = in_slices(states, wanted, |slice| {
        let mut outline = Outline::default();
        let mut moves = Vec::new();
        let mut kept = vec![CollectionKept::default(); states.len()];
        each_kept(states, slice, wanted, Within::Everything, lists, |found| {
            moves.clear();
            moves.extend(found.moves());
            outline.push(found.key, &mut moves);
            if is_held {
                found.push_to(&mut kept, wanted.facets);
            }
        })?;
        Ok((outline, kept))
    })?;
    let (outlines, kept): (Vec<Outline>, Vec<Vec<CollectionKept>>) = shares.into_iter().unzip();
    let collections = states.len();
    // A graph is grown from the outline first, mostly by one thread.
    let held = is_held.then(|| thread::spawn(move || together(collections, kept)));
    Ok(Survey {
        outline: Outline::of(&outlines),
        held,
    })
}

impl Survey {
    /// Leaves out moves with fewer games than it was made for: what is held of positions is then told by another look.
    pub fn raise(&mut self, min_games: u64) {
        self.outline.keep_from(min_games);
        self.held = None;
    }

    /// What is known of the positions with these keys, in any order: each collection's share, in the order of `states`. What
    /// could not be held is looked for a second time.
    pub fn extract(
        self,
        states: &[&State],
        wanted: &Extraction<'_>,
        mut keys: Vec<u64>,
    ) -> Result<Vec<CollectionKept>, CountError> {
        keys.sort_unstable();
        let Survey { outline, held } = self;
        // The graph has been grown from it, and what follows needs the room.
        drop(outline);
        match held {
            None => extract_within(states, wanted, Some(&keys)),
            Some(held) => {
                let mut held = held.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                held.iter_mut().for_each(|kept| kept.retain(&keys));
                Ok(held)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn outline(positions: &[&[u64]]) -> Outline {
        let mut outline = Outline::default();
        for (key, games) in (0..).zip(positions) {
            let mut moves: Vec<_> = (0..).map(PackedMove::from_bits).zip(games.iter().copied()).collect();
            outline.push(key, &mut moves);
        }
        outline
    }

    proptest! {
        #[test]
        fn every_key_is_found_and_no_other(keys: BTreeSet<u64>, crowded in 0..64_u64, others: Vec<u64>) {
            let mut outline = Outline::default();
            // Some lie close together, where a guess by size is far off.
            let keys: BTreeSet<u64> = keys.into_iter().chain((0..crowded).map(|key| key * 3)).collect();
            let by = |key: u64| PackedMove::from_bits(key as u16);
            keys.iter().for_each(|key| outline.push(*key, &mut [(by(*key), 1)]));
            for key in keys.iter().chain(&others).copied().chain([0, 1, 5, u64::MAX]) {
                let expected: &[PackedMove] = if keys.contains(&key) { &[by(key)] } else { &[] };
                prop_assert_eq!(outline.moves(key), expected);
            }
        }
    }

    #[test]
    fn thresholds_can_be_tried_without_another_look() {
        let mut outline = outline(&[&[5, 90, 7], &[1], &[u64::MAX]]);
        let moves = |outline: &Outline| [0, 1, 2, 3].map(|key| outline.moves(key).len());
        assert_eq!(moves(&outline), [3, 1, 1, 0]);
        outline.keep_from(7);
        assert_eq!(moves(&outline), [2, 0, 1, 0]);
        assert_eq!(outline.moves(0), [PackedMove::from_bits(1), PackedMove::from_bits(2)]);
        outline.keep_from(2);
        assert_eq!(moves(&outline), [3, 0, 1, 0]);
        for most in 0..=5 {
            let games = outline.threshold(most);
            outline.keep_from(games);
            assert_eq!(moves(&outline).iter().sum::<usize>(), most, "{games}");
            if let Some(below) = games.checked_sub(1) {
                outline.keep_from(below);
                assert!(moves(&outline).iter().sum::<usize>() > most, "{games}");
            }
        }
    }
}
