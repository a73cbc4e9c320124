//! The knowledge base as a graph in Neo4j: a projection of one in SQLite or PostgreSQL, which is written whole by
//! [`project`] and otherwise only read.
//!
//! | label | is | key |
//! |---|---|---|
//! | `Position` | a node of the knowledge base, with the games of all collections and its evaluation | `id` |
//! | `Opening`, `Structure`, `Collection` | as the tables of these names | `id`, `slug`, `id` |
//! | `Game` | a game that some position lists | `collection`, `id` |
//! | `Analysis` | an engine's answer about a position, of the graph or not | `position`, `engine`, `search_limit`, `multipv` |
//! | `Tactic` | an exercise | `id` |
//! | `Tabiya` | the projection itself: which run wrote last, and whether it came to an end | `name` |
//! | `TabiyaLane` | who holds it writes, one batch at a time | `lane` |
//!
//! | relationship | from, to |
//! |---|---|
//! | `MOVE` | a position and the one behind the move |
//! | `BELONGS_TO` | a position and its opening, by its own name or its nearest named ancestor's |
//! | `HAS_STRUCTURE` | a position where a tree ends and its pawn structure |
//! | `NAMES`, `ENDS_IN` | an opening and the positions it is named after, those where its trees end |
//! | `RELATED_TO`, `TRANSPOSES_TO` | two openings |
//! | `ARISES_FROM` | a structure and the openings that lead to it |
//!
//! What tells collections apart lies in `collections` (their ids, unless they are those that `Tabiya` names), and, only where more
//! than one of them has games, in `counts` (seven numbers for each). Otherwise the sums are those of the one that has games.
//!
//! Invariants:
//!
//! - Each batch is one transaction, and the same batch again changes nothing.
//! - Every node carries a digest of what was written of it, and the first of the moves that lead on from it one of them all; so a later
//!   run, after a change or after a crash, writes what differs and nothing else.
//! - Nothing goes before whatever points to it was written anew.
//! - All Cypher stands in the program's text.

mod bolt;
mod columns;
mod connect;
mod fault;
mod pool;
mod project;
mod read;

use std::fmt;
use std::sync::Arc;

pub(crate) use bolt::{Address, Credentials};
pub use project::{ProjectOptions, ProjectPhase, ProjectReport, ProjectWatch, Written, project};

use crate::{StoreError, StoreOptions};
use bolt::{Access, BoltError, Row, Statement};
use pool::Pool;

/// The form of what is written. It is part of every digest, so that another form is written over this one.
const VERSION: i64 = 5;

/// A knowledge base that was projected into Neo4j. Clones share its connections.
#[derive(Clone)]
pub struct Neo4jStore {
    pool: Arc<Pool>,
    name: Arc<str>,
}

impl fmt::Debug for Neo4jStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Neo4jStore")
            .field("database", &self.name)
            .finish_non_exhaustive()
    }
}

impl Neo4jStore {
    /// Opens a projection that is there.
    pub async fn connect_with(url: &str, options: StoreOptions) -> Result<Neo4jStore, StoreError> {
        connect::connect(url, &options).await
    }

    /// The database's name, without a password.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// Why something that is asked cannot be done here.
    pub(crate) fn refuse(&self) -> StoreError {
        StoreError::Projection {
            database: self.name.to_string(),
        }
    }

    fn explain(&self, error: BoltError) -> StoreError {
        fault::explain(&self.name, error)
    }

    /// Runs statements that read, in one transaction.
    async fn ask(
        &self,
        statements: &[Statement],
        each: impl FnMut(usize, Row) -> Result<(), BoltError>,
    ) -> Result<(), StoreError> {
        let asked = self.pool.run(Access::Read, statements, each).await;
        asked.map_err(|error| self.explain(error))
    }

    /// The rows of one statement that reads.
    async fn rows<T>(
        &self,
        statement: Statement,
        row: impl FnMut(&mut Row) -> Result<T, BoltError>,
    ) -> Result<Vec<T>, StoreError> {
        self.rows_of(&[statement], row).await
    }

    /// The same of some, for whoever may have to ask again.
    async fn rows_of<T>(
        &self,
        statements: &[Statement],
        mut row: impl FnMut(&mut Row) -> Result<T, BoltError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut rows = Vec::new();
        self.ask(statements, |_, mut found| {
            rows.push(row(&mut found)?);
            Ok(())
        })
        .await?;
        Ok(rows)
    }
}
