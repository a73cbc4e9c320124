//! How far each import came, and what it could not take.

use pgn_import::{Checkpoint, ImportJob, Reject};
use sqlx::{QueryBuilder, SqliteConnection, SqlitePool};

use super::statement::fixed;
use super::write::json_list;
use crate::fault::Trouble;
use crate::rows::{bits, clean, clean_reject, id, outcome, outcome_text};

pub(super) async fn checkpoint(pool: &SqlitePool, job: &ImportJob) -> Result<Option<Checkpoint>, Trouble> {
    find(&mut *pool.acquire().await?, job).await
}

async fn find(connection: &mut SqliteConnection, job: &ImportJob) -> Result<Option<Checkpoint>, Trouble> {
    let row: Option<(i64, i64, bool, String)> = fixed!(
        query_as,
        "SELECT byte_offset, games, done, counters FROM import_journal
         WHERE source = ? AND fingerprint = ? AND config = ?",
        clean(&job.source),
        clean(&job.fingerprint),
        clean(&job.config)
    )
    .fetch_optional(connection)
    .await?;
    row.map(|(offset, games, done, counters)| {
        Ok(Checkpoint {
            offset: id(offset),
            games: id(games),
            done,
            counters: serde_json::from_str(&counters)
                .map_err(|e| Trouble::Malformed(format!("the journal of `{}` is unreadable: {e}", job.source)))?,
        })
    })
    .transpose()
}

async fn begins_anew(connection: &mut SqliteConnection, job: &ImportJob, at: &Checkpoint) -> Result<bool, Trouble> {
    let last = find(connection, job).await?;
    Ok(last.is_none_or(|last| last.done || last.offset > at.offset))
}

/// Rejects in one statement: nine values each, far below SQLite's limit on parameters.
const ROWS: usize = 500;

/// Writes rejects and checkpoint. The first commit of a run that begins anew drops what earlier runs over the same
/// source had rejected; a run begins anew when the journal does not know the job, knows it as done, or knows it as
/// further along. A retry is always unknown or done, and its ledger may have named some of the source's games only: it
/// drops just those that it struck off.
pub(super) async fn record(
    connection: &mut SqliteConnection,
    job: &ImportJob,
    rejects: Vec<Reject>,
    struck_off: Option<&[u64]>,
    checkpoint: &Checkpoint,
) -> Result<(), Trouble> {
    if let Some(games) = struck_off {
        fixed!(
            query,
            "DELETE FROM rejects WHERE source = ? AND game_index IN (SELECT value FROM json_each(?))",
            clean(&job.source),
            json_list(games.iter().map(|game| bits(*game)))
        )
        .execute(&mut *connection)
        .await?;
    } else if begins_anew(connection, job, checkpoint).await? {
        fixed!(query, "DELETE FROM rejects WHERE source = ?", clean(&job.source))
            .execute(&mut *connection)
            .await?;
    }
    for rows in rejects.chunks(ROWS) {
        let mut insert = QueryBuilder::new("INSERT OR REPLACE INTO rejects ");
        insert.push_values(rows.iter().cloned().map(clean_reject), |mut row, reject| {
            row.push_bind(reject.source)
                .push_bind(bits(reject.game_index))
                .push_bind(bits(reject.byte_offset))
                .push_bind(bits(reject.error_offset))
                .push_bind(outcome_text(reject.outcome))
                .push_bind(reject.ply)
                .push_bind(reject.san)
                .push_bind(reject.fen)
                .push_bind(reject.reason);
        });
        insert.build().execute(&mut *connection).await?;
    }
    let counters = serde_json::to_string(&checkpoint.counters)
        .map_err(|e| Trouble::Malformed(format!("counters cannot be written: {e}")))?;
    fixed!(
        query,
        "INSERT OR REPLACE INTO import_journal VALUES (?, ?, ?, ?, ?, ?, ?)",
        clean(&job.source),
        clean(&job.fingerprint),
        clean(&job.config),
        bits(checkpoint.offset),
        bits(checkpoint.games),
        checkpoint.done,
        counters
    )
    .execute(connection)
    .await?;
    Ok(())
}

type RejectRow = (String, i64, i64, i64, String, u32, String, String, String);

pub(super) async fn rejects(pool: &SqlitePool, source: Option<&str>) -> Result<Vec<Reject>, Trouble> {
    let rows: Vec<RejectRow> = fixed!(
        query_as,
        "SELECT source, game_index, byte_offset, error_offset, outcome, ply, san, fen, reason
         FROM rejects WHERE ?1 IS NULL OR source = ?1 ORDER BY source, game_index",
        source.map(clean)
    )
    .fetch_all(pool)
    .await?;
    Ok(rows
        .into_iter()
        .map(|row| Reject {
            source: row.0,
            game_index: id(row.1),
            byte_offset: id(row.2),
            error_offset: id(row.3),
            outcome: outcome(&row.4),
            ply: row.5,
            san: row.6,
            fen: row.7,
            reason: row.8,
        })
        .collect())
}
