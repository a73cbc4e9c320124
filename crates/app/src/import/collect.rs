//! Sends an import to a store, to memory, or to both.

use pgn_import::{
    Batch, Checkpoint, Edge, ImportJob, InMemoryStore, Inserted, Journal, Position, RepertoireEdge, Storage, Tactic,
};
use tabiya_store::Store;

/// The store that is asked for, and a copy in memory of what this run alone brought, for the files it writes. The store
/// comes first, so that no file holds what it refused.
#[derive(Debug)]
pub(super) struct Collector {
    store: Option<Store>,
    memory: Option<InMemoryStore>,
}

impl Collector {
    pub(super) fn new(store: Option<Store>, in_memory: bool) -> Collector {
        Collector {
            store,
            memory: in_memory.then(InMemoryStore::default),
        }
    }

    /// What this run alone brought, if it was collected.
    pub(super) fn memory(&self) -> Option<&InMemoryStore> {
        self.memory.as_ref()
    }

    pub(super) fn store(&self) -> Option<&Store> {
        self.store.as_ref()
    }

    pub(super) fn into_store(self) -> Option<Store> {
        self.store
    }
}

#[async_trait::async_trait]
impl Storage for Collector {
    async fn upsert_positions(&mut self, batch: Vec<Position>) -> anyhow::Result<()> {
        if let Some(store) = &mut self.store {
            store.upsert_positions(batch.clone()).await?;
        }
        match &mut self.memory {
            Some(memory) => memory.upsert_positions(batch).await,
            None => Ok(()),
        }
    }

    async fn upsert_edges(&mut self, batch: Vec<Edge>) -> anyhow::Result<()> {
        if let Some(store) = &mut self.store {
            store.upsert_edges(batch.clone()).await?;
        }
        match &mut self.memory {
            Some(memory) => memory.upsert_edges(batch).await,
            None => Ok(()),
        }
    }

    async fn upsert_repertoire_edges(&mut self, batch: Vec<RepertoireEdge>) -> anyhow::Result<()> {
        if let Some(store) = &mut self.store {
            store.upsert_repertoire_edges(batch.clone()).await?;
        }
        match &mut self.memory {
            Some(memory) => memory.upsert_repertoire_edges(batch).await,
            None => Ok(()),
        }
    }

    async fn upsert_tactics(&mut self, batch: Vec<Tactic>) -> anyhow::Result<()> {
        if let Some(store) = &mut self.store {
            store.upsert_tactics(batch.clone()).await?;
        }
        match &mut self.memory {
            Some(memory) => memory.upsert_tactics(batch).await,
            None => Ok(()),
        }
    }
}

#[async_trait::async_trait]
impl Journal for Collector {
    async fn checkpoint(&mut self, job: &ImportJob) -> anyhow::Result<Option<Checkpoint>> {
        match &mut self.store {
            Some(store) => store.checkpoint(job).await,
            None => Ok(None),
        }
    }

    async fn commit(&mut self, job: &ImportJob, batch: Batch, at: &Checkpoint) -> anyhow::Result<Inserted> {
        match (&mut self.store, &mut self.memory) {
            (Some(store), Some(memory)) => {
                let inserted = store.commit(job, batch.clone(), at).await?;
                memory.commit(job, batch, at).await?;
                Ok(inserted)
            }
            (Some(store), None) => store.commit(job, batch, at).await,
            (None, Some(memory)) => memory.commit(job, batch, at).await,
            (None, None) => Ok(Inserted::default()),
        }
    }

    async fn settle(&mut self) -> anyhow::Result<()> {
        if let Some(store) = &mut self.store {
            store.settle().await?;
        }
        match &mut self.memory {
            Some(memory) => memory.settle().await,
            None => Ok(()),
        }
    }
}
