//! `tabiya build`: the opening knowledge base, phase by phase.

pub(crate) mod annotate;
mod args;
mod plan;
pub(crate) mod settings;
mod show;

use std::{
    path::Path,
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
};

use serde::Serialize;
use tabiya_app::{
    AppError,
    build::{
        AnnotateRequest, AuditReport, CrawlRequest, Steps, ValidateRequest, assign_structure, audit, build_all,
        crawl_explorer, eco, expand, structure_reviews, structures, transpositions, validate,
    },
    name::NameSources,
};

pub(crate) use annotate::settings::cloud;
pub(crate) use args::BuildArgs;

use crate::{
    args::{Face, Format, Ui},
    configuration::{database_of, file_read, threads},
    failure::{Failure, INTERRUPTED, REJECTED},
    inputs::Inputs,
    interrupt, logging,
    progress::Display,
    runtime::runtime,
    telling::Telling,
    terminal::{Label, print, say},
};
use args::{PhaseArgs, PlainArgs, StructuresArgs, TableFormat, ValidateArgs};
use plan::Plan;
use settings::KEYS;

pub(crate) fn run(arguments: BuildArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    logging::start(ui);
    match arguments.phase {
        PhaseArgs::Eco(arguments) => {
            let database = url(&arguments.plain)?;
            let request = plan::names(arguments.names, database);
            let read = read_names(&request.names, request.book.as_deref()).database(&request.database);
            let eco = |steps| async move { eco(&request, &steps).await };
            let report = carry_out_whole(read, &arguments.plain, ui, eco)?;
            tell(&report, show::eco, &arguments.plain, ui)?;
            Ok(ExitCode::SUCCESS)
        }
        PhaseArgs::Expand(arguments) => {
            if let Some(base) = arguments.from.explorer.clone() {
                return ask(*arguments, &base, ui);
            }
            let args::ExpandArgs {
                from,
                add,
                counting,
                plain,
                ..
            } = *arguments;
            let plan = Plan::new(counting, &plain)?;
            let inputs = from.pgn.clone();
            let read = Inputs::default()
                .named(&inputs)
                .named(&from.counts)
                .database(&plan.database);
            let report = carry_out(&inputs, read, &plain, ui, |steps, stop| {
                let request = plan.expand(from, add, stop);
                async move { expand(&request, &steps).await }
            })?;
            tell(&report, show::expand, &plain, ui)?;
            Ok(ExitCode::SUCCESS)
        }
        PhaseArgs::Validate(arguments) => check_against(*arguments, ui),
        PhaseArgs::Structures(arguments) => label(arguments, ui),
        PhaseArgs::Annotate(arguments) => annotate::run(*arguments, ui),
        PhaseArgs::Transpositions(plain) => {
            let database = existing(&plain)?;
            let read = Inputs::default().database(&database);
            let transpositions = |steps| async move { transpositions(&database, &steps).await };
            let report = carry_out_whole(read, &plain, ui, transpositions)?;
            tell(&report, show::transpositions, &plain, ui)?;
            Ok(ExitCode::SUCCESS)
        }
        PhaseArgs::Audit(plain) => {
            let database = existing(&plain)?;
            let read = Inputs::default().database(&database);
            let report = carry_out_whole(read, &plain, ui, |steps| async move { audit(&database, &steps).await })?;
            tell(&report, show::audit, &plain, ui)?;
            Ok(verdict(&report, &plain, ui))
        }
        PhaseArgs::All(arguments) => all(*arguments, ui),
    }
}

fn all(arguments: args::AllArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let args::AllArgs {
        pgn,
        add,
        annotate,
        engine,
        names,
        counting,
        plain,
    } = arguments;
    let plan = Plan::new(counting, &plain)?;
    let names = plan::names(names, plan.database.clone());
    let engines = match annotate {
        Some(most_played) => Some(annotate::for_all(most_played, engine, &plain)?),
        None => None,
    };
    let inputs = pgn.clone();
    let read = read_names(&names.names, names.book.as_deref())
        .named(&inputs)
        .database(&plan.database);
    let report = carry_out(&inputs, read, &plain, ui, |steps, stop| {
        let engines = engines.map(|request| AnnotateRequest {
            stop: stop.clone(),
            database: plan.database.clone(),
            ..request
        });
        let request = plan.all(pgn, add, stop);
        async move { build_all(&names, &request, engines.as_ref(), &steps).await }
    })?;
    tell(&report, show::all, &plain, ui)?;
    Ok(verdict(&report.audit, &plain, ui))
}

/// An audit that fails is a failure, also to those who want to see nothing else.
fn verdict(report: &AuditReport, plain: &PlainArgs, ui: &Ui) -> ExitCode {
    if report.passed {
        return ExitCode::SUCCESS;
    }
    if ui.quiet && plain.format == Format::Text {
        for check in report.checks.iter().filter(|check| !check.passed) {
            say(Label::Error, &show::check(check));
        }
        say(
            Label::Hint,
            "`tabiya build all` makes anew what is not as it should be; restore a backup if it stays",
        );
    }
    ExitCode::from(REJECTED)
}

fn url(plain: &PlainArgs) -> Result<String, Failure> {
    database_of("build", &KEYS, plain.db.clone(), plain.config.as_deref())
}

/// A database that has something to look at: one that is not there must not be made.
fn existing(plain: &PlainArgs) -> Result<String, Failure> {
    let url = url(plain)?;
    tabiya_app::check_database(&url)?;
    Ok(url)
}

/// The files that names come from.
fn read_names(names: &NameSources, book: Option<&Path>) -> Inputs {
    Inputs::default().files(&names.source).files(&names.aliases).files(book)
}

/// Runs a phase with a display and an ear for interrupts.
fn carry_out<R, F>(
    inputs: &[String],
    read: Inputs,
    plain: &PlainArgs,
    ui: &Ui,
    work: impl FnOnce(Steps, Arc<AtomicBool>) -> F,
) -> Result<R, Failure>
where
    F: Future<Output = Result<R, AppError>>,
{
    check(read, plain, ui)?;
    run_with_display(inputs, plain.format == Format::Text, ui, Ears::Open, work)
}

/// Runs a phase that takes no notice of interrupts. It leaves nothing half done, so that it may be ended at any instant.
fn carry_out_whole<R, F>(read: Inputs, plain: &PlainArgs, ui: &Ui, work: impl FnOnce(Steps) -> F) -> Result<R, Failure>
where
    F: Future<Output = Result<R, AppError>>,
{
    check(read, plain, ui)?;
    run_with_display(&[], plain.format == Format::Text, ui, Ears::Closed, |steps, _| {
        work(steps)
    })
}

/// Whether an interrupt is a wish to stop at a good place, or the end of the process as it is everywhere.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ears {
    Open,
    Closed,
}

fn run_with_display<R, F>(
    inputs: &[String],
    shown: bool,
    ui: &Ui,
    ears: Ears,
    work: impl FnOnce(Steps, Arc<AtomicBool>) -> F,
) -> Result<R, Failure>
where
    F: Future<Output = Result<R, AppError>>,
{
    let runtime = runtime()?;
    let display = (!ui.quiet && shown).then(|| Display::start(inputs));
    let steps = match &display {
        Some(display) => {
            let (stage, engines) = (display.stage(), display.stage());
            Steps::new(move |step| stage.set(step.doing()), Some(display.watcher()))
                .with_engines(move |event| annotate::watch(&event, Some(&engines), false))
        }
        None => Steps::default(),
    };
    let stop = Arc::new(AtomicBool::new(false));
    let outcome = runtime.block_on(async {
        if ears == Ears::Open {
            interrupt::listen(stop.clone());
        }
        work(steps, stop.clone()).await
    });
    drop(display);
    runtime.shutdown_background();
    outcome.map_err(Failure::from)
}

fn tell<R: Serialize>(report: &R, text: fn(&R) -> String, plain: &PlainArgs, ui: &Ui) -> Result<(), Failure> {
    let telling = Telling::unchecked(ui, plain.format, plain.report.as_deref(), &[])?;
    telling.tell(report, || text(report))
}

/// Finds out before the work whether its outcome can be told.
fn check(read: Inputs, plain: &PlainArgs, ui: &Ui) -> Result<(), Failure> {
    let read = read.files(file_read(Face::Tabiya, plain.config.as_deref()));
    Telling::new(ui, plain.format, plain.report.as_deref(), &[], &read).map(|_| ())
}

fn ask(arguments: args::ExpandArgs, base: &str, ui: &Ui) -> Result<ExitCode, Failure> {
    let args::ExpandArgs {
        explorer,
        counting,
        plain,
        ..
    } = arguments;
    let plan = Plan::new(counting, &plain)?;
    let request = plan.crawl(base, explorer)?;
    let read = Inputs::default().database(&request.database);
    let summary = carry_out(&[], read, &plain, ui, |steps, stop| {
        let request = CrawlRequest { stop, ..request };
        let quiet = ui.quiet;
        async move {
            crawl_explorer(&request, &steps, move |wait| {
                if !quiet {
                    say(Label::Note, &wait.to_string());
                }
            })
            .await
        }
    })?;
    tell(&summary, show::crawl, &plain, ui)?;
    Ok(if summary.interrupted {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

fn check_against(arguments: ValidateArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let format = match arguments.format {
        TableFormat::Json => Format::Json,
        TableFormat::Text | TableFormat::Csv => Format::Text,
    };
    let csv = (arguments.format == TableFormat::Csv).then_some(Path::new("-"));
    let config = arguments.config.as_deref();
    let database = database_of("build", &KEYS, arguments.db, config)?;
    let read = Inputs::default()
        .named(&arguments.pgn)
        .files(file_read(Face::Tabiya, config))
        .database(&database);
    let csv_written = ("--format csv", csv);
    let telling = Telling::new(ui, format, arguments.report.as_deref(), &[csv_written], &read)?;
    tabiya_app::check_database(&database)?;
    let inputs = arguments.pgn.clone();
    let shown = arguments.format == TableFormat::Text;
    let report = run_with_display(&inputs, shown, ui, Ears::Open, |steps, stop| {
        let request = ValidateRequest {
            database,
            inputs: arguments.pgn,
            min_count: arguments.min_count,
            depth: arguments.depth,
            add_stubs: arguments.add_stubs,
            threads: threads(arguments.threads).get(),
            stop,
        };
        async move { validate(&request, &steps).await }
    })?;
    if csv.is_some() {
        print(&show::missing_csv(&report)?)?;
    }
    telling.tell(&report, || show::validate(&report))?;
    Ok(ExitCode::SUCCESS)
}

fn label(arguments: StructuresArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let StructuresArgs { review, assign, plain } = arguments;
    let database = existing(&plain)?;
    if review {
        let reviews = runtime()?.block_on(structure_reviews(&database))?;
        print(&show::reviews(&reviews, plain.format))?;
        return Ok(ExitCode::SUCCESS);
    }
    if let [fen, label] = assign.as_slice() {
        let structure = runtime()?.block_on(assign_structure(&database, fen, label))?;
        if !ui.quiet {
            say(Label::Note, &format!("{fen} is called {} from now on", structure.name));
        }
        return Ok(ExitCode::SUCCESS);
    }
    let read = Inputs::default().database(&database);
    let structures = |steps| async move { structures(&database, &steps).await };
    let report = carry_out_whole(read, &plain, ui, structures)?;
    tell(&report, show::structures, &plain, ui)?;
    Ok(ExitCode::SUCCESS)
}
