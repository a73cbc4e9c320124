//! A worker: claims as many jobs as it has hands for, shows that it is alive, and settles each job when it ends.
//!
//! One loop does everything that must not overlap: heartbeats and claims. So a heartbeat knows all jobs this worker has, and
//! whatever else bears its name in the queue is a claim whose answer got lost. Jobs run in tasks of their own and settle
//! themselves; a slow one keeps nobody from showing that the worker is alive.

use std::any::Any;
use std::collections::HashMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::FutureExt as _;
use serde::de::DeserializeOwned;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use ulid::Ulid;

use crate::backend::{Backend, Heartbeat, Outcome, Ticket, Trouble};
use crate::job::clean;
use crate::rate::{Portrait, Rate};
use crate::{Claimed, JobFailure, Queue, QueueError, QueueOptions, WorkerOptions};

/// How long an idle worker waits before it looks again, at first and at most.
const IDLE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(800));

/// How long a worker waits for a server that is away before it tries again, at first and at most.
const AWAY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3));

/// What a worker did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Worked {
    /// Jobs done.
    pub done: u64,
    /// What the handler counted in them.
    pub units: u64,
    /// Failures, whether the job is tried again or not.
    pub failed: u64,
    /// Went back without counting.
    pub postponed: u64,
    /// Ended when they had already been given to another worker, because this one was not heard of for too long.
    pub late: u64,
}

impl<J: DeserializeOwned + Send + 'static> Queue<J> {
    /// Works until told to stop, or until there is nothing left (see [`WorkerOptions::until_empty`]).
    ///
    /// The handler answers with the units of work a job was, for the rate. When told to stop, the worker claims nothing
    /// more and waits for the jobs it has; a handler that knows of the stop may return early with
    /// [`JobFailure::Postpone`]. Afterwards nothing is left claimed.
    ///
    /// A server that goes away is waited for. Handlers must not block the runtime's threads, or heartbeats stop.
    pub async fn work<F, Fut>(
        &self,
        worker: WorkerOptions,
        handler: F,
        stop: CancellationToken,
    ) -> Result<Worked, QueueError>
    where
        F: Fn(Claimed<J>) -> Fut,
        Fut: Future<Output = Result<u64, JobFailure>> + Send + 'static,
    {
        let now = Instant::now();
        let crew = Crew {
            desk: Desk {
                backend: Arc::clone(&self.backend),
                options: Arc::clone(&self.options),
                worker: format!("{}-{}", worker.name, Ulid::generate()).into(),
                stop,
            },
            options: worker,
            running: JoinSet::new(),
            held: HashMap::new(),
            worked: Worked::default(),
            rate: Rate::starting(now),
            next_beat: now,
            reap_from: now,
        };
        crew.run(handler).await.map_err(|trouble| self.explain(trouble))
    }
}

/// What is needed to talk to the queue in a worker's name.
#[derive(Clone)]
struct Desk {
    backend: Arc<dyn Backend>,
    options: Arc<QueueOptions>,
    worker: Arc<str>,
    stop: CancellationToken,
}

impl Desk {
    /// Gives a question up that nobody answers, together with the connection it went through.
    async fn ask<T>(&self, question: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
        let line = self.backend.line();
        match timeout(self.options.patience(), question).await {
            Ok(answer) => answer,
            Err(_) => {
                self.backend.reconnect(line).await;
                Err(Trouble::too_slow())
            }
        }
    }

    /// Reports how a job ended, however long the server is away; but after a stop only as long as others leave us the job.
    async fn settle(&self, ticket: &Ticket, outcome: &Outcome) -> Result<bool, Trouble> {
        let mut pauses = Pauses::new(AWAY);
        let mut stopped_at = None;
        let mut unsure = false;
        loop {
            match self.ask(self.backend.finish(&self.worker, ticket, outcome)).await {
                // The answer of an earlier try may have been what was lost.
                Ok(accepted) => return Ok(accepted || unsure),
                Err(Trouble::Passing(error)) => {
                    unsure = true;
                    if self.stop.is_cancelled() {
                        let since = *stopped_at.get_or_insert_with(Instant::now);
                        if since.elapsed() > self.options.lost_after {
                            return Err(Trouble::Passing(error));
                        }
                    }
                    sleep(pauses.next()).await;
                }
                Err(lasting) => return Err(lasting),
            }
        }
    }
}

/// How a job ended, for the worker's own books.
struct Ended {
    id: String,
    outcome: Outcome,
    units: u64,
    accepted: Result<bool, Trouble>,
}

struct Crew {
    desk: Desk,
    options: WorkerOptions,
    running: JoinSet<Ended>,
    /// The ids of jobs at hand, each with how often: one that was thought lost may come back to where it still runs.
    held: HashMap<String, usize>,
    worked: Worked,
    rate: Rate,
    next_beat: Instant,
    /// After the server was away everyone looks silent: others get the time to be heard before their jobs are taken.
    reap_from: Instant,
}

impl Crew {
    async fn run<J, F, Fut>(mut self, handler: F) -> Result<Worked, Trouble>
    where
        J: DeserializeOwned + Send + 'static,
        F: Fn(Claimed<J>) -> Fut,
        Fut: Future<Output = Result<u64, JobFailure>> + Send + 'static,
    {
        let mut away = Pauses::new(AWAY);
        let mut idle = Pauses::new(IDLE);
        let mut failure = None;
        loop {
            let stopping = self.desk.stop.is_cancelled() || failure.is_some();
            if stopping && self.running.is_empty() {
                break;
            }
            let pause = match self.turn(stopping, &handler).await {
                Ok(Turn::Claimed) => {
                    away.reset();
                    idle.reset();
                    continue;
                }
                Ok(Turn::Full) => {
                    away.reset();
                    idle.reset();
                    None
                }
                Ok(Turn::NothingToDo) => {
                    away.reset();
                    Some(idle.next())
                }
                Ok(Turn::Empty) => break,
                Err(Trouble::Passing(error)) => {
                    if away.is_first() {
                        tracing::warn!(worker = &*self.desk.worker, %error, "the queue is away; waiting for it");
                    }
                    // A claim whose answer was lost must not be forgotten, and others must not be taken for lost.
                    self.next_beat = Instant::now();
                    self.reap_from = Instant::now() + self.desk.options.lost_after;
                    Some(away.next())
                }
                Err(lasting) => {
                    // A fault in the queue itself. Jobs that run may still end well.
                    failure.get_or_insert(lasting);
                    Some(away.next())
                }
            };
            if let Some(lasting) = self.rest(pause, failure.is_some()).await {
                failure.get_or_insert(lasting);
            }
        }
        self.leave().await;
        match failure {
            Some(trouble) => Err(trouble),
            None => Ok(self.worked),
        }
    }

    /// A heartbeat if it is time for one, then a claim if there are hands free.
    async fn turn<J, F, Fut>(&mut self, stopping: bool, handler: &F) -> Result<Turn, Trouble>
    where
        J: DeserializeOwned + Send + 'static,
        F: Fn(Claimed<J>) -> Fut,
        Fut: Future<Output = Result<u64, JobFailure>> + Send + 'static,
    {
        if Instant::now() >= self.next_beat {
            self.beat().await?;
        }
        let free = self.options.concurrency.max(1).saturating_sub(self.held.values().sum());
        if stopping || free == 0 {
            return Ok(Turn::Full);
        }
        let desk = &self.desk;
        let tickets = desk.ask(desk.backend.claim(&desk.worker, free)).await?;
        if tickets.is_empty() {
            let done = self.options.until_empty && self.held.is_empty() && desk.ask(desk.backend.is_empty()).await?;
            return Ok(if done { Turn::Empty } else { Turn::NothingToDo });
        }
        for ticket in tickets {
            *self.held.entry(ticket.id.clone()).or_default() += 1;
            self.start(ticket, handler);
        }
        Ok(Turn::Claimed)
    }

    async fn beat(&mut self) -> Result<(), Trouble> {
        let now = Instant::now();
        let portrait = Portrait {
            name: self.options.name.clone(),
            concurrency: self.options.concurrency,
            done: self.worked.done,
            units: self.worked.units,
            rate: self.rate.per_second(now),
        };
        let held: Vec<String> = self.held.keys().cloned().collect();
        let desk = &self.desk;
        let beat = Heartbeat {
            worker: &desk.worker,
            portrait: &portrait.to_json(),
            held: &held,
            reap: now >= self.reap_from,
        };
        let returned = desk.ask(desk.backend.heartbeat(beat)).await?;
        if returned.of_lost_workers > 0 {
            tracing::info!(jobs = returned.of_lost_workers, "took the jobs of lost workers back");
        }
        if returned.strays > 0 {
            tracing::info!(jobs = returned.strays, "gave jobs back whose claim was not answered");
        }
        self.next_beat = now + desk.options.heartbeat;
        Ok(())
    }

    fn start<J, F, Fut>(&mut self, ticket: Ticket, handler: &F)
    where
        J: DeserializeOwned + Send + 'static,
        F: Fn(Claimed<J>) -> Fut,
        Fut: Future<Output = Result<u64, JobFailure>> + Send + 'static,
    {
        let desk = self.desk.clone();
        let job = serde_json::from_slice(&ticket.payload).map(|payload| {
            handler(Claimed {
                key: ticket.key.clone(),
                attempts: ticket.attempts,
                payload,
            })
        });
        self.running.spawn(async move {
            let answer = match job {
                // A handler that panics is a job that failed. Whatever it left half done is its own.
                Ok(job) => AssertUnwindSafe(job)
                    .catch_unwind()
                    .await
                    .unwrap_or_else(|panic| Err(JobFailure::Retry(panicked(&*panic)))),
                Err(error) => Err(JobFailure::GiveUp(format!("the payload cannot be read: {error}"))),
            };
            let (outcome, units) = desk.judge(&ticket, answer);
            let accepted = desk.settle(&ticket, &outcome).await;
            Ended {
                id: ticket.id,
                outcome,
                units,
                accepted,
            }
        });
    }

    /// Waits for the first of: a job that ends, the next heartbeat, the end of the pause, a stop.
    async fn rest(&mut self, pause: Option<Duration>, failed: bool) -> Option<Trouble> {
        let until_beat = self.next_beat.saturating_duration_since(Instant::now());
        let pause = match pause {
            Some(pause) if until_beat.is_zero() => pause,
            Some(pause) => pause.min(until_beat),
            None => until_beat,
        };
        let stopping = failed || self.desk.stop.is_cancelled();
        tokio::select! {
            Some(ended) = self.running.join_next() => self.enter(ended),
            () = sleep(pause) => None,
            () = self.desk.stop.cancelled(), if !stopping => None,
        }
    }

    fn enter(&mut self, ended: Result<Ended, JoinError>) -> Option<Trouble> {
        let ended = match ended {
            Ok(ended) => ended,
            // Panics of handlers are caught, so this is a fault of ours; the job goes back when the worker leaves.
            Err(error) => return Some(Trouble::Lasting(error.into())),
        };
        if let Some(runs) = self.held.get_mut(&ended.id) {
            *runs -= 1;
            if *runs == 0 {
                self.held.remove(&ended.id);
            }
        }
        match (ended.accepted, ended.outcome) {
            (Err(trouble), _) => return Some(trouble),
            (Ok(false), _) => self.worked.late += 1,
            (Ok(true), Outcome::Done) => {
                self.worked.done += 1;
                self.worked.units += ended.units;
                self.rate.add(Instant::now(), ended.units);
            }
            (Ok(true), Outcome::Postponed { .. }) => self.worked.postponed += 1,
            (Ok(true), Outcome::Failed { .. } | Outcome::GivenUp { .. }) => self.worked.failed += 1,
        }
        None
    }

    /// If the server is away now, the others will notice that this worker is silent.
    async fn leave(&self) {
        let desk = &self.desk;
        if let Err(Trouble::Passing(error) | Trouble::Lasting(error)) = desk.ask(desk.backend.leave(&desk.worker)).await
        {
            tracing::warn!(worker = &*desk.worker, %error, "could not sign off; whatever is left returns by itself");
        }
    }
}

/// What came of one look at the queue.
enum Turn {
    Claimed,
    /// No hands free, or no wish for more.
    Full,
    NothingToDo,
    /// Nothing to do, for anybody.
    Empty,
}

impl Desk {
    fn judge(&self, ticket: &Ticket, answer: Result<u64, JobFailure>) -> (Outcome, u64) {
        let stopping = self.stop.is_cancelled();
        let outcome = match answer {
            Ok(units) => return (Outcome::Done, units),
            Err(JobFailure::GiveUp(reason)) => Outcome::GivenUp { reason: clean(reason) },
            Err(JobFailure::Retry(reason) | JobFailure::Postpone(reason)) if stopping => Outcome::Postponed {
                reason: clean(reason),
                pause: Duration::ZERO,
            },
            Err(JobFailure::Retry(reason)) => Outcome::Failed {
                reason: clean(reason),
                pause: self.options.pause_after(ticket.attempts + 1),
            },
            Err(JobFailure::Postpone(reason)) => Outcome::Postponed {
                reason: clean(reason),
                pause: self.options.retry_delay,
            },
        };
        tracing::debug!(job = ticket.key, ?outcome, "a job was not done");
        (outcome, 0)
    }
}

fn panicked(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("the handler panicked: {}", text.unwrap_or("nobody knows why"))
}

/// Pauses that double up to a bound.
struct Pauses {
    first: Duration,
    longest: Duration,
    next: Duration,
}

impl Pauses {
    fn new((first, longest): (Duration, Duration)) -> Pauses {
        Pauses {
            first,
            longest,
            next: first,
        }
    }

    fn is_first(&self) -> bool {
        self.next == self.first
    }

    fn next(&mut self) -> Duration {
        let pause = self.next;
        self.next = (pause * 2).min(self.longest);
        pause
    }

    fn reset(&mut self) {
        self.next = self.first;
    }
}
