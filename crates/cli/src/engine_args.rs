//! Which engine, on the command line and in `tabiya.toml`.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};
use tabiya_app::engines::EngineSettings;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineArgs {
    /// The engine's program [default: $TABIYA_ENGINE, else `stockfish` on the PATH]
    #[arg(long, value_name = "PATH")]
    engine: Option<PathBuf>,
    /// Engines at a time [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    workers: Option<u16>,
    /// Threads of each engine; with more than one no evaluation can be reproduced [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Hash of each engine in MB [default: 16]
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u32).range(1..))]
    hash: Option<u32>,
    /// How often a position is tried before it is put aside [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_tries: Option<u32>,
}

/// The same as keys of a section.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct EngineKeys {
    #[serde(skip_serializing_if = "Option::is_none")]
    engine: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workers: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tries: Option<u32>,
}

impl EngineArgs {
    pub(crate) fn into_keys(self) -> EngineKeys {
        EngineKeys {
            engine: self.engine,
            workers: self.workers,
            threads: self.threads,
            hash: self.hash,
            max_tries: self.max_tries,
        }
    }
}

impl EngineKeys {
    pub(crate) fn of(engine: Option<PathBuf>) -> EngineKeys {
        EngineKeys {
            engine,
            ..EngineKeys::default()
        }
    }

    /// `TABIYA_ENGINE` stands between the command line and the file, like every variable.
    pub(crate) fn or_environment(mut self) -> EngineKeys {
        if self.engine.is_none() {
            self.engine = std::env::var_os("TABIYA_ENGINE")
                .filter(|path| !path.is_empty())
                .map(PathBuf::from);
        }
        self
    }

    pub(crate) fn settings(self) -> EngineSettings {
        EngineSettings {
            engine: self.engine,
            workers: self.workers.map(usize::from),
            threads: self.threads,
            hash_mb: self.hash,
            max_tries: self.max_tries,
        }
    }
}
