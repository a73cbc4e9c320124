//! Publishes the counters through the `metrics` facade, under the names users know.

use crate::Counters;

/// Adds one input's counters to the process's metrics.
pub(crate) fn publish(counters: &Counters) {
    metrics::counter!("pgn_games_total").increment(counters.pgn_games_total);
    metrics::counter!("pgn_games_failed").increment(counters.pgn_games_failed);
    metrics::counter!("pgn_games_truncated").increment(counters.pgn_games_truncated);
    metrics::counter!("pgn_games_left_out").increment(counters.pgn_games_left_out);
    metrics::counter!("positions_inserted").increment(counters.positions_inserted);
    metrics::counter!("positions_deduped").increment(counters.positions_deduped);
    metrics::counter!("edges_inserted").increment(counters.edges_inserted);
    metrics::counter!("edges_deduped").increment(counters.edges_deduped);
    metrics::counter!("tactics_extracted_fen").increment(counters.tactics_extracted_fen);
    metrics::counter!("tactics_extracted_comments").increment(counters.tactics_extracted_comments);
    metrics::counter!("parse_ms").increment(counters.parse_ms);
    metrics::counter!("merge_ms").increment(counters.merge_ms);
    metrics::counter!("persist_ms").increment(counters.persist_ms);
}
