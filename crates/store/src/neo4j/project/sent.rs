//! Batches on their way: some are written while the next is made.

use std::collections::VecDeque;
use std::sync::Arc;

use tabiya_chess::Fnv1a;
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::super::VERSION;
use super::super::bolt::{BoltError, Packer, Row, Statement};
use super::writer::Writer;
use super::{ProjectPhase, ProjectWatch, schema};
use crate::StoreError;
use crate::rows::bits;

/// Batches go in lanes. One lane writes one batch after the other; what lanes write beside each other must not touch the
/// same nodes, or one would wait until the other has written all of its batch.
pub(super) struct Sent<'a> {
    writer: &'a Writer,
    watch: ProjectWatch<'a>,
    lanes: [Lane; LANES],
    next: usize,
    given: Vec<(i64, i64)>,
}

/// Transactions at a time. A server works on each with one core.
pub(super) const LANES: usize = 2;

/// Batches on a lane: one that is written, and some that wait, so that a lane has something to do while another is filled.
const QUEUE: usize = 3;

/// The pairs of numbers that a batch returned.
type Landed = Result<Vec<(i64, i64)>, StoreError>;

#[derive(Default)]
struct Lane {
    turn: Arc<Mutex<()>>,
    flying: VecDeque<JoinHandle<Landed>>,
}

impl<'a> Sent<'a> {
    pub(super) fn new(writer: &'a Writer, watch: ProjectWatch<'a>) -> Sent<'a> {
        Sent {
            writer,
            watch,
            lanes: Default::default(),
            next: 0,
            given: Vec::new(),
        }
    }

    /// Sends a batch that touches nothing another one touches.
    pub(super) async fn send(&mut self, statements: Vec<Statement>) -> Result<(), StoreError> {
        self.next = (self.next + 1) % LANES;
        self.send_on(self.next, statements).await
    }

    /// Sends a batch that is written when those before it on the same lane are.
    pub(super) async fn send_on(&mut self, lane: usize, statements: Vec<Statement>) -> Result<(), StoreError> {
        while self.lanes[lane].flying.len() >= QUEUE {
            self.land_one(lane).await?;
        }
        let writer = self.writer.clone();
        let turn = Arc::clone(&self.lanes[lane].turn);
        let flying = tokio::spawn(async move {
            let _turn = turn.lock().await;
            writer.write(lane, statements).await
        });
        self.lanes[lane].flying.push_back(flying);
        Ok(())
    }

    /// Waits for all batches that are on their way.
    pub(super) async fn landed(&mut self) -> Result<(), StoreError> {
        for lane in 0..LANES {
            while !self.lanes[lane].flying.is_empty() {
                self.land_one(lane).await?;
            }
        }
        Ok(())
    }

    async fn land_one(&mut self, lane: usize) -> Result<(), StoreError> {
        let Some(flying) = self.lanes[lane].flying.pop_front() else {
            return Ok(());
        };
        match flying.await {
            Ok(landed) => self.given.extend(landed?),
            Err(error) => {
                return Err(StoreError::Malformed {
                    database: self.writer.store.name().to_owned(),
                    what: format!("a batch was lost: {error}"),
                });
            }
        }
        Ok(())
    }

    /// The pairs of numbers that batches have returned since the last time.
    pub(super) fn take_given(&mut self) -> Vec<(i64, i64)> {
        std::mem::take(&mut self.given)
    }

    /// What is in the graph already.
    pub(super) async fn known<T>(
        &self,
        statement: Statement,
        mut row: impl FnMut(&mut Row) -> Result<T, BoltError>,
    ) -> Result<Vec<T>, StoreError> {
        let statements = [statement];
        self.writer
            .patiently(async || self.writer.store.rows_of(&statements, &mut row).await)
            .await
    }

    /// Sees to it that positions are found by their ids and are there once.
    pub(super) async fn hold_positions(&self) -> Result<(), StoreError> {
        self.writer
            .patiently(async || schema::hold_positions(&self.writer.store).await)
            .await
    }

    /// Does without that.
    pub(super) async fn free_positions(&self) -> Result<(), StoreError> {
        self.writer
            .patiently(async || schema::free_positions(&self.writer.store).await)
            .await
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
        for flying in self.lanes.iter().flat_map(|lane| &lane.flying) {
            flying.abort();
        }
    }
}

/// What a thing was when it was written: another number where any of it is another.
pub(super) fn digest(content: &Packer) -> i64 {
    let mut hash = Fnv1a::new();
    hash.update(&VERSION.to_le_bytes());
    hash.update(content.bytes());
    bits(hash.value())
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
