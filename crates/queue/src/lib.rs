//! Hands jobs to workers on one machine or many, and takes them back from workers that are gone.
//!
//! A [`Queue`] lies in SQLite (one process), PostgreSQL or Redis (many machines) and behaves the same in all three:
//! the highest priority first, of equal ones the oldest; one worker for a job at a time, as far as anybody can tell; and a
//! job whose worker has not been heard of for [`QueueOptions::lost_after`] goes to another one.
//!
//! "As far as anybody can tell" is meant: a worker that was cut off may still be at work on what has been given to another. So
//! **a job may be done twice, and is never lost**. Handlers write their results so that the second time changes nothing.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use tabiya_queue::{Job, JobFailure, Queue, QueueOptions, QueueUrl, WorkerOptions};
//! use tokio_util::sync::CancellationToken;
//!
//! let url: QueueUrl = "postgres://localhost/chess".parse()?;
//! let queue: Queue<Vec<u64>> = Queue::open(&url, "evaluate", QueueOptions::default()).await?;
//! queue.push(vec![Job { key: "batch 1".into(), priority: 4_711, payload: vec![1, 2, 3] }]).await?;
//!
//! let stop = CancellationToken::new();
//! let worker = WorkerOptions { until_empty: true, ..WorkerOptions::named("attic") };
//! let worked = queue
//!     .work(worker, |job| async move { Ok::<u64, JobFailure>(job.payload.len() as u64) }, stop)
//!     .await?;
//! assert_eq!(worked.units, 3);
//! # Ok(()) }
//! ```
//!
//! Tables, statuses and the claim are those of apalis; what it does not do is listed in `docs/decisions/0001-job-queue.md`.

mod backend;
mod error;
mod job;
mod options;
mod postgres;
mod queue;
mod rate;
#[cfg(feature = "redis")]
mod redis;
mod sqlite;
mod status;
mod url;
mod work;

pub use error::QueueError;
pub use job::{Claimed, Job, JobFailure, Pushed};
pub use options::{QueueOptions, WorkerOptions};
pub use queue::{Connection, Queue};
pub use status::{FailedJob, QueueStatus, RunningJob, WorkerStatus};
pub use url::QueueUrl;
pub use work::Worked;
