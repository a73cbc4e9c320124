//! The command line of `tabiya analyze`.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::Args;

use crate::args::Format;

pub(crate) const EXAMPLES: &str = "\
Examples:
  tabiya analyze games/                              who played what, how often, and what was new
  tabiya analyze games/ --output db.json             everything, for a page to show
  tabiya analyze games/ --at '1.e4 c5 2.Nf3'         one place: its board, the moves, who played them
  tabiya analyze games/ --interactive                walk through the games move by move
  tabiya analyze games/ --db tabiya.db -o db.json    and what is new to the knowledge base

Files are read in the order of their names, games in the order of their file. A move is a novelty (★) where a game leaves \
all others; docs/analyze.md has the fields of db.json. A game that cannot be read, or that does not begin at the initial \
position, is reported with its reason and left out.";

#[derive(Debug, Args)]
pub(crate) struct AnalyzeArgs {
    /// Files of games (.pgn, .txt, compressed or not), directories, globs, or - for standard input
    #[arg(value_name = "PATH", required = true, help_heading = "Input")]
    pub(super) paths: Vec<String>,
    /// Say which moves this knowledge base does not have
    #[arg(long, visible_alias = "dsn", value_name = "URL", help_heading = "Input")]
    pub(super) db: Option<String>,
    /// Threads that read [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub(super) threads: Option<NonZeroUsize>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(super) config: Option<PathBuf>,
    /// Write everything to this file as JSON; - is standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,
    /// From how many games on a sequence of moves is common [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..), help_heading = "Output")]
    pub(super) min_games: Option<u32>,
    /// Write the repertoires of so many players, those with the most games first [default: 100]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(super) repertoires: Option<usize>,
    /// The time to write into the file, so that the same games give the same bytes [default: now]
    #[arg(long, value_name = "TIME", help_heading = "Output")]
    pub(super) analyzed_at: Option<String>,
    /// Show the place that these moves lead to instead of the summary
    #[arg(long, value_name = "MOVES", help_heading = "Output")]
    pub(super) at: Option<String>,
    /// Ask for moves and show where they lead
    #[arg(short, long, conflicts_with = "format", help_heading = "Output")]
    pub(super) interactive: bool,
    /// Print text, or a report as JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: Format,
    /// Write the report as JSON to a file
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) report: Option<PathBuf>,
}
