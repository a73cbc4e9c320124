//! Who is at work, and what nobody could do.

use std::time::Duration;

use shakmaty::Chess;
use tabiya_chess::{PositionId, Question, epd};

use super::super::tx::{Tx, execute, fetch};
use super::rows::{Heartbeat, Quarantined, WorkerView};
use crate::fault::Trouble;
use crate::rows::{bits, clean, id};

/// A worker of a name that comes back as another process starts anew.
pub(super) async fn beat(tx: &mut Tx, worker: &Heartbeat) -> Result<(), Trouble> {
    execute!(
        tx,
        "INSERT INTO annotation_workers
             (name, host, pid, engine, job, positions_done, positions_failed, started_at, seen_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, {millis}, {millis})
         ON CONFLICT (name) DO UPDATE SET
             started_at = CASE
                 WHEN annotation_workers.host = excluded.host AND annotation_workers.pid = excluded.pid
                 THEN annotation_workers.started_at ELSE excluded.started_at END,
             host = excluded.host, pid = excluded.pid, engine = excluded.engine, job = excluded.job,
             positions_done = excluded.positions_done, positions_failed = excluded.positions_failed,
             seen_at = excluded.seen_at",
        clean(&worker.name),
        clean(&worker.host),
        i64::from(worker.pid),
        clean(&worker.engine),
        worker.job.as_deref().map(clean),
        bits(worker.positions_done),
        bits(worker.positions_failed)
    );
    Ok(())
}

pub(super) async fn workers(tx: &mut Tx) -> Result<Vec<WorkerView>, Trouble> {
    type Row = (String, String, i64, String, Option<String>, i64, i64, i64, i64);
    let rows = fetch!(
        tx,
        Row,
        "SELECT name, host, pid, engine, job, positions_done, positions_failed, {millis} - seen_at, seen_at - started_at
         FROM annotation_workers ORDER BY name"
    );
    // A clock may be set back.
    let span = |millis: i64| Duration::from_millis(u64::try_from(millis).unwrap_or_default());
    Ok(rows
        .into_iter()
        .map(|row| WorkerView {
            worker: Heartbeat {
                name: row.0,
                host: row.1,
                pid: u32::try_from(row.2).unwrap_or_default(),
                engine: row.3,
                job: row.4,
                positions_done: id(row.5),
                positions_failed: id(row.6),
            },
            seen_ago: span(row.7),
            at_work: span(row.8),
        })
        .collect())
}

pub(super) async fn remove(tx: &mut Tx, name: &str) -> Result<bool, Trouble> {
    Ok(execute!(tx, "DELETE FROM annotation_workers WHERE name = $1", clean(name)) > 0)
}

/// Tries of one question are added up.
pub(super) async fn quarantine(
    tx: &mut Tx,
    position: &Chess,
    question: &Question,
    tries: u32,
    reason: &str,
) -> Result<(), Trouble> {
    let (key, text) = (PositionId::of(position), epd(position));
    let known = fetch!(
        tx,
        (String,),
        "SELECT epd FROM quarantine WHERE position_id = $1 AND epd <> $2",
        key.to_i64(),
        text.as_str()
    );
    if let Some((other,)) = known.first() {
        return Err(Trouble::Collision(format!(
            "`{text}` and `{other}` are both position {key}"
        )));
    }
    execute!(
        tx,
        "INSERT INTO quarantine (position_id, search_limit, multipv, engine, epd, tries, reason, quarantined_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, {now})
         ON CONFLICT (position_id, search_limit, multipv, engine) DO UPDATE SET
             tries = quarantine.tries + excluded.tries, reason = excluded.reason,
             quarantined_at = excluded.quarantined_at",
        key.to_i64(),
        question.limit.to_string(),
        i32::from(question.multipv),
        clean(question.engine.as_deref().unwrap_or_default()),
        text.as_str(),
        i32::try_from(tries).unwrap_or(i32::MAX),
        clean(reason)
    );
    Ok(())
}

/// By EPD and question.
pub(super) async fn quarantined(tx: &mut Tx) -> Result<Vec<Quarantined>, Trouble> {
    type Row = (i64, String, String, i32, String, i32, String, String);
    let rows = fetch!(
        tx,
        Row,
        "SELECT position_id, epd, search_limit, multipv, engine, tries, reason, {text(quarantined_at)} FROM quarantine
         ORDER BY epd, search_limit, multipv, engine"
    );
    rows.into_iter()
        .map(|row| {
            Ok(Quarantined {
                position: PositionId::from_i64(row.0),
                epd: row.1,
                question: Question {
                    limit: row
                        .2
                        .parse()
                        .map_err(|e: tabiya_chess::ParseLimitError| Trouble::Malformed(e.to_string()))?,
                    multipv: u8::try_from(row.3).unwrap_or(u8::MAX),
                    engine: Some(row.4).filter(|engine| !engine.is_empty()),
                },
                tries: u32::try_from(row.5).unwrap_or_default(),
                reason: row.6,
                quarantined_at: row.7,
            })
        })
        .collect()
}

/// Releases one position or all, and gives the number of questions that may be asked again.
pub(super) async fn release(tx: &mut Tx, position: Option<PositionId>) -> Result<u64, Trouble> {
    Ok(match position {
        Some(position) => execute!(tx, "DELETE FROM quarantine WHERE position_id = $1", position.to_i64()),
        None => execute!(tx, "DELETE FROM quarantine"),
    })
}
