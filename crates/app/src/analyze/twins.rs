//! Games that may be one game: the moves of one are the beginning of another's.

use serde::Serialize;

use super::Analysis;

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
        (0..self.games.len())
            .filter_map(|game| self.near_duplicate(game))
            .collect()
    }

    fn near_duplicate(&self, game: u32) -> Option<NearDuplicate> {
        let plies = self.games.moves(game).len();
        let leaf = self.trie.leaf(game);
        let node = self.trie.node(leaf);
        if plies == 0 || node.ply as usize != plies || node.games < 2 {
            return None;
        }
        let players = |id: u32| (self.games.white(id), self.games.black(id));
        let own = players(game);
        let mut others = Vec::new();
        let (mut same_moves, mut twin) = (false, None);
        // A game that was given up at once has tens of thousands of others, so they are not put in order before it is known
        // which of them are shown.
        for &other in &self.trie.listed()[self.trie.span(leaf)] {
            let same = self.games.moves(other).len() == plies;
            if other == game || same && other > game {
                continue;
            }
            same_moves |= same;
            if players(other) == own {
                twin = Some(twin.map_or(other, |known: u32| known.min(other)));
            }
            others.push(other);
        }
        if others.is_empty() {
            return None;
        }
        Some(NearDuplicate {
            twin,
            game_id: game,
            plies: plies as u32,
            of_game_count: others.len() as u32,
            same_moves,
            same_players: twin.is_some(),
            of_game_ids: lowest(others),
        })
    }
}

/// The first of them, in order.
fn lowest(mut games: Vec<u32>) -> Vec<u32> {
    if games.len() > LISTED {
        games.select_nth_unstable(LISTED);
        games.truncate(LISTED);
        games.shrink_to_fit();
    }
    games.sort_unstable();
    games
}
