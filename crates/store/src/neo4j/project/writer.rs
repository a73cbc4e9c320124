//! One run: its batches, each of them whole or not at all, and none of them once another run has begun.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use uuid::Uuid;

use super::super::bolt::{Access, Statement};
use super::super::{Neo4jStore, VERSION};
use super::sent::LANES;
use super::{ProjectOptions, ProjectReport, schema};
use crate::StoreError;

/// The first pause before something is tried again, and the longest.
const PAUSE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(3));

#[derive(Debug, Clone)]
pub(super) struct Writer {
    pub(super) store: Neo4jStore,
    run: Arc<str>,
    patience: Duration,
    pub(super) stop: Arc<AtomicBool>,
    /// Whether the run before this one left something undone, or there was none of this form.
    had_more_to_do: bool,
}

impl Writer {
    /// Takes the place of whoever wrote before. A batch of theirs that is still being written holds its lane: once this has
    /// all lanes, nothing of theirs is to come.
    pub(super) async fn begin(store: Neo4jStore, options: &ProjectOptions) -> Result<Writer, StoreError> {
        let before = store.state().await?;
        let run = Uuid::new_v4().to_string();
        let claim = Statement::new(
            "MERGE (t:Tabiya {name: 'projection'})
             SET t.run = $run, t.version = $version, t.writing = true, t.generation = coalesce(t.generation, 0)",
        )
        .text("run", &run)
        .int("version", VERSION);
        let lanes =
            Statement::new("UNWIND range(1, $lanes) AS lane MERGE (l:TabiyaLane {lane: lane}) SET l.run = $run")
                .text("run", &run)
                .int("lanes", LANES as i64);
        let claimed = store.pool.run(Access::Write, &[claim, lanes], |_, _| Ok(())).await;
        claimed.map_err(|error| store.explain(error))?;
        Ok(Writer {
            run: run.into(),
            patience: options.patience,
            stop: Arc::clone(&options.stop),
            had_more_to_do: before
                .is_none_or(|state| state.writing || state.generation == 0 || state.version != VERSION),
            store,
        })
    }

    pub(super) fn stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Writes one batch, and gives the pairs of numbers that its statements return. What passes (a restart, a deadlock) is
    /// tried again, in words that change nothing where the batch was written already.
    pub(super) async fn write(&self, lane: usize, statements: Vec<Statement>) -> Result<Vec<(i64, i64)>, StoreError> {
        // The lane is taken before it is looked at, so that no other run can begin between the look and the end of the batch.
        // Nobody's name is in the way of a division but that of the run that took our place.
        let guard = Statement::new(
            "MATCH (l:TabiyaLane {lane: $lane}) SET l.taken = true WITH l WHERE l.run = $run RETURN 1 / count(l)",
        )
        .int("lane", lane as i64 + 1)
        .text("run", &self.run);
        let mut batch = Vec::with_capacity(statements.len() + 1);
        batch.push(guard);
        batch.extend(statements);
        let mut patience = self.patience();
        let mut tried = self.send(&batch).await;
        while let Err(error) = tried {
            patience.wait(error).await?;
            batch.iter_mut().for_each(Statement::try_again);
            tried = self.send_again(&batch).await;
        }
        tried
    }

    /// Does what may be done again, and does so as long as what is wrong with it passes.
    pub(super) async fn patiently<T>(
        &self,
        mut what: impl AsyncFnMut() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut patience = self.patience();
        loop {
            match what().await {
                Err(error) => patience.wait(error).await?,
                done => return done,
            }
        }
    }

    fn patience(&self) -> Patience<'_> {
        Patience {
            begun: Instant::now(),
            pause: PAUSE.0,
            writer: self,
        }
    }

    async fn send(&self, batch: &[Statement]) -> Result<Vec<(i64, i64)>, StoreError> {
        let mut given = Vec::new();
        let sent = self.store.pool.run(Access::Write, batch, |statement, mut row| {
            if statement > 0 {
                given.push((row.int()?, row.int()?));
            }
            Ok(())
        });
        match sent.await {
            Ok(()) => Ok(given),
            Err(error) => Err(self.store.explain(error)),
        }
    }

    /// Whoever looks first whether a position is there would look through all of them, as long as nothing holds them.
    async fn send_again(&self, batch: &[Statement]) -> Result<Vec<(i64, i64)>, StoreError> {
        schema::hold_positions(&self.store).await?;
        self.send(batch).await
    }

    /// Says that all of it is there.
    pub(super) async fn finish(&self, report: &ProjectReport) -> Result<(), StoreError> {
        let changed = report.changed() || self.had_more_to_do;
        let done = Statement::new(
            "MATCH (t:Tabiya {run: $run})
             SET t.writing = false, t.generation = t.generation + $step, t.positions = $positions, t.moves = $moves",
        )
        .text("run", &self.run)
        .int("step", changed.into())
        .int("positions", report.positions.total.cast_signed())
        .int("moves", report.moves.total.cast_signed());
        self.write(0, vec![done]).await.map(|_| ())
    }
}

/// How long something has been tried.
struct Patience<'a> {
    begun: Instant,
    pause: Duration,
    writer: &'a Writer,
}

impl Patience<'_> {
    /// Waits a little longer each time. What does not pass, or not soon enough, is given back, and so is what goes wrong when it is all to stop.
    async fn wait(&mut self, error: StoreError) -> Result<(), StoreError> {
        if !error.is_transient() || self.begun.elapsed() > self.writer.patience || self.writer.stopped() {
            return Err(error);
        }
        tracing::debug!(%error, "the server is asked again");
        tokio::time::sleep(self.pause).await;
        self.pause = PAUSE.1.min(self.pause * 2);
        Ok(())
    }
}
