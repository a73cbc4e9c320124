//! The trie of all games, breadth-first.
//!
//! Only what two games share has nodes, and the one move behind it: where a game leaves all others the rest of it is its own
//! moves. So most of the moves never become nodes.

use tabiya_counts::PackedMove;

use super::games::Games;

pub(super) const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

/// A place that two games share, or the first one where a game is alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    /// No move at the root alone.
    pub(super) played: PackedMove,
    pub(super) parent: u32,
    pub(super) ply: u32,
    /// How many games went through it.
    pub(super) games: u32,
    /// The first of them.
    pub(super) first: u32,
    /// The first child and how many there are.
    pub(super) children: (u32, u32),
    /// Where its games begin in the trie's list of games.
    pub(super) start: u32,
}

impl Node {
    /// The place that so many games begin at.
    pub(super) fn root(games: u32) -> Node {
        Node {
            played: PackedMove::NONE,
            parent: ROOT,
            ply: 0,
            games,
            first: if games > 0 { 0 } else { NONE },
            children: (0, 0),
            start: 0,
        }
    }

    /// The same behind so many other nodes.
    pub(super) fn placed(&self, parents: usize, children: usize) -> Node {
        Node {
            parent: self.parent + parents as u32,
            children: (self.children.0 + children as u32, self.children.1),
            ..*self
        }
    }

    pub(super) fn is_branch(&self) -> bool {
        self.children.1 > 1
    }
}

/// The trie. Nodes lie breadth-first, siblings in the order of their first appearance, so a loop over all of them is the order in
/// which everything is listed, and the same backwards sums up from the leaves.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    leaves: Vec<u32>,
    /// All games, so that those of any node lie together.
    games: Vec<u32>,
}

impl Trie {
    /// `games` has those of each node together, the ones that end there first.
    pub(super) fn new(nodes: Vec<Node>, games: Vec<u32>) -> Trie {
        let mut leaves = vec![ROOT; games.len()];
        for (at, node) in (0..).zip(&nodes) {
            let (first, count) = node.children;
            let end = match count {
                0 => node.start + node.games,
                _ => nodes[first as usize].start,
            };
            for game in &games[node.start as usize..end as usize] {
                leaves[*game as usize] = at;
            }
        }
        Trie { nodes, leaves, games }
    }

    /// Breadth-first, from the root on.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(super) fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    pub(super) fn children(&self, at: u32) -> std::ops::Range<u32> {
        let (first, count) = self.node(at).children;
        first..first + count
    }

    /// The last node on a game's way: its end, or the first one where it is alone.
    pub(super) fn leaf(&self, game: u32) -> u32 {
        self.leaves[game as usize]
    }

    /// Where a node's games lie in the list of all.
    pub(super) fn span(&self, at: u32) -> std::ops::Range<usize> {
        let node = self.node(at);
        node.start as usize..(node.start + node.games) as usize
    }

    /// The list of all games, in which those of a node lie together.
    pub(super) fn listed(&self) -> &[u32] {
        &self.games
    }

    /// The games that went through a node, by id.
    pub(super) fn games_at(&self, at: u32) -> Vec<u32> {
        let mut games = self.games[self.span(at)].to_vec();
        games.sort_unstable();
        games
    }

    /// The half-move with which a game leaves all others; one behind its last where it never does.
    pub(super) fn leaves_at(&self, game: u32, plies: usize) -> usize {
        let leaf = self.node(self.leaf(game));
        // A single game has left nobody.
        if leaf.games == 1 {
            (leaf.ply as usize).max(1)
        } else {
            plies + 1
        }
    }

    /// The nodes on the way to one, the root first, itself last.
    pub(super) fn way(&self, at: u32) -> Vec<u32> {
        let mut way = vec![at];
        let mut at = at;
        while at != ROOT {
            at = self.node(at).parent;
            way.push(at);
        }
        way.reverse();
        way
    }

    pub(super) fn is_novelty(&self, at: u32) -> bool {
        let node = self.node(at);
        at != ROOT && node.games == 1 && self.node(node.parent).games > 1
    }

    /// The moves that lead to a node.
    pub(super) fn path<'a>(&self, games: &'a Games, at: u32) -> &'a [PackedMove] {
        let node = self.node(at);
        if node.first == NONE {
            return &[];
        }
        &games.moves(node.first)[..node.ply as usize]
    }

    pub(super) fn child_by(&self, at: u32, played: PackedMove) -> Option<u32> {
        self.children(at).find(|child| self.node(*child).played == played)
    }
}
