//! What an import has to say for itself, for people and for machines.

use pgn_import::{Counters, IngestSummary, Reject};
use serde::Serialize;
use tabiya_store::{Store, StoreError};

use super::{ImportRequest, outputs::WrittenFile};

/// An import in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct ImportReport {
    pub owner: String,
    pub repertoire: Option<String>,
    /// The database's name, without a password.
    pub database: Option<String>,
    /// The sum over all inputs.
    pub counters: Counters,
    pub sources: Vec<SourceReport>,
    pub files: Vec<WrittenFile>,
    /// Ended early because somebody asked for it.
    pub interrupted: bool,
    /// Games that could not be taken whole.
    pub rejects: Vec<Reject>,
    /// Inputs that were gone on with, those that failed included.
    #[serde(skip)]
    resumed: Vec<String>,
}

/// One input in numbers.
#[derive(Debug, Clone, Serialize)]
pub struct SourceReport {
    pub source: String,
    pub bytes: u64,
    /// The game an interrupted import was taken up at.
    pub resumed_at: Option<u64>,
    pub counters: Counters,
}

impl ImportReport {
    pub(super) fn new(request: &ImportRequest, database: Option<String>) -> ImportReport {
        ImportReport {
            owner: request.config.owner.clone(),
            repertoire: request.config.repertoire.clone(),
            database,
            counters: Counters::default(),
            sources: Vec::new(),
            files: Vec::new(),
            interrupted: false,
            rejects: Vec::new(),
            resumed: Vec::new(),
        }
    }

    /// What the inputs came to together.
    pub(super) fn sum(&self) -> Counters {
        let mut sum = Counters::default();
        self.sources.iter().for_each(|source| sum += source.counters);
        sum
    }

    /// Takes the ledger of inputs that were gone on with from the store: this run has not met the games before.
    pub(super) async fn complete_ledger(&mut self, store: &Store) -> Result<(), StoreError> {
        for resumed in &self.resumed {
            let whole = store.rejects(Some(resumed)).await?;
            let is_own = |reject: &Reject| reject.source == *resumed;
            let at = self.rejects.iter().position(is_own).unwrap_or(self.rejects.len());
            self.rejects.retain(|reject| !is_own(reject));
            self.rejects.splice(at..at, whole);
        }
        Ok(())
    }

    /// Takes the ledger of an input that failed, and nothing else: its error tells the rest.
    pub(super) fn add_failed(&mut self, summary: IngestSummary) {
        self.rejects.extend(summary.rejects);
        self.resumed.extend(summary.resumed_at.map(|_| summary.source));
    }

    pub(super) fn add(&mut self, summary: IngestSummary) {
        self.interrupted |= summary.interrupted;
        self.rejects.extend(summary.rejects);
        self.resumed.extend(summary.resumed_at.map(|_| summary.source.clone()));
        self.sources.push(SourceReport {
            source: summary.source,
            bytes: summary.bytes,
            resumed_at: summary.resumed_at,
            counters: summary.counters,
        });
    }
}
