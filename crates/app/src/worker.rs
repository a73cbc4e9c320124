//! `worker`, `workers`: engines on many machines drain one queue.
//!
//! `build annotate --enqueue` puts batches into the queue; any number of workers take them out again. What a worker writes
//! does not depend on who else wrote it, so a batch that is done twice changes nothing.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tabiya_lichess::{CloudConfig, CloudEval};
use tabiya_queue::{Claimed, Job, JobFailure, Queue, QueueOptions, QueueUrl, WorkerOptions};
pub use tabiya_queue::{FailedJob, QueueStatus, RunningJob, WorkerStatus};
use tabiya_store::Store;
use tokio_util::sync::CancellationToken;

use crate::{
    AppError,
    build::{AnnotateRequest, Annotator, Batch, Planned, Tally, Turn, prepare},
    engines::{EngineSettings, LAST_WORDS},
    interrupt,
};

/// The queue of evaluations, among others that may lie in the same place.
const QUEUE: &str = "tabiya-annotate";

/// That of training positions.
pub(crate) const POSITIONS_QUEUE: &str = "tabiya-positions";

/// Where the queue is, and when a worker counts as lost.
#[derive(Debug, Clone)]
pub struct QueueSettings {
    /// Where batches lie; the database itself if nothing is named.
    pub queue: Option<String>,
    /// How long a worker may be silent before its batches go to others.
    pub lost_after: Duration,
    /// How often a batch is tried.
    pub max_attempts: u32,
}

impl Default for QueueSettings {
    fn default() -> QueueSettings {
        let usual = QueueOptions::default();
        QueueSettings {
            queue: None,
            lost_after: usual.lost_after,
            max_attempts: usual.max_attempts,
        }
    }
}

impl QueueSettings {
    async fn open(&self, database: &str) -> Result<Queue<Batch>, AppError> {
        self.open_named(database, QUEUE).await
    }

    /// A queue of other work in the same place.
    pub(crate) async fn open_named<J>(&self, database: &str, name: &str) -> Result<Queue<J>, AppError>
    where
        J: Serialize + DeserializeOwned + Send + 'static,
    {
        let url: QueueUrl = self.queue.as_deref().unwrap_or(database).parse()?;
        let usual = QueueOptions::default();
        let options = QueueOptions {
            lost_after: self.lost_after,
            heartbeat: usual.heartbeat.min(self.lost_after / 4),
            max_attempts: self.max_attempts,
            ..usual
        };
        Ok(Queue::open(&url, name, options).await?)
    }
}

/// What was put into the queue.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct EnqueueReport {
    pub planned: Planned,
    pub batches: u64,
    /// Batches that wait or are worked on already.
    pub already_there: u64,
}

/// Puts what is not evaluated into the queue, the most played first. Needs no engine.
pub async fn enqueue(request: &AnnotateRequest, queue: &QueueSettings) -> Result<EnqueueReport, AppError> {
    request.check()?;
    let store = Store::connect(&request.database).await?;
    let opened = queue.open(&request.database).await?;
    let (planned, batches) = prepare(&store, request, None, true).await?;
    let jobs = batches.into_iter().map(|batch| Job {
        key: batch.key(),
        priority: i64::try_from(batch.games()).unwrap_or(i64::MAX),
        payload: batch,
    });
    let pushed = opened.push(jobs).await?;
    opened.close().await;
    store.close().await;
    Ok(EnqueueReport {
        planned,
        batches: pushed.added,
        already_there: pushed.already_there,
    })
}

#[derive(Debug, Clone)]
pub struct WorkerRequest {
    pub database: String,
    pub queue: QueueSettings,
    pub engine: EngineSettings,
    pub cloud: Option<CloudConfig>,
    /// For people.
    pub name: String,
    /// Whether to end when nothing is left, instead of waiting for more.
    pub until_empty: bool,
    /// By how many centipawns neighbours may differ, where a batch does not say it.
    pub gap: u32,
    pub stop: Arc<AtomicBool>,
}

/// What a worker did.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct WorkerReport {
    pub engine: String,
    pub batches: u64,
    /// Batches that failed, and are tried again by somebody or given up.
    pub failed: u64,
    /// Batches that were given up meanwhile.
    #[serde(default)]
    pub given_up: u64,
    /// Batches that went back into the queue.
    pub given_back: u64,
    /// Batches that somebody else had been given meanwhile.
    pub late: u64,
    pub done: Tally,
    pub interrupted: bool,
}

/// What happens, for whoever watches.
#[derive(Debug)]
pub enum WorkerEvent<'a> {
    /// There is an engine, and this is to be said about it.
    Engine { warning: Option<String> },
    /// A position was answered: the moves that lead there.
    Answered(&'a str),
}

/// Takes batches out of the queue until it is told to stop.
pub async fn work(
    request: &WorkerRequest,
    watch: impl Fn(WorkerEvent<'_>) + Send + Sync + 'static,
) -> Result<WorkerReport, AppError> {
    let cloud = request.cloud.clone().map(CloudEval::new).transpose()?;
    let store = Store::connect(&request.database).await?;
    let queue = request.queue.open(&request.database).await?;
    let before = queue.status().await?;
    let pool = request.engine.start_all().await?;
    watch(WorkerEvent::Engine {
        warning: pool.engine().warning(),
    });
    let desk = Arc::new(Desk {
        annotator: Annotator {
            store: store.clone(),
            pool: pool.clone(),
            cloud,
            gap: request.gap,
        },
        stop: CancellationToken::new(),
        done: std::sync::Mutex::default(),
        failed: std::sync::Mutex::default(),
        watch: Box::new(watch),
    });
    let listening = tokio::spawn(listen(Arc::clone(&request.stop), Arc::clone(&desk)));
    let options = WorkerOptions {
        concurrency: request.engine.count(),
        until_empty: request.until_empty,
        ..WorkerOptions::named(request.name.as_str())
    };
    let worked = queue
        .work(
            options,
            |job| {
                let desk = Arc::clone(&desk);
                async move { desk.handle(job).await }
            },
            desk.stop.clone(),
        )
        .await;
    listening.abort();
    pool.stop(LAST_WORDS).await;
    let given_up = match &worked {
        Ok(worked) => given_up(&queue, &before, worked.failed).await,
        Err(_) => 0,
    };
    queue.close().await;
    store.close().await;
    if let Some(error) = desk.take_failure() {
        return Err(error);
    }
    let worked = worked?;
    Ok(WorkerReport {
        engine: pool.engine().name.clone(),
        batches: worked.done,
        failed: worked.failed,
        given_up,
        given_back: worked.postponed,
        late: worked.late,
        done: desk.tally(),
        interrupted: request.stop.load(Ordering::Relaxed),
    })
}

/// How many jobs a worker that saw some fail has to answer for: those that the queue has given up since it looked like `before`.
/// Where the queue cannot be asked any more, all that failed.
pub(crate) async fn given_up<J>(queue: &Queue<J>, before: &QueueStatus, failed: u64) -> u64
where
    J: Serialize + DeserializeOwned + Send + 'static,
{
    if failed == 0 {
        return 0;
    }
    match queue.status().await {
        Ok(now) => now.failed.saturating_sub(before.failed),
        Err(_) => failed,
    }
}

/// The first interrupt lets searches in flight finish, and gives the rest back.
async fn listen(stop: Arc<AtomicBool>, desk: Arc<Desk>) {
    interrupt::asked(&stop).await;
    desk.stop.cancel();
    desk.annotator.pool.stop(LAST_WORDS).await;
}

/// What all batches of a worker share.
struct Desk {
    annotator: Annotator,
    stop: CancellationToken,
    done: std::sync::Mutex<Tally>,
    /// What ends the worker, not a batch alone.
    failed: std::sync::Mutex<Option<AppError>>,
    watch: Box<dyn Fn(WorkerEvent<'_>) + Send + Sync>,
}

impl Desk {
    async fn handle(&self, job: Claimed<Batch>) -> Result<u64, JobFailure> {
        let told = |line: &str| (self.watch)(WorkerEvent::Answered(line));
        let outcome = self.annotator.work(&job.payload, Turn::free(), told).await;
        match outcome {
            Ok(tally) => {
                *self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner) += tally;
                if tally.not_done > 0 {
                    return Err(JobFailure::Postpone("the worker was stopped".to_owned()));
                }
                Ok(tally.searched + tally.from_store + tally.from_cloud)
            }
            // The batch is as good as it was; the worker is not.
            Err(error @ AppError::NoEngineLeft { .. }) => {
                let reason = error.to_string();
                self.failed
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner)
                    .get_or_insert(error);
                self.stop.cancel();
                Err(JobFailure::Postpone(reason))
            }
            Err(AppError::BadFen { fen, reason }) => Err(JobFailure::GiveUp(format!("{fen}: {reason}"))),
            Err(AppError::Store(error)) if error.is_transient() => {
                // Whoever takes it next would find the database as it is now.
                tokio::time::sleep(Duration::from_secs(1)).await;
                Err(JobFailure::Postpone(error.to_string()))
            }
            Err(error) => Err(JobFailure::Retry(error.to_string())),
        }
    }

    fn take_failure(&self) -> Option<AppError> {
        self.failed
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take()
    }

    fn tally(&self) -> Tally {
        *self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// What lies in one queue, and who works on it.
#[derive(Debug, Clone)]
pub struct Workers {
    pub work: Work,
    pub queue: QueueStatus,
    pub workers: Vec<WorkerStatus>,
}

/// What is done on many machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// What `build annotate --enqueue` puts there, and `worker` does.
    Evaluations,
    /// What `positions --enqueue` puts there, and `positions --work` does.
    Positions,
}

impl Work {
    const ALL: [Work; 2] = [Work::Evaluations, Work::Positions];

    /// Its queue, whose jobs are not looked into.
    async fn open(self, database: &str, queue: &QueueSettings) -> Result<Queue<serde_json::Value>, AppError> {
        let name = match self {
            Work::Evaluations => QUEUE,
            Work::Positions => POSITIONS_QUEUE,
        };
        queue.open_named(database, name).await
    }
}

/// All queues of a place.
pub async fn workers(database: &str, queue: &QueueSettings) -> Result<Vec<Workers>, AppError> {
    let mut found = Vec::new();
    for work in Work::ALL {
        let queue = work.open(database, queue).await?;
        found.push(Workers {
            work,
            queue: queue.status().await?,
            workers: queue.workers().await?,
        });
        queue.close().await;
    }
    Ok(found)
}

/// Lets jobs that were given up wait again, whatever their work; gives their number.
pub async fn retry_failed(database: &str, queue: &QueueSettings) -> Result<u64, AppError> {
    let mut again = 0;
    for work in Work::ALL {
        let queue = work.open(database, queue).await?;
        again += queue.retry_failed().await?;
        queue.close().await;
    }
    Ok(again)
}
