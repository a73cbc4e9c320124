//! A desk where games are handed in one at a time, by people who wait for them: a queue with a length, a limit for each of them, a
//! way to call a review off. Nothing of it is written anywhere.

use std::{
    collections::{BTreeMap, HashMap},
    net::IpAddr,
    panic::AssertUnwindSafe,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use futures_util::FutureExt as _;
use pgn_import::Game;
use tabiya_chess::SearchLimit;
use tabiya_engine::Pool;
use tokio::sync::{Semaphore, watch};

use super::{DEFAULT_MULTIPV, LineSource, Live, Origin, Progress, Reviewed, Reviewer, Rules, Trouble, games::first};
use crate::{
    AppError,
    engines::{EngineSettings, LAST_WORDS},
};

/// With fewer a verdict would be chance.
const LEAST_NODES: u64 = 1_000;

/// How much is taken on.
#[derive(Debug, Clone)]
pub struct DeskOptions {
    pub engine: EngineSettings,
    /// Positions that an engine searches about each position of a game, unless whoever hands it in wants others.
    pub nodes: u64,
    /// How many those may be at the most.
    pub most_nodes: u64,
    /// Reviews that wait at the same time.
    pub queue: usize,
    /// Reviews of one address that wait or are under way.
    pub per_client: usize,
    /// Half-moves of a game.
    pub plies: usize,
    /// How long a finished review can be had.
    pub kept: Duration,
    /// How many finished reviews can be had; the oldest go first.
    pub most_kept: usize,
    /// How many of those one address has.
    pub most_kept_per_client: usize,
}

impl Default for DeskOptions {
    fn default() -> DeskOptions {
        DeskOptions {
            engine: EngineSettings::default(),
            nodes: 200_000,
            most_nodes: 1_000_000,
            queue: 16,
            per_client: 2,
            plies: 600,
            kept: Duration::from_secs(30 * 60),
            most_kept: 128,
            most_kept_per_client: 32,
        }
    }
}

/// Why a game is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    #[error("{0}")]
    NotAGame(String),
    #[error("the game has {plies} half-moves, and {most} are the most")]
    TooLong { plies: usize, most: usize },
    #[error("{asked} nodes are asked for, and {least} to {most} can be had")]
    Nodes { asked: u64, least: u64, most: u64 },
    #[error("the queue is full: {0} games are waiting")]
    Full(usize),
    #[error("you have {0} reviews under way already")]
    TooMany(usize),
    #[error("no engine can be started: {0}")]
    NoEngine(AppError),
}

/// How far a review is.
#[derive(Debug, Clone)]
pub enum Stage {
    /// So many are before it.
    Queued {
        position: usize,
    },
    Working {
        done: usize,
        total: usize,
    },
    Done(Arc<Reviewed>),
    Failed(String),
    Cancelled,
}

impl Stage {
    /// Whether nothing more will come.
    pub fn is_last(&self) -> bool {
        matches!(self, Stage::Done(_) | Stage::Failed(_) | Stage::Cancelled)
    }
}

#[derive(Debug)]
struct Job {
    client: Option<IpAddr>,
    stage: watch::Sender<Stage>,
    stop: AtomicBool,
    ended: Mutex<Option<Instant>>,
}

/// Takes games in and hands reviews out.
#[derive(Debug)]
pub struct ReviewDesk {
    options: DeskOptions,
    /// Started with the first game, and again after all of them have failed.
    pool: tokio::sync::Mutex<Engines>,
    engines: Semaphore,
    jobs: Mutex<Jobs>,
}

/// The engines, and which of all that were started they are.
#[derive(Debug, Default)]
struct Engines {
    pool: Option<Pool>,
    start: u64,
}

#[derive(Debug, Default)]
struct Jobs {
    all: HashMap<String, Arc<Job>>,
    /// Those that have not begun, in order.
    waiting: BTreeMap<u64, Arc<Job>>,
    count: u64,
}

impl ReviewDesk {
    pub fn new(options: DeskOptions) -> ReviewDesk {
        ReviewDesk {
            engines: Semaphore::new(options.engine.count()),
            options,
            pool: tokio::sync::Mutex::default(),
            jobs: Mutex::default(),
        }
    }

    /// Takes a game in; gives the name under which it can be asked for. The first game of the text is taken, and searched with
    /// this many nodes a position, or as many as is usual here.
    pub async fn submit(
        self: &Arc<Self>,
        pgn: &str,
        nodes: Option<u64>,
        client: Option<IpAddr>,
    ) -> Result<String, Refusal> {
        let nodes = self.nodes(nodes)?;
        let game = self.read(pgn)?;
        // Whoever hands in a game that nobody can look at hears of it at once.
        self.engines().await.map_err(Refusal::NoEngine)?;
        let (id, number, job) = self.enter(client)?;
        let desk = Arc::clone(self);
        tokio::spawn(async move {
            desk.work(number, &job, nodes, &game).await;
        });
        Ok(id)
    }

    fn nodes(&self, asked: Option<u64>) -> Result<u64, Refusal> {
        let Some(asked) = asked else {
            return Ok(self.options.nodes);
        };
        let most = self.options.most_nodes.max(self.options.nodes);
        match (LEAST_NODES..=most).contains(&asked) {
            true => Ok(asked),
            false => Err(Refusal::Nodes {
                asked,
                least: LEAST_NODES,
                most,
            }),
        }
    }

    fn read(&self, pgn: &str) -> Result<Game, Refusal> {
        let game = first(pgn).map_err(Refusal::NotAGame)?;
        let tree = super::StateTree::of(&game, false);
        let tree = tree.map_err(|unfit| {
            let place = unfit.ply.map(|ply| format!("half-move {ply}: ")).unwrap_or_default();
            Refusal::NotAGame(format!("{place}{}", unfit.reason))
        })?;
        let plies = tree.nodes.len() - 1;
        if plies == 0 {
            return Err(Refusal::NotAGame("the game has no moves".to_owned()));
        }
        let most = self.options.plies;
        if plies > most {
            return Err(Refusal::TooLong { plies, most });
        }
        Ok(game)
    }

    /// The engines, and which of all that were started they are.
    async fn engines(&self) -> Result<(Pool, u64), AppError> {
        let mut engines = self.pool.lock().await;
        let pool = match &engines.pool {
            Some(pool) => pool.clone(),
            None if self.engines.is_closed() => return Err(AppError::Interrupted),
            None => {
                let pool = self.options.engine.start().await?;
                engines.pool = Some(pool.clone());
                engines.start += 1;
                pool
            }
        };
        Ok((pool, engines.start))
    }

    /// Engines that are all gone do not come back by themselves; what was wrong with them may be over when the next game comes.
    async fn give_up(&self, start: u64) {
        let mut engines = self.pool.lock().await;
        if engines.start == start {
            engines.pool = None;
        }
    }

    fn enter(&self, client: Option<IpAddr>) -> Result<(String, u64, Arc<Job>), Refusal> {
        let mut jobs = self.jobs();
        jobs.forget(&self.options);
        let own = jobs
            .all
            .values()
            .filter(|job| client.is_some() && job.client == client && !job.stage.borrow().is_last());
        let own = own.count();
        if own >= self.options.per_client {
            return Err(Refusal::TooMany(own));
        }
        let position = jobs.waiting.len();
        if position >= self.options.queue {
            return Err(Refusal::Full(position));
        }
        jobs.count += 1;
        let number = jobs.count;
        let job = Arc::new(Job {
            client,
            stage: watch::Sender::new(Stage::Queued { position }),
            stop: AtomicBool::new(false),
            ended: Mutex::new(None),
        });
        // Nobody can guess another's.
        let id = uuid::Uuid::new_v4().simple().to_string();
        jobs.waiting.insert(number, Arc::clone(&job));
        jobs.all.insert(id.clone(), Arc::clone(&job));
        Ok((id, number, job))
    }

    async fn work(&self, number: u64, job: &Job, nodes: u64, game: &Game) {
        // A game that was called off does not wait for an engine: the place in the queue is another's by now.
        let permit = tokio::select! {
            biased;
            () = job.called_off() => None,
            permit = self.engines.acquire() => permit.ok(),
        };
        {
            let mut jobs = self.jobs();
            jobs.waiting.remove(&number);
            jobs.tell_places();
        }
        let stage = match permit {
            Some(_permit) if !job.stop.load(Relaxed) => told_of_panic(self.review(job, nodes, game)).await,
            _ => Stage::Cancelled,
        };
        *job.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        job.stage.send_replace(stage);
        self.jobs().forget(&self.options);
    }

    async fn review(&self, job: &Job, nodes: u64, game: &Game) -> Stage {
        // What is wrong with the engine or the database is for whoever runs it, not for whoever asked.
        let failed = |error: &AppError| {
            tracing::error!(%error, "a review could not be finished");
            unfinished()
        };
        let (pool, start) = match self.engines().await {
            Ok(engines) => engines,
            Err(error) => return failed(&error),
        };
        let reviewer = reviewer(pool, nodes);
        job.stage.send_replace(Stage::Working { done: 0, total: 0 });
        let told = |progress: Progress| {
            let (done, total) = (progress.done, progress.total);
            job.stage.send_replace(Stage::Working { done, total });
        };
        let origin = Origin { file: "", number: 1 };
        match reviewer.review(origin, game, &told, &job.stop).await {
            Ok(reviewed) => Stage::Done(Arc::new(reviewed)),
            Err(Trouble::Stopped) => Stage::Cancelled,
            Err(Trouble::Unfit(unfit)) => Stage::Failed(unfit.reason),
            Err(Trouble::Fatal(error)) => {
                if matches!(error, AppError::NoEngineLeft { .. }) {
                    self.give_up(start).await;
                }
                failed(&error)
            }
        }
    }

    /// How far a review is, now and from now on; `None` where there is no such review, or none any more.
    pub fn watch(&self, id: &str) -> Option<watch::Receiver<Stage>> {
        let mut jobs = self.jobs();
        jobs.forget(&self.options);
        jobs.all.get(id).map(|job| job.stage.subscribe())
    }

    /// Calls a review off and forgets it; false where there is none.
    pub fn cancel(&self, id: &str) -> bool {
        let mut jobs = self.jobs();
        let Some(job) = jobs.all.remove(id) else {
            return false;
        };
        job.stop.store(true, Relaxed);
        jobs.waiting.retain(|_, waiting| !Arc::ptr_eq(waiting, &job));
        jobs.tell_places();
        if !job.stage.borrow().is_last() {
            job.stage.send_replace(Stage::Cancelled);
        }
        true
    }

    /// Ends the engines.
    pub async fn close(&self) {
        for job in self.jobs().all.values() {
            job.stop.store(true, Relaxed);
        }
        self.engines.close();
        // A start that is under way is waited for: its engine has to be ended too.
        let pool = self.pool.lock().await.pool.take();
        if let Some(pool) = pool {
            pool.stop(LAST_WORDS).await;
        }
    }

    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What whoever asked is told of a failure that is none of his.
fn unfinished() -> Stage {
    Stage::Failed("the engine could not finish this review".to_owned())
}

/// A review that panics has failed like others. If it went without a word, whoever handed it in would wait for ever, and his place would stay taken.
async fn told_of_panic(review: impl Future<Output = Stage>) -> Stage {
    // What was said of the panic was said where it struck.
    let ended = AssertUnwindSafe(review).catch_unwind().await;
    ended.unwrap_or_else(|_| unfinished())
}

/// Searches with so many nodes a position.
fn reviewer(pool: Pool, nodes: u64) -> Reviewer {
    Reviewer {
        rules: Rules::default(),
        record: false,
        lines: LineSource::Live(Live {
            pool,
            store: None,
            cloud: None,
            limit: SearchLimit::nodes(nodes),
            multipv: DEFAULT_MULTIPV,
        }),
    }
}

impl Job {
    async fn called_off(&self) {
        // The sender is ours, so it does not go while somebody waits here.
        let _ = self.stage.subscribe().wait_for(Stage::is_last).await;
    }

    fn ended(&self) -> Option<Instant> {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Jobs {
    /// Tells those who wait how many are before them.
    fn tell_places(&self) {
        for (position, job) in self.waiting.values().enumerate() {
            job.stage.send_if_modified(|stage| match stage {
                Stage::Queued { position: told } if *told != position => {
                    *told = position;
                    true
                }
                _ => false,
            });
        }
    }

    /// Forgets what was finished too long ago, and the oldest of what is more than can be kept.
    fn forget(&mut self, options: &DeskOptions) {
        let mut finished: Vec<(Instant, String, Option<IpAddr>)> = Vec::new();
        for (id, job) in &self.all {
            finished.extend(job.ended().map(|ended| (ended, id.clone(), job.client)));
        }
        // The newest first.
        finished.sort_unstable_by(|one, other| other.cmp(one));
        let mut kept = 0;
        let mut of_clients: HashMap<IpAddr, usize> = HashMap::new();
        for (ended, id, client) in finished {
            let own = client.map_or(0, |client| {
                let own = of_clients.entry(client).or_default();
                *own += 1;
                *own
            });
            let is_kept =
                ended.elapsed() < options.kept && kept < options.most_kept && own <= options.most_kept_per_client;
            match is_kept {
                true => kept += 1,
                false => drop(self.all.remove(&id)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_review_that_panics_has_failed() {
        let ended = told_of_panic(async { panic!("as a bug would") }).await;
        assert!(matches!(ended, Stage::Failed(_)), "{ended:?}");
        let ended = told_of_panic(async { Stage::Cancelled }).await;
        assert!(matches!(ended, Stage::Cancelled), "{ended:?}");
    }
}
