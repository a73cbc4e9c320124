//! `tabiya build`, as clap reads it.

use std::{num::NonZeroUsize, path::PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::annotate::args::AnnotateArgs;
use super::settings::Settings;
use crate::{args::Format, configuration::Persistence};

#[derive(Debug, Args)]
pub(crate) struct BuildArgs {
    #[command(subcommand)]
    pub(super) phase: PhaseArgs,
}

#[derive(Debug, Subcommand)]
pub(super) enum PhaseArgs {
    /// Enter the names of openings, and every position on the way to one
    #[command(after_help = "\
Examples:
  tabiya build eco                                the names that are inside
  tabiya build eco --source my-openings.tsv       those of a table instead")]
    Eco(EcoArgs),
    /// Count what games play around the named positions, or ask an explorer that has counted
    #[command(after_help = "\
Examples:
  tabiya build expand --pgn games/*.pgn.zst                count games into the collection `games`
  tabiya build expand --pgn new.pgn --add                  add more to it
  tabiya build expand --pgn masters.pgn --collection masters
  tabiya build expand --counts parts/*.parquet             merge what other machines have counted
  tabiya build expand --explorer http://host/masters --token-file token.txt")]
    Expand(Box<ExpandArgs>),
    /// Find named lines that a corpus plays and the graph lacks
    #[command(after_help = "\
Examples:
  tabiya build validate --pgn games/*.pgn.zst
  tabiya build validate --pgn games.pgn --min-count 3 --format csv
  tabiya build validate --pgn games.pgn --add-stubs")]
    Validate(Box<ValidateArgs>),
    /// Name the pawn structure of every position where the tree ends
    #[command(after_help = "\
Examples:
  tabiya build structures
  tabiya build structures --review
  tabiya build structures --assign \"rnbqkb1r/… w KQkq -\" \"Hedgehog\"")]
    Structures(StructuresArgs),
    /// Let engines evaluate the positions where openings branch and end
    #[command(after_help = super::annotate::args::EXAMPLES)]
    Annotate(Box<AnnotateArgs>),
    /// Link the openings whose trees meet
    #[command(after_help = "\
Examples:
  tabiya build transpositions
  tabiya build transpositions --db mine.db")]
    Transpositions(PlainArgs),
    /// Check that everything is as it should be
    #[command(after_help = "\
Examples:
  tabiya build audit
  tabiya build audit --db postgres://host/chess --format json")]
    Audit(PlainArgs),
    /// All of it: eco, expand, annotate if asked for, structures, transpositions and audit
    #[command(after_help = "\
Examples:
  tabiya build all --pgn games/*.pgn.zst
  tabiya build all --pgn mine.pgn --db mine.db --min-games 1")]
    All(Box<AllArgs>),
}

/// Which database, and how to tell what happened.
#[derive(Debug, Args)]
pub(super) struct PlainArgs {
    /// The database: a file name, sqlite://FILE or postgres://USER:PASSWORD@HOST/NAME [default: $TABIYA_DB, else
    /// tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL")]
    pub(super) db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Print text, or JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(super) format: Format,
    /// Also write the outcome as JSON to a file
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Names")]
pub(super) struct NamesArgs {
    /// Names from a .csv, .tsv or .pgn file, in place of those that ship with the program
    #[arg(long, value_name = "FILE")]
    pub(super) source: Option<PathBuf>,
    /// Further names for the same positions, from a .csv, .tsv or .pgn file
    #[arg(long, value_name = "FILE")]
    pub(super) aliases: Vec<PathBuf>,
    /// Mark the moves of a Polyglot book
    #[arg(long, value_name = "FILE.bin")]
    pub(super) book: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct EcoArgs {
    #[command(flatten)]
    pub(super) names: NamesArgs,
    #[command(flatten)]
    pub(super) plain: PlainArgs,
}

/// What is counted, and what of it is kept.
#[derive(Debug, Args)]
#[command(next_help_heading = "Counting")]
pub(super) struct CountArgs {
    /// The collection that the counts belong to [default: games]
    #[arg(long, value_name = "NAME")]
    collection: Option<String>,
    /// Half-moves beyond each named position [default: 15]
    #[arg(long, value_name = "PLIES")]
    depth: Option<u16>,
    /// Keep moves with this many games or more [default: 50; `build all` chooses by the number of games]
    #[arg(long, value_name = "GAMES")]
    min_games: Option<u64>,
    /// Raise --min-games until the graph has no more nodes [default: 3000000; no limit with --explorer]
    #[arg(long, value_name = "NODES")]
    max_nodes: Option<u64>,
    /// Follow games no further than this [default: the longest named line and the depth]
    #[arg(long, value_name = "PLIES")]
    max_ply: Option<u16>,
    /// Only games of two players with this rating or more
    #[arg(long, value_name = "ELO")]
    min_elo: Option<u16>,
    /// Only games from this year, month or day on
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only games up to this year, month or day
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// Tell games apart by year, rating and speed, as a list
    #[arg(long, value_name = "LIST")]
    facets: Option<String>,
    /// Read on this many threads [default: one for each core]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,
    /// Keep what falls below --min-games here [default: beside the database]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
}

impl CountArgs {
    pub(super) fn into_settings(self, db: Option<String>) -> Settings {
        Settings {
            collection: self.collection,
            depth: self.depth,
            min_games: self.min_games,
            max_nodes: self.max_nodes,
            max_ply: self.max_ply,
            min_elo: self.min_elo,
            since: self.since,
            until: self.until,
            facets: self.facets,
            threads: self.threads,
            state: self.state,
            rate: None,
            in_flight: None,
            persistence: Persistence { dsn: db },
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct ExpandArgs {
    #[command(flatten)]
    pub(super) from: FromArgs,
    /// Add to the collection instead of replacing it
    #[arg(long, help_heading = "Source")]
    pub(super) add: bool,
    #[command(flatten)]
    pub(super) explorer: ExplorerArgs,
    #[command(flatten)]
    pub(super) counting: CountArgs,
    #[command(flatten)]
    pub(super) plain: PlainArgs,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Source")]
#[group(required = true, multiple = false, args = ["pgn", "counts", "explorer"])]
pub(super) struct FromArgs {
    /// Count PGN files, directories, globs, or - for standard input
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(super) pgn: Vec<String>,
    /// Merge tables that `tabiya count` has written
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(super) counts: Vec<String>,
    /// Ask a Lichess-compatible opening explorer
    // It has counted already, by rules of its own.
    #[arg(
        long,
        value_name = "URL",
        conflicts_with_all = ["add", "max_ply", "min_elo", "since", "until", "facets", "threads", "state"]
    )]
    pub(super) explorer: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Explorer")]
pub(super) struct ExplorerArgs {
    /// Read the explorer's token from this file [default: $TABIYA_EXPLORER_TOKEN]
    #[arg(long, value_name = "FILE", requires = "explorer")]
    pub(super) token_file: Option<PathBuf>,
    /// Requests a second [default: 1]
    #[arg(long, value_name = "N", requires = "explorer")]
    pub(super) rate: Option<f64>,
    /// Requests at a time [default: 1]
    #[arg(long, value_name = "N", requires = "explorer")]
    pub(super) in_flight: Option<u32>,
    /// Forget the answers so far and ask anew, instead of going on where an earlier run ended
    #[arg(long, requires = "explorer")]
    pub(super) fresh: bool,
}

#[derive(Debug, Args)]
pub(super) struct ValidateArgs {
    /// PGN files, directories, globs, or - for standard input
    #[arg(long, value_name = "PATH", num_args = 1.., required = true)]
    pub(super) pgn: Vec<String>,
    /// Tell only lines with this many games or more
    #[arg(long, value_name = "GAMES", default_value_t = 10)]
    pub(super) min_count: u64,
    /// Half-moves beyond the nearest named position [default: as the graph was built]
    #[arg(long, value_name = "PLIES")]
    pub(super) depth: Option<u16>,
    /// Add what is missing to the graph
    #[arg(long)]
    pub(super) add_stubs: bool,
    /// Read on this many threads [default: one for each core]
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<NonZeroUsize>,
    /// The database [default: $TABIYA_DB, else tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL")]
    pub(super) db: Option<String>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE")]
    pub(super) config: Option<PathBuf>,
    /// Print text, JSON or CSV
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    pub(super) format: TableFormat,
    /// Also write the outcome as JSON to a file
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum TableFormat {
    #[default]
    Text,
    Json,
    Csv,
}

#[derive(Debug, Args)]
pub(super) struct StructuresArgs {
    /// List the positions that no rule knows, for a person to name, and those where an explorer listed nonsense
    #[arg(long, conflicts_with_all = ["assign", "report"])]
    pub(super) review: bool,
    /// Name the structure of such a position
    #[arg(long, num_args = 2, value_names = ["FEN", "STRUCTURE"], conflicts_with = "report")]
    pub(super) assign: Vec<String>,
    #[command(flatten)]
    pub(super) plain: PlainArgs,
}

#[derive(Debug, Args)]
pub(super) struct AllArgs {
    /// Count PGN files, directories, globs, or - for standard input
    #[arg(long, value_name = "PATH", num_args = 1.., required = true, help_heading = "Source")]
    pub(super) pgn: Vec<String>,
    /// Add to the collection instead of replacing it
    #[arg(long, help_heading = "Source")]
    pub(super) add: bool,
    /// Let engines evaluate the N most played positions; `[annotate]` in tabiya.toml says how
    #[arg(long, value_name = "N", help_heading = "Engine")]
    pub(super) annotate: Option<usize>,
    /// The engine's program [default: $TABIYA_ENGINE, else `stockfish` on the PATH]
    #[arg(long, value_name = "PATH", requires = "annotate", help_heading = "Engine")]
    pub(super) engine: Option<PathBuf>,
    #[command(flatten)]
    pub(super) names: NamesArgs,
    #[command(flatten)]
    pub(super) counting: CountArgs,
    #[command(flatten)]
    pub(super) plain: PlainArgs,
}
