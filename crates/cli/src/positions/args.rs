//! The command line of `tabiya positions`.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use clap::{ArgAction, Args, Subcommand, ValueEnum};
use tabiya_app::positions::{Blocklist, FenFormat, Month, SampleFormat, Shard, Strata};

use super::settings::Settings;
use crate::{args::either, engine_args::EngineArgs, queue_args::QueueArgs};

pub(crate) const EXAMPLES: &str = "\
Examples:
  tabiya positions --month 2024-01 --engine stockfish --nodes 20000 --output 2024-01.parquet
  tabiya positions --input games.pgn.zst --no-engine --output positions.parquet
  tabiya positions --months 2023-01 2023-02 --max 1000000 --quiet-only --dedupe --output q1.binpack
  tabiya positions --month 2024-01 --resume --output 2024-01.parquet     go on after an interruption
  tabiya positions --month 2024-01 --shard 3/8 --output part3.parquet    an eighth of the same positions
  tabiya positions --months 2024-01 2024-02 --db postgres://host/chess --enqueue --shares 8 --output p.parquet
  tabiya positions --db postgres://host/chess --work --output positions/  on as many machines as there are
  tabiya positions inspect 2024-01.parquet                               what is in it, as bars
  tabiya positions convert 2024-01.parquet --output 2024-01.bullet       for another trainer

One position of a game is taken, the one before a move that (seed, game) decide, unless it is in the opening, near the end, \
evaluated in the game already or has few pieces. Everything that is passed over is counted by reason, in the summary and in \
FILE.manifest.json. The same seed gives the same positions on any number of threads, engines and machines. docs/positions.md \
teaches the formats.";

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct PositionsArgs {
    #[command(subcommand)]
    pub(super) command: Option<PositionsCommand>,
    #[command(flatten)]
    pub(super) take: TakeArgs,
}

#[derive(Debug, Args)]
pub(super) struct TakeArgs {
    /// The month of an archive, such as 2024-01
    #[arg(long, value_name = "MONTH", help_heading = "Input")]
    pub(super) month: Vec<Month>,
    /// Several months
    #[arg(long, value_name = "MONTH", num_args = 1.., help_heading = "Input")]
    pub(super) months: Vec<Month>,
    /// Files of games instead of archives: PGN, compressed or not, directories, globs, or - for standard input
    #[arg(long, value_name = "PATH", num_args = 1.., help_heading = "Input")]
    pub(super) input: Vec<String>,
    /// standard or chess960, or both [default: standard]
    #[arg(long, value_name = "NAME", num_args = 1.., help_heading = "Input")]
    pub(super) variant: Vec<String>,
    /// Where archives lie [default: https://database.lichess.org]
    #[arg(long, value_name = "URL", help_heading = "Input")]
    pub(super) base_url: Option<String>,
    /// Months that are not read: known, none, or a list such as 2021-03,chess960:2023-11 [default: known]
    #[arg(long, value_name = "LIST", help_heading = "Input")]
    pub(super) blocklist: Option<Blocklist>,
    /// Keep downloads here [default: beside the output, until it is whole]
    #[arg(long, value_name = "DIR", help_heading = "Input")]
    pub(super) download_dir: Option<PathBuf>,
    /// Keep nothing of a download on disk; a resumed run downloads again
    #[arg(long, conflicts_with = "download_dir", help_heading = "Input")]
    pub(super) stream: bool,
    /// Show which months there are, and end
    #[arg(long, help_heading = "Input")]
    pub(super) list_months: bool,
    /// Show what is known to be wrong with the archives, and end
    #[arg(long, help_heading = "Input")]
    pub(super) list_known_issues: bool,
    /// Threads that read games [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub(super) readers: Option<NonZeroUsize>,
    /// Read this configuration file instead of ./tabiya.toml
    #[arg(long, value_name = "FILE", help_heading = "Input")]
    pub(super) config: Option<PathBuf>,

    /// Leave out games in which a player has less
    #[arg(long, value_name = "ELO", help_heading = "Games")]
    pub(super) min_elo: Option<u16>,
    /// Leave out games in which a player has more
    #[arg(long, value_name = "ELO", help_heading = "Games")]
    pub(super) max_elo: Option<u16>,
    /// Leave out games of fewer half-moves [default: 20]
    #[arg(long, value_name = "N", help_heading = "Games")]
    pub(super) min_game_length: Option<usize>,
    /// Leave out games with a bot [default]
    #[arg(long, overrides_with = "no_skip_bots", action = ArgAction::SetTrue, help_heading = "Games")]
    skip_bots: bool,
    /// Take games with bots too
    #[arg(long, overrides_with = "skip_bots", action = ArgAction::SetTrue, help_heading = "Games")]
    no_skip_bots: bool,
    /// Leave out abandoned games and those decided off the board [default]
    #[arg(long, overrides_with = "no_skip_abandoned", action = ArgAction::SetTrue, help_heading = "Games")]
    skip_abandoned: bool,
    /// Take abandoned games too
    #[arg(long, overrides_with = "skip_abandoned", action = ArgAction::SetTrue, help_heading = "Games")]
    no_skip_abandoned: bool,
    /// Leave out games whose result contradicts their last position [default]
    #[arg(long, overrides_with = "no_check_results", action = ArgAction::SetTrue, help_heading = "Games")]
    check_results: bool,
    /// Take them too
    #[arg(long, overrides_with = "check_results", action = ArgAction::SetTrue, help_heading = "Games")]
    no_check_results: bool,
    /// Only rated games
    #[arg(long, help_heading = "Games")]
    pub(super) rated_only: bool,
    /// Only these speeds: ultraBullet, bullet, blitz, rapid, classical, correspondence
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = "Games")]
    pub(super) speeds: Vec<String>,

    /// Positions of a game [default: 1]
    #[arg(long, value_name = "N", help_heading = "Positions")]
    pub(super) per_game: Option<usize>,
    /// Another seed, another choice [default: 0]
    #[arg(long, value_name = "N", help_heading = "Positions")]
    pub(super) seed: Option<u64>,
    /// Pass over the first half-moves [default: 10]
    #[arg(long, value_name = "N", help_heading = "Positions")]
    pub(super) min_ply: Option<usize>,
    /// Pass over the last half-moves [default: 5]
    #[arg(long, value_name = "N", help_heading = "Positions")]
    pub(super) end_margin: Option<usize>,
    /// Pass over positions with fewer pieces [default: 7]
    #[arg(long, value_name = "N", help_heading = "Positions")]
    pub(super) min_pieces: Option<usize>,
    /// Take positions that the game has an evaluation of like others
    #[arg(long, help_heading = "Positions")]
    pub(super) keep_evaluated: bool,
    /// Pass over positions in check
    #[arg(long, help_heading = "Positions")]
    pub(super) not_in_check: bool,
    /// Pass over positions in check, and those whose best move takes or promotes; the engine's, or the game's without one
    #[arg(long, help_heading = "Positions")]
    pub(super) quiet_only: bool,
    /// Pass over positions in which a side is ahead by so many centipawns and loses the game
    #[arg(long, value_name = "CP", num_args = 0..=1, default_missing_value = "200", help_heading = "Positions")]
    pub(super) result_consistent: Option<u32>,
    /// Leave out duplicates within the run
    #[arg(long, help_heading = "Positions")]
    pub(super) dedupe: bool,
    /// Leave out positions of these files too
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Positions")]
    pub(super) dedupe_with: Vec<PathBuf>,
    /// So many positions of each band of mean ratings at most: 1000,1200,1400=50000
    #[arg(long, value_name = "BANDS=N", help_heading = "Positions")]
    pub(super) stratify: Option<Strata>,
    /// So many positions at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Positions")]
    pub(super) max: Option<u64>,
    /// Only the I-th of N equal shares of them
    #[arg(long, value_name = "I/N", help_heading = "Positions")]
    pub(super) shard: Option<Shard>,

    /// How deep the engine searches [default: 12]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..), conflicts_with = "nodes", help_heading = "Engine")]
    pub(super) depth: Option<u8>,
    /// How many nodes it searches, which compares between versions and takes the same time for every position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), help_heading = "Engine")]
    pub(super) nodes: Option<u64>,
    /// No engine: scores are missing
    #[arg(long, help_heading = "Engine")]
    pub(super) no_engine: bool,
    /// Without an engine: positions that the game has an evaluation of, with that
    #[arg(long, help_heading = "Engine")]
    pub(super) use_evals: bool,
    #[command(flatten)]
    pub(super) engine: EngineArgs,

    /// The file to write
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: Option<PathBuf>,
    /// What it is [default: what its name says, else parquet]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: Option<FormatArg>,
    /// How positions are written in Parquet [default: packed]
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Output")]
    pub(super) fen_format: Option<FenArg>,
    /// Positions of a row group [default: 10000]
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(super) batch_size: Option<NonZeroUsize>,
    /// Go on where an earlier run was interrupted
    #[arg(long, help_heading = "Output")]
    pub(super) resume: bool,
    /// Throw away what an earlier run left, and begin anew
    #[arg(long, conflicts_with = "resume", help_heading = "Output")]
    pub(super) restart: bool,
    /// Write the report as JSON to a file, or to standard output with -
    #[arg(long, value_name = "FILE", conflicts_with_all = ["enqueue", "work"], help_heading = "Output")]
    pub(super) report: Option<PathBuf>,

    /// Where jobs wait for many machines, such as postgres://HOST/NAME [default: $TABIYA_DB, else tabiya.db]
    #[arg(long, visible_alias = "dsn", value_name = "URL", help_heading = "Many machines")]
    pub(super) db: Option<String>,
    /// Put the run into the queue, a job for each month, instead of doing it; --output names how files end
    #[arg(long, conflicts_with = "shard", help_heading = "Many machines")]
    pub(super) enqueue: bool,
    /// With --enqueue: so many jobs for each month [default: 1]
    #[arg(long, value_name = "N", requires = "enqueue", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Many machines")]
    pub(super) shares: Option<u32>,
    /// Take jobs out of the queue and do them; --output names the directory for their files
    #[arg(long, conflicts_with = "enqueue", help_heading = "Many machines")]
    pub(super) work: bool,
    /// With --work: end when nothing is left to do, instead of waiting for more
    #[arg(long, requires = "work", help_heading = "Many machines")]
    pub(super) until_empty: bool,
    #[command(flatten)]
    pub(super) queue: QueueArgs,
}

/// What an output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FormatArg {
    /// A table for pyarrow, polars, DuckDB
    Parquet,
    /// Records of 32 bytes, for bullet
    Bulletformat,
    /// Stockfish's own
    Binpack,
    /// FEN | score | result
    Text,
    /// One JSON object a line
    Jsonl,
}

impl From<FormatArg> for SampleFormat {
    fn from(format: FormatArg) -> SampleFormat {
        match format {
            FormatArg::Parquet => SampleFormat::Parquet,
            FormatArg::Bulletformat => SampleFormat::Bulletformat,
            FormatArg::Binpack => SampleFormat::Binpack,
            FormatArg::Text => SampleFormat::Text,
            FormatArg::Jsonl => SampleFormat::Jsonl,
        }
    }
}

/// How positions are written in Parquet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FenArg {
    /// shakmaty's PackedSetup
    Packed,
    /// The compact layout
    Compact,
    /// Plain FEN
    Text,
}

impl From<FenArg> for FenFormat {
    fn from(form: FenArg) -> FenFormat {
        match form {
            FenArg::Packed => FenFormat::Packed,
            FenArg::Compact => FenFormat::Compact,
            FenArg::Text => FenFormat::Text,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(super) enum PositionsCommand {
    /// Show what is in files of positions: scores, plies, pieces, ratings and results as bars
    #[command(after_help = "\
Examples:
  tabiya positions inspect 2024-01.parquet
  tabiya positions inspect part*.binpack --format json")]
    Inspect(InspectArgs),
    /// Write positions as lines for people to standard output
    #[command(after_help = "\
Examples:
  tabiya positions decode 2024-01.parquet --limit 10
  tabiya positions decode data.bin --from bulletformat")]
    Decode(DecodeArgs),
    /// Write a file of positions in another format
    #[command(after_help = "\
Examples:
  tabiya positions convert 2024-01.parquet --output 2024-01.bullet")]
    Convert(ConvertArgs),
    /// Write positions in a random order
    #[command(after_help = "\
Examples:
  tabiya positions shuffle 2024-01.parquet --output shuffled.parquet")]
    Shuffle(ShuffleArgs),
    /// Write several files of positions into one
    #[command(after_help = "\
Examples:
  tabiya positions merge part1.parquet part2.parquet --output all.parquet")]
    Merge(ConvertArgs),
    /// Write positions without duplicates; of equal ones the first stays
    #[command(after_help = "\
Examples:
  tabiya positions dedupe 2024-01.parquet --output unique.parquet")]
    Dedupe(DedupeArgs),
}

impl PositionsCommand {
    /// The file that it writes, if it writes one.
    pub(super) fn output(&self) -> Option<&Path> {
        let written = match self {
            PositionsCommand::Inspect(_) | PositionsCommand::Decode(_) => return None,
            PositionsCommand::Convert(arguments) | PositionsCommand::Merge(arguments) => &arguments.output,
            PositionsCommand::Shuffle(arguments) => &arguments.output,
            PositionsCommand::Dedupe(arguments) => &arguments.output,
        };
        Some(&written.output)
    }

    /// The files that it reads.
    pub(super) fn read(&self) -> Vec<&Path> {
        let (input, with): (&InputArgs, &[PathBuf]) = match self {
            PositionsCommand::Inspect(arguments) => (&arguments.input, &[]),
            PositionsCommand::Decode(arguments) => (&arguments.input, &[]),
            PositionsCommand::Convert(arguments) | PositionsCommand::Merge(arguments) => (&arguments.input, &[]),
            PositionsCommand::Shuffle(arguments) => (&arguments.input, &[]),
            PositionsCommand::Dedupe(arguments) => (&arguments.input, &arguments.with),
        };
        input.files.iter().chain(with).map(PathBuf::as_path).collect()
    }
}

#[derive(Debug, Args)]
pub(super) struct InputArgs {
    /// Files of positions
    #[arg(value_name = "FILE", required = true, help_heading = "Input")]
    pub(super) files: Vec<PathBuf>,
    /// What they are, where their names do not say it
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Input")]
    pub(super) from: Option<FormatArg>,
    /// How positions are written in Parquet that does not say it
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Input")]
    pub(super) from_fen: Option<FenArg>,
}

#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// The file to write
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(super) output: PathBuf,
    /// What it is [default: what its name says]
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: Option<FormatArg>,
    /// How positions are written in Parquet [default: as in the first input]
    #[arg(long, value_enum, value_name = "FORM", help_heading = "Output")]
    pub(super) fen_format: Option<FenArg>,
    /// Positions of a row group
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Output")]
    pub(super) batch_size: usize,
}

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,
    /// Print bars, or the counts as JSON
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub(super) format: crate::args::Format,
}

#[derive(Debug, Args)]
pub(super) struct DecodeArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,
    /// End after so many
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(super) limit: Option<u64>,
}

#[derive(Debug, Args)]
pub(super) struct ConvertArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct ShuffleArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    /// Another seed, another order
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Output")]
    pub(super) seed: u64,
}

#[derive(Debug, Args)]
pub(super) struct DedupeArgs {
    #[command(flatten)]
    pub(super) input: InputArgs,
    #[command(flatten)]
    pub(super) output: OutputArgs,
    /// Leave out positions of these files too
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = "Input")]
    pub(super) with: Vec<PathBuf>,
}

impl TakeArgs {
    /// What the command line says of what a file may say too.
    pub(super) fn settings(&self) -> Settings {
        let some = |list: &Vec<String>| (!list.is_empty()).then(|| list.clone());
        let path = |path: &PathBuf| path.display().to_string();
        let format = |format: FormatArg| SampleFormat::from(format).to_string();
        let form = |form: FenArg| FenFormat::from(form).to_string();
        Settings {
            engine: self.engine.clone().into_keys().or_environment(),
            variants: some(&self.variant),
            base_url: self.base_url.clone(),
            blocklist: self.blocklist.as_ref().map(ToString::to_string),
            download_dir: self.download_dir.as_ref().map(path),
            readers: self.readers,
            min_elo: self.min_elo,
            max_elo: self.max_elo,
            min_game_length: self.min_game_length,
            skip_bots: either(self.skip_bots, self.no_skip_bots),
            skip_abandoned: either(self.skip_abandoned, self.no_skip_abandoned),
            check_results: either(self.check_results, self.no_check_results),
            rated_only: self.rated_only.then_some(true),
            speeds: some(&self.speeds),
            per_game: self.per_game,
            seed: self.seed,
            min_ply: self.min_ply,
            end_margin: self.end_margin,
            min_pieces: self.min_pieces,
            keep_evaluated: self.keep_evaluated.then_some(true),
            not_in_check: self.not_in_check.then_some(true),
            quiet_only: self.quiet_only.then_some(true),
            result_consistent: self.result_consistent,
            dedupe: self.dedupe.then_some(true),
            stratify: self.stratify.as_ref().map(ToString::to_string),
            max: self.max,
            depth: self.depth,
            nodes: self.nodes,
            no_engine: self.no_engine.then_some(true),
            use_evals: self.use_evals.then_some(true),
            format: self.format.map(format),
            fen_format: self.fen_format.map(form),
            batch_size: self.batch_size,
        }
    }
}
