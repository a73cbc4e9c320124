//! How much of an explorer's tree there is room for.

use std::collections::{HashMap, HashSet};

use tabiya_chess::PositionId;
use tabiya_lichess::KnownMove;

/// What an explorer has said of a position, as far as a walk from there needs it.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    /// Half-moves from the nearest named position.
    pub(super) depth: u16,
    /// With the positions they lead to.
    pub(super) moves: Vec<(KnownMove, PositionId)>,
    /// Asked for by this run.
    pub(super) is_new: bool,
    pub(super) is_flagged: bool,
}

pub(super) type Answers = HashMap<PositionId, Answer>;

/// A limit to the positions of a crawl, those of the named lines among them.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) most: usize,
    pub(super) depth: u16,
    /// Where the crawl begins.
    pub(super) seeds: HashSet<PositionId>,
    /// The positions of the named lines, which are kept whatever the explorer says.
    pub(super) named: HashSet<PositionId>,
    /// What the moves of the named lines lead to: they are followed however few games they have.
    pub(super) lines: HashMap<PositionId, Vec<PositionId>>,
}

/// What moves with enough games lead to.
#[derive(Debug)]
pub(super) struct Reach {
    /// The answers on the way, with their depths.
    pub(super) answered: Vec<(PositionId, u16)>,
    pub(super) met: HashSet<PositionId>,
}

impl Room {
    /// So many positions are too many to go on with. Whatever is cut was asked for in vain, and to cut costs walks through all
    /// that is known: with twice as many as there is room for, neither is done often.
    pub(super) fn overfull(&self) -> usize {
        self.most.saturating_mul(2)
    }

    /// What answers lead to over moves with so many games and over named ones, as a crawl would walk it. Where nobody has asked yet it ends.
    pub(super) fn reach(&self, answers: &Answers, min_games: u64) -> Reach {
        let mut reach = Reach {
            answered: Vec::new(),
            met: self.named.clone(),
        };
        let mut reached = self.seeds.clone();
        let mut level: Vec<PositionId> = self.seeds.iter().copied().collect();
        for depth in 0..self.depth {
            let mut next = Vec::new();
            for id in level {
                let Some(answer) = answers.get(&id) else { continue };
                reach.answered.push((id, depth));
                let enough = answer.moves.iter().filter(|(known, _)| known.games >= min_games);
                let named = self.lines.get(&id).into_iter().flatten();
                for child in enough.map(|(_, child)| child).chain(named) {
                    reach.met.insert(*child);
                    if reached.insert(*child) {
                        next.push(*child);
                    }
                }
            }
            level = next;
        }
        reach
    }

    /// Forgets the moves with too few games, but for those of the named lines.
    pub(super) fn cut(&self, id: PositionId, answer: &mut Answer, min_games: u64) {
        let named = self.lines.get(&id).map_or(&[][..], Vec::as_slice);
        answer
            .moves
            .retain(|(known, child)| known.games >= min_games || named.contains(child));
    }

    /// Whether there is room for everything that is known, within reach or not.
    pub(super) fn has_all(&self, answers: &Answers) -> bool {
        let mut all = self.named.clone();
        all.extend(answers.keys());
        all.extend(
            answers
                .values()
                .flat_map(|answer| &answer.moves)
                .map(|(_, child)| child),
        );
        all.len() <= self.most
    }

    /// The lowest threshold from `from` on under which there is room for what is known. What is not known yet can only lead to
    /// more, so the threshold of the whole tree is never lower; and it is this one as soon as everything is known.
    pub(super) fn lowest(&self, answers: &Answers, from: u64) -> u64 {
        let fits = |min_games| self.reach(answers, min_games).met.len() <= self.most;
        if fits(from) {
            return from;
        }
        let games = answers.values().flat_map(|answer| &answer.moves);
        let highest = games.map(|(known, _)| known.games).max().unwrap_or(from);
        // With more games than any move has, only named positions are left.
        let (mut fails, mut enough) = (from, highest.max(from) + 1);
        while enough - fails > 1 {
            let tried = fails + (enough - fails) / 2;
            if fits(tried) {
                enough = tried;
            } else {
                fails = tried;
            }
        }
        enough
    }
}

impl Reach {
    /// Whether the answers are these, with these depths.
    pub(super) fn is_all_of(&self, answers: &Answers) -> bool {
        let same = |(id, depth): &(PositionId, u16)| answers.get(id).is_some_and(|answer| answer.depth == *depth);
        self.answered.len() == answers.len() && self.answered.iter().all(same)
    }
}

#[cfg(test)]
mod tests;
