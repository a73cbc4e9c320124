//! `tabiya evals`: evaluations that somebody else has made.

mod args;
mod report;
pub(crate) mod settings;
mod summary;

use std::{process::ExitCode, sync::Arc, time::Instant};

use tabiya_app::evals::{EvalsOutcome, EvalsRequest, import_evals};

pub(crate) use args::EvalsArgs;

use crate::{
    args::{Face, Format, Ui},
    configuration::{file_read, layered, threads},
    failure::{Failure, INTERRUPTED},
    inputs::Inputs,
    interrupt, logging,
    progress::Display,
    runtime::runtime,
    telling::Telling,
    terminal::{Label, say},
};
use args::{EvalsCommand, ImportArgs};
use report::Report;
use settings::{KEYS, Settings};

pub(crate) fn run(arguments: EvalsArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    match arguments.command {
        EvalsCommand::Import(arguments) => import(arguments, ui),
    }
}

fn import(arguments: ImportArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let flags = arguments.settings();
    let settings: Settings = layered(Face::Tabiya, arguments.config.as_deref(), "evals", &KEYS, &flags)?;
    logging::start(ui);
    let request = request(&arguments, settings);
    let inputs = Inputs::default()
        .named(&request.inputs)
        .files(file_read(Face::Tabiya, arguments.config.as_deref()))
        .database(&request.database);
    let telling = Telling::new(ui, arguments.format, arguments.report.as_deref(), &[], &inputs)?;
    let runtime = runtime()?;
    let display =
        (!ui.quiet && arguments.format == Format::Text).then(|| Display::counting(&request.inputs, "evaluation"));
    let watcher = display.as_ref().map(Display::watcher);
    let started = Instant::now();
    let outcome = runtime.block_on(async {
        interrupt::listen(Arc::clone(&request.stop));
        import_evals(&request, watcher).await
    });
    drop(display);
    // A thread that waits for standard input must not keep the process.
    runtime.shutdown_background();
    let EvalsOutcome { report, errors } = outcome?;
    let failures: Vec<Failure> = errors.into_iter().map(Failure::from).collect();
    let report = Report::new(report, &failures, started.elapsed());
    tell(&arguments, &report, &failures, &telling, ui)
}

fn request(arguments: &ImportArgs, settings: Settings) -> EvalsRequest {
    EvalsRequest {
        inputs: arguments.files.clone(),
        database: settings.persistence.url(),
        min_depth: settings.min_depth.unwrap_or(0),
        known_only: settings.known_only.unwrap_or(false),
        limit: arguments.limit,
        threads: threads(settings.threads),
        stop: Arc::default(),
    }
}

/// Tells the user how it went, in the order in which it is read: the result, what went wrong, ways on.
fn tell(
    arguments: &ImportArgs,
    report: &Report,
    failures: &[Failure],
    telling: &Telling,
    ui: &Ui,
) -> Result<ExitCode, Failure> {
    telling.tell(report, || match report.evals.files.is_empty() {
        // The error says all there is to say.
        true => String::new(),
        false => summary::text(report),
    })?;
    if !ui.quiet {
        for warning in summary::warnings(&report.evals) {
            say(Label::Warning, &warning);
        }
    }
    for failure in failures {
        failure.report();
    }
    if !ui.quiet {
        for hint in summary::hints(&report.evals, arguments.report.is_some(), failures.is_empty()) {
            say(Label::Hint, &hint);
        }
    }
    let worst = failures.iter().map(Failure::code).max();
    Ok(match worst {
        Some(code) => ExitCode::from(code),
        None if report.evals.interrupted => ExitCode::from(INTERRUPTED),
        None => ExitCode::SUCCESS,
    })
}
