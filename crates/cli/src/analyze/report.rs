//! The report of the command, for machines.

use std::{path::Path, time::Duration};

use serde::Serialize;
use tabiya_app::analyze::{Analysis, LeftOut, Summary};

use crate::numbers::milliseconds;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    status: &'static str,
    pub(super) min_games: u32,
    pub(super) files: usize,
    pub(super) games: u32,
    pub(super) half_moves: u64,
    pub(super) players: usize,
    pub(super) novelties: usize,
    pub(super) branches: usize,
    near_duplicates: usize,
    pub(super) output: Option<String>,
    left_out: Vec<LeftOut>,
    elapsed_ms: u64,
    #[serde(skip)]
    pub(super) elapsed: Duration,
}

impl Report {
    pub(super) fn new(
        analysis: &Analysis,
        summary: &Summary,
        output: Option<&Path>,
        min_games: u32,
        elapsed: Duration,
    ) -> Report {
        Report {
            status: "done",
            min_games,
            files: analysis.files().len(),
            games: analysis.game_count(),
            half_moves: analysis.move_count(),
            players: analysis.player_count(),
            novelties: summary.novelty_count,
            branches: summary.branch_count,
            near_duplicates: summary.near_duplicates.len(),
            output: output.map(|path| path.display().to_string()),
            left_out: analysis.left_out().to_vec(),
            elapsed_ms: milliseconds(elapsed),
            elapsed,
        }
    }
}
