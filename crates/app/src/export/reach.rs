//! An opening's moves, each once, however many lines lead over it.

use super::{Limits, Subject};
use crate::explore::{Place, Step, View};

/// The moves of a subject.
#[derive(Debug)]
pub(super) struct Reach<'a> {
    /// First the stem, then breadth first, the moves of a position together and the most played first.
    pub(super) steps: Vec<Step<'a>>,
    /// How many half-moves below the root the last of them are.
    pub(super) depth: u16,
}

impl<'a> Reach<'a> {
    /// What lies below the root of a subject, or of any of several.
    pub(super) fn of(view: &'a View, subjects: &[Subject<'a>], limits: &Limits) -> Reach<'a> {
        let mut seen = vec![false; view.len()];
        let mut steps = Vec::new();
        let mut level: Vec<Place> = Vec::new();
        for subject in subjects {
            steps.extend(&subject.stem);
            if subjects.len() == 1 {
                // A line that goes back to the stem does not begin the opening anew. Another subject's tree may go on there.
                seen[subject.start.index()] = true;
                for step in &subject.stem {
                    seen[step.child.index()] = true;
                }
                level.push(subject.root());
            } else if !std::mem::replace(&mut seen[subject.root().index()], true) {
                level.push(subject.root());
            }
        }
        let mut depth = 0;
        while !level.is_empty() && limits.max_depth.is_none_or(|max| depth < max) {
            let mut next = Vec::new();
            for place in level {
                for step in view.moves(place) {
                    if step.edge.stats.games() < limits.min_games {
                        continue;
                    }
                    steps.push(step);
                    if !std::mem::replace(&mut seen[step.child.index()], true) {
                        next.push(step.child);
                    }
                }
            }
            level = next;
            depth += 1;
        }
        Reach { steps, depth }
    }

    /// The positions that are left by some move, each once where this is one subject's.
    pub(super) fn parents(&self) -> impl Iterator<Item = Place> {
        self.steps
            .chunk_by(|a, b| a.parent == b.parent)
            .map(|steps| steps[0].parent)
    }
}
