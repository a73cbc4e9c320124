//! Batches on their way: some are written while the next is made.

use tokio::task::JoinHandle;

use super::super::VERSION;
use super::super::bolt::BoltError;
use super::super::bolt::{Packer, Row, Statement};
use super::writer::Writer;
use super::{ProjectPhase, ProjectWatch};
use crate::StoreError;
use crate::rows::{bits, hash};

pub(super) struct Sent<'a> {
    writer: &'a Writer,
    watch: ProjectWatch<'a>,
    lanes: [Lane; LANES],
    next: usize,
}

/// Transactions at a time. A server works on each with one core.
pub(super) const LANES: usize = 2;

/// The batch that is on its way here.
type Lane = Option<JoinHandle<Result<(), StoreError>>>;

impl<'a> Sent<'a> {
    pub(super) fn new(writer: &'a Writer, watch: ProjectWatch<'a>) -> Sent<'a> {
        Sent {
            writer,
            watch,
            lanes: [const { None }; LANES],
            next: 0,
        }
    }

    /// Sends a batch beside the one before it: neither may wait for what the other holds.
    pub(super) async fn send(&mut self, statements: Vec<Statement>) -> Result<(), StoreError> {
        self.next = (self.next + 1) % LANES;
        self.send_on(self.next, statements).await
    }

    /// Sends a batch as soon as the one before it on the same lane has landed.
    pub(super) async fn send_on(&mut self, lane: usize, statements: Vec<Statement>) -> Result<(), StoreError> {
        self.landed_on(lane).await?;
        let writer = self.writer.clone();
        self.lanes[lane] = Some(tokio::spawn(async move { writer.write(statements).await }));
        Ok(())
    }

    /// Waits for all batches that are on their way.
    pub(super) async fn landed(&mut self) -> Result<(), StoreError> {
        for lane in 0..LANES {
            self.landed_on(lane).await?;
        }
        Ok(())
    }

    async fn landed_on(&mut self, lane: usize) -> Result<(), StoreError> {
        match self.lanes[lane].take() {
            None => Ok(()),
            Some(flying) => match flying.await {
                Ok(landed) => landed,
                Err(error) => Err(StoreError::Malformed {
                    database: self.writer.store.name().to_owned(),
                    what: format!("a batch was lost: {error}"),
                }),
            },
        }
    }

    /// What is in the graph already.
    pub(super) async fn known<T>(
        &self,
        statement: Statement,
        row: impl FnMut(&mut Row) -> Result<T, BoltError>,
    ) -> Result<Vec<T>, StoreError> {
        self.writer.store.rows(statement, row).await
    }

    pub(super) fn stopped(&self) -> bool {
        self.writer.stopped()
    }

    pub(super) fn tell(&self, phase: ProjectPhase, done: u64, total: u64) {
        (self.watch)(phase, done, total);
    }
}

impl Drop for Sent<'_> {
    /// Who gives up wants nothing more to be written.
    fn drop(&mut self) {
        for flying in self.lanes.iter_mut().filter_map(Option::take) {
            flying.abort();
        }
    }
}

/// What a thing was when it was written: another number where any of it is another.
pub(super) fn digest(content: &Packer) -> i64 {
    let version = VERSION.to_le_bytes();
    bits(hash(version.into_iter().chain(content.bytes().iter().copied())))
}

/// A row: its key, the digest of its content, its content of so many values.
pub(super) fn row(key: impl FnOnce(&mut Packer), digest: i64, content: &Packer, values: usize) -> Packer {
    let mut row = Packer::default();
    row.list(values + 2);
    key(&mut row);
    row.int(digest);
    row.packed(content);
    row
}
