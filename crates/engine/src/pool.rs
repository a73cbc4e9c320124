//! Engines behind one queue.

mod job;
mod worker;

use std::{
    sync::{Arc, OnceLock, atomic::AtomicUsize},
    time::Duration,
};

use shakmaty::Move;
use tokio::{
    sync::{Mutex, mpsc, watch},
    task::JoinSet,
};

use self::{
    job::Job,
    worker::{Seat, Worker},
};
use crate::{Answer, EngineConfig, EngineError, EngineId, Memory, NotDone, PoolConfig, Search, Unit, actor::channel};

/// A pool of engines. Clones share it.
///
/// The queue is not bounded: whoever submits decides how many units wait. When all clones are dropped the engines work off what
/// was submitted, as far as somebody still waits for it, and quit.
#[derive(Clone, Debug)]
pub struct Pool {
    engine: EngineId,
    jobs: mpsc::UnboundedSender<Job>,
    phase: Arc<watch::Sender<Phase>>,
    roster: Arc<Roster>,
}

/// How far a pool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Working,
    /// Searches in flight may finish; nothing new is begun.
    Finishing,
    /// Searches in flight are called off.
    Ending,
}

/// Who still works.
#[derive(Debug)]
struct Roster {
    at_work: AtomicUsize,
    /// Set when nobody is left because no engine can be started.
    no_engine: OnceLock<String>,
}

impl Pool {
    /// Starts one engine at once, or as many as the configuration says; the others when there is work for them.
    ///
    /// # Errors
    ///
    /// [`EngineError`] if none of them can be started, speaks UCI and takes the options.
    pub async fn start(config: PoolConfig) -> Result<Pool, EngineError> {
        let engine_config = Arc::new(config.engine.clone());
        let workers = config.workers.max(1);
        let seats = side_by_side(&engine_config, config.at_once.clamp(1, workers)).await?;
        let engine = seats[0].id.clone();
        let (jobs, queue) = mpsc::unbounded_channel();
        let (phase, phases) = watch::channel(Phase::Working);
        let roster = Arc::new(Roster {
            at_work: AtomicUsize::new(workers),
            no_engine: OnceLock::new(),
        });
        let queue = Arc::new(Mutex::new(queue));
        let config = Arc::new(config);
        let mut seats = seats.into_iter();
        for _ in 0..workers {
            let worker = Worker {
                config: Arc::clone(&config),
                engine_config: Arc::clone(&engine_config),
                engine_name: engine.name.clone(),
                queue: Arc::clone(&queue),
                give_back: jobs.downgrade(),
                phase: phases.clone(),
                roster: Arc::clone(&roster),
                seat: seats.next(),
                failures: 0,
            };
            tokio::spawn(worker.run());
        }
        Ok(Pool {
            engine,
            jobs,
            phase: Arc::new(phase),
            roster,
        })
    }

    /// Who answers.
    #[must_use]
    pub fn engine(&self) -> &EngineId {
        &self.engine
    }

    /// Puts a unit into the queue. There is one answer for each of its positions; dropping the replies calls off what is left.
    #[must_use = "a unit whose replies are dropped is not worked on"]
    pub fn submit(&self, unit: Unit) -> Replies {
        self.enqueue(unit, None)
    }

    fn enqueue(&self, unit: Unit, only: Option<Move>) -> Replies {
        let (job, replies) = Job::new(unit, only);
        if *self.phase.borrow() == Phase::Working
            && let Err(refused) = self.jobs.send(job)
            && let Some(reason) = self.roster.no_engine.get()
        {
            refused.0.refuse(&NotDone::NoEngine(reason.clone()));
        }
        // A job that is dropped says by itself that it was not done.
        Replies(replies)
    }

    /// Thinks about one position, in a unit of its own.
    pub async fn analyse(&self, search: Search) -> Answer {
        self.ask(search, None).await
    }

    /// Thinks about one move of a position, which must be legal there, and about no other.
    pub async fn analyse_move(&self, search: Search, only: Move) -> Answer {
        self.ask(search, Some(only)).await
    }

    async fn ask(&self, search: Search, only: Option<Move>) -> Answer {
        let unit = Unit {
            searches: vec![search],
            memory: Memory::Nothing,
        };
        match self.enqueue(unit, only).next().await {
            Some((_, answer)) => answer,
            None => Answer::NotDone(NotDone::Stopped),
        }
    }

    /// Stops the pool and all its clones. Searches in flight have so long to finish; what is not done by then is answered with
    /// [`Answer::NotDone`], like all that waits. When this returns no engine is left.
    pub async fn stop(&self, within: Duration) {
        self.advance(Phase::Finishing);
        // Every worker holds a receiver until its engine is gone.
        if tokio::time::timeout(within, self.phase.closed()).await.is_err() {
            self.advance(Phase::Ending);
            self.phase.closed().await;
        }
    }

    /// Waits until somebody stops the pool.
    pub async fn stopping(&self) {
        // There is a sender as long as there is a pool.
        let _ = self.phase.subscribe().wait_for(|phase| *phase > Phase::Working).await;
    }

    fn advance(&self, to: Phase) {
        self.phase.send_if_modified(|phase| {
            let further = *phase < to;
            *phase = to.max(*phase);
            further
        });
    }
}

/// Starts so many engines. At least one of them is ready, or it is known why none is.
async fn side_by_side(config: &Arc<EngineConfig>, number: usize) -> Result<Vec<Seat>, EngineError> {
    // Dropped with us, it calls all of them off.
    let mut starts = JoinSet::new();
    for _ in 0..number {
        let config = Arc::clone(config);
        starts.spawn(async move { Seat::fill(&config, std::future::pending()).await });
    }
    let (mut ready, mut failed) = (Vec::with_capacity(number), None);
    for start in starts.join_all().await {
        match start {
            Ok(seat) => ready.push(seat),
            Err(err) => failed = Some(err),
        }
    }
    match failed {
        Some(err) if ready.is_empty() => Err(err),
        _ => Ok(ready),
    }
}

/// The answers to a unit as they are found, each with the index of its position.
#[derive(Debug)]
pub struct Replies(mpsc::UnboundedReceiver<(usize, Answer)>);

impl Replies {
    /// The next answer; nothing when all have been given.
    pub async fn next(&mut self) -> Option<(usize, Answer)> {
        self.0.recv().await
    }
}

/// Starts an engine, asks who it is, and lets it quit.
///
/// # Errors
///
/// [`EngineError`] if it cannot be started, does not speak UCI or does not take an option.
pub async fn probe(config: EngineConfig) -> Result<EngineId, EngineError> {
    let (mut stub, actor) = channel(Arc::new(config));
    let asked = async move { stub.ready().await };
    let (id, ()) = tokio::join!(asked, actor.run());
    id
}
