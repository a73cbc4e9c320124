//! `tabiya worker` and `tabiya workers`: engines on many machines drain one queue.

use std::{
    fmt::Write as _,
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use clap::Args;
use serde_json::json as object;
use tabiya_app::{
    build::DEFAULT_GAP,
    worker::{QueueStatus, Work, WorkerEvent, WorkerReport, WorkerRequest, Workers, retry_failed, work, workers},
};

use crate::{
    args::{Face, Format, Ui},
    build::{
        annotate::settings::{KEYS, Settings},
        cloud,
    },
    configuration::{database_of, file_read},
    engine_args::EngineArgs,
    failure::{Failure, INTERRUPTED, WORLD},
    inputs::Inputs,
    interrupt, logging,
    numbers::{count, duration, thousands},
    progress::Display,
    queue_args::QueueArgs,
    runtime::runtime,
    telling::Telling,
    terminal::{Label, print, say},
};

pub(crate) const EXAMPLES: &str = "\
Examples:
  tabiya build annotate --db postgres://host/chess --enqueue     put work into the queue
  tabiya worker --db postgres://host/chess                       on as many machines as there are
  tabiya worker --db postgres://host/chess --queue redis://host
  tabiya workers --db postgres://host/chess                      who is at what, and how fast";

#[derive(Debug, Args)]
pub(crate) struct WorkerArgs {
    /// The database [default: $TABIYA_DB, else tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL")]
    db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// What this worker is called [default: machine and process]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// End when nothing is left to do, instead of waiting for more
    #[arg(long)]
    until_empty: bool,
    /// Ask a Lichess-compatible service first, such as https://lichess.org/api/cloud-eval
    #[arg(long, value_name = "URL")]
    cloud: Option<String>,
    /// Print text, or JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    /// Also write the outcome as JSON to a file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    queue: QueueArgs,
    #[command(flatten)]
    engine: EngineArgs,
}

#[derive(Debug, Args)]
pub(crate) struct WorkersArgs {
    /// The database [default: $TABIYA_DB, else tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL")]
    db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Try jobs again that were given up
    #[arg(long)]
    retry_failed: bool,
    /// Print text, or JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: Format,
    #[command(flatten)]
    queue: QueueArgs,
}

pub(crate) fn run(arguments: WorkerArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    // What it does is what `build annotate` has put there, with the engine that would have done it.
    let (engine, database) =
        Settings::engine_and_database(arguments.engine, arguments.db, arguments.config.as_deref())?;
    let inputs = Inputs::default()
        .files(file_read(Face::Tabiya, arguments.config.as_deref()))
        .database(&database);
    let telling = Telling::new(ui, arguments.format, arguments.report.as_deref(), &[], &inputs)?;
    tabiya_app::check_database(&database)?;
    let request = WorkerRequest {
        database,
        queue: arguments.queue.settings(),
        engine,
        cloud: arguments.cloud.as_deref().map(cloud).transpose()?,
        name: arguments.name.unwrap_or_else(own_name),
        until_empty: arguments.until_empty,
        gap: DEFAULT_GAP,
        stop: Arc::new(AtomicBool::new(false)),
    };
    let display = (!ui.quiet && arguments.format == Format::Text).then(Display::of_stages);
    let stage = display.as_ref().map(Display::stage);
    if let Some(stage) = &stage {
        stage.set("waiting for work");
    }
    let quiet = ui.quiet;
    let watch = move |event: WorkerEvent<'_>| match event {
        WorkerEvent::Engine { warning } => {
            if let (Some(warning), false) = (warning, quiet) {
                say(Label::Warning, &warning);
            }
        }
        WorkerEvent::Answered(line) => {
            if let Some(stage) = &stage {
                stage.answered_one_more(line);
            }
        }
    };
    let outcome = runtime()?.block_on(async {
        interrupt::listen(request.stop.clone());
        work(&request, watch).await
    });
    drop(display);
    let report = outcome?;
    telling.tell(&report, || text(&report))?;
    if report.given_up > 0 {
        let batches = count(report.given_up, "batch").replace("batchs", "batches");
        say(Label::Error, &format!("{batches} given up"));
        say(
            Label::Hint,
            "`tabiya workers` says why, and with --retry-failed lets them wait again",
        );
    }
    Ok(match (report.interrupted, report.given_up) {
        (true, _) => ExitCode::from(INTERRUPTED),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => ExitCode::from(WORLD),
    })
}

/// The machine's name and the number of this process.
pub(crate) fn own_name() -> String {
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = match host.trim() {
        "" => "worker",
        host => host,
    };
    format!("{host}-{}", std::process::id())
}

fn text(report: &WorkerReport) -> String {
    let mut text = format!(
        "engine           {}\nbatches          {}\nsearched         {}\n",
        report.engine,
        thousands(report.batches),
        count(report.done.searched, "position")
    );
    for (what, number) in [
        ("known already", report.done.from_store),
        ("from the cloud", report.done.from_cloud),
        ("quarantined", report.done.quarantined),
        ("given back", report.given_back),
        ("failed", report.failed),
        ("given up", report.given_up),
        ("others had it", report.late),
    ] {
        if number > 0 {
            let _ = writeln!(text, "{what:<16} {}", thousands(number));
        }
    }
    text
}

pub(crate) fn list(arguments: WorkersArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    let database = database_of("annotate", &KEYS, arguments.db, arguments.config.as_deref())?;
    tabiya_app::check_database(&database)?;
    let queue = arguments.queue.settings();
    let runtime = runtime()?;
    if arguments.retry_failed {
        let again = runtime.block_on(retry_failed(&database, &queue))?;
        if !ui.quiet {
            say(Label::Note, &format!("jobs that wait again: {}", thousands(again)));
        }
    }
    let found = runtime.block_on(workers(&database, &queue))?;
    match arguments.format {
        Format::Json => print(&format!("{:#}\n", json_of(&found)))?,
        Format::Text => print(&table(&found))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// All queues together, as scripts watch them, and each by itself.
fn json_of(found: &[Workers]) -> serde_json::Value {
    let sum = |of: fn(&QueueStatus) -> u64| found.iter().map(|one| of(&one.queue)).sum::<u64>();
    let failures = |one: &Workers| -> Vec<_> {
        let failures = one.queue.failures.iter();
        failures
            .map(|job| {
                object!({
                    "work": word(one.work), "key": job.key, "attempts": job.attempts, "reason": job.reason,
                })
            })
            .collect()
    };
    let queues = found.iter().map(|one| {
        let queue = &one.queue;
        let counts = object!({
            "waiting": queue.waiting, "running": queue.running, "done": queue.done, "failed": queue.failed,
        });
        (word(one.work).to_owned(), counts)
    });
    object!({
        "waiting": sum(|queue| queue.waiting),
        "running": sum(|queue| queue.running),
        "done": sum(|queue| queue.done),
        "failed": sum(|queue| queue.failed),
        "queues": queues.collect::<serde_json::Map<_, _>>(),
        "failures": found.iter().flat_map(failures).collect::<Vec<_>>(),
        "workers": found.iter().flat_map(workers_of).collect::<Vec<_>>(),
    })
}

fn workers_of(found: &Workers) -> Vec<serde_json::Value> {
    let workers = found.workers.iter();
    workers
        .map(|worker| {
            object!({
                "id": worker.id,
                "name": worker.name,
                "work": word(found.work),
                "at_a_time": worker.concurrency,
                "silent_seconds": worker.silent_for.as_secs_f64(),
                "lost": worker.is_lost,
                "batches": worker.done,
                "positions": worker.units,
                "positions_per_second": worker.rate,
                "jobs": worker.jobs.iter().map(|job| object!({
                    "key": job.key,
                    "seconds": job.running_for.as_secs_f64(),
                })).collect::<Vec<_>>(),
            })
        })
        .collect()
}

fn word(work: Work) -> &'static str {
    match work {
        Work::Evaluations => "evaluations",
        Work::Positions => "positions",
    }
}

/// Batches of evaluations, and runs of `positions` where there are any.
fn table(found: &[Workers]) -> String {
    let mut text = String::new();
    for one in found {
        let queue = &one.queue;
        let jobs = match one.work {
            Work::Evaluations => "batches",
            Work::Positions if *queue == QueueStatus::default() => continue,
            Work::Positions => "runs of positions",
        };
        let _ = writeln!(
            text,
            "{jobs}: {} waiting, {} running, {} done, {} given up",
            thousands(queue.waiting),
            thousands(queue.running),
            thousands(queue.done),
            thousands(queue.failed)
        );
        for job in &queue.failures {
            let _ = writeln!(
                text,
                "  {} after {}: {}",
                job.key,
                count(job.attempts.into(), "attempt"),
                job.reason
            );
        }
    }
    if found.iter().all(|one| one.workers.is_empty()) {
        text.push_str("no workers\n");
        return text;
    }
    let _ = writeln!(
        text,
        "{:<28} {:>10} {:>8} {:>8}  at",
        "worker", "positions", "per s", "seen"
    );
    for worker in found.iter().flat_map(|one| &one.workers) {
        let at = match worker.jobs.as_slice() {
            [] if worker.is_lost => "lost".to_owned(),
            [] => "waiting".to_owned(),
            jobs => jobs
                .iter()
                .map(|job| format!("{} for {}", job.key, rounded(job.running_for)))
                .collect::<Vec<_>>()
                .join(", "),
        };
        let _ = writeln!(
            text,
            "{:<28} {:>10} {:>8.1} {:>8}  {at}",
            worker.name,
            thousands(worker.units),
            worker.rate,
            rounded(worker.silent_for)
        );
    }
    text
}

/// Whole seconds, which is as often as workers are heard of.
fn rounded(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => duration(Duration::from_secs(seconds)),
    }
}
