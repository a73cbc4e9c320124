//! `build expand`: what games say of the named positions and of those around them.

mod counted;
mod keep;
mod load;
mod report;

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use pgn_import::{Input, expand_inputs};
use tabiya_chess::FacetKinds;
use tabiya_counts::{CountError, Skeleton, State};
use tabiya_store::{Collection, CollectionSource, LoadPages, Store};

pub(super) use keep::check_named;
pub use report::ExpandReport;

use self::{
    counted::{Counted, check_known},
    keep::keep,
};
use super::{
    MinGames,
    count::{CountedFile, GameFilter},
    names,
    parts::expand_parts,
    phases::{self, Phase},
    progress::{Step, Steps},
    skeleton::skeleton,
    state_dir::is_name,
};
use crate::{AppError, database::check_database};

/// Half-moves beyond each named position.
pub const DEFAULT_DEPTH: u16 = 15;
/// A knowledge base of this size takes about two gigabytes.
pub const DEFAULT_MAX_NODES: u64 = 3_000_000;

/// What is to be counted, and what of it kept.
#[derive(Debug, Clone)]
pub struct ExpandRequest {
    pub database: String,
    pub from: ExpandFrom,
    pub collection: String,
    /// Adds to what the collection has, instead of replacing it.
    pub add: bool,
    pub depth: u16,
    pub min_games: MinGames,
    /// The threshold rises until the graph has no more nodes than this.
    pub max_nodes: u64,
    pub max_ply: Option<u16>,
    pub filter: GameFilter,
    pub facets: FacetKinds,
    pub threads: usize,
    /// Where counts below the threshold are kept; beside the database if not said.
    pub state: Option<PathBuf>,
    pub stop: Arc<AtomicBool>,
}

/// Where counts come from.
#[derive(Debug, Clone)]
pub enum ExpandFrom {
    /// Files, directories, globs or `-`.
    Pgn(Vec<String>),
    /// Tables of partial counts.
    Counts(Vec<String>),
}

/// Counts a corpus and rebuilds the graph from it.
pub async fn expand(request: &ExpandRequest, steps: &Steps) -> Result<ExpandReport, AppError> {
    let inputs = inputs(request)?;
    let store = Store::connect(&request.database).await?;
    let known = store.collections().await?;
    let skeleton = Arc::new(skeleton(&store).await?);
    let named_positions = keep::named_positions(&skeleton, request)?;
    steps.begin(Step::Count);
    let request = Arc::new(request.clone());
    let counted = {
        let (request, skeleton, known) = (request.clone(), skeleton.clone(), known.clone());
        Arc::new(blocking(move || Counted::new(&request, &skeleton, inputs, &known)).await?)
    };
    let phase = Phase::expand(&request.collection);
    let asked = counted.fingerprint(&request, &skeleton);
    let done = phases::done::<ExpandReport>(&store, &phase, asked.as_deref()).await?;
    // Whoever is told to count anew what cannot be read any more asks for what was asked for before.
    if let Some(done) = done.filter(|_| counted.dir.is_whole(&request.collection)) {
        return Ok(ExpandReport { skipped: true, ..done });
    }
    // Until all is stored: it is read from the counts while it is written.
    let _held = counted.dir.hold()?;
    let mut named = counted.others(&request)?;
    let mut begun = counted.begin(&request)?;
    // Whatever is interrupted once counts have changed must not look finished: those of the collection do with every file that
    // is added to them, new ones when they take the place of the old.
    if !begun.is_new {
        phases::forget(&store, &phase).await?;
    }
    let (begun, files) = {
        let (request, counted, watcher) = (request.clone(), counted.clone(), steps.watcher());
        blocking(move || {
            let files = counted.count(&request, &mut begun, watcher)?;
            Ok((begun, files))
        })
        .await?
    };
    phases::forget(&store, &phase).await?;
    steps.begin(Step::Sort);
    let sorted = {
        let (request, skeleton, counted, known) = (request.clone(), skeleton.clone(), counted.clone(), known.clone());
        blocking(move || {
            named.push((request.collection.clone(), counted.finish(&request, begun)?));
            sort(&request, &skeleton, named_positions, &known, named, files)
        })
        .await
    };
    // Going through them shows damage that opening them does not: whoever is told to count anew must not be told that it is done.
    if let Err(AppError::Count(CountError::Damaged { .. } | CountError::IllegalMove { .. })) = &sorted {
        phases::forget_expansions(&store, &known).await?;
    }
    let (load, mut report) = sorted?;
    report.cut_at = counted.cut_at;
    steps.begin(Step::Store);
    // What stands on the graph as it was.
    phases::forget_after(&store, &phase).await?;
    phases::forget_expansions_but(&store, &known, &settings(&request, &skeleton)).await?;
    store.load_counts(load).await?;
    steps.begin(Step::Names);
    names::settle(&store).await?;
    phases::graph_changed(&store).await?;
    phases::record(&store, &phase, asked.as_deref(), &report).await?;
    store.close().await;
    Ok(report)
}

/// The files of a request that can be carried out as far as that is seen without reading them.
pub(super) fn inputs(request: &ExpandRequest) -> Result<Vec<Input>, AppError> {
    check(request)?;
    let inputs = match &request.from {
        ExpandFrom::Pgn(named) => expand_inputs(named)?,
        ExpandFrom::Counts(named) => expand_parts(named)?,
    };
    if inputs.is_empty() {
        return Err(AppError::NothingToCount);
    }
    Ok(inputs)
}

/// Refuses what the database says against a request, before anything is done to it. Where there is no database yet it says nothing.
pub(super) async fn check_database_of(request: &ExpandRequest) -> Result<(), AppError> {
    if check_database(&request.database).is_err() {
        return Ok(());
    }
    let store = Store::connect(&request.database).await?;
    check_known(request, &store.collections().await?)?;
    store.close().await;
    Ok(())
}

/// Counting and sorting take all cores for minutes: not a place for other tasks to wait.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, AppError> + Send + 'static,
) -> Result<T, AppError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|panic| AppError::Corrupt(panic.to_string()))?
}

fn check(request: &ExpandRequest) -> Result<(), AppError> {
    let bad = |what: &str| Err(AppError::OutOfRange(what.to_owned()));
    check_collection(&request.collection, request.depth)?;
    if request.min_games == MinGames::Fixed(0) {
        return bad("--min-games must be 1 or more");
    }
    if request.max_nodes == 0 {
        return bad("--max-nodes must be 1 or more");
    }
    if request.max_ply == Some(0) {
        return bad("--max-ply must be 1 or more");
    }
    request.filter.check()
}

/// What counting and asking an explorer have in common.
pub(super) fn check_collection(name: &str, depth: u16) -> Result<(), AppError> {
    check_depth(depth)?;
    if !is_name(name) {
        return Err(AppError::OutOfRange(format!(
            "--collection {name:?}: a name has letters, digits, - and _, and no more than 64 of them"
        )));
    }
    if [Collection::OPENINGS, Collection::VALIDATION].contains(&name) {
        return Err(AppError::OutOfRange(format!(
            "--collection {name:?}: it is our own; choose another name"
        )));
    }
    Ok(())
}

/// Half-moves beyond a named position.
pub(super) fn check_depth(depth: u16) -> Result<(), AppError> {
    if (1..=200).contains(&depth) {
        return Ok(());
    }
    Err(AppError::OutOfRange(format!(
        "--depth {depth}: it goes from 1 to 200 half-moves"
    )))
}

/// Sorts what was counted, and makes ready what is to be stored.
fn sort(
    request: &ExpandRequest,
    skeleton: &Skeleton,
    named_positions: usize,
    known: &[Collection],
    mut named: Vec<(String, State)>,
    files: Vec<CountedFile>,
) -> Result<(LoadPages, ExpandReport), AppError> {
    named.sort_by(|(one, _), (other, _)| one.cmp(other));
    let own = named.iter().find(|(name, _)| *name == request.collection);
    let own_games = own.map_or(0, |(_, state)| state.games());
    let states: Vec<&State> = named.iter().map(|(_, state)| state).collect();
    let games = states.iter().map(|state| state.games()).sum();
    let asked = request.min_games.for_games(games);
    let (kept, graph, min_games) = keep(&states, skeleton, named_positions, request, asked)?;
    let report = ExpandReport {
        collection: request.collection.clone(),
        games: own_games,
        all_games: games,
        asked_min_games: asked,
        min_games,
        chosen_by_size: request.min_games == MinGames::BySize,
        nodes: graph.nodes.len() as u64,
        edges: graph.edges.len() as u64,
        cut_at: None,
        files,
        skipped: false,
    };
    let parts = named.into_iter().zip(kept).map(|((name, state), kept)| load::Part {
        collection: Collection {
            source: match (known_as(known, request, &name), &request.from) {
                (Some(known), _) => known.source,
                (None, ExpandFrom::Counts(_)) if name == request.collection => CollectionSource::Counts,
                (None, _) => CollectionSource::Pgn,
            },
            games: state.games(),
            min_games,
            depth: request.depth,
            max_ply: known_as(known, request, &name).map_or(request.max_ply, |known| known.max_ply),
            facets: request.facets,
            name,
        },
        state,
        kept,
    });
    let load = load::load(graph, parts.collect())?;
    Ok((load, report))
}

/// What decides how much of any collection's counts is kept: all of them are kept alike.
fn settings(request: &ExpandRequest, skeleton: &Skeleton) -> String {
    format!(
        "depth {} | min {:?} | most {} | facets {} | names {}",
        request.depth,
        request.min_games,
        request.max_nodes,
        request.facets,
        skeleton.seeds(),
    )
}

/// How another collection than the one at hand was counted.
fn known_as<'a>(known: &'a [Collection], request: &ExpandRequest, name: &str) -> Option<&'a Collection> {
    let mut others = known.iter().filter(|known| known.name != request.collection);
    others.find(|known| known.name == name)
}
