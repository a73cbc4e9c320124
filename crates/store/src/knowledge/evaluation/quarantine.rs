//! What nobody could do.

use shakmaty::Chess;
use tabiya_chess::{PositionId, Question, epd};

use super::super::tx::{Tx, execute, fetch};
use super::rows::Quarantined;
use crate::fault::Trouble;
use crate::rows::clean;

/// Tries of one question are added up.
pub(super) async fn put(
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
pub(super) async fn list(tx: &mut Tx) -> Result<Vec<Quarantined>, Trouble> {
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
