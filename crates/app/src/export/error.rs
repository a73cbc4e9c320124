//! Why an export could not be made.

use std::{
    io,
    path::{Path, PathBuf},
};

use tabiya_dataset::{WholeFileError, write_hint};

/// Why an export could not be made. Whatever stood in its place before stands there still.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    #[error("{what}")]
    Nothing {
        what: String,
        /// What could be asked for instead.
        hint: String,
    },
    #[error("{}: a directory is needed here, not a file", .0.display())]
    NotADirectory(PathBuf),
    #[error("{}: a file is needed here, not a directory", .0.display())]
    IsADirectory(PathBuf),
    #[error("{}: files of this format do not end so", .0.display())]
    OtherEnding(PathBuf),
    #[error("{}: one file cannot hold {subjects} openings", path.display())]
    OneFile { path: PathBuf, subjects: usize },
    #[error("{}: the directory has something in it that is not an export of ours: {stranger}", path.display())]
    NotOurs { path: PathBuf, stranger: String },
    #[error("{}: somebody else's file is in the way", .0.display())]
    InTheWay(PathBuf),
    #[error("{}: the directory has an export as {old} already", path.display())]
    OtherFormat { path: PathBuf, old: String },
    #[error("{}: another export is writing here", .0.display())]
    Busy(PathBuf),
    #[error("cannot {action} {}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        source: io::Error,
    },
}

impl From<WholeFileError> for ExportError {
    fn from(error: WholeFileError) -> ExportError {
        let WholeFileError { action, path, source } = error;
        match source.kind() {
            io::ErrorKind::IsADirectory => ExportError::IsADirectory(path),
            _ => ExportError::Io { action, path, source },
        }
    }
}

impl ExportError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ExportError {
        let path = path.to_owned();
        move |source| ExportError::Io { action, path, source }
    }

    /// Whether the user's words are at fault, and not the disk.
    pub fn is_usage(&self) -> bool {
        !matches!(self, ExportError::Io { .. } | ExportError::Busy(_))
    }

    /// A way out.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            ExportError::Nothing { hint, .. } => hint.clone(),
            ExportError::NotADirectory(_) => {
                "name a directory with --output: this format writes several files".to_owned()
            }
            ExportError::IsADirectory(_) => "add a file name".to_owned(),
            ExportError::OtherEnding(_) => {
                "name it as the --format does, or give the --format that the name means".to_owned()
            }
            ExportError::OneFile { .. } => "name a directory with --output, or one opening with --eco".to_owned(),
            ExportError::NotOurs { .. } => "name an empty directory, or one of an earlier export".to_owned(),
            ExportError::InTheWay(_) => "move it away, or name another directory".to_owned(),
            ExportError::OtherFormat { .. } => "give each format a directory of its own".to_owned(),
            ExportError::Busy(_) => "wait for it to end, or name another directory".to_owned(),
            ExportError::Io { source, .. } => write_hint(source.kind()).to_owned(),
        })
    }
}
