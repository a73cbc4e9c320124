//! `tabiya build annotate`: what engines think of openings.

pub(super) mod args;
pub(crate) mod settings;
mod show;

use std::{
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, atomic::AtomicBool},
};

use tabiya_app::{
    build::{
        AnnotateEvent, AnnotateRequest, EvaluationAnswer, annotate, answer_evaluation, estimate, evaluation_reviews,
    },
    worker,
};

use super::{args::PlainArgs, check, tell};
use crate::{
    args::{Face, Format, Ui},
    configuration::{database_of, layered},
    failure::{Failure, INTERRUPTED},
    inputs::Inputs,
    interrupt,
    progress::{Display, Stage},
    runtime::runtime,
    terminal::{Label, print, say},
};
use args::AnnotateArgs;
use settings::{KEYS, Settings};

pub(super) use show::report;

pub(super) fn run(arguments: AnnotateArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let AnnotateArgs {
        dry_run,
        review,
        accept,
        keep,
        enqueue,
        queue,
        effort,
        engine,
        plain,
    } = arguments;
    if review {
        let reviews_of = runtime()?.block_on(evaluation_reviews(&existing(&plain)?))?;
        print(&show::reviews(&reviews_of, plain.format))?;
        return Ok(ExitCode::SUCCESS);
    }
    for (fen, answer) in [(accept, EvaluationAnswer::Accept), (keep, EvaluationAnswer::Keep)] {
        if let Some(fen) = fen {
            let shown = runtime()?.block_on(answer_evaluation(&existing(&plain)?, &fen, answer))?;
            if let (Some(shown), false) = (shown, ui.quiet) {
                say(Label::Note, &format!("{fen}: {}", crate::lookup::evaluation(&shown)));
            }
            return Ok(ExitCode::SUCCESS);
        }
    }
    let flags = Settings::new(&effort, engine, plain.db.clone());
    let settings: Settings = layered(Face::Tabiya, plain.config.as_deref(), "annotate", &KEYS, &flags)?;
    let mut request = settings.insist(&effort).request(effort.retry_quarantined)?;
    check(Inputs::default().database(&request.database), &plain, ui)?;
    tabiya_app::check_database(&request.database)?;
    if queue.queue.is_some() && !enqueue {
        return Err(Failure::usage("--queue names where work is put with --enqueue")
            .hint("add --enqueue, and run `tabiya worker` to have it done"));
    }
    if enqueue {
        let report = runtime()?.block_on(worker::enqueue(&request, &queue.settings()))?;
        tell(&report, show::enqueued, &plain, ui)?;
        return Ok(ExitCode::SUCCESS);
    }
    request.stop = Arc::new(AtomicBool::new(false));
    let runtime = runtime()?;
    let display = (!ui.quiet && plain.format == Format::Text).then(Display::of_stages);
    let stage = display.as_ref().map(Display::stage);
    if let Some(stage) = &stage {
        stage.set(if dry_run {
            "searching a few positions"
        } else {
            "looking for what to do"
        });
    }
    let quiet = ui.quiet;
    let watch = |event: AnnotateEvent<'_>| watch(&event, stage.as_ref(), quiet);
    if dry_run {
        let outcome = runtime.block_on(async {
            interrupt::listen(request.stop.clone());
            estimate(&request).await
        });
        drop(display);
        tell(&outcome?, show::estimate, &plain, ui)?;
        return Ok(ExitCode::SUCCESS);
    }
    let outcome = runtime.block_on(async {
        interrupt::listen(request.stop.clone());
        annotate(&request, watch).await
    });
    drop(display);
    let report = outcome?;
    tell(&report, show::report, &plain, ui)?;
    if report.done.quarantined > 0 && !ui.quiet {
        say(
            Label::Warning,
            "some positions could not be answered; --retry-quarantined tries them again",
        );
    }
    if report.interrupted && !ui.quiet {
        say(
            Label::Hint,
            "interrupted: every evaluation so far is kept; run the same command again to go on",
        );
    }
    Ok(if report.interrupted {
        ExitCode::from(INTERRUPTED)
    } else {
        ExitCode::SUCCESS
    })
}

/// The database, where it is only looked into.
fn existing(plain: &PlainArgs) -> Result<String, Failure> {
    let url = database_of("annotate", &KEYS, plain.db.clone(), plain.config.as_deref())?;
    tabiya_app::check_database(&url)?;
    Ok(url)
}

/// The most played positions, as a part of `build all`.
pub(super) fn for_all(
    most_played: usize,
    engine: Option<PathBuf>,
    plain: &PlainArgs,
) -> Result<AnnotateRequest, Failure> {
    let flags = Settings::for_engine(engine);
    let settings: Settings = layered(Face::Tabiya, plain.config.as_deref(), "annotate", &KEYS, &flags)?;
    Ok(AnnotateRequest {
        most_played: Some(most_played),
        ..settings.request(false)?
    })
}

/// Shows what happens.
pub(super) fn watch(event: &AnnotateEvent<'_>, stage: Option<&Stage>, quiet: bool) {
    match event {
        AnnotateEvent::Engine { warning } => {
            if let (Some(warning), false) = (warning, quiet) {
                say(Label::Warning, warning);
            }
        }
        AnnotateEvent::Planned(planned) => {
            if let Some(stage) = stage {
                stage.expect(planned.to_search);
            }
        }
        AnnotateEvent::Answered(line) => {
            if let Some(stage) = stage {
                stage.answered(line);
            }
        }
    }
}
