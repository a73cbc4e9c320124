//! Upserts. The write lock is held, so what is stored is read first and only what is new or better is written: a
//! repeated import reads and writes nothing, and exactly what was new is counted.

use std::collections::HashSet;
use std::sync::LazyLock;

use pgn_import::{Edge, Inserted, RepertoireEdge, Tactic};
use serde::de::DeserializeOwned;
use sqlx::{AssertSqlSafe, SqliteConnection};

use super::statement::fixed;
use super::{fault, settle};
use crate::Identity;
use crate::fault::{Fault, Trouble};
use crate::merge::{self, Rows, edge_collision, hint_outranks, position_collision};
use crate::rows::{PositionRow, bits, id};

/// Rows in one statement, as the trials found of writing nodes and edges.
const ROWS: usize = 500;

pub(super) async fn rows(
    connection: &mut SqliteConnection,
    rows: Rows,
    identity: Identity,
) -> Result<Inserted, Trouble> {
    let mut touched = Vec::new();
    let bulk = settle::is_bulk(connection).await?;
    let inserted = Inserted {
        positions: positions(connection, rows.positions, bulk, &mut touched).await?,
        edges: edges(connection, rows.edges, &mut touched).await?,
        repertoire_edges: repertoire_edges(connection, rows.repertoire_edges).await?,
        tactics: tactics(connection, rows.tactics).await?,
    };
    if identity == Identity::Position && !bulk {
        settle::mark(connection, touched).await?;
    }
    Ok(inserted)
}

async fn positions(
    connection: &mut SqliteConnection,
    rows: Vec<PositionRow>,
    bulk: bool,
    touched: &mut Vec<i64>,
) -> Result<u64, Trouble> {
    let stored: Vec<(i64, String, u32, u32)> = stored(
        connection,
        "SELECT json_group_array(json_array(p.id, p.key, p.ply, p.halfmove))
         FROM json_each(?) v CROSS JOIN positions p ON p.id = v.value",
        rows.iter().map(|row| row.id),
    )
    .await?;
    let mut known = vec![false; rows.len()];
    let mut better = Vec::new();
    let mut ties = Vec::new();
    for (id, key, ply, halfmove) in stored {
        let Ok(at) = rows.binary_search_by_key(&id, |row| row.id) else {
            continue;
        };
        known[at] = true;
        let row = &rows[at];
        if row.key != key {
            return Err(position_collision(&key, row));
        }
        if row.ply < ply {
            better.push(row);
        } else if row.outranks(ply, halfmove) {
            ties.push(row);
        }
    }
    if !bulk && !ties.is_empty() {
        ties = roots(connection, ties).await?;
    }
    better.extend(ties);
    if !better.is_empty() {
        let changes = json_list(
            better
                .iter()
                .map(|row| format!("[{},{},{}]", row.id, row.ply, row.halfmove)),
        );
        fixed!(
            query,
            "UPDATE positions SET ply = v.value ->> 1, halfmove = v.value ->> 2
             FROM json_each(?) v WHERE positions.id = v.value ->> 0",
            changes
        )
        .execute(&mut *connection)
        .await?;
        touched.extend(better.iter().map(|row| row.id));
    }

    let fresh = unknown(rows, &known);
    touched.extend(fresh.iter().map(|row| row.id));
    let count = fresh.len() as u64;
    insert_positions(connection, fresh).await?;
    Ok(count)
}

/// Appends positions that are not there yet.
pub(super) async fn insert_positions(connection: &mut SqliteConnection, rows: Vec<PositionRow>) -> Result<(), Trouble> {
    static INSERT: LazyLock<String> = LazyLock::new(|| insert("positions", 4, ROWS));
    for chunk in batches(rows, ROWS) {
        let sql = sized(&INSERT, "positions", 4, chunk.len());
        let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(chunk.len() == ROWS);
        for row in chunk {
            query = query.bind(row.id).bind(row.key).bind(row.ply).bind(row.halfmove);
        }
        query.execute(&mut *connection).await?;
    }
    Ok(())
}

/// Those of the positions to which no nearest parent is known. Where one is, the counters follow from it, whatever a line
/// says; only without this would a repeated import write anything. (In a bulk load there is no index to ask, and settling
/// puts everything right.)
async fn roots<'a>(
    connection: &mut SqliteConnection,
    rows: Vec<&'a PositionRow>,
) -> Result<Vec<&'a PositionRow>, Trouble> {
    let roots: Vec<i64> = fixed!(
        query_scalar,
        "SELECT c.id FROM json_each(?) v CROSS JOIN positions c ON c.id = v.value
         WHERE NOT EXISTS (
             SELECT 1 FROM edges e CROSS JOIN positions p ON p.id = e.parent_id
             WHERE e.child_id = c.id AND p.ply = c.ply - 1)",
        json_list(rows.iter().map(|row| row.id))
    )
    .fetch_all(connection)
    .await?;
    let roots: HashSet<i64> = roots.into_iter().collect();
    Ok(rows.into_iter().filter(|row| roots.contains(&row.id)).collect())
}

async fn edges(connection: &mut SqliteConnection, rows: Vec<Edge>, touched: &mut Vec<i64>) -> Result<u64, Trouble> {
    let mut parents: Vec<i64> = rows.iter().map(|row| bits(row.parent_id)).collect();
    parents.dedup();
    let stored: Vec<EdgeRow> = stored(
        connection,
        "SELECT json_group_array(
             json_array(e.id, e.parent_id, e.move_uci, e.child_id, e.source_hint))
         FROM json_each(?) v CROSS JOIN edges e ON e.parent_id = v.value",
        parents.into_iter(),
    )
    .await?;
    let mut known = vec![false; rows.len()];
    let mut better = Vec::new();
    for stored in stored {
        let (edge_id, parent_id, ref move_uci, child_id, ref source_hint) = stored;
        let Ok(at) = rows.binary_search_by(|row| (bits(row.parent_id), &row.move_uci).cmp(&(parent_id, move_uci)))
        else {
            continue;
        };
        known[at] = true;
        let row = &rows[at];
        if (bits(row.id), bits(row.child_id)) != (edge_id, child_id) {
            return Err(edge_collision(&edge(stored), row));
        }
        if hint_outranks(row.source_hint.as_deref(), source_hint.as_deref()) {
            better.push((parent_id, &row.move_uci, &row.source_hint));
        }
    }
    if !better.is_empty() {
        let changes = serde_json::to_string(&better)
            .map_err(|e| Trouble::Malformed(format!("source hints cannot be written: {e}")))?;
        fixed!(
            query,
            "UPDATE edges SET source_hint = v.value ->> 2 FROM json_each(?) v
             WHERE edges.parent_id = v.value ->> 0 AND edges.move_uci = v.value ->> 1",
            changes
        )
        .execute(&mut *connection)
        .await?;
    }

    let fresh = unknown(rows, &known);
    touched.extend(fresh.iter().map(|row| bits(row.child_id)));
    insert_edges(connection, &fresh).await?;
    Ok(fresh.len() as u64)
}

/// Appends edges that are not there yet.
pub(super) async fn insert_edges(connection: &mut SqliteConnection, rows: &[Edge]) -> Result<(), Trouble> {
    static INSERT: LazyLock<String> = LazyLock::new(|| insert("edges", 7, ROWS));
    for chunk in rows.chunks(ROWS) {
        let sql = sized(&INSERT, "edges", 7, chunk.len());
        let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(chunk.len() == ROWS);
        for row in chunk {
            query = query
                .bind(bits(row.parent_id))
                .bind(&row.move_uci)
                .bind(bits(row.id))
                .bind(bits(row.child_id))
                .bind(row.is_zeroing())
                .bind(&row.move_san)
                .bind(&row.source_hint);
        }
        if let Err(error) = query.execute(&mut *connection).await {
            return Err(name_collision(connection, chunk, error).await);
        }
    }
    Ok(())
}

type EdgeRow = (i64, i64, String, i64, Option<String>);

fn edge((edge_id, parent_id, move_uci, child_id, source_hint): EdgeRow) -> Edge {
    Edge {
        id: id(edge_id),
        parent_id: id(parent_id),
        move_uci,
        move_san: String::new(),
        child_id: id(child_id),
        source_hint,
    }
}

/// After an index refused some of these edges: which, and what was there before.
async fn name_collision(connection: &mut SqliteConnection, rows: &[Edge], error: sqlx::Error) -> Trouble {
    if fault::read(&error) != Fault::Collision {
        return error.into();
    }
    let found: Result<Vec<EdgeRow>, _> = stored(
        connection,
        "SELECT json_group_array(
             json_array(e.id, e.parent_id, e.move_uci, e.child_id, e.source_hint))
         FROM json_each(?) v CROSS JOIN edges e ON e.id = v.value",
        rows.iter().map(|row| bits(row.id)),
    )
    .await;
    // If even the search fails, what the index said is still the best there is.
    found
        .into_iter()
        .flatten()
        .map(edge)
        .find_map(|stored| {
            rows.iter()
                .find(|row| {
                    row.id == stored.id && (row.parent_id, &row.move_uci) != (stored.parent_id, &stored.move_uci)
                })
                .map(|row| edge_collision(&stored, row))
        })
        .unwrap_or(error.into())
}

async fn repertoire_edges(connection: &mut SqliteConnection, rows: Vec<RepertoireEdge>) -> Result<u64, Trouble> {
    let mut count = 0;
    for chunk in batches(rows, ROWS) {
        let sql = format!("{} ON CONFLICT DO NOTHING", insert("repertoire_edges", 3, chunk.len()));
        let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(chunk.len() == ROWS);
        for row in chunk {
            query = query.bind(row.repertoire_key).bind(row.owner).bind(bits(row.edge_id));
        }
        count += query.execute(&mut *connection).await?.rows_affected();
    }
    Ok(count)
}

async fn tactics(connection: &mut SqliteConnection, rows: Vec<Tactic>) -> Result<u64, Trouble> {
    let stored: Vec<(i64, String, String, String, Option<String>)> = fixed!(
        query_as,
        "SELECT id, fen, pv_uci, tags, source_hint FROM tactics
         WHERE id IN (SELECT value FROM json_each(?))",
        json_list(rows.iter().map(|row| bits(row.id)))
    )
    .fetch_all(&mut *connection)
    .await?;
    let mut known = vec![false; rows.len()];
    for row in stored {
        let mut kept = super::read::tactic(row)?;
        let Ok(at) = rows.binary_search_by_key(&bits(kept.id), |row| bits(row.id)) else {
            continue;
        };
        known[at] = true;
        if merge::merge_tactic(&mut kept, rows[at].clone())? {
            let tags = json_texts(&kept.tags)?;
            fixed!(
                query,
                "UPDATE tactics SET tags = ?, source_hint = ? WHERE id = ?",
                tags,
                kept.source_hint,
                bits(kept.id)
            )
            .execute(&mut *connection)
            .await?;
        }
    }
    let fresh = unknown(rows, &known);
    let count = fresh.len() as u64;
    for chunk in batches(fresh, ROWS) {
        let sql = insert("tactics", 5, chunk.len());
        let mut query = sqlx::query(AssertSqlSafe(sql)).persistent(chunk.len() == ROWS);
        for row in chunk {
            query = query
                .bind(bits(row.id))
                .bind(row.fen)
                .bind(json_texts(&row.pv_uci)?)
                .bind(json_texts(&row.tags)?)
                .bind(row.source_hint);
        }
        query.execute(&mut *connection).await?;
    }
    Ok(count)
}

/// What is stored under these ids, all in one JSON text: the driver takes longer to hand over a row than SQLite to
/// find it.
async fn stored<T: DeserializeOwned>(
    connection: &mut SqliteConnection,
    query: &'static str,
    ids: impl ExactSizeIterator<Item = i64>,
) -> Result<Vec<T>, Trouble> {
    if ids.len() == 0 {
        return Ok(Vec::new());
    }
    let json: String = sqlx::query_scalar(query)
        .bind(json_list(ids))
        .fetch_one(connection)
        .await?;
    serde_json::from_str(&json).map_err(|e| Trouble::Malformed(format!("stored rows are unreadable: {e}")))
}

fn json_texts(texts: &[String]) -> Result<String, Trouble> {
    serde_json::to_string(texts).map_err(|e| Trouble::Malformed(format!("a tactic cannot be written: {e}")))
}

/// A JSON array of things that are JSON already: one parameter, and one statement, for any number of ids.
pub(super) fn json_list(items: impl Iterator<Item = impl std::fmt::Display>) -> String {
    use std::fmt::Write as _;
    let mut list = String::from("[");
    for (i, item) in items.enumerate() {
        if i > 0 {
            list.push(',');
        }
        // Writing to a string cannot fail.
        let _ = write!(list, "{item}");
    }
    list.push(']');
    list
}

fn unknown<T>(rows: Vec<T>, known: &[bool]) -> Vec<T> {
    rows.into_iter()
        .zip(known)
        .filter(|(_, known)| !**known)
        .map(|(row, _)| row)
        .collect()
}

/// The rows in pieces, moved out rather than copied.
pub(super) fn batches<T>(rows: Vec<T>, size: usize) -> impl Iterator<Item = Vec<T>> {
    let mut rows = rows.into_iter();
    std::iter::from_fn(move || {
        let chunk: Vec<T> = rows.by_ref().take(size).collect();
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// `OR FAIL`, because a statement that may have to be undone alone makes SQLite copy every page it touches first; we
/// undo the whole transaction anyway.
fn insert(table: &'static str, columns: usize, rows: usize) -> String {
    let row = format!("({})", vec!["?"; columns].join(","));
    format!("INSERT OR FAIL INTO {table} VALUES {}", vec![row; rows].join(","))
}

fn sized(full: &LazyLock<String>, table: &'static str, columns: usize, rows: usize) -> String {
    if rows == ROWS {
        full.to_string()
    } else {
        insert(table, columns, rows)
    }
}
