//! `evals import`: evaluations that somebody else has made, so that engines only fill the gaps.

mod archive;
mod pgn;
mod read;
mod report;
mod sink;

use std::{
    collections::HashSet,
    num::NonZeroUsize,
    path::Path,
    sync::{Arc, atomic::AtomicBool},
};

use pgn_import::{Input, Watcher, expand_inputs};
use tabiya_chess::PositionId;
use tabiya_store::Store;
use tokio::sync::mpsc;

pub use pgn::PGN_ENGINE;
pub use report::{EvalsFile, EvalsReport, FileKind, Problem};

use crate::{AppError, database};
use read::{Piece, Reading};
use sink::EvaluationSink;

/// As many evaluations are committed at a time. Ids are hashes, so a batch touches pages all over a database's trees: the
/// larger it is, the fewer of them are written again and again.
const BATCH: usize = 20_000;

/// What is to be imported, and where to.
#[derive(Debug, Clone)]
pub struct EvalsRequest {
    /// Files, globs or `-`: Lichess's archive or PGN, compressed or not.
    pub inputs: Vec<String>,
    pub database: String,
    /// Evaluations of less depth are passed over. One whose depth is unknown has none.
    pub min_depth: u8,
    /// Only positions that the knowledge base has.
    pub known_only: bool,
    /// Ends after so many positions.
    pub limit: Option<u64>,
    pub threads: NonZeroUsize,
    pub stop: Arc<AtomicBool>,
}

/// How it went. Whatever went wrong, the report says what was kept before.
#[derive(Debug)]
pub struct EvalsOutcome {
    pub report: EvalsReport,
    pub errors: Vec<AppError>,
}

/// Imports evaluations. An error means that it could not begin; what happens later is part of the outcome.
pub async fn import_evals(request: &EvalsRequest, watcher: Option<Watcher>) -> Result<EvalsOutcome, AppError> {
    let inputs = inputs(&request.inputs)?;
    let store = match request.known_only {
        true => database::open(&request.database).await?,
        false => Store::connect(&request.database).await?,
    };
    let known = match request.known_only {
        true => Some(known(&store).await?),
        false => None,
    };
    let outcome = carry_out(request, inputs, known, watcher, &store, store.name().to_owned()).await;
    store.close().await;
    Ok(outcome)
}

/// A directory is refused: which of its files are meant cannot be told, and silence would leave some out.
fn inputs(named: &[String]) -> Result<Vec<Input>, AppError> {
    for name in named {
        if Path::new(name).is_dir() {
            return Err(AppError::BadEvaluations {
                input: name.clone(),
                reason: "this is a directory".to_owned(),
            });
        }
    }
    Ok(expand_inputs(named)?)
}

/// The positions of the knowledge base.
async fn known(store: &Store) -> Result<HashSet<PositionId>, AppError> {
    let graph = store.knowledge_graph(None).await?;
    if graph.nodes.is_empty() {
        return Err(AppError::NoOpenings);
    }
    Ok(graph.nodes.iter().map(|node| node.id).collect())
}

async fn carry_out(
    request: &EvalsRequest,
    inputs: Vec<Input>,
    known: Option<HashSet<PositionId>>,
    watcher: Option<Watcher>,
    sink: &impl EvaluationSink,
    database: String,
) -> EvalsOutcome {
    let mut outcome = EvalsOutcome {
        report: EvalsReport::new(database),
        errors: Vec::new(),
    };
    // Reading waits when the database does not keep up, so that memory stays small.
    let (pieces, mut arriving) = mpsc::channel::<Piece>(2);
    let reading = Reading::new(request, known, watcher);
    // Reading and checking take all cores for minutes: not a place for other tasks to wait.
    let read = tokio::task::spawn_blocking(move || reading.run(&inputs, |piece| pieces.blocking_send(piece).is_ok()));
    let mut waiting = Vec::new();
    let mut batch = Vec::new();
    while let Some(mut piece) = arriving.recv().await {
        batch.append(&mut piece.evaluations);
        waiting.push(piece);
        if batch.len() >= BATCH
            && let Err(error) = commit(sink, &mut batch, &mut waiting, &mut outcome.report).await
        {
            outcome.errors.push(error);
            break;
        }
    }
    // Where the database failed, nobody needs to read on.
    drop(arriving);
    if outcome.errors.is_empty()
        && let Err(error) = commit(sink, &mut batch, &mut waiting, &mut outcome.report).await
    {
        outcome.errors.push(error);
    }
    match read.await {
        Ok(end) => {
            outcome.report.interrupted = end.interrupted;
            outcome.report.limit_reached = end.limit_reached;
            outcome.errors.extend(end.errors);
        }
        Err(panic) => outcome.errors.push(AppError::Corrupt(panic.to_string())),
    }
    outcome
}

/// Commits what has gathered. Only then is it reported.
async fn commit(
    sink: &impl EvaluationSink,
    batch: &mut Vec<(shakmaty::Chess, tabiya_chess::Analysis)>,
    waiting: &mut Vec<Piece>,
    report: &mut EvalsReport,
) -> Result<(), AppError> {
    if !batch.is_empty() {
        report.new += sink.put(std::mem::take(batch)).await?;
    }
    for piece in waiting.drain(..) {
        report.add(piece);
    }
    Ok(())
}

#[cfg(test)]
mod tests;
