//! What can be chosen about a queue, and about a worker.

use std::time::Duration;

use crate::QueueError;

/// What everyone who uses a queue must agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueueOptions {
    /// After how many failures, lost workers included, a job is given up.
    pub max_attempts: u32,
    /// How often a worker shows that it is alive.
    pub heartbeat: Duration,
    /// How long a worker may be silent before its jobs go to others. SQLite counts in whole seconds.
    pub lost_after: Duration,
    /// The pause after the first failure of a job; it doubles with each further one, up to a minute.
    pub retry_delay: Duration,
}

impl Default for QueueOptions {
    fn default() -> QueueOptions {
        QueueOptions {
            max_attempts: 10,
            heartbeat: Duration::from_secs(10),
            lost_after: Duration::from_secs(60),
            retry_delay: Duration::from_secs(1),
        }
    }
}

const LONGEST_RETRY_DELAY: Duration = Duration::from_secs(60);

impl QueueOptions {
    pub(crate) fn check(&self) -> Result<(), QueueError> {
        let reason = if self.max_attempts == 0 {
            "a job needs at least one attempt"
        } else if self.heartbeat.is_zero() {
            "a heartbeat takes some time"
        } else if self.lost_after < self.heartbeat * 2 {
            "a worker may miss one heartbeat: it is lost after two of them at the earliest"
        } else {
            return Ok(());
        };
        Err(QueueError::Options(reason))
    }

    /// The pause before a job that failed so often is tried again.
    pub(crate) fn pause_after(&self, failures: u32) -> Duration {
        let doubled = 2_u32.saturating_pow(failures.saturating_sub(1).min(16));
        self.retry_delay.saturating_mul(doubled).min(LONGEST_RETRY_DELAY)
    }

    /// How long one question to the queue may take. A line that is silent for so long is given up.
    pub(crate) fn patience(&self) -> Duration {
        (self.lost_after / 2).clamp(Duration::from_secs(1), Duration::from_secs(10))
    }
}

/// What a single worker chooses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerOptions {
    /// For people; what tells workers apart is an id of its own. Machine and process make a good one.
    pub name: String,
    /// How many jobs at a time.
    pub concurrency: usize,
    /// Ends when no job is waiting or running anywhere, instead of waiting for more.
    pub until_empty: bool,
}

impl WorkerOptions {
    /// One job at a time, for as long as it takes.
    pub fn named(name: impl Into<String>) -> WorkerOptions {
        WorkerOptions {
            name: name.into(),
            concurrency: 1,
            until_empty: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_bound() {
        let options = QueueOptions::default();
        let pauses: Vec<u64> = [1, 2, 3, 6, 7, 1_000]
            .map(|n| options.pause_after(n).as_secs())
            .to_vec();
        assert_eq!(pauses, [1, 2, 4, 32, 60, 60]);
    }

    #[test]
    fn one_missed_heartbeat_is_no_loss() {
        let options = |heartbeat, lost_after| QueueOptions {
            heartbeat: Duration::from_secs(heartbeat),
            lost_after: Duration::from_secs(lost_after),
            ..QueueOptions::default()
        };
        assert!(options(5, 10).check().is_ok());
        assert!(options(5, 9).check().is_err());
        assert!(options(0, 9).check().is_err());
        let none = QueueOptions {
            max_attempts: 0,
            ..QueueOptions::default()
        };
        assert!(none.check().is_err());
    }
}
