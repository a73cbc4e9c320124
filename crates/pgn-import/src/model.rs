//! What an import produces: the rows of the opening trie and of the tactics bank.

use serde::{Deserialize, Serialize};

/// A node of the opening trie.
///
/// `id` is the FNV-1a hash of the position's EPD (of its whole FEN where transpositions are kept apart), so two
/// move orders that reach one position share one row. `fen` and `ply` are those of the shortest known path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    pub id: u64,
    pub fen: String,
    pub side_to_move: char,
    pub ply: u32,
}

/// A legal move from one position to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    pub id: u64,
    pub parent_id: u64,
    pub move_uci: String,
    pub move_san: String,
    pub child_id: u64,
    pub source_hint: Option<String>,
}

impl Edge {
    /// Whether the move resets the fifty-move counter: a pawn move or a capture.
    pub fn is_zeroing(&self) -> bool {
        tabiya_chess::resets_clock(&self.move_san)
    }
}

/// One edge's membership in somebody's repertoire.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RepertoireEdge {
    pub repertoire_key: String,
    pub owner: String,
    pub edge_id: u64,
}

/// A puzzle: where it starts and the moves that solve it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tactic {
    pub id: u64,
    pub fen: String,
    pub pv_uci: Vec<String>,
    pub tags: Vec<String>,
    pub source_hint: Option<String>,
}
