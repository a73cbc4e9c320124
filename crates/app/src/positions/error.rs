//! What can go wrong with positions, and the way out.

use std::{io, path::PathBuf};

use tabiya_dataset::{
    WholeFileError,
    training::{SampleError, SampleFormat},
    write_hint,
};

/// Why positions could not be taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PositionsError {
    #[error("{0}")]
    Rule(String),
    #[error("nothing to read: no month and no file was named")]
    NothingToRead,
    #[error("{format} needs a score for every position, and without an engine there is none")]
    NeedsScore { format: SampleFormat },
    #[error("what `{}` is to be cannot be told from its name", .path.display())]
    UnknownOutput { path: PathBuf },
    #[error("`{}` is read twice, which a pipe or a device cannot be", .path.display())]
    ReadTwice { path: PathBuf },
    #[error("`{}` was begun and not finished", .path.display())]
    Unfinished { path: PathBuf },
    #[error("`{}` cannot be gone on with: {reason}", .path.display())]
    CannotResume { path: PathBuf, reason: String },
    #[error("there is nothing to go on with for `{}`", .path.display())]
    NothingToResume { path: PathBuf },
    #[error("`{}` is being written by somebody else", .path.display())]
    Locked { path: PathBuf },
    #[error("every month that was asked for is left out: {reasons}")]
    AllBlocked { reasons: String },
    #[error("{input}: {reason}")]
    CutShort { input: String, reason: String },
    #[error("cannot {action} `{}`: {source}", .path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    #[error(transparent)]
    Samples(#[from] SampleError),
}

impl From<WholeFileError> for PositionsError {
    fn from(error: WholeFileError) -> PositionsError {
        PositionsError::Io {
            action: error.action,
            path: error.path,
            source: error.source,
        }
    }
}

impl PositionsError {
    pub(super) fn io(action: &'static str, path: impl Into<PathBuf>, source: io::Error) -> PositionsError {
        PositionsError::Io {
            action,
            path: path.into(),
            source,
        }
    }

    /// Whether the user's words or files are at fault.
    pub fn is_usage(&self) -> bool {
        match self {
            PositionsError::Samples(error) => error.is_usage(),
            PositionsError::Io { .. } => false,
            _ => true,
        }
    }

    pub fn hints(&self) -> Vec<String> {
        let hint = match self {
            PositionsError::NothingToRead => "name archives with --month 2024-01, or files with --input games.pgn.zst",
            PositionsError::NeedsScore { .. } => {
                "leave out --no-engine, take the games' own with --use-evals, or write parquet or jsonl"
            }
            PositionsError::UnknownOutput { .. } => {
                "name it .parquet, .bullet, .binpack, .txt or .jsonl, or say --format"
            }
            PositionsError::ReadTwice { .. } => "write it to a file first",
            PositionsError::Unfinished { .. } => "go on with --resume, or begin anew with --restart",
            PositionsError::CannotResume { .. } => {
                "ask for the same as before, or begin anew with --restart, which throws away what is there"
            }
            PositionsError::NothingToResume { .. } => "leave out --resume to begin",
            PositionsError::Locked { .. } => "wait for it, or write to another file",
            PositionsError::AllBlocked { .. } => {
                "--list-known-issues says what is wrong with them; --blocklist none reads them all the same"
            }
            PositionsError::CutShort { .. } => {
                "what came before is kept: put the whole file in its place, and run again with --resume"
            }
            PositionsError::Samples(error) => return error.hint().map(str::to_owned).into_iter().collect(),
            // The hints are about writing.
            PositionsError::Io { action, source, .. } if *action != "read" => write_hint(source.kind()),
            PositionsError::Rule(_) | PositionsError::Io { .. } => return Vec::new(),
        };
        vec![hint.to_owned()]
    }
}
