//! The trie of all games: built in one pass, then laid out breadth-first.

use tabiya_counts::PackedMove;

use super::games::Games;

pub(super) const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

/// A trie in the making.
///
/// Only what two games share has nodes, and the one move behind it: where a game leaves all others the rest of it is its own
/// moves, and gets nodes when another game comes along that goes the same way. So most of the moves never become nodes.
#[derive(Debug)]
pub(super) struct Growing {
    nodes: Vec<Twig>,
    /// The last node on each game's way.
    leaves: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Twig {
    played: PackedMove,
    games: u32,
    /// The first game that came here: the order of first appearance among siblings, and whose moves lead on where nobody
    /// else has come yet.
    first: u32,
    child: u32,
    sibling: u32,
}

impl Growing {
    pub(super) fn new() -> Growing {
        Growing {
            nodes: vec![Twig::new(PackedMove::NONE, NONE)],
            leaves: Vec::new(),
        }
    }

    /// Takes in the next game. Games come in the order of their ids.
    pub(super) fn add(&mut self, games: &Games, id: u32) {
        let moves = games.moves(id);
        let mut at = ROOT;
        let mut ply = 0;
        loop {
            let twig = &mut self.nodes[at as usize];
            twig.games += 1;
            match twig.games {
                1 => {
                    twig.first = id;
                    break;
                }
                2 => {
                    let first = twig.first;
                    if let Some(next) = games.moves(first).get(ply) {
                        let child = self.grow(at, *next, first);
                        self.nodes[child as usize].games = 1;
                        self.leaves[first as usize] = child;
                    }
                }
                _ => {}
            }
            let Some(next) = moves.get(ply) else {
                break;
            };
            at = match self.find(at, *next) {
                NONE => self.grow(at, *next, id),
                child => child,
            };
            ply += 1;
        }
        self.leaves.push(at);
    }

    fn find(&self, at: u32, played: PackedMove) -> u32 {
        let mut child = self.nodes[at as usize].child;
        while child != NONE {
            let twig = &self.nodes[child as usize];
            if twig.played == played {
                break;
            }
            child = twig.sibling;
        }
        child
    }

    fn grow(&mut self, at: u32, played: PackedMove, first: u32) -> u32 {
        let new = self.nodes.len() as u32;
        // The newest comes last: what many play has mostly been played early.
        let mut last = self.nodes[at as usize].child;
        if last == NONE {
            self.nodes[at as usize].child = new;
        } else {
            while self.nodes[last as usize].sibling != NONE {
                last = self.nodes[last as usize].sibling;
            }
            self.nodes[last as usize].sibling = new;
        }
        self.nodes.push(Twig::new(played, first));
        new
    }

    /// Lays the trie out.
    pub(super) fn finish(self) -> Trie {
        let mut nodes: Vec<Node> = Vec::with_capacity(self.nodes.len());
        // Old numbers in the new order.
        let mut order = vec![ROOT];
        let mut place = vec![NONE; self.nodes.len()];
        place[ROOT as usize] = ROOT;
        nodes.push(Node::of(&self.nodes[ROOT as usize], ROOT, 0));
        let mut at = 0;
        let mut siblings: Vec<u32> = Vec::new();
        while at < order.len() {
            siblings.clear();
            let mut child = self.nodes[order[at] as usize].child;
            while child != NONE {
                siblings.push(child);
                child = self.nodes[child as usize].sibling;
            }
            // Those that were split off later may have appeared earlier.
            siblings.sort_unstable_by_key(|child| self.nodes[*child as usize].first);
            let ply = nodes[at].ply + 1;
            nodes[at].children = (nodes.len() as u32, siblings.len() as u32);
            for child in &siblings {
                place[*child as usize] = nodes.len() as u32;
                order.push(*child);
                nodes.push(Node::of(&self.nodes[*child as usize], at as u32, ply));
            }
            at += 1;
        }
        let leaves: Vec<u32> = self.leaves.iter().map(|leaf| place[*leaf as usize]).collect();
        Trie::new(nodes, leaves)
    }
}

impl Twig {
    fn new(played: PackedMove, first: u32) -> Twig {
        Twig {
            played,
            games: 0,
            first,
            child: NONE,
            sibling: NONE,
        }
    }
}

/// A place that two games share, or the first one where a game is alone.
#[derive(Debug, Clone, Copy)]
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
    children: (u32, u32),
    /// Where its games begin in the trie's list of games.
    start: u32,
}

impl Node {
    fn of(twig: &Twig, parent: u32, ply: u32) -> Node {
        Node {
            played: twig.played,
            parent,
            ply,
            games: twig.games,
            first: twig.first,
            children: (0, 0),
            start: 0,
        }
    }

    pub(super) fn is_branch(&self) -> bool {
        self.children.1 > 1
    }
}

/// The trie. Nodes lie breadth-first, siblings in the order of their first appearance, so a loop over all of them is the order in
/// which everything is listed, and the same backwards sums up from the leaves.
#[derive(Debug)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    leaves: Vec<u32>,
    /// All games, so that those of any node lie together.
    games: Vec<u32>,
}

impl Trie {
    fn new(mut nodes: Vec<Node>, leaves: Vec<u32>) -> Trie {
        let mut ending = vec![0_u32; nodes.len()];
        for leaf in &leaves {
            ending[*leaf as usize] += 1;
        }
        for at in 0..nodes.len() {
            let node = nodes[at];
            // Games that end at a node come before those that go on.
            let mut start = node.start + ending[at];
            let (first, count) = node.children;
            for child in &mut nodes[first as usize..(first + count) as usize] {
                child.start = start;
                start += child.games;
            }
        }
        let mut next: Vec<u32> = nodes.iter().map(|node| node.start).collect();
        let mut games = vec![0; leaves.len()];
        for (id, leaf) in (0..).zip(&leaves) {
            let next = &mut next[*leaf as usize];
            games[*next as usize] = id;
            *next += 1;
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
