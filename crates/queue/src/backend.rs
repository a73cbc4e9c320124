//! What a queue asks of the place where it lies, in the words that all three of them understand.

use std::fmt;
use std::time::Duration;

use async_trait::async_trait;

use crate::error::Cause;
use crate::{QueueStatus, WorkerStatus};

/// A job on its way in.
#[derive(Debug, Clone)]
pub(crate) struct NewJob {
    /// A ULID: they sort in the order in which they were made, which keeps jobs of one priority in their order.
    pub id: String,
    pub key: String,
    pub priority: i32,
    pub payload: Vec<u8>,
}

/// A job that was handed to a worker. With the worker's id and the number of attempts it is a ticket: once the job was
/// taken away, the ticket is good for nothing.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    pub id: String,
    pub key: String,
    pub attempts: u32,
    pub payload: Vec<u8>,
}

/// What became of a job.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    Done,
    /// Failed, and counts; the last attempt ends it.
    Failed {
        reason: String,
        pause: Duration,
    },
    /// Goes back as it came.
    Postponed {
        reason: String,
        pause: Duration,
    },
    GivenUp {
        reason: String,
    },
}

/// What is entered of an outcome.
pub(crate) struct Entry<'a> {
    pub status: &'static str,
    /// By how much the attempts rise.
    pub counts: i32,
    /// How long nobody takes the job up.
    pub pause: Duration,
    pub reason: Option<&'a str>,
}

impl Outcome {
    pub(crate) fn entry(&self) -> Entry<'_> {
        let (status, counts, pause, reason) = match self {
            Outcome::Done => ("Done", 0, Duration::ZERO, None),
            Outcome::Failed { reason, pause } => ("Failed", 1, *pause, Some(reason)),
            Outcome::Postponed { reason, pause } => ("Pending", 0, *pause, Some(reason)),
            Outcome::GivenUp { reason } => ("Killed", 1, Duration::ZERO, Some(reason)),
        };
        Entry {
            status,
            counts,
            pause,
            reason: reason.map(String::as_str),
        }
    }
}

/// A sign of life, with what belongs to it.
#[derive(Debug)]
pub(crate) struct Heartbeat<'a> {
    pub worker: &'a str,
    /// A [`Portrait`](crate::rate::Portrait) as JSON.
    pub portrait: &'a str,
    /// The jobs this worker knows it has. Any other that bears its name was claimed by a call whose answer got lost on the
    /// way, and goes back.
    pub held: &'a [String],
    /// Whether to take the jobs of silent workers back.
    pub reap: bool,
}

/// Jobs that went back into the queue with a heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Returned {
    pub strays: u64,
    pub of_lost_workers: u64,
}

/// How many failures a status lists.
pub(crate) const LISTED_FAILURES: i64 = 100;

/// A worker's entry is forgotten after so many times the span after which it counts as lost.
pub(crate) const FORGOTTEN_AFTER: u32 = 60;

pub(crate) const LOST: &str = "its worker was lost";

#[async_trait]
pub(crate) trait Backend: fmt::Debug + Send + Sync {
    /// Adds jobs with different keys and says how many were new. After an error some of them may be there.
    async fn push(&self, jobs: &[NewJob]) -> Result<u64, Trouble>;
    async fn claim(&self, worker: &str, limit: usize) -> Result<Vec<Ticket>, Trouble>;
    /// Whether the ticket was still good.
    async fn finish(&self, worker: &str, ticket: &Ticket, outcome: &Outcome) -> Result<bool, Trouble>;
    async fn heartbeat(&self, beat: Heartbeat<'_>) -> Result<Returned, Trouble>;
    /// Gives back what the worker still has, and forgets it.
    async fn leave(&self, worker: &str) -> Result<(), Trouble>;
    /// Whether no job is waiting or running.
    async fn is_empty(&self) -> Result<bool, Trouble>;
    async fn status(&self) -> Result<QueueStatus, Trouble>;
    async fn workers(&self) -> Result<Vec<WorkerStatus>, Trouble>;
    async fn retry_failed(&self) -> Result<u64, Trouble>;
    /// Removes every job that nobody is working on.
    async fn clear(&self) -> Result<u64, Trouble>;
    /// Which connections are in use, by number.
    fn line(&self) -> u64 {
        0
    }
    /// Drops the connections of that number, which do not answer, unless somebody has done so already.
    async fn reconnect(&self, _line: u64) {}
    async fn close(&self) {}
}

/// At which point opening a queue failed.
#[derive(Debug)]
pub(crate) enum OpenTrouble {
    Unreachable(Trouble),
    /// A file that is none of ours, or nobody's.
    CannotOpen(Cause),
    Setup(Trouble),
}

/// A failure of the place where the queue lies.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// It may work again by itself: no connection, a server that restarts, a lock held for too long.
    Passing(Cause),
    Lasting(Cause),
}

impl Trouble {
    pub(crate) fn too_slow() -> Trouble {
        Trouble::Passing("no answer in time".into())
    }
}

/// Whole seconds, rounded up: never earlier than asked for.
pub(crate) fn whole_seconds(duration: Duration) -> i64 {
    let seconds = duration.as_secs() + u64::from(duration.subsec_nanos() > 0);
    i64::try_from(seconds).unwrap_or(i64::MAX)
}

/// A span as a server reports it. Clocks may be set back.
pub(crate) fn span(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default()
}
