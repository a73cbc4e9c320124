//! What is to be exported, and what was.

use std::{
    fmt,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use serde::Serialize;

use super::{EcoRange, ExportError, index::ExportedFile};

/// A form in which the knowledge base can leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExportFormat {
    /// The app's trees, one file an opening.
    Json,
    /// Games with variations, one file an opening or all in one.
    Pgn,
    /// Books for engines, one an opening or one of all.
    Polyglot,
    /// One table of nodes.
    Csv,
    /// Four tables.
    Parquet,
    Jsonl,
}

impl ExportFormat {
    const ALL: [ExportFormat; 6] = [
        ExportFormat::Json,
        ExportFormat::Pgn,
        ExportFormat::Polyglot,
        ExportFormat::Csv,
        ExportFormat::Parquet,
        ExportFormat::Jsonl,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            ExportFormat::Json => "json",
            ExportFormat::Pgn => "pgn",
            ExportFormat::Polyglot => "polyglot",
            ExportFormat::Csv => "csv",
            ExportFormat::Parquet => "parquet",
            ExportFormat::Jsonl => "jsonl",
        }
    }

    /// How file names end.
    pub fn extension(self) -> &'static str {
        match self {
            ExportFormat::Polyglot => "bin",
            other => other.as_str(),
        }
    }

    /// Whether there is one file for each opening, rather than tables of all.
    pub(super) fn is_by_opening(self) -> bool {
        matches!(self, ExportFormat::Json | ExportFormat::Pgn | ExportFormat::Polyglot)
    }
}

impl fmt::Display for ExportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[derive(Debug, Clone)]
pub struct ExportRequest {
    pub database: String,
    pub format: ExportFormat,
    /// A name that ends as the format's files do is a file, any other a directory.
    pub output: PathBuf,
    pub eco: EcoRange,
    /// Half-moves below each opening's own position, in tables from the initial one. Files that an app bundles have a
    /// default of their own.
    pub max_depth: Option<u16>,
    pub min_games: u64,
    /// Only what this collection says; all together otherwise.
    pub collection: Option<String>,
    /// A repertoire instead of the openings.
    pub repertoire: Option<RepertoireName>,
    pub threads: NonZeroUsize,
    /// Set by whoever wants it to stop.
    pub stop: Arc<AtomicBool>,
}

#[derive(Debug, Clone)]
pub struct RepertoireName {
    pub label: String,
    /// Everybody's moves under that label where this is none.
    pub owner: Option<String>,
}

/// Where an export goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    File(PathBuf),
    Directory(PathBuf),
}

impl ExportRequest {
    /// A name that ends as the format's files do is a file, any other a directory. Tables of all nodes are a file in any case
    /// for CSV, and a directory for the formats with four.
    pub(super) fn target(&self) -> Result<Target, ExportError> {
        let path = &self.output;
        let is_other = |format: &ExportFormat| *format != self.format && ends_as(path, *format);
        if !is_directory(path) && ExportFormat::ALL.iter().any(is_other) {
            return Err(ExportError::OtherEnding(path.clone()));
        }
        let is_file = match self.format {
            ExportFormat::Csv => {
                if is_directory(path) {
                    return Err(ExportError::IsADirectory(path.clone()));
                }
                true
            }
            ExportFormat::Parquet | ExportFormat::Jsonl => {
                if ends_as(path, self.format) && !path.is_dir() {
                    return Err(ExportError::NotADirectory(path.clone()));
                }
                false
            }
            format => ends_as(path, format) && !is_directory(path),
        };
        Ok(match is_file {
            true => Target::File(path.clone()),
            false => Target::Directory(path.clone()),
        })
    }
}

fn ends_as(path: &Path, format: ExportFormat) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(format.extension()))
}

fn is_directory(path: &Path) -> bool {
    path.is_dir() || path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportReport {
    pub format: ExportFormat,
    pub output: PathBuf,
    pub max_depth: Option<u16>,
    /// Nodes, moves, book entries or rows, by format.
    pub entries: u64,
    pub bytes: u64,
    /// Files that would have gone deeper, had they fitted.
    pub cut: u64,
    pub files: Vec<ExportedFile>,
}
