//! The whole report of the command, for machines.

use std::time::Duration;

use serde::Serialize;
use tabiya_app::evals::EvalsReport;

use crate::{
    failure::{Failure, ReportedError},
    numbers::milliseconds,
};

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

impl Report {
    pub(super) fn new(evals: EvalsReport, failures: &[Failure], elapsed: Duration) -> Report {
        Report {
            status: match (failures.is_empty(), evals.interrupted) {
                (false, _) => "failed",
                (true, true) => "interrupted",
                (true, false) => "done",
            },
            evals,
            elapsed_ms: milliseconds(elapsed),
            errors: failures.iter().map(ReportedError::from).collect(),
            elapsed,
        }
    }
}
