//! `tabiya review`: every move of a game judged.

mod args;
mod curve;
pub(crate) mod settings;
mod show;
mod thresholds;

use std::{process::ExitCode, sync::Arc};

use tabiya_app::{
    AppError,
    review::{
        Document, Entry, FailedGame, LinesFrom, ReviewEvent, ReviewOutcome, ReviewOutputs, ReviewRequest, review_games,
    },
};

pub(crate) use args::{EXAMPLES, ReviewArgs};

use crate::{
    args::{Face, Format, Ui},
    configuration::{file_read, layered},
    failure::{Failure, INTERRUPTED},
    inputs::Inputs,
    interrupt, logging,
    numbers::count,
    progress::{Display, Stage},
    runtime::runtime,
    telling::{Telling, Written, is_standard_output, refuse_dash, text_path},
    terminal::{Label, print, print_while_read, say},
};
use settings::{KEYS, Settings};

/// More games than this are told in a line each.
const TOLD_IN_FULL: usize = 1;

/// Reviews games, and tells about it in the order in which it is read: the result, what went wrong, ways on.
pub(crate) fn run(arguments: ReviewArgs, ui: &Ui) -> Result<ExitCode, Failure> {
    let flags = Settings::new(&arguments);
    let settings: Settings = layered(Face::Tabiya, arguments.config.as_deref(), "review", &KEYS, &flags)?;
    logging::start(ui);
    let (format, outputs) = outputs(&arguments)?;
    let request = settings.insist(&arguments).request(&arguments, outputs)?;
    let config = file_read(Face::Tabiya, arguments.config.as_deref());
    let inputs = read(&request).files(config);
    let telling = Telling::new(ui, format, None, &written(&request.outputs), &inputs)?;
    let runtime = runtime()?;
    let display = (!ui.quiet && format == Format::Text).then(Display::of_stages);
    let watch = watcher(display.as_ref().map(Display::stage), ui.quiet);
    let mut told = Told::new(format, arguments.full);
    let outcome = runtime.block_on(async {
        interrupt::listen(Arc::clone(&request.stop));
        review_games(&request, &watch, |document, entry| told.take(document, entry)).await
    });
    drop(display);
    // A thread that waits for standard input must not keep the process.
    runtime.shutdown_background();
    if let Some(failure) = told.failed.take() {
        return Err(failure);
    }
    let mut outcome = outcome?;
    let broken: Vec<Failure> = outcome.errors.drain(..).map(Failure::from).collect();
    if format == Format::Json || telling.prints_text() {
        told.finish(&request, &outcome)?;
    }
    for failure in &broken {
        failure.report();
    }
    let code = tell(&request, &outcome, ui);
    match broken.iter().map(Failure::code).max() {
        // What broke off is the reason, also where nothing was left to review.
        Some(code) => Ok(ExitCode::from(code)),
        None => code,
    }
}

/// What is printed, and what is written. A report for standard output is what `--format json` prints.
fn outputs(arguments: &ReviewArgs) -> Result<(Format, ReviewOutputs), Failure> {
    let pictures = "name a file that ends in .svg or .png, or a directory";
    refuse_dash("--graph", arguments.graph.as_deref(), pictures)?;
    refuse_dash(
        "--journal",
        arguments.journal.as_deref(),
        "name a file, which is read again",
    )?;
    let report_is_printed = arguments.report.as_deref().is_some_and(is_standard_output);
    let format = match report_is_printed {
        true => Format::Json,
        false => arguments.format,
    };
    let outputs = ReviewOutputs {
        json: arguments.report.clone().filter(|_| !report_is_printed),
        pgn: arguments.pgn.clone().map(text_path),
        csv: arguments.csv.clone().map(text_path),
        graph: arguments.graph.clone(),
        graph_kind: arguments.graph_format.into(),
        record: arguments.record.clone().map(text_path),
    };
    Ok((format, outputs))
}

fn read(request: &ReviewRequest) -> Inputs {
    let inputs = Inputs::default().named(&request.inputs);
    match &request.lines {
        LinesFrom::File(path) => inputs.files([path]),
        LinesFrom::Engine { database, .. } => inputs.database(database.as_deref().unwrap_or_default()),
    }
}

fn written(outputs: &ReviewOutputs) -> [Written<'_>; 5] {
    [
        ("--report", outputs.json.as_deref()),
        ("--pgn", outputs.pgn.as_deref()),
        ("--csv", outputs.csv.as_deref()),
        ("--record", outputs.record.as_deref()),
        ("--graph", outputs.graph.as_deref()),
    ]
}

fn watcher(stage: Option<Stage>, quiet: bool) -> impl Fn(ReviewEvent<'_>) + Sync {
    let total = std::sync::atomic::AtomicU64::new(0);
    move |event| match event {
        ReviewEvent::Engine { warning } => {
            if let Some(warning) = warning.filter(|_| !quiet) {
                say(Label::Warning, warning);
            }
        }
        ReviewEvent::Planned { positions } => {
            total.store(positions, std::sync::atomic::Ordering::Relaxed);
            if let Some(stage) = &stage {
                stage.expect(positions);
            }
        }
        ReviewEvent::Resumed { games, positions } => {
            if let Some(stage) = &stage {
                let left = total
                    .load(std::sync::atomic::Ordering::Relaxed)
                    .saturating_sub(positions);
                stage.expect(left);
            }
            if !quiet {
                let text = format!("going on behind {} that an earlier run reviewed", count(games, "game"));
                say(Label::Note, &text);
            }
        }
        ReviewEvent::Position { game, ply } => {
            if let Some(stage) = &stage {
                stage.answered_one_more(&format!("game {game}, half-move {ply}"));
            }
        }
    }
}

/// What goes to standard output.
struct Told {
    format: Format,
    full: bool,
    /// Reports wait until it is known how many games there are; JSON goes out at once, because there may be many.
    reports: Vec<String>,
    lines: Vec<String>,
    document: Option<Document>,
    games: u64,
    is_read: bool,
    /// Why nothing more can be printed, which is no word of the verb's.
    failed: Option<Failure>,
}

impl Told {
    fn new(format: Format, full: bool) -> Told {
        Told {
            format,
            full,
            reports: Vec::new(),
            lines: Vec::new(),
            document: None,
            games: 0,
            is_read: true,
            failed: None,
        }
    }

    fn take(&mut self, document: &Document, entry: &Entry) -> Result<(), AppError> {
        if self.format == Format::Json && self.document.is_none() {
            self.put(&document.head())?;
            self.document = Some(document.clone());
        }
        let Entry::Reviewed(reviewed) = entry else {
            return Ok(());
        };
        let review = &reviewed.review;
        match self.format {
            Format::Json => {
                let game = document
                    .game(review, self.games == 0)
                    .map_err(|error| AppError::Corrupt(error.to_string()))?;
                self.put(&game)?;
            }
            Format::Text => {
                self.lines.push(show::line(review));
                // One more than is told in full shows that a line each will do.
                if self.full || self.reports.len() <= TOLD_IN_FULL {
                    self.reports.push(show::game(review));
                }
            }
        }
        self.games += 1;
        Ok(())
    }

    /// Prints as long as anybody reads. Where that fails, the review is called off: what for is told by whoever began it.
    fn put(&mut self, text: &str) -> Result<(), AppError> {
        if !self.is_read {
            return Ok(());
        }
        match print_while_read(text) {
            Ok(is_read) => self.is_read = is_read,
            Err(failure) => {
                self.failed = Some(failure);
                return Err(AppError::Interrupted);
            }
        }
        Ok(())
    }

    fn finish(&mut self, request: &ReviewRequest, outcome: &ReviewOutcome) -> Result<(), Failure> {
        let tail = |document: &Document| document.tail(&outcome.failures, &outcome.summary, outcome.interrupted);
        match (self.format, &self.document) {
            (Format::Json, Some(document)) if self.is_read => print(&tail(document)),
            (Format::Json, Some(_)) => Ok(()),
            // Whoever reads it with a program gets a document of no games.
            (Format::Json, None) => {
                let document = empty(request);
                print(&(document.head() + &tail(&document)))
            }
            (Format::Text, _) if self.full || self.reports.len() <= TOLD_IN_FULL => print(&self.reports.join("\n")),
            (Format::Text, _) => print(&format!(
                "{}{}\n{}",
                show::HEAD,
                self.lines.concat(),
                show::summary(&outcome.summary)
            )),
        }
    }
}

/// What is said of files in which there was nothing to ask anybody about.
fn empty(request: &ReviewRequest) -> Document {
    let (limit, multipv) = match &request.lines {
        LinesFrom::File(_) => (None, None),
        LinesFrom::Engine { limit, multipv, .. } => (Some(*limit), Some(*multipv)),
    };
    Document {
        rules: request.rules.clone(),
        source: String::new(),
        limit,
        multipv,
    }
}

/// What went wrong, and ways on.
fn tell(request: &ReviewRequest, outcome: &ReviewOutcome, ui: &Ui) -> Result<ExitCode, Failure> {
    if !ui.quiet {
        for line in show::failures(&outcome.failures) {
            say(Label::Warning, &line);
        }
        if outcome.unclassified > 0 {
            let moves = count(outcome.unclassified, "move");
            match &request.lines {
                LinesFrom::File(path) => say(
                    Label::Warning,
                    &format!(
                        "{moves} not judged: {} says too little of their positions",
                        path.display()
                    ),
                ),
                LinesFrom::Engine { .. } => say(Label::Warning, &format!("{moves} not judged")),
            }
        }
    }
    if outcome.interrupted {
        match &outcome.journal {
            Some(path) => say(
                Label::Hint,
                &format!(
                    "{} kept in {}; run the same command again to go on",
                    count(outcome.summary.games + outcome.summary.failed, "game"),
                    path.display()
                ),
            ),
            None => say(
                Label::Hint,
                "with a file to write (--report, --pgn, --csv) an interrupted review can be gone on with",
            ),
        }
        return Ok(ExitCode::from(INTERRUPTED));
    }
    if outcome.summary.games == 0 {
        return Err(nothing(request, outcome));
    }
    Ok(ExitCode::SUCCESS)
}

fn nothing(request: &ReviewRequest, outcome: &ReviewOutcome) -> Failure {
    let inputs = request.inputs.join(", ");
    match outcome.failures.iter().all(FailedGame::is_rubbish) {
        true => Failure::usage(format!("there are no games in {inputs}"))
            .hint("name a file of PGN, compressed or not, a directory, or - for standard input"),
        false => Failure::usage(format!("no game of {inputs} could be reviewed"))
            .hint("warnings say what is wrong with each; `tabiya import --rejects FILE` lists all with their places"),
    }
}
