//! The counting itself, and everything that can be said against it before it begins.

use pgn_import::{Input, Watcher, fingerprint};
use tabiya_counts::{CountError, Rules, Skeleton, State};
use tabiya_store::{Collection, CollectionSource};

use super::{ExpandFrom, ExpandRequest, settings};
use crate::{
    AppError,
    build::{
        count::{CountedFile, Counting, LeftOut, count_fingerprinted},
        parts::{Part, PartError, merge_part},
        state_dir::{StateDir, default_state_dir},
    },
};

/// What is to be counted, by which rules.
pub(super) struct Counted {
    inputs: Vec<Input>,
    fingerprints: Vec<Option<String>>,
    counting: Counting,
    /// Parts were counted by rules of their own, which must be the same in all of them.
    rules: Rules,
    /// Where counts end, if that is nearer than the positions that are asked for.
    pub(super) cut_at: Option<u32>,
    pub(super) dir: StateDir,
    /// Collections whose counts are gone too: the graph is not made before they are there again.
    waits_for: Vec<String>,
}

/// Counts that are being added to.
pub(super) struct Begun {
    state: State,
    /// Beside the old ones, whose place they have not taken yet.
    pub(super) is_new: bool,
}

impl Counted {
    pub(super) fn new(
        request: &ExpandRequest,
        skeleton: &Skeleton,
        inputs: Vec<Input>,
        known: &[Collection],
    ) -> Result<Counted, AppError> {
        let (dir, waits_for) = check_known(request, known)?;
        // No position farther from the start than this can be within the depth of a named one.
        let reach = skeleton.longest() + u32::from(request.depth);
        let max_ply = request.max_ply.map_or(reach, |most| reach.min(u32::from(most)));
        let counting = Counting {
            filter: request.filter,
            max_ply,
            threads: request.threads,
            stop: request.stop.clone(),
        };
        let mut rules = counting.rules();
        let mut cut_at = None;
        if let (ExpandFrom::Counts(_), Some(Input::Path(path))) = (&request.from, inputs.first()) {
            let part = Part::open(path)?;
            check_filter(request, &rules, &part)?;
            rules = part.rules().clone();
            cut_at = (rules.max_ply < reach).then_some(rules.max_ply);
        }
        // Every byte is read for it.
        let fingerprints = inputs.iter().map(|input| {
            if counting.is_stopped() {
                return Err(CountError::Stopped.into());
            }
            fingerprint(input).map_err(|source| AppError::Unreadable {
                input: input.to_string(),
                source,
            })
        });
        Ok(Counted {
            fingerprints: fingerprints.collect::<Result<_, _>>()?,
            inputs,
            counting,
            rules,
            cut_at,
            dir,
            waits_for,
        })
    }

    /// What the outcome depends on; `None` where it cannot be known, as with standard input.
    pub(super) fn fingerprint(&self, request: &ExpandRequest, skeleton: &Skeleton) -> Option<String> {
        let files = self.fingerprints.iter().cloned().collect::<Option<Vec<String>>>()?;
        Some(format!(
            "{} | add {} | counts {} | {} | {}",
            files.join(" "),
            request.add,
            // What an older program counted is not done: games cannot be added to it.
            State::VERSION,
            self.rules,
            settings(request, skeleton)
        ))
    }

    /// The other collections' counts, which the graph is made of too.
    pub(super) fn others(&self, request: &ExpandRequest) -> Result<Vec<(String, State)>, AppError> {
        let others = self.dir.others(&request.collection)?;
        for (_, state) in &others {
            state.check_facets(request.facets)?;
        }
        Ok(others)
    }

    /// The counts that are added to: those of the collection with `--add`, else new ones.
    pub(super) fn begin(&self, request: &ExpandRequest) -> Result<Begun, AppError> {
        let found = if request.add {
            self.dir.open(&request.collection)?
        } else {
            None
        };
        let is_new = found.is_none();
        let state = match found {
            Some(state) => state,
            None => self.dir.begin(&request.collection, &self.rules, &self.fingerprints)?,
        };
        state.check_rules(&self.rules)?;
        state.check_facets(request.facets)?;
        Ok(Begun { state, is_new })
    }

    pub(super) fn count(
        &self,
        request: &ExpandRequest,
        begun: &mut Begun,
        watcher: Option<Watcher>,
    ) -> Result<Vec<CountedFile>, AppError> {
        let state = &mut begun.state;
        let mut files = Vec::with_capacity(self.inputs.len());
        for (input, fingerprint) in self.inputs.iter().zip(&self.fingerprints) {
            let fingerprint = fingerprint.clone();
            files.push(match &request.from {
                ExpandFrom::Pgn(_) => count_fingerprinted(state, input, fingerprint, &self.counting, watcher.as_ref())
                    .map_err(kept_before)?,
                ExpandFrom::Counts(_) => merge_part(state, input, fingerprint, request.facets, &request.stop)?,
            });
        }
        // Of a table that was split, one file alone knows the number of games.
        let is_part = matches!(request.from, ExpandFrom::Counts(_));
        let came = |file: &CountedFile| is_part || file.known || file.counted > 0 || file.duplicates > 0;
        if state.games() == 0 || !files.iter().any(came) {
            let mut left_out = LeftOut::default();
            files.iter().for_each(|file| left_out += file.left_out);
            return Err(AppError::NothingCounted {
                inputs: files.iter().map(|file| file.name.clone()).collect(),
                games: files.iter().map(|file| file.games).sum(),
                left_out,
            });
        }
        Ok(files)
    }

    /// Puts new counts in the place of the old ones. They are kept and no more where others are still gone: a graph of some of the
    /// collections would take moves from under the rest.
    pub(super) fn finish(&self, request: &ExpandRequest, begun: Begun) -> Result<State, AppError> {
        let Begun { mut state, is_new } = begun;
        if is_new {
            drop(state);
            state = self.dir.finish(&request.collection)?;
        }
        if self.waits_for.is_empty() {
            return Ok(state);
        }
        Err(AppError::OthersToCount {
            dir: self.dir.path().to_owned(),
            collection: request.collection.clone(),
            games: state.games(),
            others: self.waits_for.clone(),
        })
    }
}

/// Refuses to take the place of an explorer's answers, which nobody could count again; to add to what is not there to be added to: it
/// would be replaced; and to make the graph without the counts of other collections that the database has games of. Where the
/// directory is, those that are gone from it can be counted anew, one after the other: they wait for each other.
pub(super) fn check_known(request: &ExpandRequest, known: &[Collection]) -> Result<(StateDir, Vec<String>), AppError> {
    let place = request.state.clone();
    let dir = StateDir::new(place.unwrap_or_else(|| default_state_dir(&request.database)));
    let is_counted = |known: &Collection| {
        matches!(known.source, CollectionSource::Pgn | CollectionSource::Counts) && known.games > 0
    };
    let own = known.iter().find(|known| known.name == request.collection);
    if let Some(own) = own.filter(|own| own.source == CollectionSource::Explorer) {
        return Err(AppError::OutOfRange(format!(
            "--collection {:?}: an explorer has answered for it, and games that are counted here do not add up with its \
             answers, nor take their place; choose another name",
            own.name
        )));
    }
    let own = own.filter(|own| is_counted(own));
    if let Some(own) = own.filter(|own| request.add && !dir.has(&own.name)) {
        return Err(AppError::CountsMissing {
            dir: dir.path().to_owned(),
            collection: own.name.clone(),
            games: own.games,
        });
    }
    let others = known.iter().filter(|other| other.name != request.collection);
    let gone = others.filter(|other| is_counted(other) && !dir.has(&other.name));
    let gone: Vec<String> = gone.map(|other| other.name.clone()).collect();
    // Who forgot --state, or copied a database, has no such directory, and is told before anything is read.
    let is_needed_too = |own: &Collection| !request.add && dir.path().is_dir() && !dir.is_whole(&own.name);
    if gone.is_empty() || own.is_some_and(is_needed_too) {
        return Ok((dir, gone));
    }
    Err(AppError::OtherCountsMissing {
        is_lost: !dir.path().is_dir(),
        dir: dir.path().to_owned(),
        collections: gone,
    })
}

/// Refuses parts of other games than those that were asked for. What was not asked for, the parts decide.
fn check_filter(request: &ExpandRequest, asked: &Rules, part: &Part) -> Result<(), PartError> {
    let was = part.rules();
    let wanted = Rules {
        max_ply: request.max_ply.map_or(was.max_ply, u32::from),
        min_elo: asked.min_elo.or(was.min_elo),
        since: asked.since.clone().or_else(|| was.since.clone()),
        until: asked.until.clone().or_else(|| was.until.clone()),
    };
    part.check_rules(&wanted)
}

/// A build goes on behind the last whole file.
fn kept_before(error: AppError) -> AppError {
    match error {
        AppError::CutShort { input, reason } => AppError::CountingCutShort { input, reason },
        other => other,
    }
}
