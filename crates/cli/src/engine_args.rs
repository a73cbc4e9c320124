//! Which engine, on the command line and in `tabiya.toml`.

use std::{fmt::Display, path::PathBuf, str::FromStr};

use clap::Args;
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use tabiya_app::engines::EngineSettings;

#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Engine")]
pub(crate) struct EngineArgs {
    /// The engine's program [default: $TABIYA_ENGINE, else `stockfish` on the PATH]
    #[arg(long, value_name = "PATH")]
    engine: Option<PathBuf>,
    /// Engines at a time [default: as many as there are cores for]
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
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    workers: Option<u16>,
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    threads: Option<u16>,
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
    hash: Option<u32>,
    #[serde(deserialize_with = "number", skip_serializing_if = "Option::is_none")]
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

/// The engine that the command line names, else `TABIYA_ENGINE`.
pub(crate) fn engine_or_environment(engine: Option<PathBuf>) -> Option<PathBuf> {
    let variable = || std::env::var_os("TABIYA_ENGINE").filter(|path| !path.is_empty());
    engine.or_else(|| variable().map(PathBuf::from))
}

/// Variables are texts, and what is part of a section by `flatten` comes without anybody saying that a number is wanted.
fn number<'de, D, N>(deserializer: D) -> Result<Option<N>, D::Error>
where
    D: Deserializer<'de>,
    N: TryFrom<u64> + FromStr<Err: Display>,
{
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(i64),
        Text(String),
    }
    let out_of_range = |number: i64| D::Error::custom(format!("{number} is out of range"));
    match Option::<Written>::deserialize(deserializer)? {
        None => Ok(None),
        Some(Written::Number(number)) => match u64::try_from(number).ok().and_then(|number| N::try_from(number).ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(out_of_range(number)),
        },
        Some(Written::Text(text)) => match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(error) => Err(D::Error::custom(format!("`{text}`: {error}"))),
        },
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
        self.engine = engine_or_environment(self.engine);
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
