//! How long an engine is waited for.

use std::{pin::Pin, time::Duration};

use tokio::time::{Instant, Sleep, sleep_until};

use crate::{EngineConfig, Fault, Search};

/// When to give up waiting: first for the engine to be ready, then for a time limit with some grace, or for silence and the longest
/// that a search may take.
pub(super) struct Deadline {
    pub(super) alarm: Pin<Box<Sleep>>,
    end: Instant,
    allowed: Duration,
    stage: Stage,
}

enum Stage {
    /// Emptying a large hash takes a while, and is no part of the search.
    GettingReady,
    /// Until the end, come what may.
    Timed,
    /// As long as it says something, and not beyond the end.
    Patient(Duration),
}

impl Deadline {
    pub(super) fn new(config: &EngineConfig) -> Deadline {
        let end = Instant::now() + config.start_within;
        Deadline {
            alarm: Box::pin(sleep_until(end)),
            end,
            allowed: config.start_within,
            stage: Stage::GettingReady,
        }
    }

    /// The engine is ready and begins to search.
    pub(super) fn begin(&mut self, search: &Search, config: &EngineConfig) {
        (self.allowed, self.stage) = match search.limit.millis {
            Some(millis) => (Duration::from_millis(u64::from(millis)) + config.grace, Stage::Timed),
            None => (config.longest, Stage::Patient(config.patience)),
        };
        self.end = Instant::now() + self.allowed;
        self.alarm.as_mut().reset(self.end);
    }

    /// The engine has just said something.
    pub(super) fn extend(&mut self) {
        if let Stage::Patient(patience) = self.stage {
            self.alarm.as_mut().reset((Instant::now() + patience).min(self.end));
        }
    }

    /// What to say when the alarm goes off.
    pub(super) fn fault(&self) -> Fault {
        match self.stage {
            Stage::GettingReady => Fault::NotReady(self.allowed),
            Stage::Patient(patience) if Instant::now() < self.end => Fault::Silent(patience),
            Stage::Patient(_) | Stage::Timed => Fault::Late(self.allowed),
        }
    }
}
