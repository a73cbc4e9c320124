//! `analyze`: what many games have in common, where each leaves the others, and who plays what.
//!
//! ```text
//! files ─▶ Recorder: moves in two bytes, names of openings     on workers, a block of games at a time
//!       ─▶ Games: one set, in the order of files and games      one pass
//!       ─▶ Trie: what they share, level by level                on as many threads
//!       ─▶ Analysis: novelties, branches, lines, openings, players ─▶ db.json
//! ```

mod abreast;
mod bounded;
mod clock;
mod corpus;
mod date;
mod db;
mod games;
mod gathering;
mod growing;
mod json;
mod key_map;
mod lines;
mod novelties;
mod openings;
mod players;
mod reading;
mod replay;
mod shared;
mod side_by_side;
mod spotter;
mod subtree;
mod summary;
mod sums;
#[cfg(test)]
mod tests;
mod texts;
mod trie;
mod twins;
mod values;

use std::{
    collections::HashSet,
    io::{Cursor, Read},
    path::PathBuf,
    sync::{Arc, OnceLock, atomic::AtomicBool},
};

use pgn_import::{Compression, Input, Source, Watcher, expand_inputs};
use serde::Serialize;

pub use clock::{is_time, time_text};
pub use db::DbOptions;
pub use lines::PopularLine;
pub use openings::OpeningResults;
pub use players::{PlayerSummary, Score};
pub use subtree::{Continuation, Subtree};
pub use summary::{Novelty, Summary};
pub use twins::NearDuplicate;

use crate::AppError;
use corpus::Corpus;
use games::Games;
use gathering::Gathering;
use replay::{Keys, NodeSans};
use shared::SharedTails;
use trie::Trie;

/// What is to be analysed.
#[derive(Debug, Clone)]
pub struct AnalyzeRequest {
    /// Files, directories, globs or `-`. They are read in the order of their names.
    pub inputs: Vec<String>,
    /// A knowledge base to compare with.
    pub database: Option<String>,
    pub threads: usize,
    pub stop: Arc<AtomicBool>,
}

/// How much is taken from somebody who is not trusted.
#[derive(Debug, Clone, Copy)]
pub struct UploadLimits {
    /// Of PGN, decompressed.
    pub bytes: u64,
    /// Those that are left out count.
    pub games: u32,
    /// Half-moves of a game; a longer one is left out.
    pub plies: usize,
}

/// A game or a file that is not part of the set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    pub file: String,
    /// Counted from 1 within the file; absent where the file itself is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game: Option<u64>,
    /// Bytes of (decompressed) PGN before the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
    pub reason: String,
}

/// Everything that is known about a set of games.
#[derive(Debug)]
pub struct Analysis {
    games: Games,
    trie: Trie,
    /// These are made when they are first asked for: the summary does without.
    keys: OnceLock<Keys>,
    shared: OnceLock<SharedTails>,
    sans: OnceLock<NodeSans>,
    threads: usize,
    corpus: Option<Corpus>,
    files: Vec<String>,
    left_out: Vec<LeftOut>,
}

/// Whether there is something under each of these names, for whoever reads it later.
pub fn check_inputs(inputs: &[String]) -> Result<(), AppError> {
    expand_inputs(inputs)?;
    Ok(())
}

/// Reads and analyses games. What cannot be read is left out and listed.
pub async fn analyze(request: &AnalyzeRequest, watcher: Option<Watcher>) -> Result<Analysis, AppError> {
    let inputs = ordered(expand_inputs(&request.inputs)?);
    let corpus = match &request.database {
        Some(database) => Some(Corpus::open(database).await?),
        None => None,
    };
    let (threads, stop) = (request.threads, Arc::clone(&request.stop));
    // Reading takes all cores for seconds: not a place for other tasks to wait.
    let read = tokio::task::spawn_blocking(move || {
        let mut gathering = Gathering::new(threads, stop);
        for input in &inputs {
            gathering.read(input, watcher.as_ref())?;
        }
        Ok::<_, AppError>(gathering.finish(corpus))
    });
    let analysis = read.await.unwrap_or_else(|gone| match gone.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        // The runtime is going down, and this task with it.
        Err(_) => Err(AppError::Interrupted),
    })?;
    match analysis.games.len() {
        0 => Err(AppError::NothingToAnalyze {
            inputs: request.inputs.clone(),
            left_out: analysis.left_out,
        }),
        _ => Ok(analysis),
    }
}

/// Analyses PGN that somebody has sent, compressed or not, within limits, and only as long as `stop` is not set.
pub fn analyze_pgn(
    name: &str,
    pgn: Vec<u8>,
    limits: UploadLimits,
    threads: usize,
    stop: &Arc<AtomicBool>,
) -> Result<Analysis, AppError> {
    let unreadable = |source| AppError::Unreadable {
        input: name.to_owned(),
        source,
    };
    let packed = Source::from_reader(name.to_owned(), Box::new(Cursor::new(pgn)), None, 0).map_err(unreadable)?;
    let mut plain = Vec::new();
    let read = packed.take(limits.bytes + 1).read_to_end(&mut plain);
    if plain.len() as u64 > limits.bytes {
        return Err(AppError::TooMuchPgn {
            input: name.to_owned(),
            limit: format!("{} bytes", limits.bytes),
        });
    }
    read.map_err(unreadable)?;
    let source = Source::from_reader(name.to_owned(), Box::new(Cursor::new(plain)), None, 0).map_err(unreadable)?;
    if source.compression != Compression::None {
        return Err(AppError::TooMuchPgn {
            input: name.to_owned(),
            limit: "one compression".to_owned(),
        });
    }
    let mut gathering = Gathering::new(threads, Arc::clone(stop));
    gathering.most_games = limits.games;
    gathering.most_plies = limits.plies;
    gathering.read_source(name, source, None)?;
    let analysis = gathering.finish(None);
    match analysis.games.len() {
        0 => Err(AppError::NothingToAnalyze {
            inputs: vec![name.to_owned()],
            left_out: analysis.left_out,
        }),
        _ => Ok(analysis),
    }
}

/// By file name, whatever order they were named in, and each once.
fn ordered(mut inputs: Vec<Input>) -> Vec<Input> {
    inputs.sort_by_cached_key(|input| (input.short_name(), input.to_string()));
    let mut seen: HashSet<PathBuf> = HashSet::new();
    inputs.retain(|input| match input {
        Input::Stdin => seen.insert(PathBuf::from("-")),
        Input::Path(path) => seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone())),
    });
    inputs
}

impl Analysis {
    pub fn game_count(&self) -> u32 {
        self.games.len()
    }

    /// Half-moves of all games.
    pub fn move_count(&self) -> u64 {
        self.games.total_moves()
    }

    pub fn player_count(&self) -> usize {
        self.games.player_count()
    }

    /// The files that were read, in this order.
    pub fn files(&self) -> &[String] {
        &self.files
    }

    pub fn left_out(&self) -> &[LeftOut] {
        &self.left_out
    }

    /// `White vs Black — 1991.??.?? — 1-0`.
    pub fn headline(&self, game: u32) -> String {
        let games = &self.games;
        let (white, black) = (games.name(games.white(game)), games.name(games.black(game)));
        let date = match games.date(game) {
            "" => "no date",
            date => date,
        };
        format!("{white} vs {black} — {date} — {}", games.result(game))
    }

    /// The moves that lead to a node, as they are written.
    fn path(&self, at: u32) -> Vec<String> {
        let mut sans = Vec::new();
        replay::sans(self.trie.path(&self.games, at), &mut sans);
        sans.iter().map(ToString::to_string).collect()
    }

    fn keys(&self) -> &Keys {
        self.keys.get_or_init(|| Keys::of(&self.games, self.threads))
    }

    fn shared(&self) -> &SharedTails {
        self.shared
            .get_or_init(|| SharedTails::find(&self.games, self.keys(), &self.trie, self.threads))
    }

    fn sans(&self) -> &NodeSans {
        self.sans
            .get_or_init(|| NodeSans::of(&self.games, &self.trie, self.threads))
    }

    /// The half-moves of a game that led to a position no other game has reached, out of one that others did reach.
    pub fn position_novelty_plies(&self, game: u32) -> Vec<u32> {
        let shared = self.shared();
        let keys = self.keys().game(&self.games, game);
        let from = self.trie.leaves_at(game, keys.len());
        let before = self.games.moves_before(game);
        let mut was_shared = self.games.len() > 1;
        let mut plies = Vec::new();
        for ply in from..=keys.len() {
            let is_shared = shared.contains(before + ply as u64 - 1);
            // A game that comes back to a position of its own has nothing new there.
            if was_shared && !is_shared && !keys[..ply - 1].contains(&keys[ply - 1]) {
                plies.push(ply as u32);
            }
            was_shared = is_shared;
        }
        plies
    }
}
