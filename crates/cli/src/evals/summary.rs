//! How an import of evaluations went, for people.

use std::fmt::Write as _;

use tabiya_app::evals::{EvalsFile, EvalsReport, FileKind};

use super::report::Report;
use crate::numbers::{count, duration, rate, thousands};

/// More inputs than this are not listed one by one, and not more of what went wrong in one of them.
const LISTED: usize = 20;
const NAMED: usize = 3;

pub(super) fn text(report: &Report) -> String {
    let evals = &report.evals;
    let mut text = inputs(&evals.files);
    let mut lines = vec![
        ("database", evals.database.clone()),
        ("positions", thousands(evals.positions)),
        (
            "evaluations",
            format!(
                "{}, {} new or deeper",
                thousands(evals.evaluations),
                thousands(evals.new)
            ),
        ),
    ];
    if evals.passed_over > 0 {
        lines.push(("passed over", count(evals.passed_over, "position")));
    }
    let left_out: u64 = evals.files.iter().map(|file| file.games_left_out).sum();
    if left_out > 0 {
        lines.push(("left out", format!("{} of Chess960", count(left_out, "game"))));
    }
    if evals.bad > 0 {
        lines.push(("bad", bad(&evals.files)));
    }
    let speed = rate(evals.positions + evals.passed_over, report.elapsed);
    lines.push(("elapsed", format!("{}, {speed} positions/s", duration(report.elapsed))));
    for (name, value) in lines {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<11} {value}");
    }
    text
}

/// `2 lines, 1 game`.
fn bad(files: &[EvalsFile]) -> String {
    let of = |kind| {
        let files = files.iter().filter(move |file| file.kind == kind);
        files.map(|file| file.bad).sum::<u64>()
    };
    let parts = [(of(FileKind::Jsonl), "line"), (of(FileKind::Pgn), "game")];
    let parts = parts.iter().filter(|(bad, _)| *bad > 0);
    parts
        .map(|(bad, noun)| count(*bad, noun))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A table of the files, where there are several.
fn inputs(files: &[EvalsFile]) -> String {
    if files.len() < 2 {
        return String::new();
    }
    let mut text = format!("{:>11}  {:>11}  {:>9}  input\n", "read", "positions", "bad");
    for file in files.iter().take(LISTED) {
        let _ = writeln!(
            text,
            "{:>11}  {:>11}  {:>9}  {}",
            thousands(file.read),
            thousands(file.positions),
            thousands(file.bad),
            file.name
        );
    }
    if files.len() > LISTED {
        let _ = writeln!(text, "and {} more inputs", thousands((files.len() - LISTED) as u64));
    }
    text.push('\n');
    text
}

/// The first things that made no sense in each file.
pub(super) fn warnings(evals: &EvalsReport) -> Vec<String> {
    let mut warnings = Vec::new();
    // Where nothing made sense, an error has said so.
    let some_sense = |file: &&EvalsFile| file.read > file.bad || file.positions + file.passed_over > 0;
    for file in evals.files.iter().filter(some_sense).take(LISTED) {
        for problem in file.problems.iter().take(NAMED) {
            warnings.push(format!("{}, {}: {}", file.name, problem.place, problem.reason));
        }
        let more = file.bad.saturating_sub(NAMED as u64);
        if more > 0 {
            let noun = match file.kind {
                FileKind::Jsonl => "line",
                FileKind::Pgn => "game",
            };
            warnings.push(format!(
                "{}: and {more} more bad {noun}s",
                file.name,
                more = thousands(more)
            ));
        }
    }
    warnings
}

/// What a user may want to do next.
pub(super) fn hints(evals: &EvalsReport, has_report: bool, succeeded: bool) -> Vec<String> {
    let mut hints = Vec::new();
    if !has_report && evals.files.iter().any(|file| file.bad > NAMED as u64) {
        hints.push("--report FILE lists what was bad".to_owned());
    }
    if evals.interrupted {
        hints.push("interrupted: everything committed is kept; run the same command again to add the rest".to_owned());
    } else if succeeded && evals.evaluations == 0 && evals.passed_over == 0 {
        hints.push("there are no [%eval] comments in these games".to_owned());
    } else if succeeded && evals.evaluations == 0 {
        hints.push("nothing was taken: --min-depth and --known-only ask for less when they are left out".to_owned());
    }
    hints
}
