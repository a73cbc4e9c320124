//! `positions`: training positions out of games.
//!
//! ```text
//! sources ─▶ blocks of games ─▶ workers: Selector ─▶ in file order: limits ─▶ shard ─▶ engines ─▶ parts ─▶ joined output
//! ```
//!
//! Everything behind the workers happens in file order on one thread, so that neither the number of workers nor of engines
//! shows in what comes out. Where duplicates are to be left out, positions are gathered first, and go the rest of the way
//! when all of them are known.

mod answers;
mod archives;
mod caps;
mod dedupe;
mod draw;
mod error;
mod farm;
mod hashing;
mod manifest;
mod origin;
mod parts;
mod progress;
mod reason;
mod resume;
mod rules;
mod run;
mod score;
mod select;
mod stage;
mod tags;
pub mod tools;

use std::{
    fs::{File, TryLockError},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use pgn_import::{Input, fingerprint};
use serde::{Deserialize, Serialize};
use tabiya_chess::{SearchLimit, Variant};
pub use tabiya_dataset::training::{FenFormat, SampleFormat};
use tabiya_dataset::{
    WholeFile,
    table::TableError,
    training::{Layout, Packing, SampleError},
};
use tabiya_engine::EngineConfig;

pub use archives::{ArchivesRequest, Blocklist, ParseBlocklistError, list_months};
pub use caps::{ParseStrataError, Strata};
pub use error::PositionsError;
pub use farm::{Enqueued, PositionsJob, PositionsWorked, PositionsWorker, enqueue_positions, work_on_positions};
pub use manifest::{Counts, Manifest, OutputRecord};
pub use progress::{Progress, SourceRecord};
pub use reason::{GameReason, GamesLeftOut, PositionReason, PositionsPassedOver};
pub use rules::{ParseShardError, Rules, Shard};
pub use tabiya_lichess::{Action, ArchiveSite, KNOWN_ISSUES, KnownIssue, Month, ParseMonthError};

use crate::{
    AppError,
    engines::{EngineSettings, LAST_WORDS},
    interrupt,
    lock::Lock,
};
use answers::Answers;
use progress::{Paths, Phase, Place, VERSION};
use run::Run;
use select::Selection;
use stage::Scoring;

/// Everything that shows in the output, but for the sources.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Configuration {
    pub rules: Rules,
    pub max: Option<u64>,
    pub stratify: Option<Strata>,
    pub shard: Option<Shard>,
    /// Duplicates within the run are left out.
    pub dedupe: bool,
    /// So are positions of these files.
    pub dedupe_with: Vec<String>,
    /// What changes with the content of each of them. Empty where nobody has looked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dedupe_with_fingerprints: Vec<Option<String>>,
    /// What an engine is given to think, in UCI's words; none where no engine is asked.
    pub limit: Option<String>,
    /// Of each engine; none where no engine is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_threads: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine_hash_mb: Option<u32>,
    /// Positions of a Parquet row group.
    pub batch_size: usize,
    pub format: String,
    pub fen_format: String,
}

impl Configuration {
    fn dedupes(&self) -> bool {
        self.dedupe || !self.dedupe_with.is_empty()
    }
}

/// What is to be taken, and where to.
#[derive(Debug, Clone)]
pub struct PositionsRequest {
    /// Files, directories, globs or `-`.
    pub inputs: Vec<String>,
    /// Archives to be downloaded, before the files.
    pub archives: Option<ArchivesRequest>,
    pub rules: Rules,
    /// At most so many positions. Filters that need a score may leave fewer.
    pub max: Option<u64>,
    pub stratify: Option<Strata>,
    pub shard: Option<Shard>,
    pub dedupe: bool,
    pub dedupe_with: Vec<PathBuf>,
    /// Which engine, and for how long; without one there are no scores but the games' own.
    pub engine: Option<(EngineSettings, SearchLimit)>,
    pub output: PathBuf,
    /// What the output is; told by its name where nobody says it.
    pub format: Option<SampleFormat>,
    pub fen_format: FenFormat,
    pub batch_size: NonZeroUsize,
    pub threads: NonZeroUsize,
    /// Goes on where an earlier run ended.
    pub resume: bool,
    /// Throws away what an earlier run left.
    pub restart: bool,
    pub stop: Arc<AtomicBool>,
}

/// What a run is at, for whoever shows it.
#[derive(Debug)]
pub enum PositionsEvent<'a> {
    Opened {
        source: &'a str,
        progress: Arc<pgn_import::Progress>,
    },
    /// So many games of the source at hand were read.
    Games(u64),
    /// So many positions are safe.
    Written(u64),
}

/// Told what a run is at.
pub type Told = Arc<dyn Fn(&PositionsEvent<'_>) + Send + Sync>;

/// What came of it.
#[derive(Debug, Clone, Serialize)]
pub struct PositionsReport {
    pub output: PathBuf,
    #[serde(flatten)]
    pub manifest: Manifest,
    /// Months that were asked for and left out, with the reason.
    pub left_out_months: Vec<String>,
    /// What is known to be wrong with what was read, and matters here.
    pub warnings: Vec<String>,
    /// What engines did in this run.
    pub engine_nodes: u64,
    pub engine_millis: u64,
}

impl PositionsRequest {
    fn layout(&self) -> Result<Layout, PositionsError> {
        let format = self
            .format
            .or_else(|| SampleFormat::from_path(&self.output))
            .ok_or_else(|| PositionsError::UnknownOutput {
                path: self.output.clone(),
            })?;
        Ok(Layout {
            format,
            fen: self.fen_format,
            packing: Packing::from_path(&self.output),
            variants: self
                .rules
                .variants
                .iter()
                .any(|name| name != Variant::Standard.as_str()),
        })
    }

    /// As far as it is known without looking at any file.
    fn configuration(&self, layout: Layout) -> Configuration {
        let usual = EngineConfig::new("");
        Configuration {
            rules: self.rules.clone(),
            max: self.max,
            stratify: self.stratify.clone(),
            shard: self.shard,
            dedupe: self.dedupe,
            dedupe_with: self.dedupe_with.iter().map(|path| path.display().to_string()).collect(),
            dedupe_with_fingerprints: Vec::new(),
            limit: self.engine.as_ref().map(|(_, limit)| limit.to_string()),
            engine_threads: (self.engine.as_ref()).map(|(settings, _)| settings.threads.unwrap_or(usual.threads)),
            engine_hash_mb: (self.engine.as_ref()).map(|(settings, _)| settings.hash_mb.unwrap_or(usual.hash_mb)),
            batch_size: self.batch_size.get(),
            format: layout.format.to_string(),
            fen_format: layout.fen.to_string(),
        }
    }

    /// Finds everything that can be wrong with it.
    fn selection(&self, layout: Layout) -> Result<Selection, PositionsError> {
        let rule = |words: &str| Err(PositionsError::Rule(words.to_owned()));
        let rules = &self.rules;
        if rules.per_game == 0 {
            return rule("no position of any game is wanted: --per-game is at least 1");
        }
        if rules.use_evals && self.engine.is_some() {
            return rule("--use-evals takes the games' own scores: say --no-engine too");
        }
        if rules.use_evals && rules.keep_evaluated {
            return rule("--use-evals takes evaluated positions alone; --keep-evaluated takes them like others");
        }
        if self.engine.is_none() && rules.result_consistent.is_some() && !rules.use_evals {
            return rule("whether the result fits the score cannot be told without a score");
        }
        if layout.format.needs_score() && self.engine.is_none() && !rules.use_evals {
            return Err(PositionsError::NeedsScore { format: layout.format });
        }
        if layout.variants && layout.format == SampleFormat::Binpack {
            return rule("binpack has no room for Chess960: write parquet, jsonl, text or bulletformat");
        }
        let variants = rules.variants.iter().map(|name| {
            name.parse::<Variant>()
                .map_err(|error| PositionsError::Rule(error.to_string()))
        });
        let variants: Vec<Variant> = variants.collect::<Result<_, _>>()?;
        if variants.is_empty() {
            return rule("no variant is wanted: name standard or chess960");
        }
        Ok(Selection {
            speeds: rules.speed_list().map_err(PositionsError::Rule)?,
            variants,
            engine: self.engine.is_some(),
            rules: rules.clone(),
        })
    }
}

/// Takes positions. Call it inside a runtime. What went wrong after the beginning can be gone on with.
pub async fn take_positions(request: &PositionsRequest, told: Option<Told>) -> Result<PositionsReport, AppError> {
    let layout = request.layout()?;
    let selection = request.selection(layout)?;
    let paths = Paths::of(&request.output)?;
    let archives = match &request.archives {
        None => archives::Found::default(),
        Some(archives) => {
            let found = interrupt::unless_asked(&request.stop, archives::find(archives, &selection, &paths));
            found.await.ok_or(AppError::Interrupted)??
        }
    };
    let mut origins = archives.origins;
    origins.extend(origin::inputs(&request.inputs)?);
    if origins.is_empty() {
        return Err(PositionsError::NothingToRead.into());
    }
    let mut configuration = request.configuration(layout);
    for path in &request.dedupe_with {
        tools::check_readable_twice(path)?;
        // Opened for its errors alone: they should come before hours of work.
        tabiya_dataset::training::SampleReader::open(path, None, None).map_err(PositionsError::from)?;
        let fingerprint = fingerprint(&Input::Path(path.clone()));
        let fingerprint = fingerprint.map_err(|error| PositionsError::io("read", path, error))?;
        configuration.dedupe_with_fingerprints.push(fingerprint);
    }
    let sources = origins
        .iter()
        .map(origin::Origin::record)
        .collect::<Result<Vec<_>, _>>()?;
    let lock = lock(&paths)?;
    check_output(&paths.output)?;
    let pool = match &request.engine {
        None => None,
        Some((settings, _)) => Some(settings.start_all().await?),
    };
    let fresh = Progress {
        month: sources[0].month.clone(),
        variant: request.rules.variants.join(","),
        games_processed: 0,
        positions_extracted: 0,
        bytes_downloaded: 0,
        last_game_offset: 0,
        version: VERSION,
        phase: match configuration.dedupes() {
            true => Phase::Gathering,
            false => Phase::Extracting,
        },
        configuration,
        engine: pool.as_ref().map(|pool| pool.engine().name.clone()),
        sources,
        at: Place::default(),
        parts: Vec::new(),
    };
    let progress = resume::begin(request, &paths, fresh)?;
    let scoring = match (&request.engine, &pool) {
        (Some((settings, limit)), Some(pool)) => Some(Scoring {
            pool: pool.clone(),
            limit: *limit,
            engines: settings.count(),
            runtime: tokio::runtime::Handle::current(),
            answers: Answers::open(&paths.answers())?,
        }),
        _ => None,
    };
    let run = Run {
        origins,
        selection: Arc::new(selection),
        layout,
        paths,
        dedupe_with: request.dedupe_with.clone(),
        progress,
        threads: request.threads.get(),
        stop: Arc::clone(&request.stop),
        told,
        downloaded: Vec::new(),
        left_out_months: archives.left_out,
        warnings: archives.warnings,
        _lock: lock,
    };
    let work = tokio::task::spawn_blocking(move || run.carry_out(scoring));
    let outcome = match pool {
        None => work.await,
        Some(pool) => {
            let stop = async {
                interrupt::asked(&request.stop).await;
                pool.stop(LAST_WORDS).await;
                std::future::pending::<()>().await;
            };
            let outcome = tokio::select! {
                outcome = work => outcome,
                () = stop => unreachable!("nobody comes back from waiting for ever"),
            };
            pool.stop(Duration::ZERO).await;
            outcome
        }
    };
    outcome.unwrap_or_else(|failed| match failed.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        // Only a runtime that is going down cancels work that has begun.
        Err(_) => Err(AppError::Interrupted),
    })
}

/// Finds out whether the output could be written, for work that ends with it after hours.
fn check_output(path: &Path) -> Result<(), PositionsError> {
    let checked = WholeFile::check(path).map_err(TableError::from);
    Ok(checked.map_err(SampleError::from)?)
}

/// So often a lock file that was taken away while it was being locked is made again.
const MOST_TRIES: usize = 100;

/// Keeps others from writing the same output at the same time.
#[derive(Debug)]
pub(crate) struct OutputLock {
    /// None on a disk without locks.
    _lock: Option<Lock>,
    path: PathBuf,
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        // Left behind it would be in the way of nobody but the eye.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn lock(paths: &Paths) -> Result<OutputLock, AppError> {
    let path = paths.lock();
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(|error| PositionsError::io("create", directory, error))?;
    }
    for _ in 0..MOST_TRIES {
        let file = File::create(&path).map_err(|error| PositionsError::io("write", &path, error))?;
        let lock = match Lock::take(file) {
            Ok(lock) if lock.is_still(&path) => Some(lock),
            // A run that has just ended has taken its file away.
            Ok(_) => continue,
            Err(TryLockError::WouldBlock) => break,
            Err(TryLockError::Error(_)) => None,
        };
        return Ok(OutputLock { _lock: lock, path });
    }
    Err(PositionsError::Locked {
        path: paths.named.clone(),
    }
    .into())
}

#[cfg(test)]
mod tests;
