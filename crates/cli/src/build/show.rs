//! What a build has to tell, as text.

use std::fmt::Write as _;

use super::annotate::report as annotated;
use tabiya_app::{
    build::{
        AuditReport, BuildReport, Check, CrawlSummary, EcoReport, ExpandReport, FLAGGED_REVIEW, Review,
        StructuresReport, TranspositionsReport, ValidateReport,
    },
    spreadsheet::harmless,
};

use crate::{
    args::Format,
    failure::Failure,
    numbers::{count, thousands},
};

/// Names what was left as it was.
fn skipped(skipped: bool) -> &'static str {
    if skipped { " (done before)" } else { "" }
}

pub(super) fn eco(report: &EcoReport) -> String {
    let mut text = format!(
        "openings         {} in {} families, {} ECO codes{}\nother names      {}\nnamed positions  {}\nskeleton         {}, {}\n",
        thousands(report.openings),
        thousands(report.families),
        report.eco_codes,
        skipped(report.skipped),
        thousands(report.aliases),
        thousands(report.named_positions),
        count(report.nodes, "position"),
        count(report.edges, "move"),
    );
    if report.book_moves > 0 {
        let _ = writeln!(text, "book moves       {}", thousands(report.book_moves));
    }
    text
}

pub(super) fn expand(report: &ExpandReport) -> String {
    let mut text = format!(
        "collection       {}{}\ngames            {}\n",
        report.collection,
        skipped(report.skipped),
        thousands(report.games)
    );
    let sum = |of: fn(&tabiya_app::build::count::CountedFile) -> u64| report.files.iter().map(of).sum::<u64>();
    let duplicates = sum(|file| file.duplicates);
    if duplicates > 0 {
        let _ = writeln!(text, "duplicates       {} counted once", thousands(duplicates));
    }
    let mut left_out = tabiya_app::build::count::LeftOut::default();
    for file in &report.files {
        left_out += file.left_out;
    }
    for (why, games) in left_out.reasons() {
        let _ = writeln!(text, "left out         {} {why}", thousands(games));
    }
    for file in report.files.iter().filter(|file| file.known) {
        let _ = writeln!(text, "counted before   {}", file.name);
    }
    if let Some(ply) = report.cut_at {
        let _ = writeln!(
            text,
            "cut at           half-move {ply}: the parts were counted no further, and the depth reaches beyond"
        );
    }
    let why = if report.min_games > report.asked_min_games {
        raised(report.asked_min_games)
    } else if report.chosen_by_size {
        format!(", chosen for {}", count(report.all_games, "game"))
    } else {
        String::new()
    };
    text.push_str(&kept(report.min_games, &why));
    let _ = writeln!(
        text,
        "graph            {}, {}",
        count(report.nodes, "position"),
        count(report.edges, "move")
    );
    text
}

fn kept(min_games: u64, why: &str) -> String {
    format!(
        "kept             moves with {} or more{why}\n",
        count(min_games, "game")
    )
}

/// Why a threshold is not the one that was asked for.
fn raised(asked: u64) -> String {
    format!(", raised from {asked} to keep the graph small enough")
}

pub(super) fn crawl(report: &CrawlSummary) -> String {
    let mut text = format!(
        "collection       {}\nanswered         {} now, {} before\nmoves            {} kept, {} with too few games\n",
        report.collection,
        count(report.answered, "position"),
        thousands(report.known),
        thousands(report.moves),
        thousands(report.pruned),
    );
    if report.min_games > report.asked_min_games {
        text.push_str(&kept(report.min_games, &raised(report.asked_min_games)));
    }
    if report.flagged > 0 {
        let _ = writeln!(
            text,
            "flagged          {} with moves that make no sense; `build structures --review` lists them",
            count(report.flagged, "position")
        );
    }
    if report.interrupted {
        text.push_str("interrupted: run the same command to go on, without --fresh\n");
    }
    text
}

pub(super) fn structures(report: &StructuresReport) -> String {
    let mut text = format!(
        "terminal         {}{}\nunknown          {} of all; {} of {} with games at plies 16-30 ({:.1} %)\n",
        count(report.terminal_nodes, "position"),
        skipped(report.skipped),
        thousands(report.unknown_nodes),
        thousands(report.unknown_16_30),
        thousands(report.terminal_16_30),
        report.unknown_share(),
    );
    if report.by_person > 0 {
        let _ = writeln!(text, "named by people  {}", thousands(report.by_person));
    }
    let mut labels: Vec<(&String, &u64)> = report.labels.iter().collect();
    labels.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    for (label, nodes) in labels {
        let _ = writeln!(text, "  {:>9}  {label}", thousands(*nodes));
    }
    if !report.commonest_unknown.is_empty() {
        text.push_str("\nthe commonest that no rule knows:\n");
    }
    for unknown in &report.commonest_unknown {
        let _ = writeln!(
            text,
            "\n{}: {}, {}, such as {}",
            unknown.skeleton,
            count(unknown.nodes, "position"),
            count(unknown.games, "game"),
            unknown.example
        );
        for line in unknown.diagram.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}

pub(super) fn transpositions(report: &TranspositionsReport) -> String {
    let mut text = format!(
        "transpositions   {} of {} have several parents{}\nbetween openings {}\nlinks            {}\n",
        thousands(report.transpositions),
        count(report.nodes, "position"),
        skipped(report.skipped),
        thousands(report.between_openings),
        count(report.links, "pair"),
    );
    for meeting in &report.commonest {
        let _ = writeln!(
            text,
            "  {:>9}  {} = {}",
            thousands(meeting.games),
            meeting.one,
            meeting.other
        );
    }
    text
}

/// What was checked, and what is wrong with it if anything is.
pub(super) fn check(check: &Check) -> String {
    let mut text = format!("{} ({})", check.name, thousands(check.of));
    if !check.passed {
        // Writing to a String cannot fail.
        let _ = write!(text, ": {} are not, such as {}", thousands(check.broken), check.detail);
    }
    text
}

pub(super) fn audit(report: &AuditReport) -> String {
    let mut text = String::new();
    for check in &report.checks {
        let verdict = if check.passed { "ok  " } else { "FAIL" };
        let _ = writeln!(text, "{verdict}  {}", self::check(check));
    }
    text.push('\n');
    let width = report.figures.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, figure) in &report.figures {
        let _ = writeln!(text, "{name:<width$}  {figure}");
    }
    let _ = writeln!(
        text,
        "\n{}",
        if report.passed {
            "all is well"
        } else {
            "something is wrong"
        }
    );
    text
}

pub(super) fn all(report: &BuildReport) -> String {
    // The labels and diagrams are `build structures`' own; here one line of them is enough.
    let structures: String = structures(&report.structures)
        .lines()
        .take(2)
        .map(|line| format!("{line}\n"))
        .collect();
    let transpositions: String = transpositions(&report.transpositions)
        .lines()
        .take(3)
        .map(|line| format!("{line}\n"))
        .collect();
    [
        eco(&report.eco),
        expand(&report.expand),
        report.annotate.as_ref().map(annotated).unwrap_or_default(),
        structures,
        transpositions,
        audit(&report.audit),
    ]
    .into_iter()
    .filter(|part| !part.is_empty())
    .collect::<Vec<_>>()
    .join("\n")
}

pub(super) fn validate(report: &ValidateReport) -> String {
    let mut text = format!(
        "games            {}, {} corrupt\n",
        thousands(report.games),
        thousands(report.corrupt)
    );
    if report.elsewhere > 0 {
        let _ = writeln!(
            text,
            "not followed     {} from another start or of another variant",
            thousands(report.elsewhere)
        );
    }
    let _ = writeln!(
        text,
        "leave the graph  {} by a named line within its depth",
        thousands(report.leaving)
    );
    if report.duplicates > 0 {
        let _ = writeln!(text, "duplicates       {} counted once", thousands(report.duplicates));
    }
    let _ = writeln!(
        text,
        "missing          {}",
        count(report.missing.len() as u64, "variation")
    );
    if report.stubs_added > 0 {
        let _ = writeln!(text, "added            {}", count(report.stubs_added, "stub"));
    }
    for missing in &report.missing {
        let number = missing.ply.div_ceil(2);
        let dots = if missing.ply % 2 == 1 { "." } else { "..." };
        let _ = writeln!(
            text,
            "  {:>7}  {number}{dots}{:<8} {} {}\n           {}\n           first in {}",
            thousands(missing.games),
            missing.san,
            missing.eco,
            missing.opening,
            missing.epd,
            missing.example,
        );
    }
    text
}

pub(super) fn missing_csv(report: &ValidateReport) -> Result<String, Failure> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let broken = |error: &dyn std::fmt::Display| Failure::world(anyhow::anyhow!("cannot write CSV: {error}"));
    out.write_record(["epd", "san", "parent_epd", "ply", "eco", "opening", "games", "example"])
        .map_err(|error| broken(&error))?;
    for missing in &report.missing {
        out.write_record([
            missing.epd.as_str(),
            &missing.san,
            &missing.parent_epd,
            &missing.ply.to_string(),
            &harmless(&missing.eco),
            &harmless(&missing.opening),
            &missing.games.to_string(),
            &harmless(&missing.example),
        ])
        .map_err(|error| broken(&error))?;
    }
    let bytes = out.into_inner().map_err(|error| broken(&error))?;
    String::from_utf8(bytes).map_err(|error| broken(&error))
}

pub(super) fn reviews(reviews: &[Review], format: Format) -> String {
    let is_flag = |review: &&Review| review.reason == FLAGGED_REVIEW;
    if format == Format::Json {
        let rows: Vec<_> = reviews
            .iter()
            .map(|review| {
                let detail = if is_flag(&review) { "detail" } else { "skeleton" };
                serde_json::json!({"epd": review.epd, "reason": review.reason, detail: review.detail})
            })
            .collect();
        return format!("{}\n", serde_json::Value::from(rows));
    }
    let mut text = String::new();
    for review in reviews {
        let reason = if is_flag(&review) { "flagged: " } else { "" };
        let _ = writeln!(text, "{}  {reason}{}", review.epd, review.detail);
    }
    let flagged = reviews.iter().filter(is_flag).count();
    let _ = writeln!(
        text,
        "{} to be named",
        count((reviews.len() - flagged) as u64, "position")
    );
    if flagged > 0 {
        let _ = writeln!(text, "{} flagged", count(flagged as u64, "position"));
    }
    text
}
