//! Engines, as verbs ask for them.

use std::{path::PathBuf, time::Duration};

use tabiya_engine::{EngineConfig, EngineId, Pool, PoolConfig, find_engine};

use crate::AppError;

/// Which engine, how many of it, and how large.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineSettings {
    /// The program; found on the PATH where none is named.
    pub engine: Option<PathBuf>,
    /// How many run at a time; as many as there are cores for their threads by default.
    pub workers: Option<usize>,
    /// Threads of each.
    pub threads: Option<u16>,
    /// Hash of each, in MB.
    pub hash_mb: Option<u32>,
    /// How often a position is tried.
    pub max_tries: Option<u32>,
}

/// How long searches in flight may go on once the user wants to stop.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(5);

impl EngineSettings {
    /// Refuses an engine that was named and is not there, for those who start it only later. Where none is named, none is missed.
    pub fn check(&self) -> Result<(), AppError> {
        match self.engine.as_deref() {
            Some(engine) => Ok(find_engine(Some(engine)).map(drop)?),
            None => Ok(()),
        }
    }

    fn engine_config(&self) -> Result<EngineConfig, AppError> {
        let mut config = EngineConfig::new(find_engine(self.engine.as_deref())?);
        config.threads = self.threads.unwrap_or(config.threads);
        config.hash_mb = self.hash_mb.unwrap_or(config.hash_mb);
        Ok(config)
    }

    /// A pool of which one engine runs; the others are started when there is work for them.
    pub(crate) async fn start(&self) -> Result<Pool, AppError> {
        self.start_at_once(1).await
    }

    /// A pool of which all engines run, for whoever has work for them.
    pub(crate) async fn start_all(&self) -> Result<Pool, AppError> {
        self.start_at_once(self.count()).await
    }

    async fn start_at_once(&self, number: usize) -> Result<Pool, AppError> {
        let mut config = PoolConfig::new(self.engine_config()?);
        config.workers = self.count();
        config.at_once = number;
        config.max_tries = self.max_tries.unwrap_or(config.max_tries).max(1);
        Ok(Pool::start(config).await?)
    }

    /// How many engines run at a time.
    pub fn count(&self) -> usize {
        let threads = self.threads.unwrap_or(EngineConfig::THREADS);
        self.workers.unwrap_or_else(|| PoolConfig::workers_for(threads)).max(1)
    }

    /// Where the engine is, and who it says it is.
    pub(crate) async fn probe(&self) -> Result<(PathBuf, EngineId), AppError> {
        let config = self.engine_config()?;
        let path = config.command.clone();
        Ok((path, tabiya_engine::probe(config).await?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_share_the_cores_among_their_threads() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let count = |workers, threads| {
            let settings = EngineSettings {
                workers,
                threads,
                ..EngineSettings::default()
            };
            settings.count()
        };
        assert_eq!(count(None, None), cores);
        assert_eq!(count(None, Some(2)), (cores / 2).max(1));
        assert_eq!(count(None, Some(u16::MAX)), 1);
        assert_eq!((count(Some(3), Some(2)), count(Some(0), None)), (3, 1));
    }
}
