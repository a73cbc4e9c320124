//! What a store answers beyond the rows it was given.

/// How much is stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub positions: u64,
    pub edges: u64,
    pub repertoire_edges: u64,
    pub tactics: u64,
    pub rejects: u64,
}

/// One repertoire and its size.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RepertoireSummary {
    pub owner: String,
    pub repertoire_key: String,
    pub edges: u64,
}

/// One move of a repertoire, with what writing it as PGN needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepertoireMove {
    pub parent_id: u64,
    pub parent_fen: String,
    pub move_uci: String,
    pub move_san: String,
    pub child_id: u64,
    pub child_fen: String,
    /// The parent's distance from the root.
    pub ply: u32,
}
