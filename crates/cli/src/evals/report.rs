//! The whole report of the command, for machines.

use std::time::Duration;

use serde::Serialize;
use tabiya_app::evals::EvalsReport;

use crate::failure::Failure;

/// An import's report with what only the command knows.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    status: &'static str,
    #[serde(flatten)]
    pub(super) evals: EvalsReport,
    elapsed_ms: u64,
    errors: Vec<ReportedError>,
    #[serde(skip)]
    pub(super) elapsed: Duration,
}

#[derive(Debug, Serialize)]
struct ReportedError {
    message: String,
    hints: Vec<String>,
    exit_code: u8,
}

impl Report {
    pub(super) fn new(evals: EvalsReport, failures: &[Failure], elapsed: Duration) -> Report {
        let errors = failures.iter().map(|failure| ReportedError {
            message: failure.message(),
            hints: failure.hints().to_vec(),
            exit_code: failure.code(),
        });
        Report {
            status: match (failures.is_empty(), evals.interrupted) {
                (false, _) => "failed",
                (true, true) => "interrupted",
                (true, false) => "done",
            },
            evals,
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            errors: errors.collect(),
            elapsed,
        }
    }

    /// Pretty JSON with a newline behind.
    pub(super) fn json(&self) -> String {
        crate::terminal::json(self)
    }
}
