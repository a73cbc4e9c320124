//! Upserts: one statement per kind and batch, its columns as arrays. Rows come sorted, so that writers lock them in
//! one order.

use pgn_import::{Edge, Inserted, RepertoireEdge, Tactic};
use sqlx::PgConnection;
use sqlx::postgres::PgBindIterExt as _;

use super::settle;
use crate::Identity;
use crate::fault::Trouble;
use crate::merge::Rows;
use crate::rows::{PositionRow, bits};

pub(super) async fn rows(connection: &mut PgConnection, rows: &Rows, identity: Identity) -> Result<Inserted, Trouble> {
    let mut touched = Vec::new();
    let inserted = Inserted {
        positions: positions(connection, &rows.positions, &mut touched).await?,
        edges: edges(connection, &rows.edges, &mut touched).await?,
        repertoire_edges: repertoire_edges(connection, &rows.repertoire_edges).await?,
        tactics: tactics(connection, &rows.tactics).await?,
    };
    if identity == Identity::Position {
        settle::mark(connection, touched).await?;
    }
    Ok(inserted)
}

/// A key that differs becomes null, which the column refuses: a collision is an error.
/// At equal ply the smaller text stays, but where a nearest parent is known the counters follow from it.
const POSITIONS: &str = "
    WITH written AS (
        INSERT INTO positions AS p (id, key, ply, halfmove)
        SELECT * FROM unnest($1::bigint[], $2::text[], $3::integer[], $4::integer[])
        ON CONFLICT (id) DO UPDATE SET
            key = CASE WHEN p.key = excluded.key THEN p.key END,
            ply = excluded.ply,
            halfmove = excluded.halfmove
        WHERE p.key <> excluded.key
           OR excluded.ply < p.ply
           OR (excluded.ply = p.ply
               AND excluded.halfmove::text COLLATE \"C\" < p.halfmove::text COLLATE \"C\"
               AND NOT EXISTS (
                   SELECT 1 FROM edges e JOIN positions parent ON parent.id = e.parent_id
                   WHERE e.child_id = p.id AND parent.ply = p.ply - 1))
        RETURNING p.id, p.xmax = 0 AS fresh)
    SELECT count(*) FILTER (WHERE fresh), coalesce(array_agg(id), '{}') FROM written";

pub(super) async fn positions(
    connection: &mut PgConnection,
    rows: &[PositionRow],
    touched: &mut Vec<i64>,
) -> Result<u64, Trouble> {
    if rows.is_empty() {
        return Ok(0);
    }
    let (fresh, written): (i64, Vec<i64>) = sqlx::query_as(POSITIONS)
        .bind(rows.iter().map(|row| row.id).bind_iter())
        .bind(rows.iter().map(|row| &row.key).bind_iter())
        .bind(rows.iter().map(|row| row.ply.cast_signed()).bind_iter())
        .bind(rows.iter().map(|row| row.halfmove.cast_signed()).bind_iter())
        .fetch_one(connection)
        .await?;
    touched.extend(written);
    Ok(fresh.cast_unsigned())
}

const EDGES: &str = "
    WITH written AS (
        INSERT INTO edges AS e (id, parent_id, move_uci, move_san, child_id, zeroing, source_hint)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[],
                             $6::boolean[], $7::text[])
        ON CONFLICT (id) DO UPDATE SET
            parent_id = CASE WHEN (e.parent_id, e.move_uci, e.child_id)
                                = (excluded.parent_id, excluded.move_uci, excluded.child_id)
                             THEN e.parent_id END,
            source_hint = least(e.source_hint, excluded.source_hint)
        WHERE (e.parent_id, e.move_uci, e.child_id)
              <> (excluded.parent_id, excluded.move_uci, excluded.child_id)
           OR excluded.source_hint < e.source_hint
           OR (e.source_hint IS NULL AND excluded.source_hint IS NOT NULL)
        RETURNING e.child_id, e.xmax = 0 AS fresh)
    SELECT count(*), coalesce(array_agg(child_id), '{}') FROM written WHERE fresh";

pub(super) async fn edges(
    connection: &mut PgConnection,
    rows: &[Edge],
    touched: &mut Vec<i64>,
) -> Result<u64, Trouble> {
    if rows.is_empty() {
        return Ok(0);
    }
    let (fresh, children): (i64, Vec<i64>) = sqlx::query_as(EDGES)
        .bind(rows.iter().map(|row| bits(row.id)).bind_iter())
        .bind(rows.iter().map(|row| bits(row.parent_id)).bind_iter())
        .bind(rows.iter().map(|row| &row.move_uci).bind_iter())
        .bind(rows.iter().map(|row| &row.move_san).bind_iter())
        .bind(rows.iter().map(|row| bits(row.child_id)).bind_iter())
        .bind(rows.iter().map(Edge::is_zeroing).bind_iter())
        .bind(rows.iter().map(|row| row.source_hint.as_deref()).bind_iter())
        .fetch_one(connection)
        .await?;
    touched.extend(children);
    Ok(fresh.cast_unsigned())
}

async fn repertoire_edges(connection: &mut PgConnection, rows: &[RepertoireEdge]) -> Result<u64, Trouble> {
    if rows.is_empty() {
        return Ok(0);
    }
    let result = sqlx::query(
        "INSERT INTO repertoire_edges (repertoire_key, owner, edge_id)
         SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) ON CONFLICT DO NOTHING",
    )
    .bind(rows.iter().map(|row| &row.repertoire_key).bind_iter())
    .bind(rows.iter().map(|row| &row.owner).bind_iter())
    .bind(rows.iter().map(|row| bits(row.edge_id)).bind_iter())
    .execute(connection)
    .await?;
    Ok(result.rows_affected())
}

/// `unnest` would flatten arrays of arrays, so the lists travel as JSON.
const TACTICS: &str = "
    WITH written AS (
        INSERT INTO tactics AS t (id, fen, pv_uci, tags, source_hint)
        SELECT id, fen,
               ARRAY(SELECT json_array_elements_text(pv_uci::json)),
               ARRAY(SELECT json_array_elements_text(tags::json)),
               source_hint
        FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[])
             AS v (id, fen, pv_uci, tags, source_hint)
        ON CONFLICT (id) DO UPDATE SET
            fen = CASE WHEN (t.fen, t.pv_uci) = (excluded.fen, excluded.pv_uci) THEN t.fen END,
            tags = ARRAY(SELECT DISTINCT tag COLLATE \"C\" FROM unnest(t.tags || excluded.tags) tag
                         ORDER BY 1),
            source_hint = least(t.source_hint, excluded.source_hint)
        WHERE (t.fen, t.pv_uci) <> (excluded.fen, excluded.pv_uci)
           OR NOT t.tags @> excluded.tags
           OR excluded.source_hint < t.source_hint
           OR (t.source_hint IS NULL AND excluded.source_hint IS NOT NULL)
        RETURNING t.xmax = 0 AS fresh)
    SELECT count(*) FROM written WHERE fresh";

async fn tactics(connection: &mut PgConnection, rows: &[Tactic]) -> Result<u64, Trouble> {
    if rows.is_empty() {
        return Ok(0);
    }
    let json = |texts: &[String]| {
        serde_json::to_string(texts).map_err(|e| Trouble::Malformed(format!("a tactic cannot be written: {e}")))
    };
    let lines = rows
        .iter()
        .map(|row| json(&row.pv_uci))
        .collect::<Result<Vec<_>, _>>()?;
    let tags = rows.iter().map(|row| json(&row.tags)).collect::<Result<Vec<_>, _>>()?;
    let fresh: i64 = sqlx::query_scalar(TACTICS)
        .bind(rows.iter().map(|row| bits(row.id)).bind_iter())
        .bind(rows.iter().map(|row| &row.fen).bind_iter())
        .bind(lines)
        .bind(tags)
        .bind(rows.iter().map(|row| row.source_hint.as_deref()).bind_iter())
        .fetch_one(connection)
        .await?;
    Ok(fresh.cast_unsigned())
}
