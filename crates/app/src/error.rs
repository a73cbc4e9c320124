//! What a verb can fail with, who can do something about it, and what.

mod hints;
mod reaction;

use std::path::PathBuf;

use pgn_import::{ImportError, InputError};
use tabiya_counts::CountError;
use tabiya_dataset::{WholeFileError, table::TableError};
use tabiya_engine::EngineError;
use tabiya_lichess::{ArchiveError, CloudError, ExplorerError, GamesError};
use tabiya_queue::QueueError;
use tabiya_store::StoreError;

pub use self::reaction::Reaction;
use crate::build::{count::LeftOut, parts::PartError};
use crate::export::ExportError;
use crate::name::NamesFileError;
use crate::positions::PositionsError;

/// Why a verb could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AppError {
    #[error(transparent)]
    Input(#[from] InputError),

    #[error("{}", named(input, source))]
    Import { input: String, source: ImportError },

    #[error(transparent)]
    Store(#[from] StoreError),

    #[error(transparent)]
    Table(#[from] TableError),

    #[error("{}: {reason}", path.display())]
    Ledger { path: PathBuf, reason: String },

    #[error("{}: graphs are drawn as SVG or PNG", .path.display())]
    NoGraphFormat { path: PathBuf },

    #[error("{}: games of it came through standard input, which cannot be read again", .path.display())]
    LedgerOfPipe { path: PathBuf },

    #[error("there is no repertoire {label:?}{}", owner.as_ref().map(|owner| format!(" of {owner:?}")).unwrap_or_default())]
    NoRepertoire {
        label: String,
        owner: Option<String>,
        known: Vec<String>,
    },

    #[error("there is no collection {name:?}")]
    NoCollection { name: String, known: Vec<String> },

    #[error("{path}: there is no such database")]
    NoDatabase { path: String },

    #[error(transparent)]
    Names(#[from] NamesFileError),

    #[error("{0}")]
    Corrupt(String),

    #[error("cannot read {input}")]
    Unreadable { input: String, source: std::io::Error },

    /// A compressed file that ends too early, for one.
    #[error("{input}: {reason}")]
    CutShort { input: String, reason: String },

    /// As [`CutShort`](AppError::CutShort), where the files before it are kept.
    #[error("{input}: {reason}")]
    CountingCutShort { input: String, reason: String },

    /// The database remembers games whose counts are gone.
    #[error("{}: there are no counts of the collection {collection:?} to add to, and the database has {games} games of it", dir.display())]
    CountsMissing {
        dir: PathBuf,
        collection: String,
        games: u64,
    },

    /// All collections' counts make the graph: without those of one its games stay, and the moves that they are of go.
    #[error("{}: there are no counts of {}, whose games the graph of the database is made of too", dir.display(), listed(collections))]
    OtherCountsMissing {
        dir: PathBuf,
        /// The directory itself is not there.
        is_lost: bool,
        collections: Vec<String>,
    },

    /// Of several collections whose counts were gone, one was counted again.
    #[error(
        "the {games} games of the collection {collection:?} are counted and kept in {}; the graph stays as it was until those of {} are counted too",
        dir.display(),
        listed(others)
    )]
    OthersToCount {
        dir: PathBuf,
        collection: String,
        games: u64,
        others: Vec<String>,
    },

    /// All collections' counts make the graph, so those of one stand in the way of the others.
    #[error("the counts of the collection {collection:?}, which the graph is made of too, cannot be read: {source}")]
    OtherCounts {
        dir: PathBuf,
        collection: String,
        source: Box<CountError>,
    },

    /// Two builds at once would spoil each other's counts.
    #[error("another build is using {}", dir.display())]
    CountsInUse { dir: PathBuf },

    /// Something that has no evaluations in it and cannot have.
    #[error("{input}: {reason}")]
    BadEvaluations { input: String, reason: String },

    /// As [`CutShort`](AppError::CutShort), where what came before is kept.
    #[error("{input}: {reason}")]
    EvaluationsCutShort { input: String, reason: String },

    #[error(transparent)]
    Count(#[from] CountError),

    #[error(transparent)]
    Explorer(#[from] ExplorerError),

    /// A setting that cannot be, in words.
    #[error("{0}")]
    OutOfRange(String),

    #[error("there is nothing to count: no file was named")]
    NothingToCount,

    #[error("the database has no openings yet")]
    NoOpenings,

    #[error("{}: {reason}", path.display())]
    BadBook { path: PathBuf, reason: String },

    #[error("there is no pawn structure {label:?}")]
    NoStructure { label: String },

    #[error("{fen:?}: {reason}")]
    BadFen { fen: String, reason: String },

    #[error("nobody has asked about the structure of {fen}")]
    NotAsked { fen: String },

    #[error("nobody has asked about the evaluation of {fen}")]
    EvaluationNotAsked { fen: String },

    #[error(transparent)]
    Engine(#[from] EngineError),

    /// Engines that worked at first, and cannot be started any more.
    #[error("no engine can be started any more: {reason}")]
    NoEngineLeft { reason: String },

    #[error(transparent)]
    Cloud(#[from] CloudError),

    #[error(transparent)]
    Games(#[from] GamesError),

    #[error(transparent)]
    Queue(#[from] QueueError),

    /// The user wants to stop.
    #[error("interrupted")]
    Interrupted,

    #[error(transparent)]
    Part(#[from] PartError),

    #[error(transparent)]
    Export(#[from] ExportError),

    #[error(transparent)]
    Positions(#[from] PositionsError),

    #[error(transparent)]
    Archive(#[from] ArchiveError),

    #[error("no game of {} could be analysed: {}", listed(inputs), first_reasons(left_out))]
    NothingToAnalyze {
        inputs: Vec<String>,
        left_out: Vec<crate::analyze::LeftOut>,
    },

    /// Somebody sent more than is taken.
    #[error("{input}: more than {limit}")]
    TooMuchPgn { input: String, limit: String },

    #[error("{line:?} is not a line of moves: {reason}")]
    BadLine { line: String, reason: String },

    #[error("no game goes {line}")]
    NotPlayed { line: String, instead: Vec<String> },

    #[error("cannot write {}", path.display())]
    CannotWrite { path: PathBuf, source: std::io::Error },

    #[error("{}: {reason}", path.display())]
    BadLines { path: PathBuf, reason: String },

    #[error("{}: this is no journal of a review", path.display())]
    NotAJournal { path: PathBuf },

    #[error("cannot read the journal {}", path.display())]
    UnreadableJournal { path: PathBuf, source: std::io::Error },

    /// Two that wrote it at once would spoil it.
    #[error("{}: somebody else is writing it", path.display())]
    InUse { path: PathBuf },

    #[error("{}: two outputs have this name", path.display())]
    OneOutput { path: PathBuf },

    #[error("{}: one file cannot show the graphs of several games", path.display())]
    OneGraph { path: PathBuf },

    /// A file of games that breaks off, where the games before are reviewed.
    #[error("{input}: {reason}")]
    GamesCutShort { input: String, reason: String },

    #[error("no game of {} was counted: {}", listed(inputs), all_left_out(*games, left_out))]
    NothingCounted {
        inputs: Vec<String>,
        games: u64,
        left_out: LeftOut,
    },

    #[error("no game of {} could be followed: {}", listed(inputs), all_left_out(*games, left_out))]
    NothingFollowed {
        inputs: Vec<String>,
        games: u64,
        left_out: LeftOut,
    },
}

/// The first few names.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn first_reasons(left_out: &[crate::analyze::LeftOut]) -> String {
    const SHOWN: usize = 3;
    let mut reasons: Vec<String> = left_out
        .iter()
        .take(SHOWN)
        .map(|one| match one.game {
            Some(game) => format!("{}, game {game}: {}", one.file, one.reason),
            None => format!("{}: {}", one.file, one.reason),
        })
        .collect();
    if left_out.len() > SHOWN {
        reasons.push(format!("and {} more", left_out.len() - SHOWN));
    }
    reasons.join("; ")
}

fn all_left_out(games: u64, left_out: &LeftOut) -> String {
    if games == 0 {
        return "there are none".to_owned();
    }
    let reasons: Vec<String> = left_out
        .reasons()
        .map(|(why, games)| format!("{games} {why}"))
        .collect();
    reasons.join(", ")
}

/// Names the input, unless the error has done so.
fn named(input: &str, source: &ImportError) -> String {
    match source {
        ImportError::Io { name, .. } if name == input => source.to_string(),
        _ => format!("{input}: {source}"),
    }
}

impl From<WholeFileError> for AppError {
    fn from(error: WholeFileError) -> AppError {
        AppError::CannotWrite {
            path: error.path,
            source: error.source,
        }
    }
}

impl AppError {
    /// What a database says that cannot be, of things that it refers to.
    pub(crate) fn does_not_hold_together(reason: impl std::fmt::Display) -> AppError {
        AppError::Corrupt(format!("{reason}: the database does not hold together"))
    }
}
