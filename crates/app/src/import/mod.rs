//! `import`: PGN into a store, into files, or both.

mod collect;
mod ledger;
mod outputs;
mod report;

use pgn_import::{
    ImportError, ImportOptions, Importer, IngestConfig, IngestSummary, Journalled, Policy, Watcher, expand_inputs,
};
use tabiya_store::{Identity, Store, StoreOptions, check_takes};

pub use ledger::read_ledger;
pub use outputs::{Outputs, WrittenFile};
pub use report::{ImportReport, SourceReport};

use crate::AppError;
use collect::Collector;
use std::path::PathBuf;

/// What is to be imported, how, and where to.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// Files, directories, globs or `-`.
    pub inputs: Vec<String>,
    /// A ledger of an earlier import: its games are read again.
    pub retry_rejects: Option<PathBuf>,
    pub config: IngestConfig,
    pub options: ImportOptions,
    /// Where to keep it; None keeps nothing but the outputs.
    pub database: Option<String>,
    pub outputs: Outputs,
}

/// How an import went. Whatever went wrong, the report says what was kept before.
#[derive(Debug)]
pub struct ImportOutcome {
    pub report: ImportReport,
    pub errors: Vec<AppError>,
}

/// Runs an import. An error means that it could not begin; what happens later is part of the outcome.
pub async fn import(request: ImportRequest, watcher: Option<Watcher>) -> Result<ImportOutcome, AppError> {
    // Everything that can be wrong with the request is found before the first byte is written.
    let inputs = expand_inputs(&request.inputs)?;
    let ledger = request.retry_rejects.as_deref().map(read_ledger).transpose()?;
    if let (Some(path), Some(games)) = (&request.retry_rejects, &ledger)
        && games.iter().any(|reject| reject.source == "-")
    {
        return Err(AppError::LedgerOfPipe { path: path.clone() });
    }
    request.outputs.check()?;
    let store = match &request.database {
        Some(url) => Some(open_store(url, &request.config).await?),
        None => None,
    };
    let database = store.as_ref().map(|store| store.name().to_owned());
    let mut options = request.options.clone();
    // A file holds the whole import, so an interrupted one is begun anew where files are asked for.
    options.resume &= !request.outputs.any();
    let mut collector = Collector::new(store, request.outputs.any() || request.database.is_none());
    let mut importer = Importer::journaled(request.config.clone(), options, &mut collector);
    if let Some(watcher) = watcher {
        importer = importer.watched_by(watcher);
    }

    let mut outcome = ImportOutcome {
        report: ImportReport::new(&request, database),
        errors: Vec::new(),
    };
    if let Some(ledger) = &ledger {
        let result = importer.ingest_rejects(ledger).await;
        outcome.note("rejects", result, importer.take_failed());
    }
    for input in &inputs {
        if outcome.must_end(request.options.policy) {
            break;
        }
        let result = importer.ingest(input).await;
        outcome.note(&input.to_string(), result, importer.take_failed());
    }
    finish(&mut importer, &mut outcome).await;
    let counters = importer.counters();
    drop(importer);
    // An input that failed has no report of its own, but the importer has counted it.
    outcome.report.counters = if outcome.errors.is_empty() {
        outcome.report.sum()
    } else {
        counters
    };
    if let (Some(_), Some(store)) = (&request.outputs.rejects, collector.store())
        && let Err(error) = outcome.report.complete_ledger(store).await
    {
        outcome.errors.push(error.into());
    }
    match request.outputs.write(&collector, &outcome.report) {
        Ok(written) => outcome.report.files = written,
        Err(error) => outcome.errors.push(error.into()),
    }
    if let Some(store) = collector.into_store() {
        store.close().await;
    }
    Ok(outcome)
}

async fn open_store(url: &str, config: &IngestConfig) -> Result<Store, AppError> {
    // Or the first game would be blamed, which is the first that is written.
    check_takes(url)?;
    let identity = if config.dedupe_transpositions {
        Identity::Position
    } else {
        Identity::FullFen
    };
    let options = StoreOptions {
        identity: Some(identity),
        // One thing is asked after the other. The pool gets a connection back a moment late, and would open more of them on a busy
        // machine, each with a cache of its own.
        max_connections: 1,
        ..StoreOptions::default()
    };
    Ok(Store::connect_with(url, options).await?)
}

/// Settles what was stored, unless the store itself is what failed.
async fn finish(importer: &mut Importer<Journalled<'_, Collector>>, outcome: &mut ImportOutcome) {
    if outcome.errors.iter().any(|error| {
        matches!(
            error,
            AppError::Import {
                source: ImportError::Storage(_),
                ..
            }
        )
    }) {
        return;
    }
    if let Err(source) = importer.finalize().await {
        outcome.errors.push(AppError::Import {
            input: "settling the graph".to_owned(),
            source,
        });
    }
}

impl ImportOutcome {
    /// Takes what an input came to; `failed` is what one did before its error.
    fn note(&mut self, input: &str, result: Result<IngestSummary, ImportError>, failed: Option<IngestSummary>) {
        match result {
            Ok(summary) => self.report.add(summary),
            Err(source) => {
                if let Some(failed) = failed {
                    self.report.add_failed(failed);
                }
                self.errors.push(AppError::Import {
                    input: input.to_owned(),
                    source,
                });
            }
        }
    }

    /// Whether the inputs that are left must not be begun.
    fn must_end(&self, policy: Policy) -> bool {
        self.report.interrupted
            || self.errors.iter().any(|error| match error {
                AppError::Import {
                    source: ImportError::Io { .. },
                    ..
                } => policy == Policy::FailFast,
                _ => true,
            })
    }
}
