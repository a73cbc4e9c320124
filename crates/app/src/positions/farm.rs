//! Many machines: months, or shares of months, wait in a queue, and workers take them out.
//!
//! A job is a whole run with an output of its own. Whoever does it, the same bytes come out, so a job that is done twice
//! changes nothing; and a worker that finds what another left on a shared disk goes on with it.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use serde::{Deserialize, Serialize};
use tabiya_chess::SearchLimit;
use tabiya_queue::{Claimed, Job, JobFailure, WorkerOptions};
use tokio_util::sync::CancellationToken;

use super::{
    ArchivesRequest, Configuration, Month, PositionsError, PositionsRequest, Shard, progress::Paths, take_positions,
};
use crate::{
    AppError,
    engines::EngineSettings,
    interrupt,
    worker::{POSITIONS_QUEUE as QUEUE, QueueSettings, given_up},
};

/// A run that waits for somebody.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionsJob {
    /// The output's file name.
    name: String,
    base: String,
    blocklist: String,
    /// Of one archive, or none.
    month: Option<String>,
    inputs: Vec<String>,
    configuration: Configuration,
}

/// What was put into the queue.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Enqueued {
    pub jobs: u64,
    /// Jobs that wait or are worked on already.
    pub already_there: u64,
    /// Months that were asked for and left out, with the reason.
    pub left_out_months: Vec<String>,
}

/// Puts a run into the queue: a job for each month of each variant and each of `shares` parts of it.
pub async fn enqueue_positions(
    request: &PositionsRequest,
    shares: u32,
    database: &str,
    queue: &QueueSettings,
) -> Result<Enqueued, AppError> {
    let layout = request.layout()?;
    let selection = request.selection(layout)?;
    if request.shard.is_some() {
        let words = "--shard is one share of a run; how many there are to be in the queue is said with --shares";
        return Err(PositionsError::Rule(words.to_owned()).into());
    }
    let ending = request
        .output
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut jobs = Vec::new();
    let mut add = |variant: &str, month: Option<Month>, inputs: &[String], base: &str, blocklist: &str| {
        for number in 1..=shares.max(1) {
            let shard = (shares > 1).then(|| Shard::new(number, shares)).flatten();
            let mut configuration = request.configuration(layout);
            configuration.rules.variants = vec![variant.to_owned()];
            configuration.shard = shard;
            let what = month.map_or_else(|| "games".to_owned(), |month| month.to_string());
            let share = shard.map_or_else(String::new, |_| format!("-{number}-of-{shares}"));
            jobs.push(PositionsJob {
                name: format!("{variant}-{what}{share}-{ending}"),
                base: base.to_owned(),
                blocklist: blocklist.to_owned(),
                month: month.map(|month| month.to_string()),
                inputs: inputs.to_vec(),
                configuration,
            });
        }
    };
    let mut left_out_months = Vec::new();
    for variant in &selection.variants {
        let name = variant.as_str();
        if let Some(archives) = &request.archives {
            for month in &archives.months {
                // Nobody could do more with such a job than fail.
                if let Some(reason) = archives.blocklist.objection(*month, *variant) {
                    left_out_months.push(format!("{variant} {month}: {reason}"));
                    continue;
                }
                add(name, Some(*month), &[], &archives.base, &archives.blocklist.to_string());
            }
        }
        if !request.inputs.is_empty() {
            add(name, None, &request.inputs, "", "none");
        }
    }
    if jobs.is_empty() && !left_out_months.is_empty() {
        let reasons = left_out_months.join("; ");
        return Err(PositionsError::AllBlocked { reasons }.into());
    }
    if jobs.is_empty() {
        return Err(PositionsError::NothingToRead.into());
    }
    let opened = queue.open_named::<PositionsJob>(database, QUEUE).await?;
    let jobs = jobs.into_iter().map(|job| Job {
        key: job.name.clone(),
        priority: 0,
        payload: job,
    });
    let pushed = opened.push(jobs).await;
    opened.close().await;
    let pushed = pushed?;
    Ok(Enqueued {
        jobs: pushed.added,
        already_there: pushed.already_there,
        left_out_months,
    })
}

/// A machine that does such runs.
#[derive(Debug, Clone)]
pub struct PositionsWorker {
    pub database: String,
    pub queue: QueueSettings,
    /// For people.
    pub name: String,
    /// Where outputs go.
    pub directory: PathBuf,
    pub engine: EngineSettings,
    pub readers: NonZeroUsize,
    pub download_dir: Option<PathBuf>,
    /// Whether to end when nothing is left, instead of waiting for more.
    pub until_empty: bool,
    pub stop: Arc<AtomicBool>,
}

/// What a worker did.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PositionsWorked {
    pub jobs: u64,
    pub positions: u64,
    /// Jobs that failed, and are tried again by somebody or given up.
    pub failed: u64,
    /// Jobs that were given up meanwhile.
    pub given_up: u64,
    pub given_back: u64,
    pub outputs: Vec<PathBuf>,
    pub interrupted: bool,
}

/// Takes runs out of the queue until it is told to stop.
pub async fn work_on_positions(worker: &PositionsWorker) -> Result<PositionsWorked, AppError> {
    let queue = worker.queue.open_named::<PositionsJob>(&worker.database, QUEUE).await?;
    let before = queue.status().await?;
    let stop = CancellationToken::new();
    let _listening = interrupt::cancel_when_asked(Arc::clone(&worker.stop), stop.clone());
    let outputs: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
    let failed: Arc<Mutex<Option<AppError>>> = Arc::default();
    let options = WorkerOptions {
        // One run keeps all engines busy.
        concurrency: 1,
        until_empty: worker.until_empty,
        ..WorkerOptions::named(worker.name.as_str())
    };
    let worked = queue
        .work(
            options,
            |job: Claimed<PositionsJob>| {
                let (worker, outputs) = (worker.clone(), Arc::clone(&outputs));
                let (failed, stop) = (Arc::clone(&failed), stop.clone());
                async move {
                    match carry_out(&worker, &job.payload).await {
                        Ok((path, positions)) => {
                            outputs.lock().unwrap_or_else(PoisonError::into_inner).push(path);
                            Ok(positions)
                        }
                        Err(Trouble::OfJob(failure)) => Err(failure),
                        // The job is as good as it was; this machine is not, and would be given it again and again.
                        Err(Trouble::OfMachine(error)) => {
                            let reason = error.to_string();
                            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                            failed.get_or_insert(error);
                            stop.cancel();
                            Err(JobFailure::Postpone(reason))
                        }
                    }
                }
            },
            stop.clone(),
        )
        .await;
    let lost = match &worked {
        Ok(worked) => given_up(&queue, &before, worked.failed).await,
        Err(_) => 0,
    };
    queue.close().await;
    if let Some(error) = failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(error);
    }
    let worked = worked?;
    let outputs = std::mem::take(&mut *outputs.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(PositionsWorked {
        jobs: worked.done,
        positions: worked.units,
        failed: worked.failed,
        given_up: lost,
        given_back: worked.postponed,
        outputs,
        interrupted: worker.stop.load(Relaxed),
    })
}

/// Why a job was not done.
enum Trouble {
    OfJob(JobFailure),
    /// No other job would go better here.
    OfMachine(AppError),
}

async fn carry_out(worker: &PositionsWorker, job: &PositionsJob) -> Result<(PathBuf, u64), Trouble> {
    let request = request(worker, job).map_err(|reason| Trouble::OfJob(JobFailure::GiveUp(reason)))?;
    let output = request.output.clone();
    let taken = match take_positions(&request, None).await {
        // What an earlier worker left was begun otherwise, or is damaged.
        Err(AppError::Positions(PositionsError::CannotResume { .. })) => {
            let anew = PositionsRequest {
                resume: false,
                restart: true,
                ..request
            };
            take_positions(&anew, None).await
        }
        taken => taken,
    };
    let error = match taken {
        Ok(report) => return Ok((output, report.manifest.counts.positions)),
        Err(error) => error,
    };
    Err(Trouble::OfJob(match error {
        AppError::Engine(_) | AppError::NoEngineLeft { .. } => return Err(Trouble::OfMachine(error)),
        error if error.is_stop() => JobFailure::Postpone("the worker was stopped".to_owned()),
        // A worker that was taken for lost still does it, or has come to its end just now.
        AppError::Positions(
            error @ (PositionsError::Locked { .. }
            | PositionsError::NothingToResume { .. }
            | PositionsError::Unfinished { .. }),
        ) => JobFailure::Postpone(error.to_string()),
        AppError::Positions(error) if error.is_usage() => JobFailure::GiveUp(error.to_string()),
        // There is no such month, and will be none in a minute.
        AppError::Archive(error) if error.is_usage() => JobFailure::GiveUp(error.to_string()),
        error => JobFailure::Retry(error.to_string()),
    }))
}

/// The run as this machine does it.
fn request(worker: &PositionsWorker, job: &PositionsJob) -> Result<PositionsRequest, String> {
    let configuration = &job.configuration;
    let output = worker
        .directory
        .join(Path::new(&job.name).file_name().unwrap_or_default());
    let limit = configuration
        .limit
        .as_deref()
        .map(str::parse::<SearchLimit>)
        .transpose()
        .map_err(|error| error.to_string())?;
    let archives = match &job.month {
        None => None,
        Some(month) => Some(ArchivesRequest {
            base: job.base.clone(),
            months: vec![
                month
                    .parse()
                    .map_err(|error: super::ParseMonthError| error.to_string())?,
            ],
            blocklist: job
                .blocklist
                .parse()
                .map_err(|error: super::ParseBlocklistError| error.to_string())?,
            download_dir: worker.download_dir.clone(),
            stream: false,
        }),
    };
    let begun = Paths::of(&output)
        .map_err(|error| error.to_string())?
        .progress()
        .exists();
    Ok(PositionsRequest {
        inputs: job.inputs.clone(),
        archives,
        rules: configuration.rules.clone(),
        max: configuration.max,
        stratify: configuration.stratify.clone(),
        shard: configuration.shard,
        dedupe: configuration.dedupe,
        dedupe_with: configuration.dedupe_with.iter().map(PathBuf::from).collect(),
        engine: limit.map(|limit| (worker.engine.clone(), limit)),
        output,
        format: Some(
            configuration
                .format
                .parse()
                .map_err(|_| "an unknown format".to_owned())?,
        ),
        fen_format: configuration
            .fen_format
            .parse()
            .map_err(|_| "an unknown form of FEN".to_owned())?,
        batch_size: NonZeroUsize::new(configuration.batch_size).unwrap_or(NonZeroUsize::MIN),
        threads: worker.readers,
        resume: begun,
        restart: false,
        stop: Arc::clone(&worker.stop),
    })
}
