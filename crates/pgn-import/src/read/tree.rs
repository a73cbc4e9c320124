//! A game as a tree: everything the file said about it, in file order.

use std::ops::ControlFlow;

use shakmaty::{Chess, Move};

use super::{Fault, FaultKind, GameAt, GameResult, Start, Tag, Visitor};
use crate::text::decode;

/// The index of a move in its game. The root stands before the first move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(usize);

/// The node before the first move.
pub const ROOT: NodeId = NodeId(0);

/// One move with what was said about it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Node {
    parent: Option<NodeId>,
    /// None at the root and for a null move.
    pub m: Option<Move>,
    /// The move in standard notation; `--` for a null move, empty at the root.
    pub san: String,
    pub nags: Vec<u8>,
    /// Comments between the opening of a variation and its first move.
    pub comments_before: Vec<String>,
    /// Comments behind the move; at the root, those before the first one.
    pub comments: Vec<String>,
    children: Vec<NodeId>,
}

/// Whoever wants to know what is wrong with a game does not want more: one of which nothing can be understood has a fault every
/// three bytes, and each takes a hundred in memory.
const MOST_FAULTS: usize = 1_000;

/// A game: tags, moves with variations, comments and NAGs, and what could not be understood.
#[derive(Debug, Clone)]
pub struct Game {
    pub at: GameAt,
    /// In file order, duplicates kept.
    pub tags: Vec<(String, String)>,
    /// None where the tags name no position that could be understood.
    pub start: Option<Start>,
    pub result: Option<GameResult>,
    /// The first thousand.
    pub faults: Vec<GameFault>,
    nodes: Vec<Node>,
}

/// A fault kept with its game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFault {
    pub kind: FaultKind,
    pub offset: u64,
    pub ply: u32,
    pub token: String,
    pub fen: Option<String>,
}

impl GameFault {
    pub(crate) fn of(fault: &Fault<'_>) -> GameFault {
        GameFault {
            kind: fault.kind.clone(),
            offset: fault.offset,
            ply: fault.ply,
            token: decode(fault.token).into_owned(),
            fen: fault.position.map(tabiya_chess::full_fen),
        }
    }
}

impl Default for Game {
    fn default() -> Game {
        Game::new(Some(Start::initial()))
    }
}

impl Game {
    /// A game without moves.
    pub fn new(start: Option<Start>) -> Game {
        Game {
            at: GameAt { index: 0, offset: 0 },
            tags: Vec::new(),
            start,
            result: None,
            faults: Vec::new(),
            nodes: vec![Node::default()],
        }
    }

    /// The value of the first tag of that name.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value.as_str())
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.0]
    }

    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.nodes[id.0].parent
    }

    /// The moves that were played or proposed from here: the main one first, then the others as the file has them.
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        &self.nodes[id.0].children
    }

    /// Adds a move. `m` is None for a null move.
    pub fn add(&mut self, parent: NodeId, m: Option<Move>, san: String) -> NodeId {
        let id = NodeId(self.nodes.len());
        self.nodes.push(Node {
            parent: Some(parent),
            m,
            san,
            ..Node::default()
        });
        self.nodes[parent.0].children.push(id);
        id
    }

    /// The main line, from its first move on.
    pub fn main_line(&self) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.children(ROOT).first().copied(), |id| {
            self.children(*id).first().copied()
        })
    }

    /// Every move of the game, parents before children.
    pub fn moves(&self) -> impl Iterator<Item = NodeId> + '_ {
        (1..self.nodes.len()).map(NodeId)
    }
}

/// Builds the tree of one game after the other.
#[derive(Debug, Default)]
pub struct TreeBuilder {
    game: Game,
    at: Cursor,
    outer: Vec<Cursor>,
    /// A variation has been opened and has no move yet.
    fresh: bool,
}

#[derive(Debug, Clone, Default)]
struct Cursor {
    node: Option<NodeId>,
    /// Comments that wait for a variation's first move.
    waiting: Vec<String>,
}

impl TreeBuilder {
    /// The game that was read last.
    pub fn take(&mut self) -> Game {
        std::mem::take(&mut self.game)
    }

    fn here(&self) -> NodeId {
        self.at.node.unwrap_or(ROOT)
    }

    fn add(&mut self, m: Option<Move>, san: String) {
        let id = self.game.add(self.here(), m, san);
        self.game.node_mut(id).comments_before = std::mem::take(&mut self.at.waiting);
        self.at.node = Some(id);
        self.fresh = false;
    }
}

impl Visitor for TreeBuilder {
    fn begin_game(&mut self, at: GameAt) {
        self.game = Game::new(None);
        self.game.at = at;
        self.at = Cursor::default();
        self.outer.clear();
        self.fresh = false;
    }

    fn tag(&mut self, tag: &Tag<'_>) {
        self.game.tags.push((tag.name().into_owned(), tag.value().into_owned()));
    }

    fn begin_moves(&mut self, start: &Start) -> ControlFlow<()> {
        self.game.start = Some(start.clone());
        ControlFlow::Continue(())
    }

    fn playing(&mut self, before: &Chess, m: Move) -> ControlFlow<()> {
        let mut san = String::with_capacity(8);
        tabiya_chess::write_san_unmarked(before, m, &mut san);
        self.add(Some(m), san);
        ControlFlow::Continue(())
    }

    fn reached(&mut self, after: &Chess) {
        let here = self.here();
        tabiya_chess::write_check_mark(after, &mut self.game.node_mut(here).san);
    }

    fn passed(&mut self, _before: &Chess) {
        self.add(None, "--".to_owned());
    }

    fn comment(&mut self, text: &[u8]) {
        let text = decode(text).trim().to_owned();
        if text.is_empty() {
            return;
        }
        if self.fresh {
            self.at.waiting.push(text);
        } else {
            let here = self.here();
            self.game.node_mut(here).comments.push(text);
        }
    }

    fn nag(&mut self, nag: u8) {
        let here = self.here();
        // Before a variation's first move it would be said of the move before.
        if here != ROOT && !self.fresh {
            self.game.node_mut(here).nags.push(nag);
        }
    }

    fn begin_variation(&mut self) -> ControlFlow<()> {
        let here = self.here();
        let branch = Cursor {
            node: self.game.parent(here),
            waiting: Vec::new(),
        };
        self.outer.push(std::mem::replace(&mut self.at, branch));
        self.fresh = true;
        ControlFlow::Continue(())
    }

    fn end_variation(&mut self) {
        if let Some(outer) = self.outer.pop() {
            // A variation of words alone speaks of the move it stands behind.
            let words = std::mem::replace(&mut self.at, outer).waiting;
            let here = self.here();
            self.game.node_mut(here).comments.extend(words);
        }
        self.fresh = false;
    }

    fn result(&mut self, result: GameResult) {
        self.game.result = Some(result);
    }

    fn fault(&mut self, fault: &Fault<'_>) {
        if self.game.faults.len() < MOST_FAULTS {
            self.game.faults.push(GameFault::of(fault));
        }
    }
}
