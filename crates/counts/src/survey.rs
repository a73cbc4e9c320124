//! The first look at everything that was counted: which moves a graph can be grown from.

use crate::{
    CollectionKept, CountError, Extraction, PackedMove, State,
    extract::{Within, each_kept, extract_within, in_slices, rows_of, together},
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
    moves: Vec<PackedMove>,
    most_games: u64,
}

impl Outline {
    /// The moves that are kept from a position; none where it is not kept.
    pub fn moves(&self, key: u64) -> &[PackedMove] {
        let Ok(at) = self.keys.binary_search(&key) else {
            return &[];
        };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.moves[start as usize..self.ends[at] as usize]
    }

    /// The games of the position that has the most.
    pub fn most_games(&self) -> u64 {
        self.most_games
    }

    fn push(&mut self, key: u64, moves: impl Iterator<Item = PackedMove>, games: u64) {
        self.keys.push(key);
        self.moves.extend(moves);
        self.ends.push(self.moves.len() as u32);
        self.most_games = self.most_games.max(games);
    }

    fn append(&mut self, other: &Outline) {
        let moves = self.moves.len() as u32;
        self.keys.extend_from_slice(&other.keys);
        self.ends.extend(other.ends.iter().map(|end| end + moves));
        self.moves.extend_from_slice(&other.moves);
        self.most_games = self.most_games.max(other.most_games);
    }
}

/// What one look at everything that was counted shows.
#[derive(Debug, Default)]
pub struct Survey {
    pub outline: Outline,
    /// What is known of every position with enough games, where that is little.
    held: Option<Vec<CollectionKept>>,
}

/// Positions whose games are held while it is not known yet which of them lie in the graph.
const MOST_HELD: u64 = 2_000_000;

/// Goes through everything that was counted for the moves that are kept.
pub fn survey(states: &[&State], wanted: &Extraction<'_>) -> Result<Survey, CountError> {
    let rows = rows_of(states, State::departures_in) + rows_of(states, State::tallies_in);
    let is_held = rows / wanted.min_games.max(1) <= MOST_HELD;
    let lists = if is_held { Lists::With } else { Lists::Without };
    let shares = in_slices(states, wanted, |slice| {
        let mut outline = Outline::default();
        let mut kept = vec![CollectionKept::default(); states.len()];
        each_kept(states, slice, wanted, Within::Everything, lists, |found| {
            outline.push(found.key, found.moves(), found.games);
            if is_held {
                found.push_to(&mut kept, wanted.facets);
            }
        })?;
        Ok((outline, kept))
    })?;
    let mut outline = Outline::default();
    shares.iter().for_each(|(share, _)| outline.append(share));
    let held = is_held.then(|| together(states, shares.into_iter().map(|(_, kept)| kept)));
    Ok(Survey { outline, held })
}

impl Survey {
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
            Some(mut held) => {
                held.iter_mut().for_each(|kept| kept.retain(&keys));
                Ok(held)
            }
        }
    }
}
