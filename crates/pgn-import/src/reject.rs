//! The ledger of games that could not be taken whole: where each stands and why.

use serde::{Deserialize, Serialize};

/// One line of the reject ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reject {
    /// The input as it was named.
    pub source: String,
    /// Counted from 0 within the source.
    pub game_index: u64,
    /// Where the game begins in the (decompressed) source.
    pub byte_offset: u64,
    /// Where the trouble is in the (decompressed) source.
    pub error_offset: u64,
    pub outcome: RejectOutcome,
    /// Half-moves played from the game's start before the trouble.
    pub ply: u32,
    /// The text that could not be taken; empty where no single token is to blame.
    pub san: String,
    /// The position in which it was met; empty where there was none yet.
    pub fen: String,
    pub reason: String,
}

/// How much of the game was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RejectOutcome {
    /// Nothing of it.
    Rejected,
    /// The legal moves before the trouble, and the branches beside it.
    Truncated,
}
