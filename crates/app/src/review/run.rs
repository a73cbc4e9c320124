//! Files of games: read, reviewed side by side, handed on in file order.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use futures_util::StreamExt as _;
use pgn_import::{Input, expand_inputs, fingerprint};
use tabiya_chess::{Fnv1a, SearchLimit};
use tabiya_lichess::{CloudConfig, CloudEval};
use tabiya_store::Store;

use super::{
    Entry, Origin, Progress, RecordedLines, Reviewer,
    games::{Arrived, Plan, planned, read},
    journal::Journal,
    json::Document,
    judge::Rules,
    outputs::{ReviewOutputs, Writing},
    report::{FailedGame, FileSummary},
    source::{LineSource, Live, Trouble},
    tally::Tally,
    tree::{Unfit, is_rubbish},
};
use crate::{AppError, engines::EngineSettings};

/// What is to be reviewed, and how.
#[derive(Debug, Clone)]
pub struct ReviewRequest {
    /// PGN files, directories, globs or `-`.
    pub inputs: Vec<String>,
    pub rules: Rules,
    pub lines: LinesFrom,
    pub outputs: ReviewOutputs,
    /// Where what is done so far is kept; beside the first output where none is named.
    pub journal: Option<PathBuf>,
    pub stop: Arc<AtomicBool>,
}

/// Where lines come from.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a review has one of it")]
pub enum LinesFrom {
    /// A file of recorded ones.
    File(PathBuf),
    /// Engines, and who is asked before them.
    Engine {
        engine: EngineSettings,
        limit: SearchLimit,
        multipv: u8,
        cloud: Option<CloudConfig>,
        /// The database whose evaluations are used and added to.
        database: Option<String>,
    },
}

/// What is being done.
#[derive(Debug)]
pub enum ReviewEvent<'a> {
    /// There is an engine, and this is to be said about it.
    Engine {
        warning: Option<&'a str>,
    },
    /// So many positions are to be looked at; only where all inputs are files.
    Planned {
        positions: u64,
    },
    /// So many games were done by an earlier run.
    Resumed {
        games: u64,
        positions: u64,
    },
    Position {
        game: u64,
        ply: u32,
    },
}

/// How it went.
#[derive(Debug)]
pub struct ReviewOutcome {
    pub summary: FileSummary,
    pub failures: Vec<FailedGame>,
    pub interrupted: bool,
    /// Where what was done is kept, if anything is left to do.
    pub journal: Option<PathBuf>,
    /// Moves about whose positions the recorded lines say too little.
    pub unclassified: u64,
    /// An input that broke off, with what was read before it kept.
    pub errors: Vec<AppError>,
}

/// Reviews all games of all inputs. `each` sees them in order; what an earlier run did comes first.
pub async fn review_games(
    request: &ReviewRequest,
    watch: &(dyn Fn(ReviewEvent<'_>) + Sync),
    mut each: impl FnMut(&Document, &Entry) -> Result<(), AppError>,
) -> Result<ReviewOutcome, AppError> {
    check(request)?;
    request.outputs.check(journal_of(request).as_deref())?;
    let inputs = expand_inputs(&request.inputs)?;
    let planned = planned(&inputs, &request.stop).await?;
    if planned.as_ref().is_some_and(|plan| plan.games > 1) {
        refuse_one_graph(&request.outputs)?;
    }
    let mut reviewer = Reviewer::open(request.rules.clone(), &request.lines).await?;
    reviewer.record = request.outputs.record.is_some();
    if let LineSource::Live(live) = &reviewer.lines {
        let warning = live.pool.engine().warning();
        watch(ReviewEvent::Engine {
            warning: warning.as_deref(),
        });
    }
    let outcome = carry_out(request, &inputs, planned, &reviewer, watch, &mut each).await;
    reviewer.close().await;
    outcome
}

fn check(request: &ReviewRequest) -> Result<(), AppError> {
    if let Some(objection) = request.rules.thresholds.objection() {
        return Err(AppError::OutOfRange(objection));
    }
    if !(0.0..=1.0).contains(&request.rules.margin) {
        return Err(AppError::OutOfRange(format!(
            "the noise margin is {}; it must lie between 0 and 1",
            request.rules.margin
        )));
    }
    if let LinesFrom::Engine { limit, multipv, .. } = &request.lines {
        if limit.nodes == Some(0) || limit.depth == Some(0) || limit.millis == Some(0) || limit.is_unlimited() {
            return Err(AppError::OutOfRange(
                "an engine has to be given something to think".to_owned(),
            ));
        }
        if *multipv == 0 {
            return Err(AppError::OutOfRange("at least one line has to be asked for".to_owned()));
        }
    }
    Ok(())
}

/// Where what is done so far is kept, where inputs can be read again.
fn journal_of(request: &ReviewRequest) -> Option<PathBuf> {
    request.journal.clone().or_else(|| request.outputs.journal())
}

/// One file cannot show several games.
fn refuse_one_graph(outputs: &ReviewOutputs) -> Result<(), AppError> {
    match outputs.one_graph() {
        Some((path, _)) => Err(AppError::OneGraph { path: path.to_owned() }),
        None => Ok(()),
    }
}

pub(super) async fn open_lines(from: &LinesFrom) -> Result<LineSource, AppError> {
    match from {
        LinesFrom::File(path) => {
            let text = fs::read_to_string(path).map_err(|source| AppError::Unreadable {
                input: path.display().to_string(),
                source,
            })?;
            let bad = |reason: String| AppError::BadLines {
                path: path.clone(),
                reason,
            };
            let lines = RecordedLines::read(&text).map_err(|error| bad(error.to_string()))?;
            if lines.is_empty() {
                return Err(bad("there are no lines in it".to_owned()));
            }
            Ok(LineSource::Recorded(lines))
        }
        LinesFrom::Engine {
            engine,
            limit,
            multipv,
            cloud,
            database,
        } => {
            let cloud = cloud.clone().map(CloudEval::new).transpose()?;
            let store = match database {
                Some(url) => Some(Store::connect(url).await?),
                None => None,
            };
            Ok(LineSource::Live(Live {
                pool: engine.start().await?,
                store,
                cloud,
                limit: *limit,
                multipv: *multipv,
            }))
        }
    }
}

/// Changes with everything that changes what comes out.
fn key(request: &ReviewRequest, inputs: &[Input], source: &str) -> Result<String, AppError> {
    let mut hash = Fnv1a::new();
    for input in inputs {
        hash.update(input.to_string().as_bytes());
        // One that cannot be read now changes what comes out if it can be read later.
        let content = fingerprint(input).unwrap_or_else(|_| Some("unreadable".to_owned()));
        hash.update(content.unwrap_or_default().as_bytes());
    }
    let lines = match &request.lines {
        LinesFrom::File(path) => fingerprint(&Input::Path(path.clone()))
            .map_err(|source| AppError::Unreadable {
                input: path.display().to_string(),
                source,
            })?
            .unwrap_or_default(),
        LinesFrom::Engine {
            engine,
            limit,
            multipv,
            cloud,
            database,
        } => format!(
            "{limit} {multipv} {:?} {:?} {} {}",
            engine.threads,
            engine.hash_mb,
            cloud.is_some(),
            database.is_some()
        ),
    };
    hash.update(
        format!(
            "{:?} {source} {lines} {}",
            request.rules,
            request.outputs.record.is_some()
        )
        .as_bytes(),
    );
    Ok(format!("{:016x}", hash.value()))
}

async fn carry_out(
    request: &ReviewRequest,
    inputs: &[Input],
    planned: Option<Plan>,
    reviewer: &Reviewer,
    watch: &(dyn Fn(ReviewEvent<'_>) + Sync),
    each: &mut impl FnMut(&Document, &Entry) -> Result<(), AppError>,
) -> Result<ReviewOutcome, AppError> {
    let source = reviewer.lines.name();
    let (limit, multipv, side_by_side) = match &request.lines {
        LinesFrom::File(_) => (None, None, 1),
        LinesFrom::Engine {
            engine, limit, multipv, ..
        } => (Some(*limit), Some(*multipv), engine.count() + 1),
    };
    let document = Document {
        rules: request.rules.clone(),
        source: source.clone(),
        limit,
        multipv,
    };
    let mut hand_on = HandOn {
        writing: Writing::begin(&request.outputs, document.clone())?,
        document,
        tally: Tally::default(),
        failures: Vec::new(),
        unclassified: 0,
        each,
    };
    // What comes from standard input cannot be read again.
    let is_repeatable = planned.is_some();
    let mut journal = match journal_of(request).filter(|_| is_repeatable) {
        Some(path) => {
            let key = key(request, inputs, &source)?;
            Some((Journal::open(&path, &key)?, path))
        }
        None => None,
    };
    if let Some(plan) = planned {
        watch(ReviewEvent::Planned {
            positions: plan.positions,
        });
    }
    let mut done = 0;
    if let Some((journal, path)) = &journal {
        done = journal.done();
        let mut positions = 0;
        journal
            .replay(|entry| -> Result<(), Replay> {
                positions += match &entry {
                    Entry::Reviewed(reviewed) => {
                        reviewed.review.nodes.iter().filter(|node| node.mainline).count() as u64
                    }
                    Entry::Failed(_) => 1,
                };
                Ok(hand_on.take(&entry)?)
            })
            .map_err(|replay| replay.of(path))?;
        if done > 0 {
            watch(ReviewEvent::Resumed { games: done, positions });
        }
    }
    let arriving = read(inputs.to_vec(), done, side_by_side);
    let mut errors = Vec::new();
    let mut interrupted = false;
    {
        let stop = &*request.stop;
        let games = futures_util::stream::unfold(arriving, |mut arriving| async move {
            let arrived = arriving.recv().await?;
            Some((arrived, arriving))
        });
        let reviewed = games
            .map(|arrived| one(reviewer, arrived, watch, stop))
            .buffered(side_by_side);
        let mut reviewed = std::pin::pin!(reviewed);
        while let Some(entry) = reviewed.next().await {
            match entry {
                Ok(entry) => {
                    if let Some((journal, path)) = &mut journal {
                        journal.add(&entry).map_err(|source| AppError::CannotWrite {
                            path: path.clone(),
                            source,
                        })?;
                    }
                    hand_on.take(&entry)?;
                }
                Err(Stop::Interrupted) => {
                    interrupted = true;
                    break;
                }
                Err(Stop::Broken(error)) => errors.push(error),
                Err(Stop::Fatal(error)) => return Err(error),
            }
            if stop.load(Ordering::Relaxed) {
                interrupted = true;
                break;
            }
        }
    }
    let HandOn {
        writing,
        tally,
        failures,
        unclassified,
        ..
    } = hand_on;
    let summary = tally.summary();
    if !interrupted {
        writing.finish(&failures, &summary)?;
    }
    let kept = match journal {
        Some((_, path)) if interrupted => Some(path),
        Some((journal, path)) => {
            journal
                .remove()
                .map_err(|source| AppError::CannotWrite { path, source })?;
            None
        }
        None => None,
    };
    Ok(ReviewOutcome {
        summary,
        failures,
        interrupted,
        journal: kept,
        unclassified,
        errors,
    })
}

/// Why a journal was not gone through.
#[derive(Debug)]
enum Replay {
    Unreadable(io::Error),
    /// Whoever was handed a game had no use for it.
    NotTaken(AppError),
}

impl Replay {
    fn of(self, path: &Path) -> AppError {
        match self {
            Replay::Unreadable(source) => AppError::UnreadableJournal {
                path: path.to_owned(),
                source,
            },
            Replay::NotTaken(error) => error,
        }
    }
}

impl From<io::Error> for Replay {
    fn from(error: io::Error) -> Replay {
        Replay::Unreadable(error)
    }
}

impl From<AppError> for Replay {
    fn from(error: AppError) -> Replay {
        Replay::NotTaken(error)
    }
}

/// Everybody who wants to know of a game.
struct HandOn<'a, F> {
    writing: Writing,
    document: Document,
    tally: Tally,
    failures: Vec<FailedGame>,
    unclassified: u64,
    each: &'a mut F,
}

impl<F: FnMut(&Document, &Entry) -> Result<(), AppError>> HandOn<'_, F> {
    fn take(&mut self, entry: &Entry) -> Result<(), AppError> {
        match entry {
            Entry::Reviewed(reviewed) => {
                self.tally.add(&reviewed.review);
                self.unclassified += u64::from(reviewed.review.unclassified);
            }
            Entry::Failed(failed) => {
                self.tally.add_failure();
                self.failures.push(failed.clone());
            }
        }
        self.writing.add(entry)?;
        (self.each)(&self.document, entry)
    }
}

/// Why there is no entry.
enum Stop {
    Interrupted,
    /// An input ends here; others may go on.
    Broken(AppError),
    Fatal(AppError),
}

async fn one(
    reviewer: &Reviewer,
    arrived: Arrived,
    watch: &(dyn Fn(ReviewEvent<'_>) + Sync),
    stop: &AtomicBool,
) -> Result<Entry, Stop> {
    let (file, number, game) = match arrived {
        Arrived::Game { file, number, game } => (file, number, game),
        Arrived::Broken(error) => return Err(Stop::Broken(error)),
    };
    if stop.load(Ordering::Relaxed) {
        return Err(Stop::Interrupted);
    }
    if is_rubbish(&game) {
        return Ok(Entry::Failed(Unfit::rubbish().report(&file, &game)));
    }
    let told = |progress: Progress| {
        watch(ReviewEvent::Position {
            game: number,
            ply: progress.ply,
        });
    };
    let origin = Origin { file: &file, number };
    match reviewer.review(origin, &game, &told, stop).await {
        Ok(reviewed) => Ok(Entry::Reviewed(Box::new(reviewed))),
        Err(Trouble::Unfit(unfit)) => Ok(Entry::Failed(unfit.report(&file, &game))),
        Err(Trouble::Stopped) => Err(Stop::Interrupted),
        Err(Trouble::Fatal(error)) => Err(Stop::Fatal(error)),
    }
}
