//! The report of an import, for people.

use std::fmt::Write as _;

use pgn_import::Counters;

use super::report::Report;
use crate::numbers::{count, duration, megabytes_per_second, rate, thousands};

/// More inputs than this are not listed one by one.
const LISTED: usize = 20;

/// A table of the inputs, and what they came to in all.
pub(super) fn text(report: &Report) -> String {
    let mut text = inputs(report);
    for (name, value) in totals(report) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<11} {value}");
    }
    text
}

fn inputs(report: &Report) -> String {
    let sources = &report.import.sources;
    if sources.is_empty() {
        return String::new();
    }
    let mut rows = vec![["games", "failed", "left out", "new edges", "known", "tactics", "input"].map(str::to_owned)];
    for source in sources.iter().take(LISTED) {
        let resumed = source
            .resumed_at
            .map(|game| format!(" (went on at game {})", thousands(game + 1)));
        rows.push(row(
            &source.counters,
            format!("{}{}", source.source, resumed.unwrap_or_default()),
        ));
    }
    if sources.len() > LISTED {
        let mut rest = Counters::default();
        sources[LISTED..].iter().for_each(|source| rest += source.counters);
        rows.push(row(
            &rest,
            format!("{} more inputs", thousands((sources.len() - LISTED) as u64)),
        ));
    }
    if sources.len() > 1 {
        rows.push(row(&report.import.counters, "in all".to_owned()));
    }
    let widths: [usize; 6] = std::array::from_fn(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0));
    let mut text = String::new();
    for row in &rows {
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(text, "{cell:>width$}  ");
        }
        let _ = writeln!(text, "{}", row[6]);
    }
    text.push('\n');
    text
}

fn row(counters: &Counters, name: String) -> [String; 7] {
    [
        thousands(counters.pgn_games_total),
        thousands(counters.pgn_games_failed),
        thousands(counters.pgn_games_left_out),
        thousands(counters.edges_inserted),
        thousands(counters.edges_deduped),
        thousands(counters.tactics_extracted_fen + counters.tactics_extracted_comments),
        name,
    ]
}

fn totals(report: &Report) -> Vec<(&'static str, String)> {
    let import = &report.import;
    let sum = &import.counters;
    let mut lines = vec![
        ("games", games(sum)),
        ("positions", news(sum.positions_inserted, sum.positions_deduped)),
        ("edges", news(sum.edges_inserted, sum.edges_deduped)),
        (
            "tactics",
            format!(
                "{} from FEN tags, {} from comments",
                thousands(sum.tactics_extracted_fen),
                thousands(sum.tactics_extracted_comments)
            ),
        ),
    ];
    if let Some(label) = &import.repertoire {
        lines.push(("repertoire", format!("{label}, of {}", import.owner)));
    }
    if let Some(database) = &import.database {
        lines.push(("database", database.clone()));
    }
    for file in &import.files {
        lines.push((
            "written",
            format!("{}, {}", file.path.display(), count(file.rows, "row")),
        ));
    }
    let names = ["counters", "", "", ""];
    lines.extend(names.into_iter().zip(counters(sum)));
    lines.push((
        "timers",
        format!(
            "parse_ms={} merge_ms={} persist_ms={}",
            sum.parse_ms, sum.merge_ms, sum.persist_ms
        ),
    ));
    lines.push(("elapsed", elapsed(report)));
    lines
}

fn games(sum: &Counters) -> String {
    let rejected = sum.pgn_games_failed - sum.pgn_games_truncated.min(sum.pgn_games_failed);
    format!(
        "{} read, {} truncated, {} rejected, {} left out",
        thousands(sum.pgn_games_total),
        thousands(sum.pgn_games_truncated),
        thousands(rejected),
        thousands(sum.pgn_games_left_out)
    )
}

fn news(new: u64, known: u64) -> String {
    format!("{} new, {} already known", thousands(new), thousands(known))
}

/// The counters under the names they are published by.
fn counters(sum: &Counters) -> [String; 4] {
    let pair = |[(one, of_one), (other, of_other)]: [(&str, u64); 2]| format!("{one}={of_one} {other}={of_other}");
    [
        [
            ("pgn_games_total", sum.pgn_games_total),
            ("pgn_games_failed", sum.pgn_games_failed),
        ],
        [
            ("positions_inserted", sum.positions_inserted),
            ("positions_deduped", sum.positions_deduped),
        ],
        [
            ("edges_inserted", sum.edges_inserted),
            ("edges_deduped", sum.edges_deduped),
        ],
        [
            ("tactics_extracted_fen", sum.tactics_extracted_fen),
            ("tactics_extracted_comments", sum.tactics_extracted_comments),
        ],
    ]
    .map(pair)
}

/// The speed is that of this run: what an earlier one did is left out.
fn elapsed(report: &Report) -> String {
    let sources = &report.import.sources;
    let before: u64 = sources.iter().filter_map(|source| source.resumed_at).sum();
    let games = report.import.counters.pgn_games_total.saturating_sub(before);
    let mut text = format!("{}, {} games/s", duration(report.elapsed), rate(games, report.elapsed));
    if before == 0 {
        let bytes = sources.iter().map(|source| source.bytes).sum();
        let _ = write!(text, ", {}", megabytes_per_second(bytes, report.elapsed));
    }
    text
}
