//! Why training positions could not be written or read.

use std::{
    io,
    path::{Path, PathBuf},
};

use super::SampleFormat;
use crate::{table::TableError, whole_file::write_hint};

/// Why training positions could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The output's place, or the operating system.
    #[error(transparent)]
    Place(#[from] TableError),
    /// The operating system refused.
    #[error("cannot {action} `{}`: {source}", .path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// A file that is not what it was taken for.
    #[error("`{}` is no {format} file of positions: {reason}", .path.display())]
    NotSamples {
        path: PathBuf,
        format: SampleFormat,
        reason: String,
    },
    /// Nobody says what a file is.
    #[error("what `{}` is cannot be told from its name", .path.display())]
    UnknownFormat { path: PathBuf },
    /// Something in a file that cannot be.
    #[error("`{}`, position {row}: {reason}", .path.display())]
    BadRow { path: PathBuf, row: u64, reason: String },
    /// A position lacks what its format cannot do without.
    #[error("{format} needs {what} for every position, and one has none{}", of_game(.game))]
    Lacking {
        format: SampleFormat,
        what: &'static str,
        game: String,
    },
    /// Chess960 castling in a format that knows standard chess alone.
    #[error("{format} has no room for Chess960{}", of_game(.game))]
    NoChess960 { format: SampleFormat, game: String },
    /// What ought not to happen.
    #[error("positions could not be written as {format}: {reason}")]
    Encoding { format: SampleFormat, reason: String },
    /// This build cannot do it.
    #[error("this build has no Parquet support")]
    NoParquet,
}

fn of_game(game: &str) -> String {
    match game {
        "" => String::new(),
        game => format!(" (game {game})"),
    }
}

impl SampleError {
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> SampleError {
        SampleError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// Whether the user's files or words are at fault, and not the outside world.
    pub fn is_usage(&self) -> bool {
        match self {
            SampleError::Place(error) => {
                matches!(error, TableError::Unsupported { .. } | TableError::NotAFile { .. })
            }
            SampleError::Io { source, .. } => {
                matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::IsADirectory)
            }
            SampleError::Encoding { .. } => false,
            _ => true,
        }
    }

    /// What the user can do about it, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            SampleError::Place(error) => error.hint(),
            // The hints are about writing.
            SampleError::Io { action, source, .. } if *action != "read" => Some(write_hint(source.kind())),
            SampleError::UnknownFormat { .. } => {
                Some("name it .parquet, .bullet, .binpack, .txt or .jsonl, or say what it is with --from")
            }
            SampleError::Lacking { what: "a score", .. } => Some(
                "have an engine score the positions, take the games' own with --use-evals, or write parquet or jsonl",
            ),
            SampleError::Lacking { what: "a move", .. } => {
                Some("this format stores a move with each position: convert from parquet or jsonl, which have it")
            }
            SampleError::Lacking { .. } => Some("write parquet or jsonl, where it may be missing"),
            SampleError::NoChess960 { .. } => Some("write parquet, jsonl, text or bulletformat"),
            SampleError::NotSamples { .. } => Some("say what it is with --from, if its name does not"),
            _ => None,
        }
    }
}
