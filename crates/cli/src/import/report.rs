//! The whole report of an import command, for machines.

use std::time::Duration;

use serde::Serialize;
use tabiya_app::import::ImportReport;

use crate::{
    failure::{Failure, ReportedError},
    numbers::milliseconds,
};

/// An import's report with what only the command knows.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    status: Status,
    #[serde(flatten)]
    pub(super) import: ImportReport,
    elapsed_ms: u64,
    errors: Vec<ReportedError>,
    #[serde(skip)]
    pub(super) elapsed: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Done,
    Interrupted,
    Failed,
}

impl Report {
    pub(super) fn new(import: ImportReport, failures: &[Failure], elapsed: Duration) -> Report {
        let status = match (failures.is_empty(), import.interrupted) {
            (false, _) => Status::Failed,
            (true, true) => Status::Interrupted,
            (true, false) => Status::Done,
        };
        let errors = failures.iter().map(ReportedError::from).collect();
        Report {
            status,
            import,
            elapsed_ms: milliseconds(elapsed),
            errors,
            elapsed,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.status == Status::Done
    }

    pub(super) fn has_failed(&self) -> bool {
        self.status == Status::Failed
    }
}
