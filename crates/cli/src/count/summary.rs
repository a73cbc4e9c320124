//! What was counted, for people and for machines.

use std::{fmt::Write as _, time::Duration};

use serde::Serialize;
use tabiya_app::build::{count::LeftOut, parts::PartReport};

use crate::numbers::{count, duration, milliseconds, rate, thousands};

/// More inputs than this are not listed one by one.
const LISTED: usize = 20;

#[derive(Debug, Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    part: PartReport,
    elapsed_ms: u64,
    #[serde(skip)]
    elapsed: Duration,
}

impl Report {
    pub(super) fn new(part: PartReport, elapsed: Duration) -> Report {
        Report {
            part,
            elapsed_ms: milliseconds(elapsed),
            elapsed,
        }
    }

    pub(super) fn text(&self) -> String {
        let part = &self.part;
        let mut text = self.inputs();
        let games = format!(
            "{} read, {} counted, {}, {} left out",
            thousands(part.games),
            thousands(part.counted),
            count(part.duplicates, "duplicate"),
            thousands(part.left_out.total()),
        );
        let written = format!(
            "{}, {}, {:.1} MB",
            part.out.display(),
            count(part.rows, "row"),
            part.bytes as f64 / 1e6
        );
        let mut lines = vec![("games", games)];
        lines.extend(left_out(&part.left_out).map(|line| ("left out", line)));
        lines.extend([
            ("positions", thousands(part.positions)),
            ("moves", thousands(part.moves)),
            ("written", written),
            (
                "elapsed",
                format!("{}, {} games/s", duration(self.elapsed), rate(part.games, self.elapsed)),
            ),
        ]);
        for (name, value) in lines {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{name:<11} {value}");
        }
        text
    }

    /// A table of the files, where there are several.
    fn inputs(&self) -> String {
        let files = &self.part.files;
        if files.len() < 2 {
            return String::new();
        }
        let mut text = format!("{:>9}  {:>9}  {:>9}  input\n", "games", "counted", "left out");
        for file in files.iter().take(LISTED) {
            let again = if file.known { " (named twice)" } else { "" };
            let _ = writeln!(
                text,
                "{:>9}  {:>9}  {:>9}  {}{again}",
                thousands(file.games),
                thousands(file.counted),
                thousands(file.left_out.total()),
                file.name,
            );
        }
        if files.len() > LISTED {
            let _ = writeln!(text, "and {} more inputs", thousands((files.len() - LISTED) as u64));
        }
        text.push('\n');
        text
    }
}

/// `3 without a result, 1 of another variant`.
fn left_out(reasons: &LeftOut) -> Option<String> {
    let reasons: Vec<String> = reasons
        .reasons()
        .map(|(why, games)| format!("{} {why}", thousands(games)))
        .collect();
    (!reasons.is_empty()).then(|| reasons.join(", "))
}
