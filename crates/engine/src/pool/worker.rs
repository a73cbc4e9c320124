//! A place at the table: one engine after the other, one job after the other.

use std::sync::{Arc, atomic::Ordering};

use tokio::{
    sync::{Mutex, mpsc, watch},
    task::JoinHandle,
    time::sleep,
};
use tracing::{debug, warn};

use super::{Phase, Roster, job::Job};
use crate::{
    Answer, EngineConfig, EngineError, EngineId, Fault, NotDone, PoolConfig,
    actor::{EngineStub, channel},
};

#[derive(Debug)]
pub(super) struct Worker {
    pub(super) config: Arc<PoolConfig>,
    pub(super) engine_config: Arc<EngineConfig>,
    pub(super) engine_name: String,
    /// The lock is held while waiting for a job, never while working on one.
    pub(super) queue: Arc<Mutex<mpsc::UnboundedReceiver<Job>>>,
    pub(super) give_back: mpsc::WeakUnboundedSender<Job>,
    pub(super) phase: watch::Receiver<Phase>,
    pub(super) roster: Arc<Roster>,
    pub(super) seat: Option<Seat>,
    /// Of engines, in a row.
    pub(super) failures: u32,
}

/// An engine that runs, and the task that runs it.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) id: EngineId,
    stub: EngineStub,
    actor: JoinHandle<()>,
    /// Whether it has been asked nothing yet.
    unused: bool,
}

impl Seat {
    /// Starts an engine, unless `called_off` is done before it is ready. Then it is gone as well.
    pub(super) async fn fill(
        config: &Arc<EngineConfig>,
        called_off: impl Future<Output = ()>,
    ) -> Result<Seat, EngineError> {
        let (mut stub, actor) = channel(Arc::clone(config));
        let actor = tokio::spawn(actor.run());
        let ready = tokio::select! {
            ready = stub.ready() => ready,
            () = called_off => Err(EngineError::CalledOff),
        };
        match ready {
            Ok(id) => Ok(Seat {
                id,
                stub,
                actor,
                unused: true,
            }),
            Err(err) => {
                leave(stub, actor).await;
                Err(err)
            }
        }
    }

    /// Lets the engine quit, or waits until it is gone.
    async fn leave(self) {
        leave(self.stub, self.actor).await;
    }
}

async fn leave(stub: EngineStub, actor: JoinHandle<()>) {
    drop(stub);
    // The task fails only if it panicked, and then its engine was killed as it was dropped.
    let _ = actor.await;
}

/// Why a job is not gone on with.
enum Halt {
    /// The pool stops, or nobody wants the answers.
    Stop,
    /// No engine starts here any more.
    NoEngine(String),
}

impl Worker {
    pub(super) async fn run(mut self) {
        let mut phase = self.phase.clone();
        loop {
            let job = tokio::select! {
                biased;
                () = reached(&mut phase, Phase::Finishing) => break,
                job = next_job(&self.queue) => job,
            };
            let Some(mut job) = job else { break };
            match self.work(&mut job).await {
                Ok(()) | Err(Halt::Stop) => {}
                Err(Halt::NoEngine(reason)) => {
                    self.retire(job, reason).await;
                    break;
                }
            }
        }
        if let Some(seat) = self.seat.take() {
            seat.leave().await;
        }
    }

    async fn work(&mut self, job: &mut Job) -> Result<(), Halt> {
        while let Some(search) = job.search() {
            if job.is_unwanted() || *self.phase.borrow() != Phase::Working {
                return Err(Halt::Stop);
            }
            if let Some(analysis) = search.over(&self.engine_name) {
                job.answer(Answer::Done(analysis));
            } else if let Some(reason) = search.objection() {
                job.answer(Answer::Quarantined { tries: 0, reason });
            } else {
                let answer = self.search(job).await?;
                job.answer(answer);
            }
        }
        Ok(())
    }

    /// Tries a position until it is answered or has failed often enough.
    async fn search(&mut self, job: &Job) -> Result<Answer, Halt> {
        let Some(search) = job.search() else {
            return Err(Halt::Stop);
        };
        let mut tries = 0;
        loop {
            let mut phase = self.phase.clone();
            let seat = self.seat(job).await?;
            let fresh = std::mem::take(&mut seat.unused) || job.wants_fresh();
            let result = tokio::select! {
                result = seat.stub.search(search, job.only(), fresh) => result,
                () = reached(&mut phase, Phase::Ending) => return Err(Halt::Stop),
                () = job.unwanted() => return Err(Halt::Stop),
            };
            let fault = match result {
                Ok(analysis) => {
                    self.failures = 0;
                    return Ok(Answer::Done(analysis));
                }
                Err(fault) => fault,
            };
            // An engine that was broken off before is not this position's fault.
            tries += u32::from(fault != Fault::Gone);
            let reason = fault.to_string();
            let pointless = fault.comes_again(search.limit.millis.is_some());
            if !fault.leaves_engine_well() {
                warn!(tries, fen = %tabiya_chess::full_fen(&search.position), %reason, "an engine failed and is replaced");
                self.failures += 1;
                if let Some(seat) = self.seat.take() {
                    seat.leave().await;
                }
            }
            if pointless || tries >= self.config.max_tries {
                return Ok(Answer::Quarantined { tries, reason });
            }
        }
    }

    /// The engine here, a new one if there is none.
    async fn seat(&mut self, job: &Job) -> Result<&mut Seat, Halt> {
        let mut phase = self.phase.clone();
        let mut starts = 0;
        while self.seat.is_none() {
            // What is only being started has nothing to finish.
            let mut called_off = std::pin::pin!(async {
                tokio::select! {
                    () = reached(&mut phase, Phase::Finishing) => {}
                    () = job.unwanted() => {}
                }
            });
            if self.failures > 0 {
                tokio::select! {
                    () = sleep(self.config.backoff(self.failures)) => {}
                    () = &mut called_off => return Err(Halt::Stop),
                }
            }
            match Seat::fill(&self.engine_config, called_off).await {
                Ok(seat) => {
                    debug!(engine = %seat.id, "an engine is ready");
                    self.seat = Some(seat);
                }
                Err(EngineError::CalledOff) => return Err(Halt::Stop),
                Err(err) => {
                    starts += 1;
                    self.failures += 1;
                    let reason = with_causes(&err);
                    warn!(starts, %reason, "an engine does not start");
                    if starts >= self.config.max_starts {
                        return Err(Halt::NoEngine(reason));
                    }
                }
            }
        }
        self.seat.as_mut().ok_or(Halt::Stop)
    }

    /// Leaves the job to the others; the last to go says for all that waits why it will not be done.
    async fn retire(&mut self, job: Job, reason: String) {
        let refusal = NotDone::NoEngine(reason.clone());
        if self.roster.at_work.fetch_sub(1, Ordering::AcqRel) > 1 {
            match self.give_back.upgrade() {
                // A job that does not go back says by itself that it was not done.
                Some(jobs) => drop(jobs.send(job)),
                None => job.refuse(&refusal),
            }
            return;
        }
        // Known before the queue is closed, so that whoever finds it closed finds the reason.
        let _ = self.roster.no_engine.set(reason);
        job.refuse(&refusal);
        let mut queue = self.queue.lock().await;
        queue.close();
        while let Some(job) = queue.recv().await {
            job.refuse(&refusal);
        }
    }
}

async fn next_job(queue: &Mutex<mpsc::UnboundedReceiver<Job>>) -> Option<Job> {
    queue.lock().await.recv().await
}

/// Is done when the pool is so far; never if the pool was dropped, which stops nothing.
async fn reached(phase: &mut watch::Receiver<Phase>, wanted: Phase) {
    if phase.wait_for(|phase| *phase >= wanted).await.is_err() {
        std::future::pending::<()>().await;
    }
}

fn with_causes(err: &EngineError) -> String {
    let mut text = err.to_string();
    let mut cause = std::error::Error::source(err);
    while let Some(err) = cause {
        text.push_str(": ");
        text.push_str(&err.to_string());
        cause = err.source();
    }
    text
}
