//! The work whose memory is measured, done in a process of its own: this program, called again.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};
use clap::Subcommand;
use tokio::runtime::Runtime;

use crate::{expanding, extracting, importing::Subject, reading, reviewing};

/// What a child is asked to do.
#[derive(Debug, Clone, Subcommand)]
pub(crate) enum Task {
    /// Reads a file and keeps nothing.
    #[command(hide = true)]
    Read { path: PathBuf },
    /// Imports a file's first 20 half-moves into a SQLite file.
    #[command(hide = true)]
    Import { path: PathBuf, database: PathBuf },
    /// Reviews a file with recorded lines.
    #[command(hide = true)]
    Review { path: PathBuf, lines: PathBuf },
    /// Builds a knowledge base from a file.
    #[command(hide = true)]
    Build { path: PathBuf, database: PathBuf },
    /// Takes training positions out of a file.
    #[command(hide = true)]
    Positions { path: PathBuf, output: PathBuf },
}

/// What a child says at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    pub(crate) games: u64,
    pub(crate) edges: u64,
    /// The most memory it had at any time, in bytes.
    pub(crate) peak: u64,
}

/// Does the task in this process.
pub(crate) fn perform(task: &Task) -> Result<Done> {
    let (games, edges) = match task {
        Task::Read { path } => (reading::read(path)?.games, 0),
        Task::Import { path, database } => {
            let bytes = fs::metadata(path)?.len();
            let subject = Subject {
                path: path.clone(),
                bytes,
                max_depth: Some(20),
                repertoire: None,
            };
            let counters = Runtime::new()?.block_on(subject.import_to(database))?;
            (counters.pgn_games_total, counters.edges_inserted)
        }
        Task::Review { path, lines } => (Runtime::new()?.block_on(reviewing::review(path, lines))?, 0),
        Task::Build { path, database } => {
            let built = Runtime::new()?.block_on(expanding::build(&[path], database, expanding::MIN_GAMES))?;
            (built.games, built.moves)
        }
        Task::Positions { path, output } => {
            let taken = extracting::extract(path, output, 2)?;
            (taken.manifest.counts.games, taken.manifest.counts.positions)
        }
    };
    Ok(Done {
        games,
        edges,
        peak: peak()?,
    })
}

/// Has a child do it.
pub(crate) fn delegate(verb: &str, paths: &[&Path]) -> Result<Done> {
    let output = Command::new(std::env::current_exe()?).arg(verb).args(paths).output()?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "the child that was to {verb} failed: {complaint}"
    );
    let text = String::from_utf8(output.stdout)?;
    let numbers: Vec<u64> = text
        .split_whitespace()
        .filter_map(|number| number.parse().ok())
        .collect();
    match numbers[..] {
        [games, edges, peak] => Ok(Done { games, edges, peak }),
        _ => anyhow::bail!("the child that was to {verb} said {text:?}"),
    }
}

/// The high-water mark of this process's resident memory.
fn peak() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("no VmHWM in /proc/self/status")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024)
}
