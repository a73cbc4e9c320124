//! Games that may be one game: the moves of one are the beginning of another's.

use serde::Serialize;

use super::{Analysis, key_map::KeyMap};

/// A game whose moves are the first moves of others, or all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NearDuplicate {
    pub game_id: u32,
    pub plies: u32,
    /// How many others there are, and the first hundred of them.
    pub of_game_count: u32,
    pub of_game_ids: Vec<u32>,
    /// One of them has the very same moves.
    pub same_moves: bool,
    /// One of them was played by the same two players with the same colours.
    pub same_players: bool,
    /// The first of those.
    #[serde(skip)]
    pub twin: Option<u32>,
}

const LISTED: usize = 100;

impl Analysis {
    /// Each such game once, by id. Of games with the same moves the first is not listed. A game without moves would be the
    /// beginning of all others and is no news.
    pub fn near_duplicates(&self) -> Vec<NearDuplicate> {
        let end = |game: u32| {
            let (plies, leaf) = (self.games.plies(game), self.trie.leaf(game));
            let node = self.trie.node(leaf);
            (plies > 0 && node.ply == plies && node.games > 1).then_some((leaf, game))
        };
        let mut ends: Vec<(u32, u32)> = (0..self.games.len()).filter_map(end).collect();
        ends.sort_unstable();
        let places = ends.chunk_by(|one, other| one.0 == other.0);
        let mut found: Vec<NearDuplicate> = places.flat_map(|ends| self.ending_at(ends)).collect();
        found.sort_unstable_by_key(|one| one.game_id);
        found
    }

    /// Those of the games that end at one place, which others reach too. A place that is a move from the start has tens of
    /// thousands of others, so they are looked at once for all that end there, and never put in order.
    fn ending_at(&self, ends: &[(u32, u32)]) -> Vec<NearDuplicate> {
        let leaf = ends[0].0;
        let games = &self.trie.listed()[self.trie.span(leaf)];
        let ends_here = |game: u32| ends.binary_search(&(leaf, game)).is_ok();
        // Of games with the same moves the earlier ones are another's.
        let is_other = |of: u32, game: u32| game < of || game > of && !ends_here(game);
        let players = |game: u32| u64::from(self.games.white(game)) << 32 | u64::from(self.games.black(game));
        let mut by_players: KeyMap<Vec<usize>> = KeyMap::default();
        for (number, (_, game)) in ends.iter().enumerate() {
            by_players.entry(players(*game)).or_default().push(number);
        }
        let mut twins: Vec<Option<u32>> = vec![None; ends.len()];
        for game in games {
            for number in by_players.get(&players(*game)).into_iter().flatten() {
                if is_other(ends[*number].1, *game) {
                    let twin = &mut twins[*number];
                    *twin = Some(twin.map_or(*game, |known| known.min(*game)));
                }
            }
        }
        let lowest = lowest(games, LISTED + ends.len());
        let mut found = Vec::new();
        for (number, (_, game)) in ends.iter().enumerate() {
            let later = ends.len() - 1 - number;
            let count = games.len() - 1 - later;
            if count == 0 {
                continue;
            }
            let listed = lowest.iter().copied().filter(|other| is_other(*game, *other));
            found.push(NearDuplicate {
                game_id: *game,
                plies: self.games.plies(*game),
                of_game_count: count as u32,
                of_game_ids: listed.take(LISTED).collect(),
                same_moves: number > 0,
                same_players: twins[number].is_some(),
                twin: twins[number],
            });
        }
        found
    }
}

/// So many of the lowest, in order.
fn lowest(games: &[u32], most: usize) -> Vec<u32> {
    let mut games = games.to_vec();
    if games.len() > most {
        games.select_nth_unstable(most);
        games.truncate(most);
    }
    games.sort_unstable();
    games
}
