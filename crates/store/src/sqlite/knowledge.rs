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
        Ok(self.pool.begin().await?)
    }

    pub(crate) async fn undo(mut tx: Transaction<'static, Sqlite>) {
        // As in `write`: after a full disk there may be nothing to roll back, and what went wrong first is reported.
        let _ = tx.execute("BEGIN").await;
        let _ = tx.rollback().await;
    }
}

/// Adds positions and edges, sorted by key, and leaves the graph settled. In an empty database there is nothing to look
/// up and nothing to settle: the rows come with the plies and clocks of their own graph.
pub(crate) async fn write_graph(
    connection: &mut SqliteConnection,
    positions: Vec<PositionRow>,
    edges: Vec<Edge>,
) -> Result<(), Trouble> {
    let empty: bool = fixed!(
        query_scalar,
        "SELECT NOT EXISTS (SELECT 1 FROM positions) AND NOT EXISTS (SELECT 1 FROM edges) AS empty"
    )
    .fetch_one(&mut *connection)
    .await?;
    if empty {
        connection
            .execute("DROP INDEX IF EXISTS edges_by_id; DROP INDEX IF EXISTS edges_by_child")
            .await?;
        write::insert_positions(connection, positions).await?;
        write::insert_edges(connection, &edges).await?;
        connection.execute(INDEXES).await?;
        return Ok(());
    }
    for positions in write::batches(positions, BATCH) {
        let rows = Rows {
            positions,
            ..Rows::default()
        };
        write::rows(connection, rows, Identity::Position).await?;
    }
    for edges in write::batches(edges, BATCH) {
        let rows = Rows {
            edges,
            ..Rows::default()
        };
        write::rows(connection, rows, Identity::Position).await?;
    }
    if settle::is_needed(connection).await? {
        settle::settle(connection).await?;
    }
    Ok(())
}
