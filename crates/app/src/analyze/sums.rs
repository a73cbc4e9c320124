//! Results and first dates: of one node, or at every node.

use tabiya_chess::Outcome;

use super::{
    Analysis,
    date::{Date, earlier},
    trie::ROOT,
};

/// How the games of a node ended. Those without a result are in none of the three.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Results {
    pub(super) white: u32,
    pub(super) draws: u32,
    pub(super) black: u32,
}

impl Results {
    pub(super) fn count(&mut self, outcome: Option<Outcome>) {
        match outcome {
            Some(Outcome::White) => self.white += 1,
            Some(Outcome::Draw) => self.draws += 1,
            Some(Outcome::Black) => self.black += 1,
            None => {}
        }
    }
}

impl Analysis {
    /// How the games of one node ended. Whoever asks about all nodes makes [`Sums`].
    pub(super) fn results_at(&self, at: u32) -> Results {
        let mut results = Results::default();
        for game in &self.trie.listed()[self.trie.span(at)] {
            results.count(self.games.outcome(*game));
        }
        results
    }

    /// The earliest date of one node's games that is known, or nothing.
    pub(super) fn first_date_at(&self, at: u32) -> String {
        let games = &self.trie.listed()[self.trie.span(at)];
        let first = games.iter().filter_map(|game| self.games.day(*game)).min();
        first.map(Date::text).unwrap_or_default()
    }
}

/// Sums over the games of any node, which lie together in the trie's list.
#[derive(Debug)]
pub(super) struct Sums {
    /// Up to each place of the list.
    results: Vec<Results>,
    first_dates: Vec<Option<Date>>,
}

impl Sums {
    pub(super) fn of(analysis: &Analysis) -> Sums {
        let (games, trie) = (&analysis.games, &analysis.trie);
        let mut sum = Results::default();
        let mut results = vec![sum];
        for game in trie.listed() {
            sum.count(games.outcome(*game));
            results.push(sum);
        }
        let mut first_dates: Vec<Option<Date>> = vec![None; trie.nodes().len()];
        for game in 0..games.len() {
            let leaf = &mut first_dates[trie.leaf(game) as usize];
            *leaf = earlier(*leaf, games.day(game));
        }
        for at in (1..trie.nodes().len()).rev() {
            let parent = trie.node(at as u32).parent as usize;
            first_dates[parent] = earlier(first_dates[parent], first_dates[at]);
        }
        Sums { results, first_dates }
    }

    pub(super) fn results(&self, analysis: &Analysis, at: u32) -> Results {
        let span = analysis.trie.span(at);
        let (to, from) = (self.results[span.end], self.results[span.start]);
        Results {
            white: to.white - from.white,
            draws: to.draws - from.draws,
            black: to.black - from.black,
        }
    }

    /// The earliest date of a node's games that is known, or nothing.
    pub(super) fn first_date(&self, at: u32) -> String {
        self.first_dates[at as usize].map(Date::text).unwrap_or_default()
    }

    pub(super) fn all(&self, analysis: &Analysis) -> Results {
        self.results(analysis, ROOT)
    }
}
