//! What an engine and a pool are told before they start.

use std::{ffi::OsString, path::PathBuf, time::Duration};

/// One engine: which program, how it is set up, and how long it is waited for.
#[derive(Clone, Debug)]
pub struct EngineConfig {
    /// The program.
    pub command: PathBuf,
    /// Its arguments; engines rarely have any.
    pub args: Vec<OsString>,
    /// UCI's `Threads`. With more than one no answer can be reproduced.
    pub threads: u16,
    /// UCI's `Hash`, in megabytes.
    pub hash_mb: u32,
    /// Further options, by name. One that the engine does not offer is an error.
    pub options: Vec<(String, String)>,
    /// How long it may take to get ready, first of all and for each position.
    pub start_within: Duration,
    /// How long it may say nothing while it searches to a depth or a number of nodes.
    pub patience: Duration,
    /// How long such a search may take at all.
    pub longest: Duration,
    /// How much longer than its `movetime` a search may take; also how long an engine may take to stop, and to quit.
    pub grace: Duration,
    /// How many bytes it may write about one position.
    pub max_output: u64,
    /// How many megabytes it may take beside its `Hash`, with all that it has started. Held to on Linux only.
    pub max_memory_mb: u32,
}

impl EngineConfig {
    /// Threads that an engine has unless somebody wants others: positions are shared out among engines.
    pub const THREADS: u16 = 1;

    /// One thread, 16 MB, and patience for deep searches.
    #[must_use]
    pub fn new(command: impl Into<PathBuf>) -> EngineConfig {
        EngineConfig {
            command: command.into(),
            args: Vec::new(),
            threads: EngineConfig::THREADS,
            hash_mb: 16,
            options: Vec::new(),
            start_within: Duration::from_secs(20),
            // Between two depths beyond the thirtieth Stockfish says nothing for a minute or more.
            patience: Duration::from_secs(5 * 60),
            longest: Duration::from_secs(2 * 60 * 60),
            grace: Duration::from_secs(5),
            max_output: 64 << 20,
            max_memory_mb: 2048,
        }
    }
}

/// A number of engines of one kind, and what is done when they fail.
#[derive(Clone, Debug)]
pub struct PoolConfig {
    /// What each of them is.
    pub engine: EngineConfig,
    /// How many at most; those that are not started at once are when there is work for them. At least one.
    pub workers: usize,
    /// How many are started at once, side by side: one, to learn who it is, or as many as there will be work for.
    pub at_once: usize,
    /// How often a position is tried before it is put into quarantine. At least once.
    pub max_tries: u32,
    /// How often an engine may fail to start in a row before its place is given up.
    pub max_starts: u32,
    /// How long to wait before an engine that failed is replaced; doubled with every failure in a row.
    pub first_backoff: Duration,
    /// How long to wait at most.
    pub longest_backoff: Duration,
}

impl PoolConfig {
    /// As many engines as there are cores for.
    #[must_use]
    pub fn new(engine: EngineConfig) -> PoolConfig {
        PoolConfig {
            workers: PoolConfig::workers_for(engine.threads),
            at_once: 1,
            engine,
            max_tries: 3,
            max_starts: 5,
            first_backoff: Duration::from_millis(100),
            longest_backoff: Duration::from_secs(10),
        }
    }

    /// How many engines of so many threads there are cores for; at least one.
    #[must_use]
    pub fn workers_for(threads: u16) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        (cores / usize::from(threads).max(1)).max(1)
    }

    /// How long to wait after so many failures in a row.
    pub(crate) fn backoff(&self, failures: u32) -> Duration {
        let doubled = failures.saturating_sub(1).min(20);
        self.first_backoff
            .saturating_mul(1 << doubled)
            .min(self.longest_backoff)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backoff_doubles_up_to_its_limit() {
        let config = PoolConfig::new(EngineConfig::new("stockfish"));
        let millis: Vec<_> = [1, 2, 3, 7, 8, 1000].map(|n| config.backoff(n).as_millis()).to_vec();
        assert_eq!(millis, [100, 200, 400, 6400, 10_000, 10_000]);
    }
}
