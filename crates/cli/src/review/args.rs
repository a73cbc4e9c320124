//! The command line of `tabiya review`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tabiya_app::review::GraphKind;

use crate::{args::Format, engine_args::EngineArgs};

pub(crate) const EXAMPLES: &str = "\
Examples:
  tabiya review game.pgn                              every move judged, a graph, a summary
  tabiya review game.pgn --pgn annotated.pgn          with evaluations, signs and better lines
  tabiya review game.pgn --graph game.png             the evaluation graph as a picture
  tabiya review games.pgn --report review.json        many games; interrupted, the same command goes on
  tabiya review games.pgn --graph graphs/ --graph-format png   a picture of each
  tabiya review game.pgn --record lines.jsonl         keep what the engine said ...
  tabiya review game.pgn --lines lines.jsonl          ... and review again without an engine, to the same bytes
  tabiya review game.pgn --rules lichess --depth 18   as Lichess judges, searched to a depth

One game is the unit of work: one engine goes through it backwards and remembers what it has seen. With a limit of nodes or \
depth the same game gives the same bytes on any number of workers; --cloud and --use-store waive that. Thresholds can be set \
in tabiya.toml, section [review.thresholds]. docs/review.md teaches the rest.";

#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// PGN files, directories, globs, or - for standard input
    #[arg(value_name = "GAMES", required = true, help_heading = "Input")]
    pub(super) paths: Vec<String>,
    /// Take engine lines from this file, which --record wrote, instead of an engine
    #[arg(
        long,
        value_name = "FILE",
        help_heading = "Input",
        conflicts_with_all = ["nodes", "depth", "movetime", "multipv", "cloud", "use_store", "engine"]
    )]
    pub(super) lines: Option<PathBuf>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(super) config: Option<PathBuf>,

    /// By whose rules: wintr (all classes) or lichess (inaccuracies, mistakes, blunders) [default: wintr]
    #[arg(long, value_name = "RULES", value_parser = ["wintr", "lichess"], help_heading = "Rules")]
    pub(super) rules: Option<String>,
    /// What counts as theory: a named position, one whose pieces stand like that, or nothing [default: position]
    #[arg(long, value_name = "HOW", value_parser = ["position", "placement", "off"], help_heading = "Rules")]
    pub(super) theory: Option<String>,
    /// Judge moves of theory like any others
    #[arg(long, conflicts_with = "theory", help_heading = "Rules")]
    pub(super) no_theory: bool,
    /// Judge variations too
    #[arg(long, help_heading = "Rules")]
    pub(super) variations: bool,
    /// Expected points by which two searches may differ before the move is searched again [default: 0.1]
    #[arg(long, value_name = "POINTS", help_heading = "Rules")]
    pub(super) noise_margin: Option<f64>,

    /// Search so many nodes at each position [default: 1000000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Effort", conflicts_with_all = ["depth", "movetime"])]
    pub(super) nodes: Option<u64>,
    /// Search to a depth instead
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..), help_heading = "Effort", conflicts_with = "movetime")]
    pub(super) depth: Option<u8>,
    /// Search for so many milliseconds instead, which nobody can reproduce
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Effort")]
    pub(super) movetime: Option<u32>,
    /// Lines at each position; critical moves need two [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..), help_heading = "Effort")]
    pub(super) multipv: Option<u8>,
    /// Ask a Lichess-compatible service first, such as https://lichess.org/api/cloud-eval
    #[arg(long, value_name = "URL", help_heading = "Effort")]
    pub(super) cloud: Option<String>,
    /// Ask the database's evaluations before an engine, and add to them
    #[arg(long, help_heading = "Effort")]
    pub(super) use_store: bool,
    /// The database for --use-store [default: $TABIYA_DB, else tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL", help_heading = "Effort")]
    pub(super) db: Option<String>,
    #[command(flatten)]
    pub(super) engine: EngineArgs,

    /// Print a report, or everything as JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: Format,
    /// Print every move of every game, also of many
    #[arg(long, help_heading = "Output")]
    pub(super) full: bool,
    /// Write everything as JSON (docs/review.schema.json)
    #[arg(long, visible_alias = "json", value_name = "FILE", help_heading = "Output")]
    pub(super) report: Option<PathBuf>,
    /// Write the games as PGN with evaluations, signs, explanations and better lines
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) pgn: Option<PathBuf>,
    /// Write a table of all moves
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) csv: Option<PathBuf>,
    /// Draw the evaluation graph: an .svg or .png file for one game, a directory for many
    #[arg(long, value_name = "PATH", help_heading = "Output")]
    pub(super) graph: Option<PathBuf>,
    /// How the graphs in that directory are drawn
    #[arg(
        long,
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        requires = "graph",
        help_heading = "Output"
    )]
    pub(super) graph_format: GraphFormat,
    /// Write down the engine lines that were used
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) record: Option<PathBuf>,
    /// Keep what is done so far here [default: beside the first file that is written]
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(super) journal: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    #[default]
    Svg,
    Png,
}

impl From<GraphFormat> for GraphKind {
    fn from(format: GraphFormat) -> GraphKind {
        match format {
            GraphFormat::Svg => GraphKind::Svg,
            GraphFormat::Png => GraphKind::Png,
        }
    }
}
