//! Queues to try things on, one of each kind.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tabiya_queue::{Claimed, Job, JobFailure, Queue, QueueOptions, QueueUrl, Worked, WorkerOptions};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::server;

pub(crate) type Numbers = Queue<Vec<u64>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Memory,
    Postgres,
    Redis,
}

/// Short times, so that tests are. But machines that run tests stand still at times, and nobody is lost for that.
pub(crate) fn options() -> QueueOptions {
    QueueOptions {
        max_attempts: 3,
        heartbeat: Duration::from_millis(100),
        lost_after: Duration::from_secs(10),
        retry_delay: Duration::from_millis(10),
    }
}

/// A new place for queues.
pub(crate) struct Place {
    pub kind: Kind,
    pub url: QueueUrl,
    pub text: String,
    _directory: Option<TempDir>,
    name: String,
}

impl Place {
    pub(crate) async fn new(kind: Kind) -> Place {
        let mut directory = None;
        let text = match kind {
            Kind::Sqlite => {
                let new = TempDir::new().unwrap();
                let file = new.path().join("queue.db").display().to_string();
                directory = Some(new);
                file
            }
            Kind::Memory => "sqlite::memory:".to_owned(),
            Kind::Postgres => server::new_postgres().await,
            Kind::Redis => server::redis_url(),
        };
        Place {
            kind,
            url: text.parse().unwrap(),
            text,
            _directory: directory,
            name: server::unique("queue"),
        }
    }

    /// Of the queue that [`open`](Place::open) opens.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) async fn open(&self, options: QueueOptions) -> Numbers {
        Queue::open(&self.url, &self.name, options).await.unwrap()
    }
}

/// Runs a test on all kinds of queues.
pub(crate) async fn on_each<Fut: Future<Output = ()>>(test: impl Fn(Arc<Place>, Numbers) -> Fut) {
    on_each_with(options(), test).await;
}

pub(crate) async fn on_each_with<Fut: Future<Output = ()>>(
    options: QueueOptions,
    test: impl Fn(Arc<Place>, Numbers) -> Fut,
) {
    on(
        &[Kind::Memory, Kind::Sqlite, Kind::Postgres, Kind::Redis],
        options,
        test,
    )
    .await;
}

/// Runs a test on all kinds that can be opened more than once.
pub(crate) async fn on_each_shared<Fut: Future<Output = ()>>(test: impl Fn(Arc<Place>, Numbers) -> Fut) {
    on_each_shared_with(options(), test).await;
}

pub(crate) async fn on_each_shared_with<Fut: Future<Output = ()>>(
    options: QueueOptions,
    test: impl Fn(Arc<Place>, Numbers) -> Fut,
) {
    on(&[Kind::Sqlite, Kind::Postgres, Kind::Redis], options, test).await;
}

async fn on<Fut: Future<Output = ()>>(
    kinds: &[Kind],
    options: QueueOptions,
    test: impl Fn(Arc<Place>, Numbers) -> Fut,
) {
    for &kind in kinds {
        eprintln!("on {kind:?}");
        // Kept here, because its directory goes with it.
        let place = Arc::new(Place::new(kind).await);
        let queue = place.open(options.clone()).await;
        test(Arc::clone(&place), queue).await;
    }
}

pub(crate) fn job(key: &str, priority: i64) -> Job<Vec<u64>> {
    Job {
        key: key.to_owned(),
        priority,
        payload: vec![1],
    }
}

pub(crate) fn until_empty(name: &str) -> WorkerOptions {
    WorkerOptions {
        until_empty: true,
        ..WorkerOptions::named(name)
    }
}

/// What handlers saw, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    pub(crate) fn add(&self, what: impl Into<String>) {
        self.0.lock().unwrap().push(what.into());
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

/// Does whatever there is, and says in which order.
pub(crate) async fn drain(queue: &Numbers) -> Vec<String> {
    let seen = Seen::default();
    work(
        queue,
        |job, seen| async move {
            seen.add(job.key);
            Ok(1)
        },
        &seen,
    )
    .await;
    seen.all()
}

/// One worker, one job at a time, until the queue is empty.
pub(crate) async fn work<F, Fut>(queue: &Numbers, handler: F, seen: &Seen) -> Worked
where
    F: Fn(Claimed<Vec<u64>>, Seen) -> Fut,
    Fut: Future<Output = Result<u64, JobFailure>> + Send + 'static,
{
    let working = queue.work(
        until_empty("fixture"),
        |job| handler(job, seen.clone()),
        CancellationToken::new(),
    );
    tokio::time::timeout(Duration::from_secs(60), working)
        .await
        .expect("a minute is enough for any of these")
        .unwrap()
}

/// Waits until something holds.
pub(crate) async fn eventually<Fut: Future<Output = bool>>(what: &str, check: impl Fn() -> Fut) {
    let start = Instant::now();
    while !check().await {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}: not within a minute");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
