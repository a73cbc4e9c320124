//! What happened, in numbers. A monoid: counters of two parts add up to those of the whole.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// The counters and timers of an import, under the names they are published by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counters {
    pub pgn_games_total: u64,
    pub pgn_games_failed: u64,
    /// Games of which only the legal prefix was taken (a subset of the failed ones).
    pub pgn_games_truncated: u64,
    /// Games left out on purpose: another side to move, a FEN start, a Chess960 start.
    pub pgn_games_left_out: u64,
    pub positions_inserted: u64,
    pub positions_deduped: u64,
    pub edges_inserted: u64,
    pub edges_deduped: u64,
    pub tactics_extracted_fen: u64,
    pub tactics_extracted_comments: u64,
    pub parse_ms: u64,
    pub merge_ms: u64,
    pub persist_ms: u64,
}

impl AddAssign for Counters {
    fn add_assign(&mut self, other: Counters) {
        self.pgn_games_total += other.pgn_games_total;
        self.pgn_games_failed += other.pgn_games_failed;
        self.pgn_games_truncated += other.pgn_games_truncated;
        self.pgn_games_left_out += other.pgn_games_left_out;
        self.positions_inserted += other.positions_inserted;
        self.positions_deduped += other.positions_deduped;
        self.edges_inserted += other.edges_inserted;
        self.edges_deduped += other.edges_deduped;
        self.tactics_extracted_fen += other.tactics_extracted_fen;
        self.tactics_extracted_comments += other.tactics_extracted_comments;
        self.parse_ms += other.parse_ms;
        self.merge_ms += other.merge_ms;
        self.persist_ms += other.persist_ms;
    }
}
