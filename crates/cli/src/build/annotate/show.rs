//! What an annotation has to tell, as text.

use std::{fmt::Write as _, time::Duration};

use tabiya_app::{
    build::{AnnotateReport, Estimate, Planned, Review},
    worker::EnqueueReport,
};

use crate::{
    args::Format,
    numbers::{count, duration, thousands},
};

pub(in super::super) fn report(report: &AnnotateReport) -> String {
    let done = &report.done;
    let mut text = format!("engine           {}\n", report.engine);
    planned(&report.planned, &mut text);
    let time = Duration::from_secs_f64(report.seconds);
    let _ = writeln!(
        text,
        "searched         {} in {}",
        count(done.searched, "position"),
        duration(time)
    );
    if done.searched > 0 {
        let _ = writeln!(
            text,
            "                 {} nodes, {:.2} s of an engine's time each",
            thousands(done.nodes),
            done.engine_millis as f64 / 1000.0 / done.searched as f64
        );
    }
    for (what, positions) in [
        ("from the cloud", done.from_cloud),
        ("quarantined", done.quarantined),
        ("left to do", done.not_done),
    ] {
        if positions > 0 {
            let _ = writeln!(text, "{what:<16} {}", thousands(positions));
        }
    }
    if report.open_reviews > 0 {
        let _ = writeln!(
            text,
            "to be reviewed   {} (tabiya build annotate --review)",
            count(report.open_reviews, "evaluation")
        );
    }
    text
}

fn planned(planned: &Planned, text: &mut String) {
    let _ = writeln!(
        text,
        "nodes            {} where moves branch, {} where the tree ends",
        thousands(planned.branching),
        thousands(planned.terminal)
    );
    for (what, positions) in [
        ("done before", planned.done_before),
        ("known already", planned.from_store),
        ("in quarantine", planned.in_quarantine),
    ] {
        if positions > 0 {
            let _ = writeln!(text, "{what:<16} {}", thousands(positions));
        }
    }
}

pub(super) fn enqueued(report: &EnqueueReport) -> String {
    let mut text = String::new();
    planned(&report.planned, &mut text);
    let _ = writeln!(
        text,
        "queued           {} in {}",
        count(report.planned.to_search, "position"),
        batches(report.batches + report.already_there)
    );
    if report.already_there > 0 {
        let _ = writeln!(
            text,
            "                 {} of them waited already",
            thousands(report.already_there)
        );
    }
    text.push_str("run `tabiya worker` on as many machines as there are\n");
    text
}

fn batches(number: u64) -> String {
    match number {
        1 => "1 batch".to_owned(),
        _ => format!("{} batches", thousands(number)),
    }
}

pub(super) fn estimate(estimate: &Estimate) -> String {
    let mut text = format!("engine           {}, {} at a time\n", estimate.engine, estimate.workers);
    planned(&estimate.planned, &mut text);
    let _ = writeln!(
        text,
        "to search        {}",
        count(estimate.planned.to_search, "position")
    );
    for limit in &estimate.limits {
        let _ = writeln!(
            text,
            "  {:<14} {}, {:.2} s each (by {})",
            limit.limit,
            count(limit.positions, "position"),
            limit.seconds_each,
            count(limit.samples, "sample")
        );
    }
    let least = if estimate.at_least { "at least " } else { "about " };
    let _ = writeln!(
        text,
        "it would take    {least}{}",
        duration(Duration::from_secs_f64(estimate.seconds.min(1e9)))
    );
    text
}

/// Evaluations that contradict each other.
pub(super) fn reviews(reviews: &[Review], format: Format) -> String {
    if format == Format::Json {
        let rows: Vec<_> = reviews
            .iter()
            .map(|review| serde_json::json!({"epd": review.epd, "reason": review.reason, "detail": review.detail}))
            .collect();
        return format!("{}\n", serde_json::Value::from(rows));
    }
    let mut text = String::new();
    for review in reviews {
        let _ = writeln!(text, "{}\n  {}", review.epd, review.detail);
    }
    let _ = writeln!(text, "{} to be reviewed", count(reviews.len() as u64, "evaluation"));
    text
}
