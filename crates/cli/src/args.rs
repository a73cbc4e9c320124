//! The command line, as clap reads it.

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};

use crate::{
    analyze::{AnalyzeArgs, EXAMPLES as EXAMPLES_ANALYZE},
    build::BuildArgs,
    completions::CompletionsArgs,
    count::{CountArgs, EXAMPLES as EXAMPLES_COUNT},
    doctor::DoctorArgs,
    evals::EvalsArgs,
    export::{EXAMPLES as EXAMPLES_EXPORT, ExportArgs},
    fetch::{EXAMPLES as EXAMPLES_FETCH, FetchArgs},
    import::{ImportArgs, args::EXAMPLES_PGN_IMPORT, args::EXAMPLES_TABIYA},
    lookup::LookupArgs,
    man::ManArgs,
    name::NameArgs,
    positions::{EXAMPLES as EXAMPLES_POSITIONS, PositionsArgs},
    project::{EXAMPLES as EXAMPLES_PROJECT, ProjectArgs},
    repertoire::RepertoireArgs,
    review::{EXAMPLES as EXAMPLES_REVIEW, ReviewArgs},
    serve::{EXAMPLES as EXAMPLES_SERVE, ServeArgs},
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

/// What the short help and the long one begin with.
macro_rules! examples {
    () => {
        "\
Examples:
  tabiya import games.pgn                     read games into ./tabiya.db
  tabiya import --repertoire Italian it.pgn   and call its moves a repertoire
  tabiya repertoire export Italian            write that back as PGN
  tabiya build all --pgn games/*.pgn.zst      make a knowledge base of openings
  tabiya lookup \"1.e4 c5\"                     what it has to say of a position
  tabiya serve                                answer such questions over HTTP
  tabiya analyze games/ --output db.json      compare games: common moves, novelties, players
  tabiya review game.pgn                      judge every move of a game
  tabiya structure FEN                        name a position's pawn structure
  tabiya name \"1.e4 e5 2.Nf3 Nc6 3.Bc4\"       say what that is called"
    };
}

/// Turns chess games into knowledge: openings, repertoires and tactics out of PGN.
#[derive(Debug, Parser)]
#[command(name = "tabiya", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = concat!(examples!(), "\n
Run `tabiya COMMAND --help` for all options, and see `tabiya man` for manual pages."))]
#[command(after_long_help = concat!(examples!(), "\n
The database is --db, else the environment's TABIYA_DB, else ./tabiya.db. Options can be set in a file tabiya.toml in the \
current directory; the command line wins over the environment, the environment over the file.

Exit codes:
  0    done
  1    data was rejected under --fail-fast, an audit failed, or lookup does not know the position
  2    usage or input
  3    database, disk, network or engine
  130  interrupted"))]
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
    #[command(after_help = "\
Examples:
  tabiya repertoire list                         whose they are, and how large
  tabiya repertoire export Italian -o italian.pgn")]
    Repertoire(RepertoireArgs),
    /// Build the opening knowledge base: names, counts, structures, transpositions
    #[command(after_help = "\
Examples:
  tabiya build all --pgn games/*.pgn.zst          all phases, each as far as it has to be done
  tabiya build annotate --limit 500               evaluate the most played positions
  tabiya build audit                              is everything as it should be?")]
    Build(BuildArgs),
    /// Take in evaluations that somebody else has made
    #[command(after_help = "\
Examples:
  tabiya evals import --known-only lichess_db_eval.jsonl.zst
  tabiya evals import games/*.pgn.zst")]
    Evals(EvalsArgs),
    /// Write the knowledge base as JSON, PGN, Polyglot books, CSV, Parquet or JSON lines
    #[command(after_help = EXAMPLES_EXPORT)]
    Export(Box<ExportArgs>),
    /// Copy the knowledge base to Neo4j, as a graph to ask with Cypher
    #[command(after_help = EXAMPLES_PROJECT)]
    Project(ProjectArgs),
    /// Download the games of a player, or of two, from Lichess or chess.com
    #[command(after_help = EXAMPLES_FETCH)]
    Fetch(FetchArgs),
    /// Compare games: what they have in common, what was new in each, who plays what
    #[command(after_help = EXAMPLES_ANALYZE)]
    Analyze(Box<AnalyzeArgs>),
    /// Judge every move of games: brilliant, best, blunder, and why
    #[command(after_help = EXAMPLES_REVIEW)]
    Review(Box<ReviewArgs>),
    /// Show what the knowledge base has to say of a position
    Lookup(LookupArgs),
    /// Answer questions about positions and openings over HTTP
    #[command(after_help = EXAMPLES_SERVE)]
    Serve(ServeArgs),
    /// Take training positions out of games, and handle files of them
    #[command(after_help = EXAMPLES_POSITIONS)]
    Positions(Box<PositionsArgs>),
    /// Name the pawn structures of positions, or list all there are
    Structure(StructureArgs),
    /// Say what positions and lines of moves are called
    Name(NameArgs),
    /// Work off evaluations that others have queued, on this machine among many
    #[command(after_help = EXAMPLES_WORKER)]
    Worker(Box<WorkerArgs>),
    /// Show who works on what, and how fast
    #[command(after_help = "\
Examples:
  tabiya workers --db postgres://host/chess
  tabiya workers --db postgres://host/chess --queue redis://host
  tabiya workers --retry-failed                   let jobs that were given up wait again")]
    Workers(WorkersArgs),
    /// Look at the engine, the database and the disk, and say what to do about what is wrong
    #[command(after_help = "\
Examples:
  tabiya doctor
  tabiya doctor --db postgres://host/chess --engine /opt/stockfish/stockfish
  tabiya doctor --format json                     for a script, which also sees the exit code")]
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

/// What a pair of flags, of which clap keeps the last one given, says.
pub(crate) fn either(yes: bool, no: bool) -> Option<bool> {
    match (yes, no) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory};

    use super::{PgnImport, Tabiya};

    /// Every command with what it is called, from the program down.
    fn walk(command: &Command, name: &str, visit: &mut impl FnMut(&str, &Command)) {
        visit(name, command);
        for part in command.get_subcommands().filter(|part| part.get_name() != "help") {
            walk(part, &format!("{name} {}", part.get_name()), visit);
        }
    }

    fn examples(command: &Command) -> Vec<String> {
        let help = command.get_after_help().or(command.get_after_long_help());
        let help = help.map(ToString::to_string).unwrap_or_default();
        let lines = help.lines().skip_while(|line| *line != "Examples:").skip(1);
        lines
            .take_while(|line| line.starts_with("  "))
            .map(|line| line.trim().to_owned())
            .collect()
    }

    /// The words of an example, as a shell would take them apart: up to what is said of it, or to the next program.
    fn words(example: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut quoted = false;
        let mut spaces = 0;
        for letter in example.chars() {
            spaces = if letter == ' ' && !quoted { spaces + 1 } else { 0 };
            match letter {
                '"' | '\'' => quoted = !quoted,
                '|' | '>' if !quoted => break,
                _ if spaces > 1 => break,
                _ if spaces == 1 => words.push(String::new()),
                _ => words.last_mut().expect("there is one").push(letter),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn the_readme_lists_every_command() {
        let readme = include_str!("../../../README.md");
        let (_, table) = readme.split_once("## All commands").expect("there is a table");
        let missing: Vec<String> = Tabiya::command()
            .get_subcommands()
            .map(|command| format!("`tabiya {}", command.get_name()))
            .filter(|command| !table.contains(command.as_str()))
            .collect();
        assert_eq!(missing, [""; 0], "enter them into the table of README.md");
    }

    #[test]
    fn every_command_has_examples_that_it_understands() {
        for program in [Tabiya::command(), PgnImport::command()] {
            let own = program.get_name().to_owned();
            let mut seen = 0;
            let mut wrong = Vec::new();
            walk(&program, &own, &mut |name, command| {
                let examples = examples(command);
                if examples.is_empty() {
                    wrong.push(format!("{name} has none"));
                }
                for example in examples.iter().filter(|example| example.starts_with(&own)) {
                    seen += 1;
                    if let Err(error) = program.clone().try_get_matches_from(words(example)) {
                        wrong.push(format!("{example}: {error}"));
                    }
                }
            });
            assert_eq!(wrong, [""; 0]);
            assert!(seen > 0, "{own}");
        }
    }
}
