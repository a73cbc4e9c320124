//! `build expand`: what games say of the named positions and of those around them.

mod load;
mod report;

use std::{
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use pgn_import::{Input, Watcher, expand_inputs, fingerprint};
use tabiya_chess::FacetKinds;
use tabiya_counts::{CollectionKept, CountError, Extraction, Graph, Rules, Skeleton, State, survey, threshold};
use tabiya_store::{Collection, CollectionSource, Store};

pub use report::ExpandReport;

use super::{
    MinGames,
    count::{CountedFile, Counting, GameFilter, LeftOut, count_input},
    names,
    parts::{Part, expand_parts, merge_input},
    phases::{self, Phase},
    progress::{Step, Steps},
    skeleton::skeleton,
    state_dir::{StateDir, default_state_dir},
};
use crate::AppError;

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
    check(request)?;
    let inputs = match &request.from {
        ExpandFrom::Pgn(named) => expand_inputs(named)?,
        ExpandFrom::Counts(named) => expand_parts(named)?,
    };
    if inputs.is_empty() {
        return Err(AppError::NothingToCount);
    }
    let store = Store::connect(&request.database).await?;
    let skeleton = skeleton(&store).await?;
    let counted = Counted::new(request, &skeleton, inputs)?;
    let phase = Phase::expand(&request.collection);
    let asked = counted.fingerprint(request, &skeleton);
    if let Some(done) = phases::done::<ExpandReport>(&store, &phase, asked.as_deref()).await? {
        return Ok(ExpandReport { skipped: true, ..done });
    }
    let known = store.collections().await?;
    let report = {
        let request = request.clone();
        let known = known.clone();
        let skeleton = skeleton.clone();
        let steps = steps.clone();
        // Counting and sorting take all cores for minutes: not a place for other tasks to wait.
        tokio::task::spawn_blocking(move || counted.run(&request, &skeleton, &known, &steps))
            .await
            .map_err(|panic| AppError::Corrupt(panic.to_string()))??
    };
    let (load, report) = report;
    steps.begin(Step::Store);
    // Whatever is interrupted from here on must not look finished.
    phases::forget_after(&store, &phase).await?;
    phases::forget_expansions_but(&store, &known, &settings(request, &skeleton)).await?;
    store.load_counts(load).await?;
    steps.begin(Step::Names);
    names::settle(&store).await?;
    phases::graph_changed(&store).await?;
    phases::record(&store, &phase, asked.as_deref(), &report).await?;
    store.close().await;
    Ok(report)
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
    Ok(())
}

/// What counting and asking an explorer have in common.
pub(super) fn check_collection(name: &str, depth: u16) -> Result<(), AppError> {
    if !(1..=200).contains(&depth) {
        return Err(AppError::OutOfRange(format!(
            "--depth {depth}: it goes from 1 to 200 half-moves"
        )));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
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

/// The counting itself, ready to start.
struct Counted {
    inputs: Vec<Input>,
    fingerprints: Vec<Option<String>>,
    counting: Counting,
    /// Parts were counted by rules of their own, which must be the same in all of them.
    rules: Rules,
    dir: StateDir,
}

impl Counted {
    fn new(request: &ExpandRequest, skeleton: &Skeleton, inputs: Vec<Input>) -> Result<Counted, AppError> {
        // No position farther from the start than this can be within the depth of a named one.
        let reach = skeleton.longest() + u32::from(request.depth);
        let max_ply = request.max_ply.map_or(reach, |most| reach.min(u32::from(most)));
        let fingerprints = inputs.iter().map(|input| {
            fingerprint(input).map_err(|source| AppError::Unreadable {
                input: input.to_string(),
                source,
            })
        });
        let counting = Counting {
            filter: request.filter,
            max_ply,
            threads: request.threads,
            stop: request.stop.clone(),
        };
        let rules = match (&request.from, inputs.first()) {
            (ExpandFrom::Counts(_), Some(Input::Path(path))) => Part::open(path)?.rules().clone(),
            _ => counting.rules(),
        };
        Ok(Counted {
            fingerprints: fingerprints.collect::<Result<_, _>>()?,
            inputs,
            counting,
            rules,
            dir: StateDir::new(
                request
                    .state
                    .clone()
                    .unwrap_or_else(|| default_state_dir(&request.database)),
            ),
        })
    }

    /// What the outcome depends on; `None` where it cannot be known, as with standard input.
    fn fingerprint(&self, request: &ExpandRequest, skeleton: &Skeleton) -> Option<String> {
        let files = self.fingerprints.iter().cloned().collect::<Option<Vec<String>>>()?;
        Some(format!(
            "{} | add {} | {} | {}",
            files.join(" "),
            request.add,
            self.rules,
            settings(request, skeleton)
        ))
    }

    fn run(
        &self,
        request: &ExpandRequest,
        skeleton: &Skeleton,
        known: &[Collection],
        steps: &Steps,
    ) -> Result<(tabiya_store::LoadPages, ExpandReport), AppError> {
        steps.begin(Step::Count);
        let (state, files) = self.count(request, steps.watcher())?;
        if state.games() == 0 {
            let mut left_out = LeftOut::default();
            files.iter().for_each(|file| left_out += file.left_out);
            return Err(AppError::NothingCounted {
                inputs: files.iter().map(|file| file.name.clone()).collect(),
                games: files.iter().map(|file| file.games).sum(),
                left_out,
            });
        }
        steps.begin(Step::Sort);
        let own_games = state.games();
        let mut named = self.dir.others(&request.collection)?;
        named.push((request.collection.clone(), state));
        named.sort_by(|(one, _), (other, _)| one.cmp(other));
        let states: Vec<&State> = named.iter().map(|(_, state)| state).collect();
        for state in &states {
            state.check_facets(request.facets)?;
        }
        let games = states.iter().map(|state| state.games()).sum();
        let asked = request.min_games.for_games(games);
        let (kept, graph, min_games) = keep(&states, skeleton, request, asked)?;
        let report = ExpandReport {
            collection: request.collection.clone(),
            games: own_games,
            all_games: games,
            asked_min_games: asked,
            min_games,
            chosen_by_size: request.min_games == MinGames::BySize,
            nodes: graph.nodes.len() as u64,
            edges: graph.edges.len() as u64,
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

    fn count(&self, request: &ExpandRequest, watcher: Option<Watcher>) -> Result<(State, Vec<CountedFile>), AppError> {
        let known = if request.add {
            self.dir.open(&request.collection)?
        } else {
            None
        };
        let is_new = known.is_none();
        let mut state = match known {
            Some(state) => state,
            None => self.dir.begin(&request.collection, &self.rules, &self.fingerprints)?,
        };
        state.check_rules(&self.rules)?;
        let mut files = Vec::with_capacity(self.inputs.len());
        for input in &self.inputs {
            files.push(match &request.from {
                ExpandFrom::Pgn(_) => count_input(&mut state, input, &self.counting, watcher.as_ref())?,
                ExpandFrom::Counts(_) => merge_input(&mut state, input, request.facets)?,
            });
        }
        if is_new && state.games() > 0 {
            drop(state);
            state = self.dir.finish(&request.collection)?;
        }
        Ok((state, files))
    }
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

/// What is kept, as a graph of no more nodes than asked for, and the threshold that took.
fn keep(
    states: &[&State],
    skeleton: &Skeleton,
    request: &ExpandRequest,
    asked: u64,
) -> Result<(Vec<CollectionKept>, Graph, u64), AppError> {
    let most = usize::try_from(request.max_nodes).unwrap_or(usize::MAX);
    let mut wanted = Extraction {
        min_games: asked,
        facets: request.facets,
        always: skeleton.always(),
        threads: request.threads,
        stop: &request.stop,
    };
    // Never hold many times what can be kept.
    wanted.min_games = threshold(states, &wanted, request.max_nodes.saturating_mul(4))?;
    loop {
        let survey = survey(states, &wanted)?;
        let graph = Graph::replay(&survey.outline, skeleton, request.depth, most, request.threads)?;
        if graph.nodes.len() <= most {
            let keys = graph.nodes.iter().map(|node| node.key).collect();
            let kept = survey.extract(states, &wanted, keys)?;
            return Ok((kept, graph, wanted.min_games));
        }
        if survey.outline.most_games() < wanted.min_games {
            // Nothing is left but the named lines themselves.
            return Err(AppError::OutOfRange(format!(
                "the named lines alone have more than {most} positions; raise --max-nodes"
            )));
        }
        wanted.min_games = threshold(states, &wanted, request.max_nodes)?.max(wanted.min_games + 1);
        if request.stop.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(CountError::Stopped.into());
        }
    }
}
