//! Counting the positions and moves of PGN files into a state directory.

mod filter;
mod game;
mod left_out;

use std::{
    ops::ControlFlow,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

use pgn_import::{Input, Source, Watch, Watcher, fingerprint, read_games_parallel};
use tabiya_counts::{Added, Block, CountError, CountedSource, Rules, State, Tally};

pub use filter::{DateBound, GameFilter, ParseDateError};
pub use left_out::LeftOut;

use crate::AppError;
use game::Follower;
pub(super) use game::played_on;

/// The longest named line and fifteen half-moves more.
pub const DEFAULT_MAX_PLY: u32 = 51;

/// How games are counted.
#[derive(Debug, Clone)]
pub struct Counting {
    pub filter: GameFilter,
    /// Half-moves from the start up to which positions count.
    pub max_ply: u32,
    pub threads: usize,
    pub stop: Arc<AtomicBool>,
}

impl Counting {
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// What must be equal for counts to be added up.
    pub fn rules(&self) -> Rules {
        Rules {
            max_ply: self.max_ply,
            min_elo: self.filter.min_elo,
            since: self.filter.since.map(|bound| bound.to_string()),
            until: self.filter.until.map(|bound| bound.to_string()),
        }
    }
}

/// What became of the games of one file.
#[derive(Debug, Clone, Default, serde::Serialize, serde::Deserialize)]
pub struct CountedFile {
    pub name: String,
    pub games: u64,
    pub counted: u64,
    pub duplicates: u64,
    pub left_out: LeftOut,
    /// It was in the sums already.
    pub known: bool,
}

/// Counts one input into `state` and commits it.
pub fn count_input(
    state: &mut State,
    input: &Input,
    counting: &Counting,
    watcher: Option<&Watcher>,
) -> Result<CountedFile, AppError> {
    let fingerprint = fingerprint(input).map_err(|source| AppError::Unreadable {
        input: input.to_string(),
        source,
    })?;
    count_fingerprinted(state, input, fingerprint, counting, watcher)
}

/// The same where the fingerprint is known: finding it out takes another reading of the file.
pub(super) fn count_fingerprinted(
    state: &mut State,
    input: &Input,
    fingerprint: Option<String>,
    counting: &Counting,
    watcher: Option<&Watcher>,
) -> Result<CountedFile, AppError> {
    let name = input.to_string();
    let known = state
        .sources()
        .iter()
        .find(|known| known.fingerprint.is_some() && known.fingerprint == fingerprint);
    if known.is_some() || fingerprint.as_ref().is_some_and(|print| state.knows(print)) {
        return Ok(CountedFile {
            games: known.map_or(0, |known| known.games),
            counted: 0,
            duplicates: 0,
            left_out: LeftOut::default(),
            known: true,
            name,
        });
    }
    let source = Source::open(input).map_err(|source| AppError::Unreadable {
        input: name.clone(),
        source,
    })?;
    if let Some(watcher) = watcher {
        watcher(Watch::Opened {
            source: &name,
            progress: source.progress(),
        });
    }
    let mut file = CountedFile {
        name: name.clone(),
        ..CountedFile::default()
    };
    read_into(state, source, counting, watcher, &mut file)?;
    // Nothing of it is in the sums, so it is not known either.
    if file.counted == 0 && file.duplicates == 0 {
        return Ok(file);
    }
    state.commit(CountedSource {
        name,
        fingerprint,
        games: file.games,
        counted: file.counted,
        duplicates: file.duplicates,
    })?;
    Ok(file)
}

fn read_into(
    state: &mut State,
    source: Source,
    counting: &Counting,
    watcher: Option<&Watcher>,
    file: &mut CountedFile,
) -> Result<(), AppError> {
    // Blocks go to and fro between the workers and this thread, so that their buffers are made once.
    let spare: Arc<Mutex<Vec<Block>>> = Arc::default();
    let follower = {
        let (spare, filter, max_ply) = (spare.clone(), Arc::new(counting.filter), counting.max_ply);
        let tally = if state.keeps_texts() {
            Tally::with_texts
        } else {
            Tally::new
        };
        move || {
            let block = spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
            Follower::new(tally(block.unwrap_or_default(), max_ply), filter.clone())
        }
    };
    let mut failed: Option<CountError> = None;
    let read = read_games_parallel(source, counting.threads, follower, |follower, games| {
        file.games += games;
        let (mut block, left_out) = follower.finish();
        file.left_out += left_out;
        match state.add(&block) {
            Ok(Added { counted, duplicates }) => {
                file.counted += counted;
                file.duplicates += duplicates;
            }
            Err(error) => failed = Some(error),
        }
        block.clear();
        spare.lock().unwrap_or_else(PoisonError::into_inner).push(block);
        if let Some(watcher) = watcher {
            watcher(Watch::Games(file.games));
        }
        if failed.is_some() || counting.is_stopped() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    if counting.is_stopped() {
        return Err(CountError::Stopped.into());
    }
    read.map_err(|cut| AppError::CutShort {
        input: file.name.clone(),
        reason: cut.in_full(),
    })?;
    Ok(())
}
