//! Where an importer writes: a journalled store, or any store at all.

use crate::{Batch, Checkpoint, ImportJob, Inserted, Journal, Storage};

/// What the importer needs of a store, journalled or not.
#[async_trait::async_trait]
pub trait Sink: sealed::Sealed + Send {
    async fn checkpoint(&mut self, job: &ImportJob) -> anyhow::Result<Option<Checkpoint>>;
    async fn write(&mut self, job: &ImportJob, batch: Batch, at: &Checkpoint) -> anyhow::Result<Inserted>;
    async fn settle(&mut self) -> anyhow::Result<()>;
}

/// A store that only knows the four upserts: nothing can be resumed, and every row that is sent counts as new.
#[derive(Debug)]
pub struct Plain<'a, S>(pub(crate) &'a mut S);

#[async_trait::async_trait]
impl<S: Storage + Send> Sink for Plain<'_, S> {
    async fn checkpoint(&mut self, _job: &ImportJob) -> anyhow::Result<Option<Checkpoint>> {
        Ok(None)
    }

    async fn write(&mut self, _job: &ImportJob, batch: Batch, _at: &Checkpoint) -> anyhow::Result<Inserted> {
        let inserted = Inserted {
            positions: batch.positions.len() as u64,
            edges: batch.edges.len() as u64,
            repertoire_edges: batch.repertoire_edges.len() as u64,
            tactics: batch.tactics.len() as u64,
        };
        // In this order no row ever points at one that is not there.
        self.0.upsert_positions(batch.positions).await?;
        self.0.upsert_edges(batch.edges).await?;
        self.0.upsert_repertoire_edges(batch.repertoire_edges).await?;
        self.0.upsert_tactics(batch.tactics).await?;
        Ok(inserted)
    }

    async fn settle(&mut self) -> anyhow::Result<()> {
        Ok(())
    }
}

/// A store that takes a batch and the place it came from in one transaction.
#[derive(Debug)]
pub struct Journalled<'a, S>(pub(crate) &'a mut S);

#[async_trait::async_trait]
impl<S: Journal> Sink for Journalled<'_, S> {
    async fn checkpoint(&mut self, job: &ImportJob) -> anyhow::Result<Option<Checkpoint>> {
        self.0.checkpoint(job).await
    }

    async fn write(&mut self, job: &ImportJob, batch: Batch, at: &Checkpoint) -> anyhow::Result<Inserted> {
        self.0.commit(job, batch, at).await
    }

    async fn settle(&mut self) -> anyhow::Result<()> {
        self.0.settle().await
    }
}

mod sealed {
    /// Only this crate's two ways of writing are meant.
    pub trait Sealed {}
    impl<S> Sealed for super::Plain<'_, S> {}
    impl<S> Sealed for super::Journalled<'_, S> {}
}
