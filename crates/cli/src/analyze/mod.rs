//! `tabiya analyze`: what many games have in common, and where each leaves the others.

mod args;
mod browse;
mod place;
mod report;
pub(crate) mod settings;
mod summary;

use std::{
    io::{self, BufWriter, Write},
    path::PathBuf,
    process::ExitCode,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::{Duration, Instant, SystemTime},
};

use tabiya_app::{
    Tamed,
    analyze::{Analysis, AnalyzeRequest, DbOptions, Summary, analyze, is_time, time_text},
};
use tokio::runtime::Runtime;

pub(crate) use args::{AnalyzeArgs, EXAMPLES};

use crate::{
    args::{Face, Format, Ui},
    configuration::{file_read, layered},
    failure::{Failure, INTERRUPTED},
    inputs::Inputs,
    interrupt, logging,
    numbers::count,
    progress::Display,
    runtime::runtime,
    telling::{Telling, is_standard_output},
    terminal::{Label, check_file, plain_page, print, say, write_file_with},
};
use report::Report;
use settings::{KEYS, Settings};

pub(crate) fn run(arguments: AnalyzeArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let flags = Settings::new(&arguments);
    let settings: Settings = layered(Face::Tabiya, arguments.config.as_deref(), "analyze", &KEYS, &flags)?;
    let min_games = settings.min_games()?;
    let analyzed_at = analyzed_at(&arguments)?;
    logging::start(ui);
    let inputs = Inputs::default()
        .named(&arguments.paths)
        .files(file_read(Face::Tabiya, arguments.config.as_deref()))
        .database(settings.db.as_deref().unwrap_or_default());
    let telling = telling(&arguments, &inputs, ui)?;
    if let Some(path) = &arguments.output {
        check_file(path)?;
    }
    let request = AnalyzeRequest {
        inputs: arguments.paths.clone(),
        database: settings.db.clone(),
        threads: settings.threads(),
        stop: Arc::default(),
    };
    let runtime = runtime()?;
    let display = (!ui.quiet && arguments.format == Format::Text).then(|| Display::start(&request.inputs));
    let started = Instant::now();
    let options = DbOptions {
        analyzed_at,
        min_games,
        repertoires: settings.repertoires(),
    };
    let done = work(&request, &arguments, &options, display.as_ref(), &runtime);
    drop(display);
    // From here on nothing is at work that had to be brought to a good end.
    let ending = crate::runtime::runtime()?;
    interrupt::end_at_once(&ending);
    // A thread that waits for standard input must not keep the process.
    runtime.shutdown_background();
    let analysis = match done {
        Err(failure) if failure.code() == INTERRUPTED => {
            say(Label::Note, "stopped; nothing was written");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        done => done?,
    };
    let summary = analysis.summary(min_games, summary::NOVELTIES);
    tell(&analysis, &summary, &arguments, min_games, &telling, started.elapsed())?;
    if !ui.quiet {
        warn(&analysis, &summary);
    }
    if arguments.interactive {
        browse::browse(&analysis, arguments.at.as_deref(), min_games)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn analyzed_at(arguments: &AnalyzeArgs) -> Result<String, Failure> {
    match &arguments.analyzed_at {
        None => Ok(time_text(SystemTime::now())),
        Some(text) if is_time(text) => Ok(text.clone()),
        Some(text) => Err(Failure::usage(format!("--analyzed-at: {text:?} is not a time"))
            .hint("write it as RFC 3339 has it, such as 2026-01-31T12:00:00Z")),
    }
}

/// How the outcome is told. A place that was asked for takes the place of the report that `--format json` prints.
fn telling(arguments: &AnalyzeArgs, inputs: &Inputs, ui: &Ui) -> Result<Telling, Failure> {
    let on_screen = arguments.at.is_some() || arguments.interactive;
    let is_printed = |path: &Option<PathBuf>| path.as_deref().is_some_and(is_standard_output);
    if on_screen && (is_printed(&arguments.output) || is_printed(&arguments.report)) {
        return Err(
            Failure::usage("standard output cannot have both a file and what --at and --interactive show")
                .hint("name a file with --output and --report, or leave out --at and --interactive"),
        );
    }
    let format = match arguments.at {
        Some(_) => Format::Text,
        None => arguments.format,
    };
    let output = ("--output", arguments.output.as_deref());
    Telling::new(ui, format, arguments.report.as_deref(), &[output], inputs)
}

/// Reads, and writes the file.
fn work(
    request: &AnalyzeRequest,
    arguments: &AnalyzeArgs,
    options: &DbOptions,
    display: Option<&Display>,
    runtime: &Runtime,
) -> Result<Analysis, Failure> {
    let analysis = runtime.block_on(async {
        interrupt::listen(Arc::clone(&request.stop));
        analyze(request, display.map(Display::watcher)).await
    })?;
    if let Some(line) = &arguments.at {
        // A line that nobody can follow is found before a file is written.
        analysis.subtree(line, options.min_games)?;
    }
    let Some(path) = arguments.output.as_deref() else {
        return Ok(analysis);
    };
    if let Some(display) = display {
        display.stage().set("writing");
    }
    let stop = &request.stop;
    let written = match is_standard_output(path) {
        true => to_standard_output(&analysis, options),
        false => write_file_with(path, |file| {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            analysis.write_db(options, stop, &mut out)
        }),
    };
    match written {
        Err(_) if stop.load(Relaxed) => Err(tabiya_app::AppError::Interrupted.into()),
        written => written.map(|()| analysis),
    }
}

fn to_standard_output(analysis: &Analysis, options: &DbOptions) -> Result<(), Failure> {
    let mut out = BufWriter::with_capacity(1 << 20, Tamed::new(io::stdout().lock()));
    let written = analysis.write_db(options, &Default::default(), &mut out);
    match written.and_then(|()| out.flush()) {
        // Whoever has seen enough is no failure.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::world(
            anyhow::Error::new(error).context("cannot write to standard output"),
        )),
        _ => Ok(()),
    }
}

fn tell(
    analysis: &Analysis,
    summary: &Summary,
    arguments: &AnalyzeArgs,
    min_games: u32,
    telling: &Telling,
    elapsed: Duration,
) -> Result<(), Failure> {
    let place = match &arguments.at {
        Some(line) => Some(analysis.subtree(line, min_games)?),
        None => None,
    };
    let report = Report::new(analysis, summary, arguments.output.as_deref(), min_games, elapsed);
    match (arguments.format, &place) {
        (Format::Json, Some(place)) => print(&place::json(place))?,
        (Format::Text, Some(place)) if !arguments.interactive => print(&plain_page(&place::text(analysis, place)))?,
        _ => {}
    }
    telling.tell(&report, || match place {
        Some(_) => String::new(),
        None => plain_page(&summary::text(summary, &report)),
    })
}

/// So many of the things that may be wrong are named.
const NAMED: usize = 5;

fn warn(analysis: &Analysis, summary: &Summary) {
    let left_out = analysis.left_out();
    for one in left_out.iter().take(NAMED) {
        let place = one.game.map(|game| format!(", game {game}")).unwrap_or_default();
        say(
            Label::Warning,
            &format!("{}{place} is left out: {}", one.file, one.reason),
        );
    }
    if left_out.len() > NAMED {
        let more = count((left_out.len() - NAMED) as u64, "more is left out");
        let more = more.replace("more is left outs", "more are left out");
        say(Label::Warning, &format!("{more}; --report FILE lists all"));
    }
    let same: Vec<_> = summary
        .near_duplicates
        .iter()
        .filter_map(|one| one.twin.map(|twin| (one, twin)))
        .collect();
    for (one, twin) in same.iter().take(NAMED) {
        let what = if one.same_moves { "the moves" } else { "the first moves" };
        let (game, headline) = (one.game_id, analysis.headline(one.game_id));
        say(
            Label::Warning,
            &format!("game {game} ({headline}) has {what} of game {twin}: it may be there twice"),
        );
    }
    if same.len() > NAMED {
        say(
            Label::Warning,
            &format!("{} more games may be there twice", same.len() - NAMED),
        );
    }
}
