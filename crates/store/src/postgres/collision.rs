//! Finds out what collided, after a constraint refused it: the constraint's own message does not name both sides.

use pgn_import::{Edge, Tactic};
use sqlx::PgPool;
use sqlx::postgres::PgBindIterExt as _;

use super::fault;
use crate::fault::{Fault, Trouble};
use crate::merge::{Rows, edge_collision, position_collision, tactic_collision};
use crate::rows::{bits, id};

/// Puts both sides into the trouble if a collision was the cause.
pub(super) async fn name(pool: &PgPool, rows: &Rows, trouble: Trouble) -> Trouble {
    let Trouble::Sql(error) = &trouble else {
        return trouble;
    };
    if fault::read(error) != Fault::Collision {
        return trouble;
    }
    // If even the search fails, what the constraint said is still the best there is.
    match find(pool, rows).await {
        Ok(Some(collision)) => collision,
        Ok(None) | Err(_) => trouble,
    }
}

async fn find(pool: &PgPool, rows: &Rows) -> Result<Option<Trouble>, sqlx::Error> {
    let position: Option<(i64, String)> = sqlx::query_as(
        "SELECT n, p.key
         FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS v (id, key, n)
         JOIN positions p ON p.id = v.id AND p.key <> v.key
         LIMIT 1",
    )
    .bind(rows.positions.iter().map(|row| row.id).bind_iter())
    .bind(rows.positions.iter().map(|row| &row.key).bind_iter())
    .fetch_optional(pool)
    .await?;
    if let Some((n, key)) = position {
        return Ok(Some(position_collision(&key, &rows.positions[index(n)])));
    }
    let edge: Option<(i64, i64, i64, String, i64)> = sqlx::query_as(
        "SELECT n, e.id, e.parent_id, e.move_uci, e.child_id
         FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::bigint[])
              WITH ORDINALITY AS v (id, parent_id, move_uci, child_id, n)
         JOIN edges e ON (e.id = v.id OR (e.parent_id = v.parent_id AND e.move_uci = v.move_uci))
              AND (e.id, e.parent_id, e.move_uci, e.child_id)
                  <> (v.id, v.parent_id, v.move_uci, v.child_id)
         LIMIT 1",
    )
    .bind(rows.edges.iter().map(|row| bits(row.id)).bind_iter())
    .bind(rows.edges.iter().map(|row| bits(row.parent_id)).bind_iter())
    .bind(rows.edges.iter().map(|row| &row.move_uci).bind_iter())
    .bind(rows.edges.iter().map(|row| bits(row.child_id)).bind_iter())
    .fetch_optional(pool)
    .await?;
    if let Some((n, edge_id, parent_id, move_uci, child_id)) = edge {
        let stored = Edge {
            id: id(edge_id),
            parent_id: id(parent_id),
            move_uci,
            move_san: String::new(),
            child_id: id(child_id),
            source_hint: None,
        };
        return Ok(Some(edge_collision(&stored, &rows.edges[index(n)])));
    }
    let tactics: Vec<(i64, String, Vec<String>)> =
        sqlx::query_as("SELECT id, fen, pv_uci FROM tactics WHERE id = ANY ($1)")
            .bind(rows.tactics.iter().map(|row| bits(row.id)).bind_iter())
            .fetch_all(pool)
            .await?;
    Ok(tactics.into_iter().find_map(|(tactic_id, fen, pv_uci)| {
        let stored = Tactic {
            id: id(tactic_id),
            fen,
            pv_uci,
            tags: Vec::new(),
            source_hint: None,
        };
        rows.tactics
            .iter()
            .find(|t| t.id == stored.id && (&t.fen, &t.pv_uci) != (&stored.fen, &stored.pv_uci))
            .map(|incoming| tactic_collision(&stored, incoming))
    }))
}

/// Ordinality counts from 1.
fn index(n: i64) -> usize {
    usize::try_from(n - 1).unwrap_or_default()
}
