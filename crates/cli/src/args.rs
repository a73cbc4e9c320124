//! The command line, as clap reads it.

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::{
    build::BuildArgs,
    completions::CompletionsArgs,
    count::{CountArgs, EXAMPLES as EXAMPLES_COUNT},
    doctor::DoctorArgs,
    evals::EvalsArgs,
    import::{ImportArgs, args::EXAMPLES_PGN_IMPORT, args::EXAMPLES_TABIYA},
    lookup::LookupArgs,
    man::ManArgs,
    name::NameArgs,
    repertoire::RepertoireArgs,
    structure::StructureArgs,
    worker::{EXAMPLES as EXAMPLES_WORKER, WorkerArgs, WorkersArgs},
};

/// Which program is running. They differ in their defaults only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Face {
    /// Skips what it cannot read, and keeps everything in the default database.
    Tabiya,
    /// Fails at the first bad game, and keeps only what it is told to.
    PgnImport,
}

/// Turns chess games into knowledge: openings, repertoires and tactics out of PGN.
#[derive(Debug, Parser)]
#[command(name = "tabiya", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "\
Examples:
  tabiya import games.pgn                     read games into ./tabiya.db
  tabiya import --repertoire Italian it.pgn   and call its moves a repertoire
  tabiya repertoire export Italian            write that back as PGN
  tabiya build all --pgn games/*.pgn.zst      make a knowledge base of openings
  tabiya lookup \"1.e4 c5\"                     what it has to say of a position
  tabiya structure FEN                        name a position's pawn structure
  tabiya name \"1.e4 e5 2.Nf3 Nc6 3.Bc4\"       say what that is called

Run `tabiya COMMAND --help` for all options, and see `tabiya man` for manual pages.")]
#[command(after_long_help = "\
Examples:
  tabiya import games.pgn                     read games into ./tabiya.db
  tabiya import --repertoire Italian it.pgn   and call its moves a repertoire
  tabiya repertoire export Italian            write that back as PGN
  tabiya build all --pgn games/*.pgn.zst      make a knowledge base of openings
  tabiya lookup \"1.e4 c5\"                     what it has to say of a position
  tabiya structure FEN                        name a position's pawn structure
  tabiya name \"1.e4 e5 2.Nf3 Nc6 3.Bc4\"       say what that is called

The database is --db, else the environment's TABIYA_DB, else ./tabiya.db. Options can be set in a file tabiya.toml in the \
current directory; the command line wins over the environment, the environment over the file.

Exit codes:
  0    done
  1    data was rejected under --fail-fast, or an audit failed
  2    usage or input
  3    database, disk, network or engine
  130  interrupted")]
pub(crate) struct Tabiya {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) ui: Ui,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Read PGN into an opening trie and a tactics bank
    #[command(after_help = EXAMPLES_TABIYA)]
    Import(Box<TabiyaImport>),
    /// Count positions and moves into a table that adds up with those of other machines
    #[command(after_help = EXAMPLES_COUNT)]
    Count(Box<CountArgs>),
    /// List repertoires, and write them back as PGN
    Repertoire(RepertoireArgs),
    /// Build the opening knowledge base: names, counts, structures, transpositions
    Build(BuildArgs),
    /// Take in evaluations that somebody else has made
    Evals(EvalsArgs),
    /// Show what the knowledge base has to say of a position
    Lookup(LookupArgs),
    /// Name the pawn structures of positions, or list all there are
    Structure(StructureArgs),
    /// Say what positions and lines of moves are called
    Name(NameArgs),
    /// Work off evaluations that others have queued, on this machine among many
    #[command(after_help = EXAMPLES_WORKER)]
    Worker(Box<WorkerArgs>),
    /// Show who works on what, and how fast
    Workers(WorkersArgs),
    /// Look at the engine, the database and the disk, and say what to do about what is wrong
    Doctor(DoctorArgs),
    /// Write a shell's completion script to standard output
    Completions(CompletionsArgs),
    /// Write manual pages
    Man(ManArgs),
}

#[derive(Debug, Args)]
pub(crate) struct TabiyaImport {
    /// PGN files, directories, globs, or - for standard input
    #[arg(value_name = "PATH", help_heading = "Input")]
    pub(crate) paths: Vec<String>,
    #[command(flatten)]
    pub(crate) options: ImportArgs,
}

/// Reads PGN into an opening trie and a tactics bank, and accounts for every game.
#[derive(Debug, Parser)]
#[command(name = "pgn-import", version, max_term_width = 100, after_help = EXAMPLES_PGN_IMPORT)]
pub(crate) struct PgnImport {
    #[command(flatten)]
    pub(crate) options: ImportArgs,
    #[command(flatten)]
    pub(crate) ui: Ui,
}

/// How to talk to the user.
#[derive(Debug, Args)]
#[command(next_help_heading = "Messages")]
pub(crate) struct Ui {
    /// Log what is done; twice for more
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// No progress, no summary, no warnings: errors only
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// When to use colours; NO_COLOR is respected
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", global = true)]
    pub(crate) color: ColorWhen,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorWhen {
    #[default]
    Auto,
    Always,
    Never,
}

/// How a result is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}
