//! What was written, for people and for machines.

use std::{fmt::Write as _, time::Duration};

use serde::Serialize;
use tabiya_app::export::{ExportFormat, ExportReport};

use crate::numbers::{count, duration, milliseconds, rate, size, thousands};

/// More files than this are not named one by one.
const NAMED: usize = 5;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    status: &'static str,
    #[serde(flatten)]
    pub(super) export: ExportReport,
    elapsed_ms: u64,
    #[serde(skip)]
    elapsed: Duration,
}

impl Report {
    pub(super) fn new(export: ExportReport, elapsed: Duration) -> Report {
        Report {
            status: "done",
            export,
            elapsed_ms: milliseconds(elapsed),
            elapsed,
        }
    }

    pub(super) fn text(&self) -> String {
        let export = &self.export;
        let entries = thousands(export.entries);
        let noun = plural(export.format, export.entries);
        let mut lines = vec![
            ("written", export.output.display().to_string()),
            ("files", thousands(export.files.len() as u64)),
            ("content", format!("{entries} {noun}, {}", size(export.bytes))),
        ];
        if let Some(depth) = export.max_depth {
            lines.push(("depth", format!("up to {}", count(depth.into(), "half-move"))));
        }
        lines.push((
            "elapsed",
            format!(
                "{}, {} {}/s",
                duration(self.elapsed),
                rate(export.entries, self.elapsed),
                plural(export.format, 2)
            ),
        ));
        let mut text = String::new();
        for (name, value) in lines {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name:<11} {value}");
        }
        text
    }

    /// What had to be left out.
    pub(super) fn notes(&self) -> Vec<String> {
        let cut: Vec<_> = self.export.files.iter().filter(|file| file.depth_cut).collect();
        let mut notes: Vec<String> = cut
            .iter()
            .take(NAMED)
            .map(|file| {
                let depth = count(file.depth.unwrap_or(0).into(), "half-move");
                format!("{}: cut to {depth} to stay under 5 MB", file.file)
            })
            .collect();
        if cut.len() > NAMED {
            notes.push(format!("and {} more files", cut.len() - NAMED));
        }
        notes
    }
}

fn plural(format: ExportFormat, number: u64) -> &'static str {
    match (format, number) {
        (ExportFormat::Polyglot, 1) => "entry",
        (ExportFormat::Polyglot, _) => "entries",
        (ExportFormat::Json, 1) => "node",
        (ExportFormat::Json, _) => "nodes",
        (ExportFormat::Pgn, 1) => "move",
        (ExportFormat::Pgn, _) => "moves",
        (_, 1) => "row",
        (_, _) => "rows",
    }
}
