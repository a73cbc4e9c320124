//! `tabiya positions`: training positions out of games, and files of them.

mod args;
mod bars;
mod farm;
pub(crate) mod settings;
mod summary;
mod tools;

use std::{
    fs,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use tabiya_app::{
    is_special,
    positions::{KNOWN_ISSUES, PositionsEvent, PositionsReport, PositionsRequest, Told, list_months, take_positions},
};

pub(crate) use args::{EXAMPLES, PositionsArgs};

use crate::{
    args::{Face, Format, Ui},
    configuration::{file_read, layered},
    failure::Failure,
    inputs::Inputs,
    interrupt, logging,
    progress::Display,
    runtime::runtime,
    telling::{Telling, is_standard_output},
    terminal::{Label, print, say},
};
use args::TakeArgs;
use settings::{KEYS, Settings};

pub(crate) fn run(arguments: PositionsArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    match arguments.command {
        Some(command) => tools::run(command, ui),
        None => take(&arguments.take, ui),
    }
}

fn take(arguments: &TakeArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    if arguments.list_known_issues {
        print(&known_issues())?;
        return Ok(ExitCode::SUCCESS);
    }
    let flags = arguments.settings();
    let settings: Settings = layered(Face::Tabiya, arguments.config.as_deref(), "positions", &KEYS, &flags)?;
    if arguments.list_months {
        return show_months(&settings);
    }
    if arguments.queue.queue.is_some() && !arguments.work && !arguments.enqueue {
        return Err(
            Failure::usage("--queue names where jobs are put with --enqueue, and taken from with --work")
                .hint("add one of them, or leave out --queue to take positions here and now"),
        );
    }
    if arguments.work {
        return farm::work(arguments, settings, ui);
    }
    if arguments.enqueue {
        return farm::enqueue(arguments, settings, ui);
    }
    let request = settings.request(arguments)?;
    let report = arguments.report.as_deref();
    let inputs = Inputs::default()
        .named(&request.inputs)
        .files(&arguments.dedupe_with)
        .files(file_read(Face::Tabiya, arguments.config.as_deref()));
    let output = ("--output", Some(request.output.as_path()));
    let telling = Telling::new(ui, Format::Text, report, &[output], &inputs)?;
    let runtime = runtime()?;
    let display = (!ui.quiet && !report.is_some_and(is_standard_output)).then(|| Display::start(&request.inputs));
    let told: Option<Told> = display.as_ref().map(|display| {
        let watcher = display.watcher();
        let told: Told = Arc::new(move |event: &PositionsEvent<'_>| match event {
            PositionsEvent::Opened { source, progress } => watcher(pgn_import::Watch::Opened {
                source,
                progress: Arc::clone(progress),
            }),
            PositionsEvent::Games(games) => watcher(pgn_import::Watch::Games(*games)),
            PositionsEvent::Written(_) => {}
        });
        told
    });
    let started = Instant::now();
    let outcome = runtime.block_on(async {
        interrupt::listen(Arc::clone(&request.stop));
        take_positions(&request, told).await
    });
    drop(display);
    // A thread that waits for standard input must not keep the process.
    runtime.shutdown_background();
    let report = match outcome {
        Ok(report) => report,
        Err(error) if error.is_stop() => {
            say_interrupted(&request);
            return Ok(Failure::from(error).exit_code());
        }
        Err(error) => return Err(error.into()),
    };
    tell(&report, started.elapsed(), &telling, ui)
}

/// What an interrupted run leaves, and the way on where there is one.
fn say_interrupted(request: &PositionsRequest) {
    let is_piped = |input: &String| {
        let is_pipe = |found: fs::Metadata| !found.is_file() && !found.is_dir();
        input == "-" || fs::metadata(input).is_ok_and(is_pipe)
    };
    if is_special(&request.output) {
        say(Label::Note, "interrupted; nothing was written");
    } else if request.inputs.iter().any(is_piped) {
        say(Label::Note, "interrupted");
        say(
            Label::Hint,
            "games that came through a pipe cannot be gone on with; run the same command with --restart to begin anew",
        );
    } else {
        say(
            Label::Note,
            "interrupted; everything up to the last whole group is kept",
        );
        say(Label::Hint, "run the same command with --resume to go on");
    }
}

fn tell(report: &PositionsReport, elapsed: Duration, telling: &Telling, ui: &Ui) -> Result<ExitCode, Failure> {
    telling.tell(&summary::json(report, elapsed), || summary::text(report, elapsed))?;
    if !ui.quiet {
        for month in &report.left_out_months {
            say(Label::Warning, &format!("left out: {month}"));
        }
        for warning in &report.warnings {
            say(Label::Warning, warning);
        }
        for hint in summary::hints(report) {
            say(Label::Hint, &hint);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn show_months(settings: &Settings) -> Result<ExitCode, Failure> {
    let mut text = String::new();
    let runtime = runtime()?;
    let blocklist = settings.blocklist()?;
    for name in settings.variants() {
        let variant = name
            .parse()
            .map_err(|error: tabiya_chess::OtherVariant| Failure::usage(error.to_string()))?;
        let months = runtime.block_on(list_months(&settings.base_url(), variant))?;
        for month in months {
            match blocklist.objection(month, variant) {
                Some(reason) => text.push_str(&format!("{month}  {variant}  left out: {reason}\n")),
                None => text.push_str(&format!("{month}  {variant}\n")),
            }
        }
    }
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}

fn known_issues() -> String {
    let mut text = format!("{:<34}{:<18}{:<40}what\n", "when", "variants", "what is done");
    for issue in &KNOWN_ISSUES {
        text.push_str(&format!(
            "{:<34}{:<18}{:<40}{}\n",
            issue.span.words, issue.variants, issue.action, issue.what
        ));
    }
    text
}
