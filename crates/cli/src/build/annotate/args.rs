//! `tabiya build annotate`, as clap reads it.

use clap::Args;

use super::super::args::PlainArgs;
use crate::{engine_args::EngineArgs, queue_args::QueueArgs};

pub(in super::super) const EXAMPLES: &str = "\
Examples:
  tabiya build annotate --dry-run             say how long it would take
  tabiya build annotate --limit 500           evaluate the 500 most played positions
  tabiya build annotate --nodes 1000000       think about a million nodes instead of to a depth
  tabiya build annotate --reuse-hash          faster, and not reproducible to the centipawn
  tabiya build annotate --review              list evaluations that contradict each other";

#[derive(Debug, Args)]
pub(in super::super) struct AnnotateArgs {
    /// Say what would be done and how long it would take, and do nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// List the evaluations that contradict those of their neighbours, for a person to judge
    #[arg(long, conflicts_with_all = ["dry_run", "report"])]
    pub(super) review: bool,
    /// Show the new evaluation of a position that --review lists
    #[arg(long, value_name = "FEN", conflicts_with_all = ["dry_run", "review", "keep", "report"])]
    pub(super) accept: Option<String>,
    /// Leave the old evaluation of a position that --review lists
    #[arg(long, value_name = "FEN", conflicts_with_all = ["dry_run", "review", "report"])]
    pub(super) keep: Option<String>,
    /// Put the work into a queue for `tabiya worker`, instead of doing it; each worker has a --cloud of its own
    #[arg(long, conflicts_with_all = ["dry_run", "review", "accept", "keep", "cloud"])]
    pub(super) enqueue: bool,
    #[command(flatten)]
    pub(super) queue: QueueArgs,
    #[command(flatten)]
    pub(super) effort: EffortArgs,
    #[command(flatten)]
    pub(super) engine: EngineArgs,
    #[command(flatten)]
    pub(super) plain: PlainArgs,
}

/// What is searched, and how long.
#[derive(Debug, Args)]
#[command(next_help_heading = "Effort")]
pub(crate) struct EffortArgs {
    /// Depth where several moves lead on [default: 22]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) depth: Option<u8>,
    /// The same where many games come by [default: --depth + 4]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) popular_depth: Option<u8>,
    /// How many games are many [default: 1000]
    #[arg(long, value_name = "GAMES")]
    pub(super) popular_games: Option<u64>,
    /// Depth where the tree ends [default: the lesser of --depth and 18]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) terminal_depth: Option<u8>,
    /// Search so many nodes at each position, instead of to a depth
    #[arg(long, value_name = "N", conflicts_with_all = ["depth", "popular_depth", "terminal_depth"])]
    pub(super) nodes: Option<u64>,
    /// End a search that takes longer, in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) movetime: Option<u32>,
    /// Lines at each position [default: 3]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) multipv: Option<u8>,
    /// Evaluate no more positions than this
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// Go by the games of this collection [default: all]
    #[arg(long, value_name = "NAME")]
    pub(super) collection: Option<String>,
    /// Positions that one engine goes through in a row [default: 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) batch: Option<u16>,
    /// Let an engine remember one position while it thinks about the next
    #[arg(long)]
    pub(super) reuse_hash: bool,
    /// Take no evaluations of others: imported ones, the cloud's, other engines'
    #[arg(long)]
    pub(super) engine_only: bool,
    /// Ask a Lichess-compatible service first, such as https://lichess.org/api/cloud-eval
    #[arg(long, value_name = "URL", conflicts_with = "engine_only")]
    pub(super) cloud: Option<String>,
    /// Put an evaluation to a person if it differs from its neighbours' by more [default: 100]
    #[arg(long, value_name = "CP")]
    pub(super) gap: Option<u32>,
    /// Try positions again that no engine could answer
    #[arg(long)]
    pub(super) retry_quarantined: bool,
}
