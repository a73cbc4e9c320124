//! Where an import goes: the four upserts any store must offer, and the journal that makes them resumable.

use serde::{Deserialize, Serialize};

use crate::{Counters, Edge, Position, Reject, RepertoireEdge, Tactic};

/// A place that keeps what an import produces.
///
/// Every upsert is idempotent and commutes with every other: of two source hints the smaller text stays, tags
/// are the sorted union, and of two paths to a position the shorter one is kept.
#[async_trait::async_trait]
pub trait Storage {
    async fn upsert_positions(&mut self, batch: Vec<Position>) -> anyhow::Result<()>;
    async fn upsert_edges(&mut self, batch: Vec<Edge>) -> anyhow::Result<()>;
    async fn upsert_repertoire_edges(&mut self, batch: Vec<RepertoireEdge>) -> anyhow::Result<()>;
    async fn upsert_tactics(&mut self, batch: Vec<Tactic>) -> anyhow::Result<()>;
}

/// A store that can take a batch and the place it was read from in one transaction, so that an import killed at
/// any instant goes on from its last committed batch.
#[async_trait::async_trait]
pub trait Journal: Storage + Send {
    /// How far this job came, if it was begun before.
    async fn checkpoint(&mut self, job: &ImportJob) -> anyhow::Result<Option<Checkpoint>>;

    /// Writes the batch, its rejects and the checkpoint, all or nothing.
    ///
    /// A batch that says what is [struck off](Batch::struck_off) takes away those of the source's rejects, and no others, before its own
    /// are entered. Any other takes away all of them where a run begins anew, because the journal does not know the job, or knows it as
    /// done or as further along.
    ///
    /// What is kept of the checkpoint is [`Checkpoint::counting`] the rows that turned out to be new.
    async fn commit(&mut self, job: &ImportJob, batch: Batch, checkpoint: &Checkpoint) -> anyhow::Result<Inserted>;

    /// Brings every position's `ply` and counters to those of its shortest path, whatever order the edges came in.
    async fn settle(&mut self) -> anyhow::Result<()>;
}

/// One input under one configuration: what a journal entry is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ImportJob {
    /// The input as it was named: a path, or `-` for standard input.
    pub source: String,
    /// Changes when the input's content does.
    pub fingerprint: String,
    /// Changes when an option does that decides what is stored.
    pub config: String,
}

/// How far a job came. Everything before `offset` is in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Bytes of (decompressed) PGN that have been dealt with.
    pub offset: u64,
    /// Games that have been dealt with, rejected ones included.
    pub games: u64,
    pub counters: Counters,
    pub done: bool,
}

impl Checkpoint {
    /// The same place, with what a store found to be new of its batch. A checkpoint comes with every row counted as
    /// known already, because only the store can tell, and only in the transaction that writes it.
    #[must_use]
    pub fn counting(&self, new: Inserted) -> Checkpoint {
        let mut checkpoint = self.clone();
        let counters = &mut checkpoint.counters;
        counters.positions_inserted += new.positions;
        counters.positions_deduped = counters.positions_deduped.saturating_sub(new.positions);
        counters.edges_inserted += new.edges;
        counters.edges_deduped = counters.edges_deduped.saturating_sub(new.edges);
        checkpoint
    }
}

/// What is written in one transaction.
#[derive(Debug, Clone, Default)]
pub struct Batch {
    pub positions: Vec<Position>,
    pub edges: Vec<Edge>,
    pub repertoire_edges: Vec<RepertoireEdge>,
    pub tactics: Vec<Tactic>,
    pub rejects: Vec<Reject>,
    /// Where games of a ledger were read again, the numbers of those that are done with: they alone are struck off the rejects that are
    /// kept of the job's source, because the ledger may have named some of these only. One that was rejected once more is among
    /// `rejects` too. None in an import of the whole source.
    pub struck_off: Option<Vec<u64>>,
}

/// How many rows of a batch were new to the store.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Inserted {
    pub positions: u64,
    pub edges: u64,
    pub repertoire_edges: u64,
    pub tactics: u64,
}
