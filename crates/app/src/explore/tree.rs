//! The graph below some positions, unfolded to a tree.

use std::collections::VecDeque;

use tabiya_chess::{fen_at, resets_clock};
use tabiya_store::KnowledgeEdge;
use uuid::Uuid;

use super::{Place, View};

/// How much of a tree is wanted.
#[derive(Debug, Clone, Copy)]
pub struct TreeLimits {
    /// Half-moves below each root.
    pub depth: u16,
    /// Moves with fewer games are left out; `None` leaves out nothing, named lines without games included.
    pub min_games: Option<u64>,
    /// Nodes in all. What is nearest to the roots comes first.
    pub nodes: usize,
}

/// A tree, or several, in one list: the children of a node stand together.
#[derive(Debug)]
pub struct Tree<'a> {
    view: &'a View,
    nodes: Vec<TreeNode<'a>>,
    roots: usize,
    truncated: bool,
}

#[derive(Debug, Clone, Copy)]
struct TreeNode<'a> {
    place: Place,
    /// The move that leads here within the tree.
    edge: Option<&'a KnowledgeEdge>,
    halfmove: u16,
    ply: u16,
    parent: Option<u32>,
    depth: u16,
    children: (u32, u32),
}

/// A node of a tree.
#[derive(Debug, Clone, Copy)]
pub struct Branch<'t> {
    tree: &'t Tree<'t>,
    at: usize,
}

impl<'a> Tree<'a> {
    /// Unfolds the graph below `roots`. No position comes twice on one path.
    pub fn grow(view: &'a View, roots: impl IntoIterator<Item = Place>, limits: TreeLimits) -> Tree<'a> {
        let mut tree = Tree {
            view,
            nodes: Vec::new(),
            roots: 0,
            truncated: false,
        };
        for place in roots {
            let node = view.node(place);
            tree.nodes.push(TreeNode {
                place,
                edge: None,
                halfmove: node.halfmove,
                ply: node.ply,
                parent: None,
                depth: 0,
                children: (0, 0),
            });
        }
        tree.roots = tree.nodes.len();
        let mut waiting: VecDeque<u32> = (0..tree.nodes.len() as u32).collect();
        while let Some(at) = waiting.pop_front() {
            let here = tree.nodes[at as usize];
            if here.depth >= limits.depth {
                continue;
            }
            let first = tree.nodes.len() as u32;
            for step in view.moves(here.place) {
                if limits.min_games.is_some_and(|least| step.edge.stats.games() < least) || tree.passes(at, step.child)
                {
                    continue;
                }
                if tree.nodes.len() >= limits.nodes {
                    tree.truncated = true;
                    break;
                }
                let zeroing = resets_clock(&step.edge.san);
                waiting.push_back(tree.nodes.len() as u32);
                tree.nodes.push(TreeNode {
                    place: step.child,
                    edge: Some(step.edge),
                    halfmove: if zeroing { 0 } else { here.halfmove + 1 },
                    ply: here.ply + 1,
                    parent: Some(at),
                    depth: here.depth + 1,
                    children: (0, 0),
                });
            }
            tree.nodes[at as usize].children = (first, tree.nodes.len() as u32);
        }
        tree
    }

    /// Whether the path to a node comes through a position.
    fn passes(&self, node: u32, place: Place) -> bool {
        let mut at = Some(node);
        while let Some(node) = at {
            let here = &self.nodes[node as usize];
            if here.place == place {
                return true;
            }
            at = here.parent;
        }
        false
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether nodes were left out because there were too many.
    pub fn is_truncated(&self) -> bool {
        self.truncated
    }

    pub fn roots(&self) -> impl ExactSizeIterator<Item = Branch<'_>> {
        (0..self.roots).map(|at| Branch { tree: self, at })
    }
}

impl<'t> Branch<'t> {
    fn node(self) -> &'t TreeNode<'t> {
        &self.tree.nodes[self.at]
    }

    pub fn view(self) -> &'t View {
        self.tree.view
    }

    pub fn place(self) -> Place {
        self.node().place
    }

    /// The move that leads here within the tree; `None` at a root.
    pub fn edge(self) -> Option<&'t KnowledgeEdge> {
        self.node().edge
    }

    /// Half-moves, along this tree's path.
    pub fn ply(self) -> u16 {
        self.node().ply
    }

    /// With the counters along this tree's path.
    pub fn fen(self) -> String {
        let node = self.node();
        let epd = &self.tree.view.node(node.place).epd;
        fen_at(epd, node.halfmove.into(), node.ply.into())
    }

    /// The most played first.
    pub fn children(self) -> impl ExactSizeIterator<Item = Branch<'t>> {
        let (first, end) = self.node().children;
        let tree = self.tree;
        (first as usize..end as usize).map(move |at| Branch { tree, at })
    }
}

impl View {
    /// The positions with which a code begins: named by one of `openings`, and not behind another such by the way of their
    /// parents.
    pub fn first_of(&self, openings: &[Uuid], mut places: Vec<Place>) -> Vec<Place> {
        let belongs = |place: Place| {
            let opening = self.node(place).opening;
            opening.is_some_and(|opening| openings.contains(&opening))
        };
        places.retain(|place| !self.from_parent(*place).is_some_and(|step| belongs(step.parent)));
        places.sort_by_key(|place| (self.node(*place).ply, self.node(*place).id));
        places.dedup();
        places
    }
}
