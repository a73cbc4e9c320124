//! What is told of a set of games where nobody asks for more.

use std::{cmp::Reverse, thread};

use super::{
    Analysis,
    lines::PopularLine,
    openings::OpeningResults,
    players::PlayerSummary,
    trie::{ROOT, Trie},
    twins::NearDuplicate,
};

/// A novelty, in words' reach: the first move with which a game leaves all others.
#[derive(Debug, Clone)]
pub struct Novelty {
    pub game: u32,
    pub ply: u32,
    pub san: String,
    pub played_by: String,
    /// The move before it, if there is one.
    pub after: Option<String>,
    pub games_at_parent: u32,
}

/// Everything that a summary is written from.
#[derive(Debug, Clone)]
pub struct Summary {
    /// Those with the most games first.
    pub players: Vec<PlayerSummary>,
    /// The most played first, as the lines.
    pub openings: Vec<OpeningResults>,
    pub lines: Vec<PopularLine>,
    /// As many as were asked for of those that left the most games behind, breadth-first among equals.
    pub novelties: Vec<Novelty>,
    pub novelty_count: usize,
    /// Places where different moves were played.
    pub branch_count: usize,
    pub near_duplicates: Vec<NearDuplicate>,
}

impl Analysis {
    /// Works the summary out, with `min_games` games for a common line and the `novelties` greatest novelties: what is asked of
    /// games beside what is asked of the trie.
    pub fn summary(&self, min_games: u32, novelties: usize) -> Summary {
        thread::scope(|scope| {
            let of_games = scope.spawn(|| (self.players(), self.openings(), self.near_duplicates()));
            let Departures { nodes, branches } = Departures::of(&self.trie);
            let (lines, novelty_count) = (self.popular_lines(min_games), nodes.len());
            let novelties = self.greatest(nodes, novelties);
            let (players, openings, near_duplicates) =
                of_games.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            Summary {
                players,
                openings,
                lines,
                novelties,
                novelty_count,
                branch_count: branches,
                near_duplicates,
            }
        })
    }

    /// Breadth-first.
    pub(super) fn novelty_nodes(&self) -> impl Iterator<Item = u32> {
        (0..self.trie.nodes().len() as u32).filter(|at| self.trie.is_novelty(*at))
    }

    /// The novelties that left the most games behind, breadth-first among equals.
    pub fn novelties(&self, most: usize) -> Vec<Novelty> {
        self.greatest(self.novelty_nodes().collect(), most)
    }

    fn greatest(&self, mut nodes: Vec<u32>, most: usize) -> Vec<Novelty> {
        let key = |at: &u32| (Reverse(self.trie.node(self.trie.node(*at).parent).games), *at);
        if most < nodes.len() {
            nodes.select_nth_unstable_by_key(most, key);
            nodes.truncate(most);
        }
        nodes.sort_unstable_by_key(key);
        nodes.into_iter().map(|at| self.novelty(at)).collect()
    }

    fn novelty(&self, at: u32) -> Novelty {
        let node = self.trie.node(at);
        let mut path = self.path(at);
        let san = path.pop().unwrap_or_default();
        Novelty {
            game: node.first,
            ply: node.ply,
            san,
            played_by: self.games.name(self.games.mover(node.first, node.ply)).to_owned(),
            after: path.pop(),
            games_at_parent: self.trie.node(node.parent).games,
        }
    }
}

/// Where games leave each other, found in one pass.
struct Departures {
    /// The nodes of novelties, breadth-first.
    nodes: Vec<u32>,
    branches: usize,
}

impl Departures {
    fn of(trie: &Trie) -> Departures {
        let mut nodes = Vec::new();
        let mut branches = 0;
        for (at, node) in (ROOT..).zip(trie.nodes()) {
            branches += usize::from(node.is_branch());
            if trie.is_novelty(at) {
                nodes.push(at);
            }
        }
        Departures { nodes, branches }
    }
}
