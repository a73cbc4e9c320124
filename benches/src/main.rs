//! Measures Tabiya side by side with its peers and with the limits of the machine, in one run.
//!
//! Counts are compared before any time is reported. The floors that must hold are printed with the measured values;
//! the exit code is 1 where one does not.

mod analysing;
mod clock;
mod contender;
mod corpus;
mod engines;
mod expanding;
mod exporting;
mod extracting;
mod floor;
mod importing;
#[path = "../load/mod.rs"]
mod load;
mod memory;
mod projecting;
mod python;
mod queueing;
mod reading;
mod report;
mod reviewing;
mod rng;
mod serving;
mod setting;
mod table;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use anyhow::{Context, Result};
use clap::{Parser, ValueEnum, builder::FalseyValueParser};

use crate::{corpus::Corpus, memory::Task, report::Report, setting::Setting};

/// The one of the programs that are measured.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[derive(Debug, Parser)]
#[command(about = "Measures Tabiya side by side with its peers")]
struct Options {
    /// Real games to measure on as well, compressed or not
    #[arg(long, env = "TABIYA_CORPUS", value_name = "FILE")]
    corpus: Option<PathBuf>,

    /// Further games for the graph that is served or copied, which is to be a large one
    #[arg(long, value_name = "FILE")]
    also: Vec<PathBuf>,

    /// Measure peak memory on files of 1 GB as well, which takes minutes and several GB of disk
    #[arg(long, env = "TABIYA_BENCH_MEMORY", value_parser = FalseyValueParser::new())]
    memory: bool,

    /// Seconds that each comparison by the wall clock may wait for others to leave the machine alone
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    patience: u64,

    /// Seconds for which many people are on the page at once
    #[arg(long, env = "TABIYA_LOAD_SECONDS", default_value_t = 300, value_name = "SECONDS")]
    load_seconds: u32,

    /// The engine to measure with; the one that is found where none is named
    #[arg(long, env = "TABIYA_ENGINE", value_name = "PROGRAM")]
    engine: Option<PathBuf>,

    /// A PostgreSQL server to measure the queue on, by the URL of a database there; each run makes one of its own
    #[arg(long, env = "TABIYA_TEST_POSTGRES", hide_env_values = true, value_name = "URL")]
    postgres: Option<String>,

    /// A Neo4j server to measure copying to, by its URL; what is in its database is replaced
    #[arg(long, env = "TABIYA_TEST_NEO4J", hide_env_values = true, value_name = "URL")]
    neo4j: Option<String>,

    /// Measure only this
    #[arg(long)]
    only: Option<Part>,

    #[command(subcommand)]
    task: Option<Task>,
}

/// The parts of the bench.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    Reading,
    Import,
    Expand,
    Engines,
    Queue,
    Serve,
    Load,
    Exports,
    Project,
    Analyze,
    Review,
    Positions,
    Memory,
    /// The part of `memory` that builds the knowledge base from two million games
    BuildMemory,
}

impl Options {
    fn wants(&self, part: Part) -> bool {
        match self.only {
            Some(only) => only == part || only == Part::Memory && part == Part::BuildMemory,
            None => !matches!(part, Part::Memory | Part::BuildMemory) || self.memory,
        }
    }
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    match &options.task {
        Some(task) => task_of_a_child(task),
        None => measure(&options),
    }
}

#[expect(clippy::print_stdout, reason = "the parent reads it")]
fn task_of_a_child(task: &Task) -> Result<ExitCode> {
    let done = memory::perform(task)?;
    println!("{} {} {}", done.games, done.edges, done.peak);
    Ok(ExitCode::SUCCESS)
}

fn measure(options: &Options) -> Result<ExitCode> {
    let kept = std::env::temp_dir().join("tabiya-bench");
    std::fs::create_dir_all(&kept).with_context(|| kept.display().to_string())?;
    let scratch = tempfile::tempdir_in(&kept)?;
    let dir = scratch.path();
    let setting = Setting {
        dir,
        patience: Duration::from_secs(options.patience),
    };
    let mut report = Report::default();
    let real = options
        .corpus
        .as_deref()
        .map(|path| corpus::real(path, dir))
        .transpose()?;
    if options.wants(Part::Reading) {
        for corpus in [Some(&corpus::generated(&kept)?), real.as_ref()].into_iter().flatten() {
            reading::one_thread(corpus, setting, &mut report)?;
            reading::two_threads(corpus, setting, &mut report)?;
        }
    }
    if options.wants(Part::Import) {
        importing::repertoires(&corpus::repertoire(dir)?, setting, &mut report)?;
        if let Some(real) = &real {
            importing::openings(real, setting, &mut report)?;
        }
    }
    if options.wants(Part::Expand) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        let games = reading::read(&corpus.plain)?.games as usize;
        expanding::expand(&corpus, games, setting, &mut report)?;
    }
    if options.wants(Part::Engines) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        engines::engines(options.engine.as_deref(), &corpus, setting, &mut report)?;
    }
    if options.wants(Part::Queue) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        queueing::queueing(options.postgres.as_deref(), &corpus, setting, &mut report)?;
    }
    if options.wants(Part::Serve) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        serving::serve(&corpus, &options.also, setting, &mut report)?;
    }
    if options.wants(Part::Load) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        let is_asked_for = options.only == Some(Part::Load);
        load::load(&corpus, options.load_seconds, is_asked_for, setting, &mut report)?;
    }
    if options.wants(Part::Exports) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        exporting::exports(&corpus, setting, &mut report)?;
    }
    if options.wants(Part::Project) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        projecting::projecting(options.neo4j.as_deref(), &corpus, &options.also, setting, &mut report)?;
    }
    if options.wants(Part::Analyze) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        analysing::analyse(&corpus, setting, &mut report)?;
    }
    if options.wants(Part::Review) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        reviewing::reviewing(options.engine.as_deref(), &corpus, setting, &mut report)?;
    }
    if options.wants(Part::Positions) {
        let corpus = real_or_generated(real.as_ref(), &kept)?;
        extracting::positions(options.engine.as_deref(), &corpus, setting, &mut report)?;
    }
    if options.wants(Part::Memory) {
        memory::memory(dir, &mut report)?;
    }
    if options.wants(Part::BuildMemory) {
        memory::building(dir, &mut report)?;
    }
    Ok(if report.conclude() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn real_or_generated(real: Option<&Corpus>, kept: &Path) -> Result<Corpus> {
    match real {
        Some(real) => Ok(real.clone()),
        None => corpus::generated(kept),
    }
}
