//! An opening's tree as an app walks it: every line on its own, however often lines meet.

use std::ops::Range;

use tabiya_chess::resets_clock;

use super::{Limits, Subject};
use crate::explore::{Place, Step, View};

/// One move of a tree; the first one of all is the position where the tree begins.
#[derive(Debug)]
pub(super) struct Branch<'a> {
    /// The move that leads here.
    pub(super) step: Option<Step<'a>>,
    pub(super) place: Place,
    /// Half-moves since the last capture or pawn move, along this line.
    pub(super) halfmove: u32,
    /// Half-moves from the initial position, along this line.
    pub(super) ply: u32,
    parent: u32,
    children: Range<u32>,
}

/// Lines of play that begin together, level by level.
#[derive(Debug)]
pub(super) struct Tree<'a> {
    view: &'a View,
    branches: Vec<Branch<'a>>,
    /// Where each level begins; the first has the beginning alone.
    levels: Vec<u32>,
    stem: usize,
    min_games: u64,
}

impl<'a> Tree<'a> {
    /// The stem and all lines below the root, as deep as `limits` allow. A level that would bring the tree beyond
    /// `max_branches` is left out, and all below it: lines multiply, and what cannot be written need not be made.
    pub(super) fn grow(view: &'a View, subject: &Subject<'a>, limits: &Limits, max_branches: usize) -> Tree<'a> {
        let start = view.node(subject.start);
        let mut tree = Tree {
            view,
            branches: vec![Branch {
                step: None,
                place: subject.start,
                halfmove: start.halfmove.into(),
                ply: start.ply.into(),
                parent: 0,
                children: 0..0,
            }],
            levels: vec![0],
            stem: subject.stem.len(),
            min_games: limits.min_games,
        };
        for step in &subject.stem {
            let parent = tree.branches.len() - 1;
            tree.levels.push(tree.branches.len() as u32);
            tree.add(parent, *step);
        }
        let mut depth = 0;
        while limits.max_depth.is_none_or(|max| depth < max) {
            let level = tree.level(tree.levels.len() - 1);
            tree.levels.push(tree.branches.len() as u32);
            for parent in level {
                for step in tree.moves(parent).collect::<Vec<_>>() {
                    tree.add(parent, step);
                }
                if tree.branches.len() > max_branches {
                    tree.drop_last_level();
                    return tree;
                }
            }
            if tree.level(tree.levels.len() - 1).is_empty() {
                tree.levels.pop();
                break;
            }
            depth += 1;
        }
        tree
    }

    fn add(&mut self, parent: usize, step: Step<'a>) {
        let index = self.branches.len() as u32;
        let before = &mut self.branches[parent];
        if before.children.is_empty() {
            before.children = index..index;
        }
        before.children.end += 1;
        let halfmove = if resets_clock(&step.edge.san) {
            0
        } else {
            before.halfmove + 1
        };
        let ply = before.ply + 1;
        self.branches.push(Branch {
            step: Some(step),
            place: step.child,
            halfmove,
            ply,
            parent: parent as u32,
            children: 0..0,
        });
    }

    fn drop_last_level(&mut self) {
        if let Some(begin) = self.levels.pop() {
            self.branches.truncate(begin as usize);
            let last = self.level(self.levels.len() - 1);
            for branch in &mut self.branches[last] {
                branch.children = 0..0;
            }
        }
    }

    pub(super) fn branch(&self, index: usize) -> &Branch<'a> {
        &self.branches[index]
    }

    pub(super) fn children(&self, index: usize) -> Range<usize> {
        let children = &self.branches[index].children;
        children.start as usize..children.end as usize
    }

    /// The branches of a level: so many half-moves from the beginning.
    pub(super) fn level(&self, level: usize) -> Range<usize> {
        let end = self
            .levels
            .get(level + 1)
            .map_or(self.branches.len(), |end| *end as usize);
        self.levels[level] as usize..end
    }

    /// The last level there is.
    pub(super) fn last_level(&self) -> usize {
        self.levels.len() - 1
    }

    /// What may be played behind a branch: on the stem its next move, elsewhere every move with enough games that leads to
    /// no position this line has been in.
    pub(super) fn responses(&self, index: usize) -> Vec<Step<'a>> {
        if index < self.stem {
            return self.branches[index + 1].step.into_iter().collect();
        }
        self.moves(index).collect()
    }

    fn moves(&self, index: usize) -> impl Iterator<Item = Step<'a>> + use<'a, '_> {
        let moves = self.view.moves(self.branches[index].place);
        moves.filter(move |step| step.edge.stats.games() >= self.min_games && !self.has_been(index, step.child))
    }

    fn has_been(&self, index: usize, place: Place) -> bool {
        let mut at = index;
        loop {
            let branch = &self.branches[at];
            if branch.place == place {
                return true;
            }
            if at == 0 {
                return false;
            }
            at = branch.parent as usize;
        }
    }
}
