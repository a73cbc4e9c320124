//! The lines that many games follow.

use tabiya_chess::Opening;

use super::{Analysis, openings::Names, trie::ROOT};

/// A line that enough games follow, as far as they do.
#[derive(Debug, Clone)]
pub struct PopularLine {
    /// The moves with how many games played each, from the initial position on.
    pub moves: Vec<(String, u32)>,
    /// The games that follow it to its end.
    pub games: u32,
    pub white: u32,
    pub draws: u32,
    pub black: u32,
    pub eco: String,
    pub opening: String,
    pub first_date: String,
    /// The move with which a single game goes on where the line ends, if there is just one way on.
    pub novelty: Option<String>,
}

/// So many lines are listed at most.
const LISTED: usize = 50;

impl Analysis {
    /// What counts as popular: a fiftieth of the games at a place, and no fewer than are common.
    fn popular(&self, at: u32, min_games: u32) -> u32 {
        min_games.max(self.trie.node(at).games.div_ceil(50))
    }

    /// The lines below a place that at least a fiftieth of its games follow, and at least `min_games`: the most played first.
    pub fn popular_lines(&self, min_games: u32) -> Vec<PopularLine> {
        self.lines_below(ROOT, min_games)
    }

    pub(super) fn lines_below(&self, from: u32, min_games: u32) -> Vec<PopularLine> {
        let least = self.popular(from, min_games);
        let mut ends = Vec::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            let mut on: Vec<u32> = self
                .trie
                .children(at)
                .filter(|child| self.trie.node(*child).games >= least)
                .collect();
            if on.is_empty() && at != ROOT {
                ends.push(at);
            }
            on.reverse();
            open.append(&mut on);
        }
        ends.sort_by_key(|at| std::cmp::Reverse(self.trie.node(*at).games));
        ends.truncate(LISTED);
        let names = Names::embedded();
        ends.into_iter().map(|at| self.line(at, names)).collect()
    }

    fn line(&self, at: u32, names: &Names) -> PopularLine {
        let way = self.trie.way(at);
        let games = way[1..].iter().map(|at| self.trie.node(*at).games);
        let moves = self.path(at).into_iter().zip(games);
        let node = self.trie.node(at);
        let opening: Option<&Opening> = names.last(self.trie.path(&self.games, at));
        let results = self.results_at(at);
        let mut on = self.trie.children(at);
        let novelty = match (on.next(), on.next()) {
            (Some(only), None) if self.trie.is_novelty(only) => self.path(only).pop(),
            _ => None,
        };
        PopularLine {
            moves: moves.collect(),
            games: node.games,
            white: results.white,
            draws: results.draws,
            black: results.black,
            eco: opening.map(|opening| opening.eco().to_string()).unwrap_or_default(),
            opening: opening.map(|opening| opening.name().to_owned()).unwrap_or_default(),
            first_date: self.first_date_at(at),
            novelty,
        }
    }
}
