//! The whole report of an import command, for machines.

use std::time::Duration;

use serde::Serialize;
use tabiya_app::import::ImportReport;

use crate::failure::Failure;

/// An import's report with what only the command knows.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    status: Status,
    #[serde(flatten)]
    pub(super) import: ImportReport,
    #[serde(rename = "elapsed_ms", serialize_with = "milliseconds")]
    pub(super) elapsed: Duration,
    errors: Vec<ReportedError>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Done,
    Interrupted,
    Failed,
}

#[derive(Debug, Serialize)]
struct ReportedError {
    message: String,
    hints: Vec<String>,
    exit_code: u8,
}

impl Report {
    pub(super) fn new(import: ImportReport, failures: &[Failure], elapsed: Duration) -> Report {
        let status = match (failures.is_empty(), import.interrupted) {
            (false, _) => Status::Failed,
            (true, true) => Status::Interrupted,
            (true, false) => Status::Done,
        };
        let errors = failures
            .iter()
            .map(|failure| ReportedError {
                message: failure.message(),
                hints: failure.hints().to_vec(),
                exit_code: failure.code(),
            })
            .collect();
        Report {
            status,
            import,
            elapsed,
            errors,
        }
    }

    pub(super) fn is_done(&self) -> bool {
        self.status == Status::Done
    }

    pub(super) fn has_failed(&self) -> bool {
        self.status == Status::Failed
    }

    /// Pretty JSON with a newline behind.
    pub(super) fn json(&self) -> String {
        crate::terminal::json(self)
    }
}

fn milliseconds<S: serde::Serializer>(elapsed: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
}
