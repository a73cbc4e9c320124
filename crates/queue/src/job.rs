//! A job on its way: as it is added, as a worker gets it, and how it may fail.

/// Something to be done, as it is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job<J> {
    /// What the job is about. While a job of this key waits or runs, another one is not added.
    pub key: String,
    /// Higher ones first. All backends keep what fits into 31 bits and take anything else for the nearest bound.
    pub priority: i64,
    pub payload: J,
}

/// A job as its worker gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed<J> {
    pub key: String,
    /// How often it was tried before and failed, lost workers included.
    pub attempts: u32,
    pub payload: J,
}

/// Why a job was not done, split by what is to happen to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobFailure {
    /// It may go better next time. Counts as an attempt, unless the worker was told to stop; the pauses in between grow.
    #[error("{0}")]
    Retry(String),
    /// The fault lies elsewhere (a stop, a database that cannot be reached): it goes back without counting.
    #[error("{0}")]
    Postpone(String),
    /// It will never go better.
    #[error("{0}")]
    GiveUp(String),
}

/// What became of jobs that were to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pushed {
    pub added: u64,
    /// Their keys were waiting or running already.
    pub already_there: u64,
}

/// A key or a reason as every backend takes it: PostgreSQL has no place for a NUL in a text.
pub(crate) fn clean(text: String) -> String {
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}"),
        false => text,
    }
}
