//! What a queue looks like from outside.

use std::collections::HashMap;
use std::time::Duration;

use crate::QueueOptions;
use crate::backend::span;
use crate::rate::Portrait;

/// The jobs of a queue, counted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueStatus {
    /// Those that wait for another attempt included.
    pub waiting: u64,
    pub running: u64,
    pub done: u64,
    /// Given up.
    pub failed: u64,
    /// The first hundred of those given up.
    pub failures: Vec<FailedJob>,
}

/// A job that was given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedJob {
    pub key: String,
    pub attempts: u32,
    pub reason: String,
}

/// A worker, what it is at, and how fast.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerStatus {
    /// Its name and something that nobody else has.
    pub id: String,
    pub name: String,
    pub concurrency: usize,
    /// Since its last heartbeat.
    pub silent_for: Duration,
    /// Silent for so long that its jobs were, or are about to be, given to others.
    pub is_lost: bool,
    /// Jobs it has done.
    pub done: u64,
    /// What its handlers counted in those.
    pub units: u64,
    /// Units a second, over the last minute of its work.
    pub rate: f64,
    pub jobs: Vec<RunningJob>,
}

/// A job that a worker has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningJob {
    pub key: String,
    pub running_for: Duration,
}

/// From rows of (state, count) and of (key, attempts, reason).
pub(crate) fn status_of<N>(counts: &[(String, i64)], failures: Vec<(Option<String>, N, Option<String>)>) -> QueueStatus
where
    u32: TryFrom<N>,
{
    let count = |state: &str| {
        let found = counts.iter().find(|(name, _)| name == state);
        found.map_or(0, |(_, count)| u64::try_from(*count).unwrap_or(0))
    };
    QueueStatus {
        waiting: count("waiting"),
        running: count("running"),
        done: count("done"),
        failed: count("failed"),
        failures: failures
            .into_iter()
            .map(|(key, attempts, reason)| FailedJob {
                key: key.unwrap_or_default(),
                attempts: u32::try_from(attempts).unwrap_or(u32::MAX),
                reason: reason.unwrap_or_default(),
            })
            .collect(),
    }
}

/// From rows of (id, portrait, silent for) and of (worker, key, running for).
pub(crate) fn worker_list(
    workers: Vec<(String, String, f64)>,
    jobs: Vec<(String, Option<String>, f64)>,
    options: &QueueOptions,
) -> Vec<WorkerStatus> {
    let mut running: HashMap<String, Vec<RunningJob>> = HashMap::new();
    for (worker, key, seconds) in jobs {
        running.entry(worker).or_default().push(RunningJob {
            key: key.unwrap_or_default(),
            running_for: span(seconds),
        });
    }
    workers
        .into_iter()
        .map(|(id, portrait, silent_for)| {
            let portrait = Portrait::from_json(&portrait);
            let silent_for = span(silent_for);
            WorkerStatus {
                jobs: running.remove(&id).unwrap_or_default(),
                name: portrait.name,
                concurrency: portrait.concurrency,
                is_lost: silent_for > options.lost_after,
                silent_for,
                done: portrait.done,
                units: portrait.units,
                rate: portrait.rate,
                id,
            }
        })
        .collect()
}
