//! `tabiya project`: the knowledge base as a graph in Neo4j.

use std::{
    fmt::Write as _,
    path::PathBuf,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use clap::Args;
use serde_json::json;
use tabiya_app::project::{ProjectPhase, ProjectReport, ProjectRequest, Written, project};

use crate::{
    args::{Format, Ui},
    configuration::database,
    failure::{Failure, INTERRUPTED},
    interrupt, logging,
    numbers::{duration, rate, thousands},
    progress::{Display, Stage},
    runtime::runtime,
    terminal::{Label, print, say},
};

pub(crate) const EXAMPLES: &str = "\
Examples:
  tabiya project --to neo4j://neo4j:PASSWORD@localhost:7687
  tabiya project --db postgres://host/chess --to neo4j://graph.example
  TABIYA_NEO4J=neo4j://neo4j:PASSWORD@localhost tabiya project    keep the password off the list of processes
  tabiya serve --db neo4j://neo4j:PASSWORD@localhost              and answer from there

The same command again writes what has changed since, and removes what went. It can be stopped at any time, and goes on where it was. Ten questions to ask the graph are in docs/neo4j.md.";

#[derive(Debug, Args)]
pub(crate) struct ProjectArgs {
    /// The graph: neo4j://USER:PASSWORD@HOST:7687, with /DATABASE behind it if it is not the server's first
    #[arg(long, value_name = "URL", env = "TABIYA_NEO4J", hide_env_values = true)]
    to: Option<String>,
    /// The knowledge base to copy [default: $TABIYA_DB, else tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL")]
    db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Print text, or JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
}

pub(crate) fn run(arguments: ProjectArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    let to = arguments.to.ok_or_else(|| {
        Failure::usage("no graph was named to copy to").hint(
            "name it with --to neo4j://USER:PASSWORD@HOST:7687, or in TABIYA_NEO4J, which keeps the password off the list of processes",
        )
    })?;
    let request = ProjectRequest {
        database: database(arguments.db, arguments.config.as_deref())?,
        to,
        stop: Arc::default(),
    };
    let display = (!ui.quiet && arguments.format == Format::Text).then(Display::of_stages);
    let stage = display.as_ref().map(Display::stage);
    let started = Instant::now();
    let report = runtime()?.block_on(async {
        interrupt::listen(Arc::clone(&request.stop));
        project(&request, &|phase, done, total| show(stage.as_ref(), phase, done, total)).await
    });
    drop(display);
    let report = report?;
    match arguments.format {
        Format::Json => print(&format!("{:#}\n", machine(&report, started.elapsed())))?,
        Format::Text if !ui.quiet => print(&summary(&report, started.elapsed()))?,
        Format::Text => {}
    }
    if !report.stopped {
        return Ok(ExitCode::SUCCESS);
    }
    if !ui.quiet {
        say(Label::Note, "stopped; the same command goes on where it was");
    }
    Ok(ExitCode::from(INTERRUPTED))
}

fn show(stage: Option<&Stage>, phase: ProjectPhase, done: u64, total: u64) {
    let Some(stage) = stage else { return };
    match phase {
        ProjectPhase::Positions => stage.reached(done, total, "position"),
        ProjectPhase::Moves => stage.reached(done, total, "move"),
        ProjectPhase::Games => stage.reached(done, total, "game"),
        ProjectPhase::Analyses => stage.reached(done, total, "answer"),
        ProjectPhase::Openings => stage.reached(done, total, "opening"),
        ProjectPhase::Tactics => stage.reached(done, total, "tactic"),
        ProjectPhase::Removing => stage.set("removing what went"),
    }
}

fn parts(report: &ProjectReport) -> [(&'static str, Written); 8] {
    [
        ("positions", report.positions),
        ("moves", report.moves),
        ("openings", report.openings),
        ("structures", report.structures),
        ("collections", report.collections),
        ("games", report.games),
        ("analyses", report.analyses),
        ("tactics", report.tactics),
    ]
}

fn summary(report: &ProjectReport, took: Duration) -> String {
    let mut text = format!("{} in {}", report.database, duration(took));
    let positions = report.positions.written;
    if positions > 0 {
        let alone = report.positions.took + report.moves.took;
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "; positions with their moves in {}, {} positions/s",
            duration(alone),
            rate(positions, alone)
        );
    }
    text.push_str("\n\n");
    let _ = writeln!(
        text,
        "{:<12} {:>12} {:>12} {:>12} {:>10}",
        "", "there", "written", "removed", "seconds"
    );
    for (name, part) in parts(report) {
        let _ = write!(
            text,
            "{name:<12} {:>12} {:>12} {:>12}",
            thousands(part.total),
            thousands(part.written),
            thousands(part.removed),
        );
        let _ = match part.took.is_zero() {
            true => writeln!(text),
            false => writeln!(text, " {:>10.1}", part.took.as_secs_f64()),
        };
    }
    text
}

fn machine(report: &ProjectReport, took: Duration) -> serde_json::Value {
    let parts = parts(report).map(|(name, part)| {
        let counts = json!({
            "total": part.total,
            "written": part.written,
            "removed": part.removed,
            "seconds": part.took.as_secs_f64(),
        });
        (name.to_owned(), counts)
    });
    let mut all: serde_json::Map<String, serde_json::Value> = parts.into_iter().collect();
    all.insert("database".to_owned(), report.database.clone().into());
    all.insert("interrupted".to_owned(), report.stopped.into());
    all.insert("seconds".to_owned(), took.as_secs_f64().into());
    all.into()
}
