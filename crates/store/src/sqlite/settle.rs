//! Brings every `ply` to the distance from the root and every halfmove clock to that of the chain of nearest parents.
//!
//! A queue of positions is worked off by rising ply, as Dijkstra does: when ply k is reached nothing before it can
//! change any more, so each position is written at most once. A position that changed puts its children at k + 1 on
//! the queue. The queue starts with the children that disagree with some parent: of all edges after a bulk load, of
//! the edges around what was written otherwise.

use std::time::Instant;

use sqlx::{Executor, SqliteConnection};

use super::SqliteStore;
use super::statement::fixed;
use super::write::json_list;
use crate::fault::Trouble;
use crate::{Identity, StoreError};

/// From here on a look at all edges is cheaper than keeping count of what was touched.
const REMEMBERED: usize = 50_000;

/// A database of fewer pages than this (64 MB) that takes more than is remembered is being filled. Its indexes by hash are
/// dropped and built anew, sorted, when it is settled: keeping them up row by row takes longer than all the rest.
const SMALL: i64 = 16_384;

/// Remembers that something changed around these positions.
pub(super) async fn mark(connection: &mut SqliteConnection, mut touched: Vec<i64>) -> Result<(), Trouble> {
    touched.sort_unstable();
    touched.dedup();
    if touched.is_empty() {
        return Ok(());
    }
    let remembered: i64 = fixed!(query_scalar, "SELECT count(*) AS remembered FROM unsettled")
        .fetch_one(&mut *connection)
        .await?;
    if touched.len() + usize::try_from(remembered).unwrap_or(usize::MAX / 2) <= REMEMBERED {
        fixed!(
            query,
            "INSERT OR IGNORE INTO unsettled SELECT value FROM json_each(?)",
            json_list(touched.iter())
        )
        .execute(connection)
        .await?;
        return Ok(());
    }
    connection
        .execute("DELETE FROM unsettled; INSERT INTO meta (name, value) VALUES ('unsettled', 'all')")
        .await?;
    let pages: i64 = sqlx::query_scalar("PRAGMA page_count")
        .fetch_one(&mut *connection)
        .await?;
    if pages < SMALL {
        connection
            .execute("DROP INDEX IF EXISTS edges_by_id; DROP INDEX IF EXISTS edges_by_child")
            .await?;
    }
    Ok(())
}

/// As the migration made them. An edge's id that belongs to two moves is found here at the latest.
pub(super) const INDEXES: &str = "
    CREATE UNIQUE INDEX IF NOT EXISTS edges_by_id ON edges (id);
    CREATE INDEX IF NOT EXISTS edges_by_child ON edges (child_id, zeroing)";

/// Whether more was written than is remembered, and the indexes by hash may be missing.
pub(super) async fn is_bulk(connection: &mut SqliteConnection) -> Result<bool, Trouble> {
    Ok(fixed!(
        query_scalar,
        "SELECT EXISTS (SELECT 1 FROM meta WHERE name = 'unsettled') AS bulk"
    )
    .fetch_one(connection)
    .await?)
}

/// Whether anything is unsettled.
pub(super) async fn is_needed(connection: &mut SqliteConnection) -> Result<bool, Trouble> {
    Ok(fixed!(
        query_scalar,
        "SELECT EXISTS (SELECT 1 FROM meta WHERE name = 'unsettled')
             OR EXISTS (SELECT 1 FROM unsettled) AS needed"
    )
    .fetch_one(connection)
    .await?)
}

impl SqliteStore {
    /// Settles what is unsettled; costs one look where nothing is.
    pub(crate) async fn settle_if_needed(&self) -> Result<(), StoreError> {
        let mut connection = self.pool.acquire().await.map_err(|e| self.explain(e))?;
        let needed = is_needed(&mut connection).await.map_err(|e| self.explain(e))?;
        drop(connection);
        if needed && self.identity == Identity::Position {
            self.write(async |tx| settle(tx).await).await?;
        }
        Ok(())
    }
}

pub(super) async fn settle(connection: &mut SqliteConnection) -> Result<(), Trouble> {
    let start = Instant::now();
    let all = is_bulk(connection).await?;
    if all {
        connection.execute(INDEXES).await?;
    }
    connection.execute(TABLES).await?;
    connection.execute(if all { QUEUE_ALL } else { QUEUE_TOUCHED }).await?;
    let changed = work_off(connection).await?;
    connection
        .execute("DELETE FROM unsettled; DELETE FROM meta WHERE name = 'unsettled'")
        .await?;
    tracing::debug!(all, changed, elapsed = ?start.elapsed(), "settled plies and counters");
    Ok(())
}

async fn work_off(connection: &mut SqliteConnection) -> Result<u64, Trouble> {
    let mut changed = 0;
    while let Some(ply) = sqlx::query_scalar::<_, Option<i64>>("SELECT min(ply) FROM temp.queue")
        .fetch_one(&mut *connection)
        .await?
    {
        for step in [LOWERED, LOWER, RECOUNTED, RECOUNT, QUEUE_CHILDREN, DONE] {
            let result = sqlx::query(step).bind(ply).execute(&mut *connection).await?;
            if step == LOWER || step == RECOUNT {
                changed += result.rows_affected();
            }
        }
        connection
            .execute("DELETE FROM temp.lowered; DELETE FROM temp.recounted")
            .await?;
    }
    Ok(changed)
}

const TABLES: &str = "
    CREATE TEMP TABLE IF NOT EXISTS queue (
        ply INTEGER NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (ply, id)) WITHOUT ROWID;
    CREATE TEMP TABLE IF NOT EXISTS lowered (id INTEGER PRIMARY KEY);
    CREATE TEMP TABLE IF NOT EXISTS recounted (id INTEGER PRIMARY KEY, halfmove INTEGER NOT NULL);
    DELETE FROM temp.queue; DELETE FROM temp.lowered; DELETE FROM temp.recounted";

const QUEUE_ALL: &str = "
    INSERT INTO temp.queue (ply, id)
    SELECT min(p.ply) + 1, c.id
    FROM edges e
    CROSS JOIN positions p ON p.id = e.parent_id
    CROSS JOIN positions c ON c.id = e.child_id
    WHERE c.ply > p.ply + 1
       OR (c.ply = p.ply + 1 AND c.halfmove <> iif(e.zeroing, 0, p.halfmove + 1))
    GROUP BY c.id";

const QUEUE_TOUCHED: &str = "
    INSERT INTO temp.queue (ply, id)
    SELECT min(p.ply) + 1, c.id
    FROM (
        SELECT e.parent_id, e.child_id, e.zeroing
        FROM unsettled u CROSS JOIN edges e ON e.child_id = u.id
        UNION ALL
        SELECT e.parent_id, e.child_id, e.zeroing
        FROM unsettled u CROSS JOIN edges e ON e.parent_id = u.id) e
    CROSS JOIN positions p ON p.id = e.parent_id
    CROSS JOIN positions c ON c.id = e.child_id
    WHERE c.ply > p.ply + 1
       OR (c.ply = p.ply + 1 AND c.halfmove <> iif(e.zeroing, 0, p.halfmove + 1))
    GROUP BY c.id";

const LOWERED: &str = "
    INSERT INTO temp.lowered (id)
    SELECT q.id FROM temp.queue q CROSS JOIN positions c ON c.id = q.id
    WHERE q.ply = ?1 AND c.ply > ?1";

const LOWER: &str = "UPDATE positions SET ply = ?1 WHERE id IN (SELECT id FROM temp.lowered)";

/// Of several nearest parents the one with the smaller key decides (and of two moves from it the smaller UCI).
const RECOUNTED: &str = "
    INSERT INTO temp.recounted (id, halfmove)
    SELECT id, halfmove FROM (
        SELECT c.id, c.halfmove AS stored, iif(e.zeroing, 0, p.halfmove + 1) AS halfmove,
               row_number() OVER (PARTITION BY c.id ORDER BY p.key, e.move_uci) AS choice
        FROM temp.queue q
        CROSS JOIN positions c ON c.id = q.id
        CROSS JOIN edges e ON e.child_id = c.id
        CROSS JOIN positions p ON p.id = e.parent_id
        WHERE q.ply = ?1 AND c.ply = ?1 AND p.ply = ?1 - 1)
    WHERE choice = 1 AND halfmove <> stored";

/// Written so that only the recounted are looked up; as a join SQLite walks all positions for every ply.
const RECOUNT: &str = "
    UPDATE positions
    SET halfmove = (SELECT r.halfmove FROM temp.recounted r WHERE r.id = positions.id)
    WHERE id IN (SELECT id FROM temp.recounted)";

const QUEUE_CHILDREN: &str = "
    INSERT OR IGNORE INTO temp.queue (ply, id)
    SELECT ?1 + 1, c.id
    FROM (SELECT id FROM temp.lowered UNION SELECT id FROM temp.recounted) changed
    CROSS JOIN edges e ON e.parent_id = changed.id
    CROSS JOIN positions c ON c.id = e.child_id
    WHERE c.ply > ?1";

const DONE: &str = "DELETE FROM temp.queue WHERE ply = ?1";
