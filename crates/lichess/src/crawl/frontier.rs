//! Whom to ask next: breadth-first, and at one depth the most played first.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, VecDeque, hash_map::Entry},
};

use shakmaty::{Chess, Move, Position};
use tabiya_chess::{PositionId, epd};

/// How far a crawl goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrawlOptions {
    /// Half-moves beyond every seed. A position at this depth is a leaf: it is reached, never asked for.
    pub depth: u32,
    /// Moves with fewer games are not kept, unless they always are.
    pub min_games: u64,
}

impl Default for CrawlOptions {
    fn default() -> CrawlOptions {
        CrawlOptions {
            depth: 15,
            min_games: 50,
        }
    }
}

/// A position to begin at.
#[derive(Clone, Debug)]
pub struct Seed {
    pub position: Chess,
    /// Its distance from the initial position.
    pub ply: u32,
    /// The depth it begins at, which is 0 unless part of the depth is to count as gone already.
    pub depth: u32,
}

impl Seed {
    /// A seed at depth 0.
    #[must_use]
    pub const fn new(position: Chess, ply: u32) -> Seed {
        Seed {
            position,
            ply,
            depth: 0,
        }
    }
}

/// A position to ask for.
#[derive(Clone, Debug)]
pub struct Target {
    /// The position, with the counters of the shallowest way here that was found.
    pub position: Chess,
    pub id: PositionId,
    /// Its text.
    pub epd: String,
    /// Half-moves from the nearest seed.
    pub depth: u32,
    /// Half-moves from the initial position, on the shallowest way here that was found.
    pub ply: u32,
    /// Games on the moves that lead here, as far as they are known.
    pub games: u64,
}

impl Target {
    fn new(position: Chess, depth: u32, ply: u32, games: u64) -> Target {
        let epd = epd(&position);
        Target {
            id: PositionId::from_text(&epd),
            epd,
            position,
            depth,
            ply,
            games,
        }
    }

    /// Another way here. Which of them is found first must not matter.
    fn merge(&mut self, other: Target) {
        let counters = |target: &Target| (target.ply, target.position.fullmoves(), target.position.halfmoves());
        self.games = self.games.saturating_add(other.games);
        self.depth = self.depth.min(other.depth);
        if counters(&other) < counters(self) {
            self.ply = other.ply;
            self.position = other.position;
        }
    }
}

/// The positions that are known and not asked for yet.
///
/// One depth is finished before the next begins. So a position is first asked for at its smallest depth, and never has
/// to be expanded again when a shorter way turns up; and when a depth begins, all games that order it are counted.
/// Positions are told apart by id: a collision would be loud in whatever stores the edges.
#[derive(Debug)]
pub struct Frontier {
    options: CrawlOptions,
    /// The smallest depth of every position below the limit, asked for or not.
    depths: HashMap<PositionId, u32>,
    /// What lies deeper than the depth at hand.
    deeper: BTreeMap<u32, HashMap<PositionId, Target>>,
    /// What is left of the depth at hand, in order.
    current: VecDeque<Target>,
    /// Given out by `next` and not brought back to `answered`.
    being_asked: usize,
}

impl Frontier {
    /// The frontier of a crawl that has not begun.
    #[must_use]
    pub fn new(options: CrawlOptions, seeds: impl IntoIterator<Item = Seed>) -> Frontier {
        let mut frontier = Frontier {
            options,
            depths: HashMap::new(),
            deeper: BTreeMap::new(),
            current: VecDeque::new(),
            being_asked: 0,
        };
        for Seed { position, ply, depth } in seeds {
            frontier.reach(position, depth, ply, 0);
        }
        frontier
    }

    /// The position to ask for next. `None` when all is done, and for the moment while those of the depth at hand are
    /// still being asked for.
    #[expect(
        clippy::should_implement_trait,
        reason = "`None` need not be the end, as it is for an iterator"
    )]
    pub fn next(&mut self) -> Option<Target> {
        if self.current.is_empty() && self.being_asked == 0 {
            let (_, targets) = self.deeper.pop_first()?;
            let mut targets: Vec<Target> = targets.into_values().collect();
            targets.sort_unstable_by(|a, b| (Reverse(a.games), &a.epd).cmp(&(Reverse(b.games), &b.epd)));
            self.current = targets.into();
        }
        let target = self.current.pop_front()?;
        self.being_asked += 1;
        Some(target)
    }

    /// Enters moves that are followed whatever their games. Those that have enough are entered with the answer, too, and it is these
    /// that say how much a position is played.
    pub fn lead(&mut self, target: &Target, moves: &[Move]) {
        for m in moves {
            let mut child = target.position.clone();
            child.play_unchecked(*m);
            self.reach(child, target.depth + 1, target.ply + 1, 0);
        }
    }

    /// Enters the answer to a question that [`next`](Self::next) gave out: the positions that moves lead to from there,
    /// with the games of the move.
    pub fn answered(&mut self, target: &Target, children: impl IntoIterator<Item = (Chess, u64)>) {
        self.being_asked = self.being_asked.saturating_sub(1);
        for (child, games) in children {
            if games >= self.options.min_games {
                self.reach(child, target.depth + 1, target.ply + 1, games);
            }
        }
    }

    /// How many positions are known that were not answered yet. More will turn up.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.being_asked + self.current.len() + self.deeper.values().map(HashMap::len).sum::<usize>()
    }

    fn reach(&mut self, position: Chess, depth: u32, ply: u32, games: u64) {
        if depth >= self.options.depth {
            return;
        }
        let mut target = Target::new(position, depth, ply, games);
        match self.depths.entry(target.id) {
            Entry::Vacant(entry) => {
                entry.insert(depth);
            }
            Entry::Occupied(mut entry) => {
                // Gone from there if it was asked for already, and then at no greater depth than this.
                let waiting = self.deeper.get_mut(entry.get()).and_then(|at| at.remove(&target.id));
                let Some(waiting) = waiting else { return };
                target.merge(waiting);
                entry.insert(target.depth);
            }
        }
        self.deeper.entry(target.depth).or_default().insert(target.id, target);
    }
}

#[cfg(test)]
mod tests;
