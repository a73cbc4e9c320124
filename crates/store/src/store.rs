//! One of the backends, chosen by the URL.

use pgn_import::{Batch, Checkpoint, Edge, ImportJob, Inserted, Journal, Position, Reject, RepertoireEdge, Tactic};

use crate::read::{Counts, RepertoireMove, RepertoireSummary, TacticFilter, TacticThemes};
use crate::upsert::upserts_batches;
use crate::url::Scheme;
use crate::{Identity, Neo4jStore, PostgresStore, SqliteStore, StoreError, StoreOptions};

/// A store in SQLite or PostgreSQL, or the copy of one in Neo4j, which answers what is asked about openings and takes
/// nothing. Clones share its connections.
#[derive(Debug, Clone)]
pub enum Store {
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
    Neo4j(Neo4jStore),
}

/// What both databases can do, and the copy cannot.
macro_rules! either {
    ($store:expr, $inner:ident => $call:expr) => {
        match $store {
            Store::Sqlite($inner) => $call,
            Store::Postgres($inner) => $call,
            Store::Neo4j(copy) => Err(copy.refuse().into()),
        }
    };
}

/// What all three can do.
macro_rules! any {
    ($store:expr, $inner:ident => $call:expr) => {
        match $store {
            Store::Sqlite($inner) => $call,
            Store::Postgres($inner) => $call,
            Store::Neo4j($inner) => $call,
        }
    };
}

impl Store {
    /// Opens the database a URL names: `sqlite://path`, `sqlite:path`, `sqlite::memory:`, a file name ending in
    /// `.db`, `postgres://…` or `postgresql://…`; or `neo4j://…`, where [`project`](crate::project) has written before.
    pub async fn connect(url: &str) -> Result<Store, StoreError> {
        Store::connect_with(url, StoreOptions::default()).await
    }

    /// Opens a database with options.
    pub async fn connect_with(url: &str, options: StoreOptions) -> Result<Store, StoreError> {
        match Scheme::of(url)? {
            Scheme::Sqlite => SqliteStore::connect_with(url, options).await.map(Store::Sqlite),
            Scheme::Postgres => PostgresStore::connect_with(url, options).await.map(Store::Postgres),
            Scheme::Neo4j => Neo4jStore::connect_with(url, options).await.map(Store::Neo4j),
        }
    }

    /// The database's name, without a password.
    pub fn name(&self) -> &str {
        any!(self, store => store.name())
    }

    /// What tells positions apart here.
    pub fn identity(&self) -> Identity {
        match self {
            Store::Sqlite(store) => store.identity(),
            Store::Postgres(store) => store.identity(),
            Store::Neo4j(_) => Identity::Position,
        }
    }

    /// Closes all connections.
    pub async fn close(&self) {
        any!(self, store => store.close().await)
    }

    /// All positions, by id; settles the graph first.
    pub async fn dump_positions(&self) -> Result<Vec<Position>, StoreError> {
        either!(self, store => store.dump_positions().await)
    }

    /// All edges, by id.
    pub async fn dump_edges(&self) -> Result<Vec<Edge>, StoreError> {
        either!(self, store => store.dump_edges().await)
    }

    /// All tactics, by id.
    pub async fn dump_tactics(&self) -> Result<Vec<Tactic>, StoreError> {
        either!(self, store => store.dump_tactics().await)
    }

    /// All memberships, by repertoire, owner and edge.
    pub async fn dump_repertoire_edges(&self) -> Result<Vec<RepertoireEdge>, StoreError> {
        either!(self, store => store.dump_repertoire_edges().await)
    }

    /// Up to `limit` positions with ids above `after`, by id; the first page settles the graph.
    pub async fn positions_after(&self, after: Option<u64>, limit: usize) -> Result<Vec<Position>, StoreError> {
        either!(self, store => store.positions_after(after, limit).await)
    }

    /// Up to `limit` edges with ids above `after`, by id.
    pub async fn edges_after(&self, after: Option<u64>, limit: usize) -> Result<Vec<Edge>, StoreError> {
        either!(self, store => store.edges_after(after, limit).await)
    }

    /// Up to `limit` tactics with ids above `after`, by id.
    pub async fn tactics_after(&self, after: Option<u64>, limit: usize) -> Result<Vec<Tactic>, StoreError> {
        either!(self, store => store.tactics_after(after, limit).await)
    }

    /// Up to `limit` of the tactics that are wanted, with ids above `after`, by id.
    pub async fn tactics_wanted(
        &self,
        filter: TacticFilter<'_>,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Tactic>, StoreError> {
        any!(self, store => store.tactics_wanted(filter, after, limit).await)
    }

    /// What tactics can be asked for.
    pub async fn tactic_themes(&self) -> Result<TacticThemes, StoreError> {
        any!(self, store => store.tactic_themes().await)
    }

    /// Whose repertoires there are and how many edges each has, by owner and name.
    pub async fn repertoires(&self) -> Result<Vec<RepertoireSummary>, StoreError> {
        either!(self, store => store.repertoires().await)
    }

    /// The moves of a repertoire, one owner's or everybody's, by ply, parent and UCI.
    pub async fn repertoire_graph(
        &self,
        owner: Option<&str>,
        repertoire_key: &str,
    ) -> Result<Vec<RepertoireMove>, StoreError> {
        either!(self, store => store.repertoire_graph(owner, repertoire_key).await)
    }

    /// How much is stored.
    pub async fn counts(&self) -> Result<Counts, StoreError> {
        either!(self, store => store.counts().await)
    }

    /// The games that could not be taken whole, of one source or of all, by source and place.
    pub async fn rejects(&self, source: Option<&str>) -> Result<Vec<Reject>, StoreError> {
        either!(self, store => store.rejects(source).await)
    }

    async fn upsert(&self, batch: Batch) -> Result<(), StoreError> {
        either!(self, store => store.upsert(batch).await)
    }
}

upserts_batches!(Store);

#[async_trait::async_trait]
impl Journal for Store {
    async fn checkpoint(&mut self, job: &ImportJob) -> anyhow::Result<Option<Checkpoint>> {
        either!(self, store => store.checkpoint(job).await)
    }

    async fn commit(&mut self, job: &ImportJob, batch: Batch, checkpoint: &Checkpoint) -> anyhow::Result<Inserted> {
        either!(self, store => store.commit(job, batch, checkpoint).await)
    }

    async fn settle(&mut self) -> anyhow::Result<()> {
        either!(self, store => store.settle().await)
    }
}
