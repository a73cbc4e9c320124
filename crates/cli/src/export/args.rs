//! The command line of `tabiya export`.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, ValueEnum};
use tabiya_app::export::{EcoRange, ExportFormat};

use super::settings::Settings;
use crate::{args::Format, configuration::Persistence};

pub(crate) const EXAMPLES: &str = "\
Examples:
  tabiya export --format json --output openings/ --eco C50-C99   trees for an app, one file an opening
  tabiya export --format pgn --output pgn/                       games with variations
  tabiya export --format polyglot --output book.bin              one book of everything
  tabiya export --format csv --output nodes.csv                  a table of all positions
  tabiya export --format parquet --output tables/                four tables to join
  tabiya export --format polyglot --repertoire Italian --output italian.bin

A name that ends as the format's files do (.json, .pgn, .bin, .csv) is a file, which is replaced; any other is a directory, but \
for csv, which is one file in any case. Files of an earlier export in a directory are replaced together and only when all are \
written; files of others there are never touched. docs/exports.md teaches the formats.";

#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// What to write
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: WrittenFormat,
    /// The file or directory to write
    #[arg(short, long, value_name = "PATH", help_heading = "Output")]
    pub(super) output: PathBuf,
    /// Openings with these ECO codes: C50, C50-C99 or ALL [default: ALL]
    #[arg(long, value_name = "RANGE", conflicts_with = "repertoire", help_heading = "Choice")]
    pub(super) eco: Option<EcoRange>,
    /// Half-moves below each opening's own position; in tables, from the initial position [default: 12 where each
    /// opening is written by itself, no limit otherwise]
    #[arg(long, value_name = "N", help_heading = "Choice")]
    pub(super) max_depth: Option<u16>,
    /// Leave out moves with fewer games [default: 0]
    #[arg(long, value_name = "N", help_heading = "Choice")]
    pub(super) min_games: Option<u64>,
    /// Only what this collection says [default: all together]
    #[arg(long, value_name = "NAME", help_heading = "Choice")]
    pub(super) collection: Option<String>,
    /// A repertoire instead of the openings, by its label
    #[arg(long, value_name = "LABEL", help_heading = "Choice")]
    pub(super) repertoire: Option<String>,
    /// Only this owner's; otherwise everybody's moves under that label, as one
    #[arg(long, value_name = "NAME", requires = "repertoire", help_heading = "Choice")]
    pub(super) owner: Option<String>,
    /// Threads that write [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(super) threads: Option<NonZeroUsize>,
    /// The database: a file name, sqlite://FILE or postgres://USER:PASSWORD@HOST/NAME [default: $TABIYA_DB, else
    /// tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL", help_heading = "Input")]
    pub(super) db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(super) config: Option<PathBuf>,
    /// Print a summary, or the whole report as JSON (--format says what is exported)
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub(super) report_format: Format,
    /// Write the report as JSON to a file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) report: Option<PathBuf>,
}

/// What an export is written as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum WrittenFormat {
    /// Trees as an app reads them: one file an opening, and an index
    Json,
    /// Games with variations, names and evaluations
    Pgn,
    /// Opening books for engines
    Polyglot,
    /// One table of all positions
    Csv,
    /// Tables of positions, moves, openings and transpositions
    Parquet,
    /// The same as JSON lines
    Jsonl,
}

impl From<WrittenFormat> for ExportFormat {
    fn from(format: WrittenFormat) -> ExportFormat {
        match format {
            WrittenFormat::Json => ExportFormat::Json,
            WrittenFormat::Pgn => ExportFormat::Pgn,
            WrittenFormat::Polyglot => ExportFormat::Polyglot,
            WrittenFormat::Csv => ExportFormat::Csv,
            WrittenFormat::Parquet => ExportFormat::Parquet,
            WrittenFormat::Jsonl => ExportFormat::Jsonl,
        }
    }
}

impl ExportArgs {
    /// What the command line says of what a file may say too.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            eco: self.eco.map(|range| range.to_string()),
            max_depth: self.max_depth,
            min_games: self.min_games,
            collection: self.collection.clone(),
            threads: self.threads,
            persistence: Persistence { dsn: self.db.clone() },
        }
    }
}
