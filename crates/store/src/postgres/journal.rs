//! How far each import came, and what it could not take.

use pgn_import::{Checkpoint, ImportJob, Reject};
use sqlx::{PgConnection, PgPool, QueryBuilder};

use crate::fault::Trouble;
use crate::rows::{bits, clean, clean_reject, id, outcome, outcome_text};

pub(super) async fn checkpoint(pool: &PgPool, job: &ImportJob) -> Result<Option<Checkpoint>, Trouble> {
    find(&mut *pool.acquire().await?, job).await
}

async fn find(connection: &mut PgConnection, job: &ImportJob) -> Result<Option<Checkpoint>, Trouble> {
    let row: Option<(i64, i64, bool, String)> = sqlx::query_as(
        "SELECT byte_offset, games, done, counters FROM import_journal
         WHERE source = $1 AND fingerprint = $2 AND config = $3",
    )
    .bind(clean(&job.source))
    .bind(clean(&job.fingerprint))
    .bind(clean(&job.config))
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

async fn begins_anew(connection: &mut PgConnection, job: &ImportJob, at: &Checkpoint) -> Result<bool, Trouble> {
    let last = find(connection, job).await?;
    Ok(last.is_none_or(|last| last.done || last.offset > at.offset))
}

/// Rejects in one statement: nine values each, far below the protocol's limit on parameters.
const ROWS: usize = 500;

/// Writes rejects and checkpoint. The first commit of a run that begins anew drops what earlier runs over the same
/// source had rejected; a run begins anew when the journal does not know the job, knows it as done, or knows it as
/// further along. A retry is always unknown or done, and its ledger may have named some of the source's games only: it
/// drops just those that it struck off.
pub(super) async fn record(
    connection: &mut PgConnection,
    job: &ImportJob,
    rejects: &[Reject],
    struck_off: Option<&[u64]>,
    checkpoint: &Checkpoint,
) -> Result<(), Trouble> {
    if let Some(games) = struck_off {
        let games: Vec<i64> = games.iter().map(|game| bits(*game)).collect();
        sqlx::query("DELETE FROM rejects WHERE source = $1 AND game_index = ANY($2)")
            .bind(clean(&job.source))
            .bind(games)
            .execute(&mut *connection)
            .await?;
    } else if begins_anew(connection, job, checkpoint).await? {
        sqlx::query("DELETE FROM rejects WHERE source = $1")
            .bind(clean(&job.source))
            .execute(&mut *connection)
            .await?;
    }
    for rows in rejects.chunks(ROWS) {
        let mut insert = QueryBuilder::new(
            "INSERT INTO rejects (source, game_index, byte_offset, error_offset, outcome, ply, san, fen, reason) ",
        );
        insert.push_values(rows.iter().cloned().map(clean_reject), |mut row, reject| {
            row.push_bind(reject.source)
                .push_bind(bits(reject.game_index))
                .push_bind(bits(reject.byte_offset))
                .push_bind(bits(reject.error_offset))
                .push_bind(outcome_text(reject.outcome))
                .push_bind(reject.ply.cast_signed())
                .push_bind(reject.san)
                .push_bind(reject.fen)
                .push_bind(reject.reason);
        });
        insert.push(
            " ON CONFLICT (source, game_index) DO UPDATE SET
                 byte_offset = excluded.byte_offset, error_offset = excluded.error_offset,
                 outcome = excluded.outcome, ply = excluded.ply, san = excluded.san,
                 fen = excluded.fen, reason = excluded.reason",
        );
        insert.build().execute(&mut *connection).await?;
    }
    let counters = serde_json::to_string(&checkpoint.counters)
        .map_err(|e| Trouble::Malformed(format!("counters cannot be written: {e}")))?;
    sqlx::query(
        "INSERT INTO import_journal
             (source, fingerprint, config, byte_offset, games, done, counters)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (source, fingerprint, config) DO UPDATE SET
             byte_offset = excluded.byte_offset, games = excluded.games,
             done = excluded.done, counters = excluded.counters",
    )
    .bind(clean(&job.source))
    .bind(clean(&job.fingerprint))
    .bind(clean(&job.config))
    .bind(bits(checkpoint.offset))
    .bind(bits(checkpoint.games))
    .bind(checkpoint.done)
    .bind(counters)
    .execute(connection)
    .await?;
    Ok(())
}

type RejectRow = (String, i64, i64, i64, String, i32, String, String, String);

pub(super) async fn rejects(pool: &PgPool, source: Option<&str>) -> Result<Vec<Reject>, Trouble> {
    let rows: Vec<RejectRow> = sqlx::query_as(
        "SELECT source, game_index, byte_offset, error_offset, outcome, ply, san, fen, reason
         FROM rejects WHERE $1::text IS NULL OR source = $1 ORDER BY source, game_index",
    )
    .bind(source.map(clean))
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
            ply: row.5.cast_unsigned(),
            san: row.6,
            fen: row.7,
            reason: row.8,
        })
        .collect())
}
