//! The store in PostgreSQL: many importers, workers and servers on one database.

mod collision;
mod connect;
mod fault;
mod journal;
mod knowledge;
mod read;
mod settle;
mod write;

pub(crate) use knowledge::GraphWriting;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use pgn_import::{Batch, Checkpoint, ImportJob, Inserted, Journal, Reject};
use sqlx::{Executor, PgPool, Postgres, Transaction};

use crate::fault::Trouble;
use crate::merge::Rows;
use crate::upsert::upserts_batches;
use crate::{Identity, StoreError, StoreOptions};

/// Writers share this advisory lock, settling holds it alone ("tabiya").
const LOCK: i64 = 0x7461_6269_7961;

/// For statements about single rows. The planner knows nothing of tables that grew a moment ago, and a plan it once made
/// for small ones it keeps: told so, it joins in the order written and finds every row through an index. (Plans look so
/// dear that way that the server would compile each of them, were it allowed to.)
const ONE_BY_ONE: &str = "
    SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off;
    SET LOCAL join_collapse_limit = 1; SET LOCAL from_collapse_limit = 1; SET LOCAL jit = off";

/// How often a transaction that lost to another one is tried.
const ATTEMPTS: u32 = 6;

/// A store in PostgreSQL. Clones share its connections.
#[derive(Clone)]
pub struct PostgresStore {
    pub(crate) pool: PgPool,
    name: Arc<str>,
    identity: Identity,
    /// How long to wait while others keep all connections busy.
    patience: Duration,
}

impl fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresStore")
            .field("database", &self.name)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl PostgresStore {
    /// Connects to a database, creating its tables where there are none.
    pub async fn connect(url: &str) -> Result<PostgresStore, StoreError> {
        PostgresStore::connect_with(url, StoreOptions::default()).await
    }

    /// Connects to a database with options.
    pub async fn connect_with(url: &str, options: StoreOptions) -> Result<PostgresStore, StoreError> {
        connect::connect(url, &options).await
    }

    /// The database's name, without a password.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What tells positions apart here.
    pub fn identity(&self) -> Identity {
        self.identity
    }

    /// Closes all connections.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    pub(crate) fn explain(&self, trouble: impl Into<Trouble>) -> StoreError {
        trouble.into().into_error(&self.name, fault::read)
    }

    async fn begin_write(&self) -> Result<Transaction<'static, Postgres>, Trouble> {
        let mut tx = self.begin_patiently("BEGIN").await?;
        tx.execute(ONE_BY_ONE).await?;
        sqlx::query("SELECT pg_advisory_xact_lock_shared($1)")
            .bind(LOCK)
            .execute(&mut *tx)
            .await?;
        connect::claim_identity(&mut tx, self.identity).await?;
        Ok(tx)
    }

    async fn write_once(&self, rows: &Rows, journal: Option<&Entry<'_>>) -> Result<Inserted, Trouble> {
        let mut tx = self.begin_write().await?;
        let inserted = write::rows(&mut tx, rows, self.identity).await?;
        if let Some(entry) = journal {
            let checkpoint = entry.checkpoint.counting(inserted);
            journal::record(&mut tx, entry.job, entry.rejects, entry.struck_off, &checkpoint).await?;
        }
        tx.commit().await?;
        Ok(inserted)
    }

    async fn write(&self, rows: &Rows, journal: Option<&Entry<'_>>) -> Result<Inserted, StoreError> {
        let mut attempt = 1;
        let trouble = loop {
            match self.write_once(rows, journal).await {
                Ok(inserted) => return Ok(inserted),
                Err(Trouble::Sql(e)) if attempt < ATTEMPTS && fault::is_worth_retrying(&e) => {
                    tracing::debug!(error = %e, attempt, "a write lost to another one, trying again");
                    tokio::time::sleep(Duration::from_millis(5 << attempt)).await;
                    attempt += 1;
                }
                Err(trouble) => break trouble,
            }
        };
        Err(self.explain(collision::name(&self.pool, rows, trouble).await))
    }

    fn prepare(&self, batch: Batch) -> Result<Rows, StoreError> {
        Rows::of(batch, self.identity).map_err(|trouble| self.explain(trouble))
    }

    pub(crate) async fn upsert(&self, batch: Batch) -> Result<(), StoreError> {
        let rows = self.prepare(batch)?;
        self.write(&rows, None).await?;
        Ok(())
    }
}

/// What a commit writes beside its rows.
struct Entry<'a> {
    job: &'a ImportJob,
    rejects: &'a [Reject],
    struck_off: Option<&'a [u64]>,
    checkpoint: &'a Checkpoint,
}

upserts_batches!(PostgresStore);

#[async_trait::async_trait]
impl Journal for PostgresStore {
    async fn checkpoint(&mut self, job: &ImportJob) -> anyhow::Result<Option<Checkpoint>> {
        Ok(journal::checkpoint(&self.pool, job)
            .await
            .map_err(|trouble| self.explain(trouble))?)
    }

    async fn commit(&mut self, job: &ImportJob, mut batch: Batch, checkpoint: &Checkpoint) -> anyhow::Result<Inserted> {
        let rejects = std::mem::take(&mut batch.rejects);
        let struck_off = batch.struck_off.take();
        let rows = self.prepare(batch)?;
        let entry = Entry {
            job,
            rejects: &rejects,
            struck_off: struck_off.as_deref(),
            checkpoint,
        };
        Ok(self.write(&rows, Some(&entry)).await?)
    }

    async fn settle(&mut self) -> anyhow::Result<()> {
        self.settle_if_needed().await?;
        Ok(())
    }
}
