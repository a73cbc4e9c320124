//! The process's metrics as Prometheus text.

use std::path::Path;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};

use crate::{failure::Failure, terminal::write_file};

/// What the importer counts, and what that means.
const NAMES: [(&str, &str); 13] = [
    ("pgn_games_total", "Games read"),
    ("pgn_games_failed", "Games that could not be taken whole"),
    (
        "pgn_games_truncated",
        "Games of which the legal moves before a fault were taken",
    ),
    ("pgn_games_left_out", "Games left out on purpose"),
    ("positions_inserted", "Positions that were new"),
    ("positions_deduped", "Positions that were known already"),
    ("edges_inserted", "Edges that were new"),
    ("edges_deduped", "Edges that were known already"),
    ("tactics_extracted_fen", "Tactics from FEN tags"),
    ("tactics_extracted_comments", "Tactics from comments and NAGs"),
    ("parse_ms", "Milliseconds spent reading games, over all threads"),
    ("merge_ms", "Milliseconds spent gathering batches"),
    ("persist_ms", "Milliseconds spent writing to the store"),
];

/// Collects metrics from now on.
pub(crate) fn install() -> Result<PrometheusHandle, Failure> {
    let handle = PrometheusBuilder::new()
        .install_recorder()
        .map_err(|error| Failure::world(anyhow::Error::new(error).context("cannot collect metrics")))?;
    // A counter that never moved is 0, not absent: alerts are written against names.
    for (name, help) in NAMES {
        ::metrics::describe_counter!(name, help);
        ::metrics::counter!(name).increment(0);
    }
    Ok(handle)
}

/// Writes what was collected, for the textfile collector or a test.
pub(crate) fn write(handle: &PrometheusHandle, path: &Path) -> Result<(), Failure> {
    write_file(path, &handle.render())
}
