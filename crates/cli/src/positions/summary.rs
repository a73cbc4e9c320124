//! How a run went.

use std::{fmt::Write as _, time::Duration};

use serde_json::Value;
use tabiya_app::positions::PositionsReport;

use crate::numbers::{count, duration, milliseconds, rate, thousands};

/// The whole report, with what only the command knows.
pub(super) fn json(report: &PositionsReport, elapsed: Duration) -> Value {
    let mut value = serde_json::to_value(report).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.insert("elapsed_ms".to_owned(), Value::from(milliseconds(elapsed)));
    }
    value
}

pub(super) fn text(report: &PositionsReport, elapsed: Duration) -> String {
    let counts = &report.manifest.counts;
    let mut text = String::new();
    // Writing to a String cannot fail.
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<11} {value}");
    };
    line(
        "games",
        format!(
            "{} read, {} left out",
            thousands(counts.games),
            thousands(counts.games_left_out.total())
        ),
    );
    for (reason, games) in counts.games_left_out.reasons() {
        line("", format!("{:>13} {}", thousands(games), reason.words()));
    }
    line("positions", format!("{} taken", thousands(counts.positions)));
    for (reason, positions) in counts.positions_passed_over.reasons() {
        line("", format!("{:>13} {}", thousands(positions), reason.words()));
    }
    if let Some(engine) = &report.manifest.engine {
        let time = Duration::from_millis(report.engine_millis);
        line(
            "engine",
            format!(
                "{engine}, {} nodes in {} of its time",
                thousands(report.engine_nodes),
                duration(time)
            ),
        );
    }
    let output = &report.manifest.output;
    line(
        "written",
        format!(
            "{}, {}, {:.1} MB",
            report.output.display(),
            count(output.rows, "position"),
            output.bytes as f64 / 1e6
        ),
    );
    line(
        "elapsed",
        format!("{}, {} games/s", duration(elapsed), rate(counts.games, elapsed)),
    );
    text
}

/// What a user may want to do next.
pub(super) fn hints(report: &PositionsReport) -> Vec<String> {
    let counts = &report.manifest.counts;
    let mut hints = Vec::new();
    if counts.games == 0 {
        hints.push("there are no games in these files".to_owned());
    } else if counts.positions == 0 {
        hints.push("no position was taken: the numbers above say why, and `tabiya positions --help` has the options for most of it".to_owned());
    }
    hints
}
