//! The store in one SQLite file, or in memory.

mod connect;
mod fault;
mod journal;
mod knowledge;
mod read;
mod settle;
mod statement;
mod unchanging;
mod write;

pub(crate) use knowledge::GraphWriting;

use std::fmt;
use std::sync::Arc;

use pgn_import::{Batch, Checkpoint, ImportJob, Inserted, Journal};
use sqlx::{Executor, SqliteConnection, SqlitePool};

use crate::fault::Trouble;
use crate::merge::Rows;
use crate::upsert::upserts_batches;
use crate::{Identity, StoreError, StoreOptions};
use unchanging::Unchanging;

/// A store in SQLite. Clones share its connections.
#[derive(Clone)]
pub struct SqliteStore {
    pub(crate) pool: SqlitePool,
    name: Arc<str>,
    identity: Identity,
    unchanging: Option<Arc<Unchanging>>,
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore")
            .field("database", &self.name)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens a database, creating the file and its tables where there are none.
    pub async fn connect(url: &str) -> Result<SqliteStore, StoreError> {
        SqliteStore::connect_with(url, StoreOptions::default()).await
    }

    /// Opens a database with options.
    pub async fn connect_with(url: &str, options: StoreOptions) -> Result<SqliteStore, StoreError> {
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

    /// Closes all connections, so that the file is whole without its write-ahead log.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    pub(crate) fn explain(&self, trouble: impl Into<Trouble>) -> StoreError {
        trouble.into().into_error(&self.name, fault::read)
    }

    /// Refuses to go on with a file that was to stay as it is, and did not.
    pub(crate) fn check_unchanged(&self) -> Result<(), Trouble> {
        match &self.unchanging {
            Some(file) if file.has_changed() => Err(Trouble::Changed),
            _ => Ok(()),
        }
    }

    /// The connections, to read with.
    fn reading(&self) -> Result<&SqlitePool, StoreError> {
        self.check_unchanged().map_err(|trouble| self.explain(trouble))?;
        Ok(&self.pool)
    }

    /// Runs `work` in a transaction that holds the write lock from the start: one that first reads and then wants to
    /// write fails when another process wrote in between, instead of waiting.
    async fn write<T>(
        &self,
        work: impl AsyncFnOnce(&mut SqliteConnection) -> Result<T, Trouble>,
    ) -> Result<T, StoreError> {
        let explain = |e: sqlx::Error| self.explain(e);
        let mut tx = self.pool.begin_with("BEGIN IMMEDIATE").await.map_err(explain)?;
        let worked = match connect::claim_identity(&mut tx, self.identity).await {
            Ok(()) => work(&mut tx).await,
            Err(trouble) => Err(trouble),
        };
        match worked {
            Ok(value) => {
                tx.commit().await.map_err(explain)?;
                Ok(value)
            }
            Err(trouble) => {
                // A full disk ends SQLite's transaction by itself, and the driver, which does not notice, would be
                // left with a connection it cannot use again. This begins one to roll back, and fails if there is one.
                let _ = tx.execute("BEGIN").await;
                // What went wrong first is what to report; the connection is given up by the pool if this fails.
                let _ = tx.rollback().await;
                Err(self.explain(trouble))
            }
        }
    }

    pub(crate) async fn upsert(&self, batch: Batch) -> Result<(), StoreError> {
        let rows = self.prepare(batch)?;
        self.write(async |tx| write::rows(tx, rows, self.identity).await)
            .await?;
        Ok(())
    }

    fn prepare(&self, batch: Batch) -> Result<Rows, StoreError> {
        Rows::of(batch, self.identity).map_err(|trouble| self.explain(trouble))
    }
}

upserts_batches!(SqliteStore);

#[async_trait::async_trait]
impl Journal for SqliteStore {
    async fn checkpoint(&mut self, job: &ImportJob) -> anyhow::Result<Option<Checkpoint>> {
        Ok(journal::checkpoint(&self.pool, job)
            .await
            .map_err(|trouble| self.explain(trouble))?)
    }

    async fn commit(&mut self, job: &ImportJob, mut batch: Batch, checkpoint: &Checkpoint) -> anyhow::Result<Inserted> {
        let rejects = std::mem::take(&mut batch.rejects);
        let struck_off = batch.struck_off.take();
        let rows = self.prepare(batch)?;
        let inserted = self
            .write(async |tx| {
                let inserted = write::rows(tx, rows, self.identity).await?;
                let checkpoint = checkpoint.counting(inserted);
                journal::record(tx, job, rejects, struck_off.as_deref(), &checkpoint).await?;
                Ok(inserted)
            })
            .await?;
        Ok(inserted)
    }

    async fn settle(&mut self) -> anyhow::Result<()> {
        self.settle_if_needed().await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use pgn_import::Position;

    use super::*;

    fn position(n: u32) -> Position {
        let key = format!("{n}/8/8/8/8/8/8/8 w - -");
        Position {
            id: tabiya_chess::fnv1a(key.as_bytes()),
            fen: format!("{key} 0 1"),
            side_to_move: 'w',
            ply: 0,
        }
    }

    /// A pragma on the only connection makes the disk as small as we like.
    #[tokio::test]
    async fn a_full_disk_leaves_nothing_half_written() {
        let mut store = SqliteStore::connect("sqlite::memory:").await.unwrap();
        let job = ImportJob {
            source: "a".to_owned(),
            fingerprint: String::new(),
            config: String::new(),
        };
        let batch = |numbers: std::ops::Range<u32>| Batch {
            positions: numbers.map(position).collect(),
            ..Batch::default()
        };
        let first = Checkpoint {
            offset: 1,
            ..Checkpoint::default()
        };
        let inserted = store.commit(&job, batch(0..10), &first).await.unwrap();
        sqlx::query("PRAGMA max_page_count = 60")
            .execute(&store.pool)
            .await
            .unwrap();
        let second = Checkpoint {
            offset: 2,
            ..Checkpoint::default()
        };
        let error = store.commit(&job, batch(10..20_000), &second).await.unwrap_err();
        let error: &StoreError = error.downcast_ref().unwrap();
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error:?}");
        assert_eq!(store.counts().await.unwrap().positions, 10);
        assert_eq!(store.checkpoint(&job).await.unwrap(), Some(first.counting(inserted)));

        sqlx::query("PRAGMA max_page_count = 1000000")
            .execute(&store.pool)
            .await
            .unwrap();
        let inserted = store.commit(&job, batch(0..20_000), &second).await.unwrap();
        assert_eq!(inserted.positions, 19_990);
    }
}
