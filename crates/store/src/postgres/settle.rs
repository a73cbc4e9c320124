//! Brings every `ply` to the distance from the root and every halfmove clock to that of the chain of nearest parents.
//!
//! The algorithm is that of the SQLite backend: a queue by rising ply, begun with the children that disagree with a
//! parent. No writer is at work meanwhile: they share a lock that settling takes alone.

use std::time::Instant;

use sqlx::{Connection, Executor, PgConnection};

use super::{LOCK, ONE_BY_ONE, PostgresStore};
use crate::fault::Trouble;
use crate::{Identity, StoreError};

/// From here on a look at all edges is cheaper than keeping count of what was touched.
const REMEMBERED: i64 = 50_000;

/// Remembers that something changed around these positions. Only ever adds rows, so that writers do not wait for
/// each other; a null stands for all positions.
pub(super) async fn mark(connection: &mut PgConnection, mut touched: Vec<i64>) -> Result<(), Trouble> {
    touched.sort_unstable();
    touched.dedup();
    if touched.is_empty() {
        return Ok(());
    }
    let (all, remembered): (bool, i64) =
        sqlx::query_as("SELECT coalesce(bool_or(id IS NULL), false), count(*) FROM unsettled")
            .fetch_one(&mut *connection)
            .await?;
    let count = i64::try_from(touched.len()).unwrap_or(i64::MAX / 2);
    if remembered + count <= REMEMBERED {
        sqlx::query("INSERT INTO unsettled SELECT unnest($1::bigint[])")
            .bind(touched)
            .execute(connection)
            .await?;
    } else if !all {
        connection.execute("INSERT INTO unsettled VALUES (NULL)").await?;
    }
    Ok(())
}

impl PostgresStore {
    /// Settles what is unsettled; costs one look where nothing is.
    pub(crate) async fn settle_if_needed(&self) -> Result<(), StoreError> {
        self.try_settle().await.map_err(|e| self.explain(e))
    }

    async fn try_settle(&self) -> Result<(), Trouble> {
        let mut connection = self.acquire_patiently().await?;
        let needed: bool = sqlx::query_scalar("SELECT EXISTS (SELECT 1 FROM unsettled)")
            .fetch_one(&mut *connection)
            .await?;
        if !needed || self.identity == Identity::FullFen {
            return Ok(());
        }
        let mut tx = connection.begin().await?;
        sqlx::query("SELECT pg_advisory_xact_lock($1)")
            .bind(LOCK)
            .execute(&mut *tx)
            .await?;
        settle(&mut tx).await?;
        tx.commit().await?;
        Ok(())
    }
}

/// Settles what is unsettled, in a transaction that holds the lock alone.
pub(super) async fn settle(connection: &mut PgConnection) -> Result<(), Trouble> {
    let start = Instant::now();
    let all: bool = sqlx::query_scalar("SELECT coalesce(bool_or(id IS NULL), false) FROM unsettled")
        .fetch_one(&mut *connection)
        .await?;
    connection.execute(TABLES).await?;
    if all {
        connection.execute(ALL_AT_ONCE).await?;
        connection.execute(QUEUE_ALL).await?;
        connection.execute(ONE_BY_ONE).await?;
    } else {
        connection.execute(ONE_BY_ONE).await?;
        connection.execute(QUEUE_TOUCHED).await?;
    }
    let changed = work_off(connection).await?;
    connection.execute("DELETE FROM unsettled").await?;
    tracing::debug!(all, changed, elapsed = ?start.elapsed(), "settled plies and counters");
    Ok(())
}

async fn work_off(connection: &mut PgConnection) -> Result<u64, Trouble> {
    let mut changed = 0;
    while let Some(ply) = sqlx::query_scalar::<_, Option<i32>>("SELECT min(ply) FROM queue")
        .fetch_one(&mut *connection)
        .await?
    {
        for step in [LOWER, RECOUNT] {
            changed += sqlx::query(step)
                .bind(ply)
                .execute(&mut *connection)
                .await?
                .rows_affected();
        }
        for step in [QUEUE_CHILDREN, DONE] {
            sqlx::query(step).bind(ply).execute(&mut *connection).await?;
        }
        connection.execute("DELETE FROM changed").await?;
    }
    Ok(changed)
}

/// Room to hash the positions, and how many of them there are.
const ALL_AT_ONCE: &str = "SET LOCAL work_mem = '64MB'; ANALYZE positions; ANALYZE edges";

/// With keys, because a table without an index can only be scanned, and how a plan then begins is left to chance.
const TABLES: &str = "
    CREATE TEMP TABLE queue (ply integer, id bigint, PRIMARY KEY (ply, id)) ON COMMIT DROP;
    CREATE TEMP TABLE changed (id bigint PRIMARY KEY) ON COMMIT DROP";

const QUEUE_ALL: &str = "
    INSERT INTO queue (ply, id)
    SELECT min(p.ply) + 1, c.id
    FROM edges e
    JOIN positions p ON p.id = e.parent_id
    JOIN positions c ON c.id = e.child_id
    WHERE c.ply > p.ply + 1
       OR (c.ply = p.ply + 1
           AND c.halfmove <> CASE WHEN e.zeroing THEN 0 ELSE p.halfmove + 1 END)
    GROUP BY c.id";

const QUEUE_TOUCHED: &str = "
    INSERT INTO changed SELECT DISTINCT id FROM unsettled;
    INSERT INTO queue (ply, id)
    SELECT min(p.ply) + 1, c.id
    FROM (
        SELECT e.parent_id, e.child_id, e.zeroing FROM changed u JOIN edges e ON e.child_id = u.id
        UNION ALL
        SELECT e.parent_id, e.child_id, e.zeroing FROM changed u JOIN edges e ON e.parent_id = u.id
    ) e
    JOIN positions p ON p.id = e.parent_id
    JOIN positions c ON c.id = e.child_id
    WHERE c.ply > p.ply + 1
       OR (c.ply = p.ply + 1
           AND c.halfmove <> CASE WHEN e.zeroing THEN 0 ELSE p.halfmove + 1 END)
    GROUP BY c.id;
    DELETE FROM changed";

const LOWER: &str = "
    WITH lowered AS (
        UPDATE positions c SET ply = $1 FROM queue q
        WHERE q.ply = $1 AND c.id = q.id AND c.ply > $1
        RETURNING c.id)
    INSERT INTO changed SELECT id FROM lowered ON CONFLICT DO NOTHING";

/// Of several nearest parents the one with the smaller key decides (and of two moves from it the smaller UCI).
const RECOUNT: &str = "
    WITH recounted AS (
        UPDATE positions c SET halfmove = r.halfmove
        FROM (
            SELECT DISTINCT ON (q.id)
                   q.id, CASE WHEN e.zeroing THEN 0 ELSE p.halfmove + 1 END AS halfmove
            FROM queue q
            JOIN edges e ON e.child_id = q.id
            JOIN positions p ON p.id = e.parent_id
            WHERE q.ply = $1 AND p.ply = $1 - 1
            ORDER BY q.id, p.key, e.move_uci) r
        WHERE c.id = r.id AND c.ply = $1 AND c.halfmove <> r.halfmove
        RETURNING c.id)
    INSERT INTO changed SELECT id FROM recounted ON CONFLICT DO NOTHING";

const QUEUE_CHILDREN: &str = "
    INSERT INTO queue (ply, id)
    SELECT $1 + 1, c.id
    FROM changed
    JOIN edges e ON e.parent_id = changed.id
    JOIN positions c ON c.id = e.child_id
    WHERE c.ply > $1
    ON CONFLICT DO NOTHING";

const DONE: &str = "DELETE FROM queue WHERE ply = $1";
