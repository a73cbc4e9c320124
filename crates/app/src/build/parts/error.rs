//! What can be wrong with partial counts.

use std::path::PathBuf;

use tabiya_dataset::table::{TableError, TableFormat};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PartError {
    #[error(transparent)]
    Table(#[from] TableError),

    #[error("{}: no such file or directory", path.display())]
    Missing { path: PathBuf },

    #[error("{} does not hold partial counts: {why}", path.display())]
    NotAPart { path: PathBuf, why: String },

    #[error("{} was written by a newer version (format {found}, this one reads {known})", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },

    #[error("{}, row {row}: {why}", path.display())]
    BadRow { path: PathBuf, row: u64, why: String },

    /// Whoever added them up has mixed what does not add up.
    #[error("{} mixes games counted {one} and games counted {other}", path.display())]
    Mixed { path: PathBuf, one: String, other: String },

    #[error("{} was counted {was}, and this build asks for games counted {asked}", path.display())]
    OtherRules { path: PathBuf, was: String, asked: String },

    #[error(
        "{} cannot tell games apart by {asked}: it was counted {}",
        path.display(),
        if has.is_empty() { "without facets".to_owned() } else { format!("by {has}") }
    )]
    NoFacets { path: PathBuf, asked: String, has: String },

    #[error("some of the games in {} have been counted: those of {}, but not those of {}", path.display(), known.join(", "), new.join(", "))]
    PartlyKnown {
        path: PathBuf,
        known: Vec<String>,
        new: Vec<String>,
    },

    #[error("{} says it holds {said} games, and its rows hold {found}", path.display())]
    OtherGames { path: PathBuf, said: u64, found: u64 },
}

impl PartError {
    /// Whether the outside world is at fault, rather than what was asked for.
    pub(crate) fn is_outside(&self) -> bool {
        matches!(self, PartError::Table(TableError::Io { source, .. }) if source.kind() != std::io::ErrorKind::NotFound)
    }

    /// A way out.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            PartError::Table(TableError::NotATable { path, .. })
                if !matches!(TableFormat::from_path(path), Ok(TableFormat::Parquet)) =>
            {
                Some("only Parquet is read back: count into a file that ends in .parquet")
            }
            PartError::Table(TableError::NotATable { .. } | TableError::BadRow { .. })
            | PartError::NotAPart { .. }
            | PartError::BadRow { .. } => {
                Some("write partial counts with tabiya count, and merge them as docs/scale.md says")
            }
            PartError::Table(error) => error.hint(),
            PartError::Missing { .. } => Some("name the tables that tabiya count has written, or a directory of them"),
            PartError::Newer { .. } => Some("read it with the version of tabiya that wrote it"),
            PartError::Mixed { .. } | PartError::OtherRules { .. } => Some(
                "count all parts with the same --max-ply, --min-elo, --since, --until and --facets, and build with them too",
            ),
            PartError::NoFacets { .. } => Some("count it again with --facets, or build without"),
            PartError::PartlyKnown { .. } => Some("count the files that are new on their own, and add that part"),
            PartError::OtherGames { .. } => Some("it is damaged: count it again"),
        }
    }
}
