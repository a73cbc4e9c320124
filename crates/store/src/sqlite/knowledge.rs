//! What the knowledge base needs of SQLite: transactions, and a graph written at once.

use pgn_import::Edge;
use sqlx::{Executor, Sqlite, SqliteConnection, Transaction};

use super::settle::{self, INDEXES};
use super::statement::fixed;
use super::{SqliteStore, connect, write};
use crate::Identity;
use crate::fault::Trouble;
use crate::merge::Rows;
use crate::rows::PositionRow;

/// Rows looked up at once.
const BATCH: usize = 50_000;

impl SqliteStore {
    /// A transaction that holds the write lock from the start.
    pub(crate) async fn begin_change(&self) -> Result<Transaction<'static, Sqlite>, Trouble> {
        let mut tx = self.pool.begin_with("BEGIN IMMEDIATE").await?;
        connect::claim_identity(&mut tx, self.identity).await?;
        Ok(tx)
    }

    /// A transaction that writes what engines said. That is about positions wherever they are from, so what tells them apart
    /// in the graph is left open.
    pub(crate) async fn begin_evaluations(&self) -> Result<Transaction<'static, Sqlite>, Trouble> {
        Ok(self.pool.begin_with("BEGIN IMMEDIATE").await?)
    }

    /// A transaction that sees one state of the database throughout.
    pub(crate) async fn begin_look(&self) -> Result<Transaction<'static, Sqlite>, Trouble> {
        self.check_unchanged()?;
        Ok(self.pool.begin().await?)
    }

    pub(crate) async fn undo(mut tx: Transaction<'static, Sqlite>) {
        // As in `write`: after a full disk there may be nothing to roll back, and what went wrong first is reported.
        let _ = tx.execute("BEGIN").await;
        let _ = tx.rollback().await;
    }
}

/// Adds positions and then edges, page by page, and leaves the graph settled. In an empty database there is nothing to look
/// up and nothing to settle: the rows come with the plies and clocks of their own graph.
pub(crate) struct GraphWriting {
    into_empty: bool,
}

impl GraphWriting {
    pub(crate) async fn begin(connection: &mut SqliteConnection) -> Result<GraphWriting, Trouble> {
        let into_empty: bool = fixed!(
            query_scalar,
            "SELECT NOT EXISTS (SELECT 1 FROM positions) AND NOT EXISTS (SELECT 1 FROM edges) AS empty"
        )
        .fetch_one(&mut *connection)
        .await?;
        if into_empty {
            connection
                .execute("DROP INDEX IF EXISTS edges_by_id; DROP INDEX IF EXISTS edges_by_child")
                .await?;
        }
        Ok(GraphWriting { into_empty })
    }

    /// Rows in the order of their ids.
    pub(crate) async fn positions(
        &self,
        connection: &mut SqliteConnection,
        rows: Vec<PositionRow>,
    ) -> Result<(), Trouble> {
        if self.into_empty {
            return write::insert_positions(connection, rows).await;
        }
        for positions in write::batches(rows, BATCH) {
            let rows = Rows {
                positions,
                ..Rows::default()
            };
            write::rows(connection, rows, Identity::Position).await?;
        }
        Ok(())
    }

    /// Rows in the order of their keys.
    pub(crate) async fn edges(&self, connection: &mut SqliteConnection, rows: Vec<Edge>) -> Result<(), Trouble> {
        if self.into_empty {
            return write::insert_edges(connection, &rows).await;
        }
        for edges in write::batches(rows, BATCH) {
            let rows = Rows {
                edges,
                ..Rows::default()
            };
            write::rows(connection, rows, Identity::Position).await?;
        }
        Ok(())
    }

    pub(crate) async fn finish(self, connection: &mut SqliteConnection) -> Result<(), Trouble> {
        if self.into_empty {
            connection.execute(INDEXES).await?;
        } else if settle::is_needed(connection).await? {
            settle::settle(connection).await?;
        }
        Ok(())
    }
}
