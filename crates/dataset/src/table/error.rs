//! Why a table could not be written or read.

use std::{
    io,
    path::{Path, PathBuf},
};

use crate::whole_file::{WholeFileError, write_hint};

/// Why a table could not be written or read.
///
/// [`Unsupported`](TableError::Unsupported) and [`NotAFile`](TableError::NotAFile) are about the path the user
/// gave, [`NotATable`](TableError::NotATable) and [`BadRow`](TableError::BadRow) about the file there,
/// [`Io`](TableError::Io) and [`Abandoned`](TableError::Abandoned) about the outside world, and
/// [`Columns`](TableError::Columns) and [`Row`](TableError::Row) about the calling code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The extension asks for a format that is not written here.
    #[error("cannot write `{}`: {reason}", .path.display())]
    Unsupported {
        /// The path as it was given.
        path: PathBuf,
        /// What the extension means, as far as it matters.
        reason: String,
    },
    /// The path names a directory, or nothing at all.
    #[error("cannot write `{}`: {reason}", .path.display())]
    NotAFile {
        /// The path as it was given.
        path: PathBuf,
        /// What it is instead.
        reason: &'static str,
    },
    /// The operating system refused.
    #[error("cannot {action} `{}`: {source}", .path.display())]
    Io {
        /// What was being done, as a verb.
        action: &'static str,
        /// The table's path, or that of the directory it was to be in.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// An earlier write failed, so the table has a hole and is not put in place.
    #[error("`{}` was not written, because an earlier write to it failed", .path.display())]
    Abandoned {
        /// The table's path.
        path: PathBuf,
    },
    /// The columns do not make a table.
    #[error("bad columns for `{}`: {reason}", .path.display())]
    Columns {
        /// The table's path.
        path: PathBuf,
        /// What is wrong with them.
        reason: String,
    },
    /// What was to be read is not Parquet, is damaged, or has other columns.
    #[error("cannot read `{}`: {reason}", .path.display())]
    NotATable {
        /// The path as it was given.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A row that was read has a value that cannot be.
    #[error("`{}`, row {row}: {reason}", .path.display())]
    BadRow {
        /// The path as it was given.
        path: PathBuf,
        /// Which row, counted from 1.
        row: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A row does not fit the columns. It was not written.
    #[error("row {row} does not fit the columns of `{}`: {reason}", .path.display())]
    Row {
        /// The table's path.
        path: PathBuf,
        /// Which row, counted from 1.
        row: u64,
        /// Where it differs.
        reason: String,
    },
}

impl TableError {
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> TableError {
        TableError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }

    /// What the user can do about it, where there is something to say.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            #[cfg(feature = "parquet")]
            TableError::Unsupported { .. } => Some("name it .jsonl, .jsonl.zst, .jsonl.gz or .parquet"),
            #[cfg(not(feature = "parquet"))]
            TableError::Unsupported { .. } => Some("name it .jsonl, .jsonl.zst or .jsonl.gz"),
            TableError::NotAFile { .. } => Some("add a file name, such as positions.jsonl"),
            // About reading whoever reads says more.
            TableError::Io { action: "read", .. } => None,
            TableError::Io { source, .. } => Some(write_hint(source.kind())),
            TableError::NotATable { .. } | TableError::BadRow { .. } => None,
            TableError::Abandoned { .. } | TableError::Columns { .. } | TableError::Row { .. } => None,
        }
    }
}

impl From<WholeFileError> for TableError {
    fn from(error: WholeFileError) -> TableError {
        let WholeFileError { action, path, source } = error;
        match source.kind() {
            io::ErrorKind::IsADirectory if path.as_os_str().is_empty() => TableError::NotAFile {
                path,
                reason: "the path is empty",
            },
            io::ErrorKind::IsADirectory => TableError::NotAFile {
                path,
                reason: "it is a directory",
            },
            _ => TableError::Io { action, path, source },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_can_act_on_has_a_hint() {
        for (kind, word) in [
            (io::ErrorKind::StorageFull, "full"),
            (io::ErrorKind::PermissionDenied, "may write"),
            (io::ErrorKind::ReadOnlyFilesystem, "read-only"),
            (io::ErrorKind::IsADirectory, "directory"),
            (io::ErrorKind::NotFound, "may write"),
        ] {
            let error = TableError::io("write", Path::new("out/p.jsonl"), kind.into());
            assert!(error.hint().is_some_and(|hint| hint.contains(word)), "{kind:?}");
            assert!(error.to_string().starts_with("cannot write `out/p.jsonl`: "), "{error}");
            let unread = TableError::io("read", Path::new("p.parquet"), kind.into());
            assert_eq!(
                unread.hint(),
                None,
                "{kind:?}: nothing is said of writing where something is read"
            );
        }
    }
}
