//! What a verb can fail with, split by who can do something about it.

use std::path::PathBuf;

use pgn_import::{ImportError, InputError};
use tabiya_counts::CountError;
use tabiya_dataset::{WholeFileError, io_hint, table::TableError};
use tabiya_engine::EngineError;
use tabiya_lichess::{ArchiveError, CloudError, ExplorerError, GamesError};
use tabiya_queue::QueueError;
use tabiya_store::StoreError;

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

/// Who can do something about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reaction {
    /// Data was refused because the user asked for strictness.
    DataRejected,
    /// The user's words or files.
    FixInput,
    /// The database, the disk, the network.
    FixWorld,
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

    /// Who can do something about it.
    pub fn reaction(&self) -> Reaction {
        match self {
            AppError::Input(_)
            | AppError::Ledger { .. }
            | AppError::NoRepertoire { .. }
            | AppError::NoCollection { .. }
            | AppError::Names(_) => Reaction::FixInput,
            AppError::Import { source, .. } => match source {
                ImportError::PgnParse { .. } | ImportError::IllegalMove { .. } => Reaction::DataRejected,
                ImportError::Storage(_) => Reaction::FixWorld,
                // A game of another variant is refused like any other; a missing feature is the user's to change.
                ImportError::Unsupported { .. } => Reaction::DataRejected,
                _ => Reaction::FixInput,
            },
            AppError::Store(error) if error.is_usage() => Reaction::FixInput,
            AppError::Table(TableError::Unsupported { .. } | TableError::NotAFile { .. }) => Reaction::FixInput,
            AppError::Unreadable { .. }
            | AppError::BadLines { .. }
            | AppError::OneGraph { .. }
            | AppError::NotAJournal { .. }
            | AppError::OneOutput { .. }
            | AppError::GamesCutShort { .. }
            | AppError::CutShort { .. }
            | AppError::CountingCutShort { .. }
            | AppError::CountsMissing { .. }
            | AppError::BadEvaluations { .. }
            | AppError::EvaluationsCutShort { .. }
            | AppError::OutOfRange(_)
            | AppError::NothingToCount
            | AppError::NoOpenings
            | AppError::NothingToAnalyze { .. }
            | AppError::TooMuchPgn { .. }
            | AppError::BadLine { .. }
            | AppError::NotPlayed { .. }
            | AppError::BadBook { .. }
            | AppError::NoStructure { .. }
            | AppError::BadFen { .. }
            | AppError::NotAsked { .. }
            | AppError::EvaluationNotAsked { .. } => Reaction::FixInput,
            AppError::Explorer(error) if error.is_usage() => Reaction::FixInput,
            AppError::Explorer(_) => Reaction::FixWorld,
            AppError::Cloud(error) if error.is_usage() => Reaction::FixInput,
            AppError::Games(error) if error.is_usage() => Reaction::FixInput,
            AppError::Engine(EngineError::NotAnEngine { .. } | EngineError::BadOption { .. }) => Reaction::FixInput,
            AppError::Queue(error) if error.is_usage() => Reaction::FixInput,
            AppError::Queue(_)
            | AppError::Cloud(_)
            | AppError::Games(_)
            | AppError::Engine(_)
            | AppError::NoEngineLeft { .. }
            | AppError::CountsInUse { .. }
            | AppError::OtherCounts { .. }
            | AppError::Interrupted => Reaction::FixWorld,
            AppError::Count(
                CountError::OtherRules { .. } | CountError::NotACount { .. } | CountError::NoFacets { .. },
            ) => Reaction::FixInput,
            AppError::Positions(error) if error.is_usage() => Reaction::FixInput,
            AppError::Archive(error) if error.is_usage() => Reaction::FixInput,
            AppError::Positions(_) | AppError::Archive(_) => Reaction::FixWorld,
            AppError::Export(error) if error.is_usage() => Reaction::FixInput,
            AppError::Export(_) | AppError::CannotWrite { .. } => Reaction::FixWorld,
            AppError::Part(error) if error.is_outside() => Reaction::FixWorld,
            AppError::Part(_) | AppError::NothingCounted { .. } | AppError::NothingFollowed { .. } => {
                Reaction::FixInput
            }
            AppError::Count(_) => Reaction::FixWorld,
            AppError::Store(_) | AppError::Table(_) | AppError::NoDatabase { .. } | AppError::Corrupt(_) => {
                Reaction::FixWorld
            }
        }
    }

    /// Whether it is no failure at all: the work was asked to stop.
    pub fn is_stop(&self) -> bool {
        matches!(self, AppError::Count(CountError::Stopped) | AppError::Interrupted)
    }

    /// Ways out, in words.
    pub fn hints(&self) -> Vec<String> {
        match self {
            AppError::Store(error) => vec![error.hint().to_owned()],
            AppError::Table(error) => error.hint().map(str::to_owned).into_iter().collect(),
            AppError::Input(InputError::EmptyDirectory { .. }) => {
                vec![
                    "PGN files end in .pgn or .txt, perhaps with .zst, .gz or .bz2 behind; name others one by one"
                        .to_owned(),
                ]
            }
            AppError::Input(InputError::NotFound { .. }) => vec!["use - to read standard input".to_owned()],
            AppError::Import { source, .. } => import_hints(source),
            AppError::Explorer(error) => vec![error.hint().to_owned(), "every answer so far is kept".to_owned()],
            AppError::Cloud(error) => vec![error.hint().to_owned()],
            AppError::Games(error) => vec![error.hint().to_owned()],
            AppError::Engine(error) => vec![error.hint().to_owned()],
            AppError::Queue(error) => vec![error.hint().to_owned()],
            AppError::NoEngineLeft { .. } => vec![
                "run the same command again once the engine works, `tabiya positions` with --resume: it goes on with what was kept"
                    .to_owned(),
                "`tabiya doctor` looks at the engine".to_owned(),
            ],
            AppError::NothingToCount => vec!["name PGN files with --pgn".to_owned()],
            AppError::NoOpenings => vec!["run `tabiya build eco` first, or `tabiya build all`".to_owned()],
            AppError::NoStructure { .. } => vec!["`tabiya structure --list` shows all of them".to_owned()],
            AppError::NotAsked { .. } => {
                vec!["`tabiya build structures --review` lists the open questions".to_owned()]
            }
            AppError::EvaluationNotAsked { .. } => {
                vec!["`tabiya build annotate --review` lists the open questions".to_owned()]
            }
            AppError::CutShort { .. } => {
                vec!["nothing was written; get the whole file and run the same command again".to_owned()]
            }
            AppError::CountingCutShort { .. } => {
                vec!["nothing of this file was counted; the files before it were".to_owned()]
            }
            AppError::CountsMissing { .. } => vec![
                "name the directory that they lie in with --state".to_owned(),
                "or count all games anew, without --add".to_owned(),
            ],
            AppError::OtherCounts { dir, collection, .. } => vec![
                format!("count its games anew: build with --collection {collection} and without --add"),
                format!(
                    "where another collection's counts stand in the way of that too, remove {} first",
                    dir.display()
                ),
            ],
            AppError::CountsInUse { .. } => {
                vec!["run it again when the other one has ended, or name another directory with --state".to_owned()]
            }
            AppError::BadEvaluations { .. } => {
                vec!["name files: Lichess's lichess_db_eval.jsonl, or PGN with [%eval] comments, compressed or not".to_owned()]
            }
            AppError::EvaluationsCutShort { .. } => {
                vec!["everything before this place is kept; get the whole file and run the same command again".to_owned()]
            }
            // Of other commands nothing is left to go on with, or they say themselves how to.
            AppError::Count(CountError::Stopped) => vec!["run the same command again to go on".to_owned()],
            AppError::Count(CountError::OtherRules { .. }) => {
                vec!["ask for the same games again, or leave out --add to count anew".to_owned()]
            }
            AppError::Count(CountError::Damaged { .. } | CountError::IllegalMove { .. }) => {
                vec!["build again without --add".to_owned()]
            }
            AppError::NothingCounted { games, left_out, .. } => {
                let mut hints = Vec::new();
                // What is no PGN at all may still be taken for games whose moves cannot be played.
                if *games == 0 || left_out.broken > 0 {
                    hints.push("is it PGN? name files of games, compressed or not, or directories of them".to_owned());
                }
                if left_out.broken < *games {
                    hints.push(
                        "games count that have a result and begin at the initial position; --min-elo, --since and --until ask for more"
                            .to_owned(),
                    );
                }
                hints
            }
            AppError::NothingFollowed { .. } | AppError::NothingToAnalyze { .. } => vec![
                "games are taken that begin at the initial position and whose moves are all legal".to_owned(),
            ],
            AppError::BadFen { .. } => vec![
                "a FEN has eight ranks with / between them, and who is to move; moves begin at the initial position, \
                 such as '1.e4 e5 2.Nf3'"
                    .to_owned(),
            ],
            AppError::BadBook { .. } => {
                vec!["name a Polyglot book, such as `tabiya export --format polyglot` writes".to_owned()]
            }
            AppError::Ledger { .. } => {
                vec!["name a file that `tabiya import --rejects FILE` has written".to_owned()]
            }
            AppError::BadLine { .. } => vec!["write moves from the initial position, such as '1.e4 e5 2.Nf3'".to_owned()],
            AppError::NotPlayed { instead, .. } if instead.is_empty() => vec!["the games end there".to_owned()],
            AppError::NotPlayed { instead, .. } => vec![format!("they go on with {}", instead.join(", "))],
            AppError::Part(error) => error.hint().map(str::to_owned).into_iter().collect(),
            AppError::Export(error) => error.hint().into_iter().collect(),
            AppError::Positions(error) => error.hints(),
            AppError::Archive(error) => vec![error.hint().to_owned()],
            AppError::CannotWrite { source, .. } => {
                let usual = "check that you may write to this file and its directory";
                vec![io_hint(source.kind()).unwrap_or(usual).to_owned()]
            }
            AppError::BadLines { .. } => vec![
                "each line is one position as `tabiya review --record` writes it: {\"fen\", \"source\", \"lines\": [{\"depth\", \"index\", \"cp\" or \"mate\", \"moves\"}]}"
                    .to_owned(),
            ],
            AppError::NotAJournal { .. } => {
                vec!["name a file that is not there yet, or one that an interrupted review left; this one stays as it is".to_owned()]
            }
            AppError::OneOutput { .. } => vec!["give each of them a file of its own".to_owned()],
            AppError::OneGraph { .. } => vec![
                "name a directory, and every game gets a file of its own (--graph-format png for pictures)".to_owned(),
            ],
            AppError::GamesCutShort { .. } => vec!["the games before this place were reviewed".to_owned()],
            AppError::NoRepertoire { known, .. } if known.is_empty() => {
                vec![
                    "the database has no repertoires: import with --repertoire LABEL or --repertoire-from-study"
                        .to_owned(),
                ]
            }
            AppError::NoRepertoire { known, .. } => vec![format!("there are: {}", known.join(", "))],
            AppError::NoCollection { known, .. } if known.is_empty() => {
                vec!["no games were counted yet: run `tabiya build expand`".to_owned()]
            }
            AppError::NoCollection { known, .. } => vec![format!("there are: {}", known.join(", "))],
            AppError::NoDatabase { .. } => {
                vec!["import or build something first, or name the database with --db or TABIYA_DB".to_owned()]
            }
            AppError::Names(NamesFileError::Row { .. }) => {
                vec!["the first row names the columns, such as `eco,name,pgn`; each further row is one line".to_owned()]
            }
            _ => Vec::new(),
        }
    }
}

fn import_hints(error: &ImportError) -> Vec<String> {
    match error {
        ImportError::PgnParse { .. } | ImportError::IllegalMove { .. } | ImportError::Unsupported { .. } => vec![
            "all games before this one were kept".to_owned(),
            "use --skip-illegal to go on past games like this, and --rejects FILE to list them".to_owned(),
        ],
        ImportError::Io { .. } => vec!["everything before this place was kept".to_owned()],
        ImportError::Storage(cause) => cause
            .downcast_ref::<StoreError>()
            .map(|error| error.hint().to_owned())
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}
