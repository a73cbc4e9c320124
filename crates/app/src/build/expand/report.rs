//! How an expansion went.

use serde::{Deserialize, Serialize};

use crate::build::count::CountedFile;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExpandReport {
    pub collection: String,
    /// Games in the collection.
    pub games: u64,
    /// Games in all collections.
    pub all_games: u64,
    pub asked_min_games: u64,
    /// Higher than what was asked for where the graph had to be cut to its largest size.
    pub min_games: u64,
    pub chosen_by_size: bool,
    pub nodes: u64,
    pub edges: u64,
    /// Half-moves from the start up to which merged parts were counted, where positions farther away were asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_at: Option<u32>,
    #[serde(default)]
    pub files: Vec<CountedFile>,
    /// All of it was done before.
    #[serde(default)]
    pub skipped: bool,
}
