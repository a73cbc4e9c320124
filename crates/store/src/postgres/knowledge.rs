//! What the knowledge base needs of PostgreSQL: transactions, and a graph written at once.

use std::time::Instant;

use pgn_import::Edge;
use sqlx::pool::PoolConnection;
use sqlx::{Executor, PgConnection, Postgres, Transaction};

use super::{LOCK, ONE_BY_ONE, PostgresStore, connect, settle, write};
use crate::fault::Trouble;
use crate::rows::PositionRow;

/// Those who change the knowledge base do so one after the other ("tabiyak"); readers and importers are not held up.
const KNOWLEDGE_LOCK: i64 = 0x0074_6162_6979_616b;

/// So do those who write what engines said ("tabiyae"), and a build does not hold them up.
const EVALUATION_LOCK: i64 = 0x0074_6162_6979_6165;

/// Rows in one statement.
const BATCH: usize = 20_000;

/// For statements over whole tables: the planner's own judgement, and room to hash and sort.
const ALL_AT_ONCE: &str = "
    SET LOCAL jit = off; SET LOCAL enable_seqscan = on; SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on;
    SET LOCAL join_collapse_limit = 8; SET LOCAL from_collapse_limit = 8; SET LOCAL work_mem = '64MB'";

impl PostgresStore {
    /// A transaction that alone changes the knowledge base. One that adds to the graph keeps importers waiting too: so the
    /// graph can be settled in it, and no row is fought for.
    pub(crate) async fn begin_change(&self, graph: bool) -> Result<Transaction<'static, Postgres>, Trouble> {
        let locks: &[i64] = if graph {
            &[KNOWLEDGE_LOCK, LOCK]
        } else {
            &[KNOWLEDGE_LOCK]
        };
        let mut tx = self.begin_locked(ALL_AT_ONCE, locks).await?;
        connect::claim_identity(&mut tx, self.identity).await?;
        Ok(tx)
    }

    /// A transaction that alone writes what engines said. That is about positions wherever they are from, so what tells them
    /// apart in the graph is left open.
    pub(crate) async fn begin_evaluations(&self) -> Result<Transaction<'static, Postgres>, Trouble> {
        self.begin_locked("SET LOCAL jit = off", &[EVALUATION_LOCK]).await
    }

    /// Everything that can be said before others have to wait is said before.
    async fn begin_locked(
        &self,
        settings: &'static str,
        locks: &[i64],
    ) -> Result<Transaction<'static, Postgres>, Trouble> {
        let mut tx = self.begin_patiently("BEGIN").await?;
        tx.execute(settings).await?;
        for lock in locks {
            sqlx::query("SELECT pg_advisory_xact_lock($1)")
                .bind(lock)
                .execute(&mut *tx)
                .await?;
        }
        Ok(tx)
    }

    /// A transaction as soon as a connection is free.
    pub(super) async fn begin_patiently(&self, begin: &'static str) -> Result<Transaction<'static, Postgres>, Trouble> {
        let deadline = Instant::now() + self.patience;
        loop {
            match self.pool.begin_with(begin).await {
                Err(error) if self.is_crowded(&error) && Instant::now() < deadline => {}
                begun => return Ok(begun?),
            }
        }
    }

    /// A connection as soon as one is free.
    pub(super) async fn acquire_patiently(&self) -> Result<PoolConnection<Postgres>, Trouble> {
        let deadline = Instant::now() + self.patience;
        loop {
            match self.pool.acquire().await {
                Err(error) if self.is_crowded(&error) && Instant::now() < deadline => {}
                acquired => return Ok(acquired?),
            }
        }
    }

    /// Whether there was no connection because others keep all of them. When they wait for somebody's long build the server
    /// is not lost, and the time after which it would count as such says nothing.
    fn is_crowded(&self, error: &sqlx::Error) -> bool {
        matches!(error, sqlx::Error::PoolTimedOut)
            && self.pool.num_idle() == 0
            && self.pool.size() >= self.pool.options().get_max_connections()
    }

    /// A transaction that sees one state of the database throughout.
    pub(crate) async fn begin_look(&self) -> Result<Transaction<'static, Postgres>, Trouble> {
        let mut tx = self
            .begin_patiently("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            .await?;
        tx.execute("SET LOCAL jit = off").await?;
        Ok(tx)
    }
}

/// Adds positions and then edges, page by page, and leaves the graph settled. In an empty database there is nothing to
/// settle: the rows come with the plies and clocks of their own graph.
pub(crate) struct GraphWriting {
    into_empty: bool,
    touched: Vec<i64>,
}

impl GraphWriting {
    pub(crate) async fn begin(connection: &mut PgConnection) -> Result<GraphWriting, Trouble> {
        let into_empty: bool =
            sqlx::query_scalar("SELECT NOT EXISTS (SELECT 1 FROM positions) AND NOT EXISTS (SELECT 1 FROM edges)")
                .fetch_one(&mut *connection)
                .await?;
        connection.execute(ONE_BY_ONE).await?;
        Ok(GraphWriting {
            into_empty,
            touched: Vec::new(),
        })
    }

    /// Rows in the order of their ids.
    pub(crate) async fn positions(
        &mut self,
        connection: &mut PgConnection,
        rows: Vec<PositionRow>,
    ) -> Result<(), Trouble> {
        for batch in rows.chunks(BATCH) {
            write::positions(connection, batch, &mut self.touched).await?;
        }
        Ok(())
    }

    /// Rows in the order of their keys.
    pub(crate) async fn edges(&mut self, connection: &mut PgConnection, rows: Vec<Edge>) -> Result<(), Trouble> {
        for batch in rows.chunks(BATCH) {
            write::edges(connection, batch, &mut self.touched).await?;
        }
        Ok(())
    }

    pub(crate) async fn finish(self, connection: &mut PgConnection) -> Result<(), Trouble> {
        if !self.into_empty {
            settle::mark(connection, self.touched).await?;
            settle::settle(connection).await?;
        }
        connection.execute(ALL_AT_ONCE).await?;
        Ok(())
    }
}
