//! The command line of `tabiya evals`.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, Subcommand};

use super::settings::Settings;
use crate::{args::Format, configuration::Persistence};

#[derive(Debug, Args)]
pub(crate) struct EvalsArgs {
    #[command(subcommand)]
    pub(super) command: EvalsCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum EvalsCommand {
    /// Read evaluations into the database, so that engines only fill the gaps
    #[command(after_help = "\
Examples:
  tabiya evals import --known-only lichess_db_eval.jsonl.zst   of positions in the knowledge base
  tabiya evals import games/*.pgn.zst                          [%eval] comments of games
  tabiya evals import --min-depth 30 --limit 1000000 FILE      the first million that deep

A file is Lichess's archive of evaluations (one JSON object a line) or PGN, and may be compressed. A comment after a move is \
about the position after it; one without a depth is kept, and serves no question for a depth. A line or game that makes \
no sense is counted, named and passed over. Of two evaluations the deeper stays, so the same again changes nothing, \
and an interrupted import is run again.")]
    Import(ImportArgs),
}

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// Files, globs, or - for standard input
    #[arg(value_name = "FILE", required = true, help_heading = "Input")]
    pub(super) files: Vec<String>,
    /// Only evaluations of at least this depth; one without a depth has 0
    #[arg(long, value_name = "N", help_heading = "Choice")]
    pub(super) min_depth: Option<u8>,
    /// Only positions that the knowledge base has
    #[arg(long, help_heading = "Choice")]
    pub(super) known_only: bool,
    /// Stop after so many positions
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Choice")]
    pub(super) limit: Option<u64>,
    /// Threads that read [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub(super) threads: Option<NonZeroUsize>,
    /// The database: a file name, sqlite://FILE or postgres://USER:PASSWORD@HOST/NAME [default: $TABIYA_DB, else
    /// tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL", help_heading = "Output")]
    pub(super) db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(super) config: Option<PathBuf>,
    /// Print a summary, or the whole report as JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: Format,
    /// Write the report as JSON to a file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) report: Option<PathBuf>,
}

impl ImportArgs {
    /// What the command line says of what a file may say too.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            min_depth: self.min_depth,
            known_only: self.known_only.then_some(true),
            threads: self.threads,
            persistence: Persistence { dsn: self.db.clone() },
        }
    }
}
