//! `tabiya import` and `pgn-import`.

pub(crate) mod args;
mod hints;
mod plan;
mod report;
pub(crate) mod settings;
mod summary;

use std::{process::ExitCode, sync::Arc, time::Instant};

use tabiya_app::import::{ImportOutcome, import};

pub(crate) use args::ImportArgs;

use crate::{
    args::{Face, Format, Ui},
    configuration::{file_read, layered},
    failure::{Failure, INTERRUPTED},
    interrupt, logging, metrics,
    progress::Display,
    runtime::runtime,
    telling::Telling,
    terminal::{Label, check_file, say},
};
use plan::Plan;
use report::Report;
use settings::{KEYS, Settings};

/// Runs an import from the command line to the exit code.
pub(crate) fn run(face: Face, paths: Vec<String>, args: ImportArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let (format, file) = (args.format, args.config.clone());
    let settings: Settings = layered(face, file.as_deref(), "import", &KEYS, &args.into_settings(paths))?;
    let plan = Plan::new(face, settings)?;
    logging::start(ui);
    let inputs = plan.read().files(file_read(face, file.as_deref()));
    let telling = Telling::new(ui, format, plan.report.as_deref(), &plan.written(), &inputs)?;
    if let Some(path) = &plan.metrics {
        check_file(path)?;
    }
    let recorder = plan.metrics.as_ref().map(|_| metrics::install()).transpose()?;
    let result = carry_out(&plan, format, &telling, ui);
    // Also after a failure: whoever watches wants to see those too.
    if let (Some(path), Some(recorder)) = (&plan.metrics, &recorder) {
        metrics::write(recorder, path)?;
    }
    result
}

fn carry_out(plan: &Plan, format: Format, telling: &Telling, ui: &Ui) -> Result<ExitCode, Failure> {
    let runtime = runtime()?;
    let display = (!ui.quiet && format == Format::Text).then(|| Display::start(&plan.request.inputs));
    let watcher = display.as_ref().map(Display::watcher);
    let started = Instant::now();
    let outcome = runtime.block_on(async {
        interrupt::listen(Arc::clone(&plan.request.options.stop));
        import(plan.request.clone(), watcher).await
    });
    drop(display);
    // A thread that waits for standard input must not keep the process.
    runtime.shutdown_background();
    let ImportOutcome { report, errors } = outcome?;
    let failures: Vec<Failure> = errors.into_iter().map(Failure::from).collect();
    logging::end(ui);
    let report = Report::new(report, &failures, started.elapsed());
    tell(plan, &report, &failures, telling, ui)
}

/// Tells the user how it went, in the order in which it is read: the result, what went wrong, ways on.
fn tell(plan: &Plan, report: &Report, failures: &[Failure], telling: &Telling, ui: &Ui) -> Result<ExitCode, Failure> {
    telling.tell(report, || summary::text(report))?;
    for failure in failures {
        failure.report();
    }
    if !ui.quiet {
        for hint in hints::after(plan, report) {
            say(Label::Hint, &hint);
        }
    }
    let worst = failures.iter().map(Failure::code).max();
    Ok(match worst {
        Some(code) => ExitCode::from(code),
        None if report.import.interrupted => ExitCode::from(INTERRUPTED),
        None => ExitCode::SUCCESS,
    })
}
