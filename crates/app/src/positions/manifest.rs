//! `<output>.manifest.json`: what the output was made of, and how.

use serde::{Deserialize, Serialize};

use super::{Configuration, GamesLeftOut, PositionsPassedOver, SourceRecord};

/// What stands beside every output.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    pub version: u32,
    /// The program that wrote it.
    pub tabiya: String,
    pub output: OutputRecord,
    pub configuration: Configuration,
    pub engine: Option<String>,
    pub sources: Vec<SourceRecord>,
    pub counts: Counts,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct OutputRecord {
    pub file: String,
    pub rows: u64,
    pub bytes: u64,
    pub sha256: String,
}

/// What became of games and positions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    pub games: u64,
    pub positions: u64,
    pub games_left_out: GamesLeftOut,
    pub positions_passed_over: PositionsPassedOver,
}
