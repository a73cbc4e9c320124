//! What is imported, and what an import says it has stored.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pgn_import::{Counters, ImportOptions, IngestConfig, Policy};
use tabiya_app::import::{ImportRequest, Outputs, import};

/// A file and the rules it is imported by.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) max_depth: Option<u32>,
    pub(crate) repertoire: Option<&'static str>,
}

impl Subject {
    pub(super) fn config(&self) -> IngestConfig {
        IngestConfig {
            owner: "bench".to_owned(),
            repertoire: self.repertoire.map(str::to_owned),
            max_depth: self.max_depth,
            ..IngestConfig::default()
        }
    }

    pub(super) fn options() -> ImportOptions {
        ImportOptions {
            policy: Policy::FailFast,
            resume: false,
            ..ImportOptions::default()
        }
    }

    /// Imports into a SQLite file, all of it: opening, reading, writing, settling, closing.
    pub(crate) async fn import_to(&self, database: &Path) -> Result<Counters> {
        let request = ImportRequest {
            inputs: vec![self.path.display().to_string()],
            retry_rejects: None,
            config: self.config(),
            options: Subject::options(),
            database: Some(format!("sqlite://{}", database.display())),
            outputs: Outputs::default(),
        };
        let outcome = import(request, None).await?;
        match outcome.errors.into_iter().next() {
            Some(error) => Err(error.into()),
            None if outcome.report.counters.pgn_games_failed > 0 => bail!("games were rejected"),
            None => Ok(outcome.report.counters),
        }
    }
}
