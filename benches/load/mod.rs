//! Many people on the page at once: 500 connections, for minutes, on what a page view asks for.

mod views;

use std::{
    net::SocketAddr,
    path::Path,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use tokio::runtime::Runtime;

use crate::{
    corpus::Corpus,
    expanding::build,
    floor::{Bound, Floor},
    importing::Subject,
    report::Report,
    serving::{MIN_GAMES, Served, ask, wrk},
    setting::Setting,
    table::Table,
};

const CONNECTIONS: u32 = 500;
/// How long somebody looks before the next question, on average.
const PAUSE: Duration = Duration::from_millis(100);
const MOST_P99: f64 = 50.0;
/// Seconds in which every question is asked some times.
const WARMING: u32 = 10;
/// What allocators keep for themselves and buffers of connections move memory by.
const MOST_GROWTH: f64 = 16.0;

/// How long the games of the page may be read.
const MOST_READING: Duration = Duration::from_secs(60);

/// Puts the load on a server in this process for so many seconds. What it takes may be missing where it was not asked for.
pub(crate) fn load(
    corpus: &Corpus,
    seconds: u32,
    is_asked_for: bool,
    setting: Setting<'_>,
    report: &mut Report,
) -> Result<()> {
    if let Some(missing) = missing() {
        ensure!(!is_asked_for, "{missing}");
        report.note(&format!("{missing}; load is not measured"));
        return Ok(());
    }
    let runtime = Runtime::new()?;
    let database = setting.dir.join("load.db");
    runtime.block_on(build(&[&corpus.packed], &database, MIN_GAMES))?;
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples");
    let tactics = Subject {
        path: samples.join("tactics.pgn"),
        bytes: 0,
        max_depth: None,
        repertoire: None,
    };
    runtime.block_on(tactics.import_to(&database))?;
    report.heading(&format!("{CONNECTIONS} connections for {seconds} s: {}", corpus.name));
    let games = vec![samples.join("match").display().to_string()];
    let served = runtime.block_on(Served::with_games(&database, games))?;
    wait_for_games(served.address)?;
    let snapshot = runtime.block_on(served.knowledge.wait_for_snapshot());
    // Made when first asked for.
    snapshot.search();
    snapshot.skeletons();
    let views = views::views(&snapshot);
    report.note(&format!(
        "{} positions; {} questions of {} page views, over and over, as browsers ask: answers may be packed. Each connection asks \
         again {} ms after an answer on average; below that, as soon as it has one.",
        snapshot.all().len(),
        views.questions.len(),
        views.number,
        PAUSE.as_millis()
    ));

    let mut table = Table::new(&[
        "500 connections",
        "requests/s",
        "median ms",
        "P99 ms",
        "memory, MB",
        "grown by, MB",
    ]);
    let mut seen = Vec::new();
    for (name, pause, seconds) in [
        ("people who look at what they get", PAUSE, seconds),
        ("as fast as it is answered", Duration::ZERO, (seconds / 10).max(5)),
    ] {
        // What is kept fills up, connections are made; how well that goes is not measured, and what it takes is no growth. Every
        // question is asked some times.
        let quick = views.lua(Duration::ZERO);
        wrk::ask(served.address, &quick, CONNECTIONS, WARMING, setting.dir)?;
        let watch = Watch::start();
        let load = wrk::ask(served.address, &views.lua(pause), CONNECTIONS, seconds, setting.dir)?;
        let memory = watch.end()?;
        table.row(vec![
            name.to_owned(),
            format!("{:.0}", load.per_second),
            format!("{:.2}", load.median),
            format!("{:.2}", load.p99),
            format!("{:.0}", memory.last),
            format!("{:.1}", memory.growth),
        ]);
        seen.push((load, memory));
    }
    report.table(&table);
    let (load, memory) = seen.first().context("nothing was measured")?;
    ensure!(load.per_second > 0.0, "nothing was answered");
    for (what, measured, bound, unit) in [
        ("P99 of 500 connections", load.p99, MOST_P99, " ms"),
        ("growth of memory meanwhile", memory.growth, MOST_GROWTH, " MB"),
    ] {
        report.floor(Floor {
            what: what.to_owned(),
            measured,
            bound: Bound::Below(bound),
            unit,
            others: None,
        });
    }
    runtime.block_on(served.stop());
    Ok(())
}

/// What it takes and is not there, with a way out.
fn missing() -> Option<&'static str> {
    if !wrk::installed() {
        Some("wrk is not installed (`scripts/setup bench` installs it)")
    } else if !tabiya_server::has_page() {
        Some("this program was built without the page (`make page` makes it, for the next build)")
    } else {
        None
    }
}

/// They are read while others are answered already.
fn wait_for_games(address: SocketAddr) -> Result<()> {
    let begun = Instant::now();
    while ask(address, "/data/db.json")?.0 != 200 {
        ensure!(begun.elapsed() < MOST_READING, "the games of the page are not read");
        thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// Memory of this process, looked at ten times a second.
struct Watch {
    seen: thread::JoinHandle<Vec<f64>>,
    is_over: &'static AtomicBool,
}

/// In megabytes.
#[derive(Debug, Clone, Copy)]
struct Memory {
    last: f64,
    /// From the second fifth of the time to the last one, each by its mean.
    growth: f64,
}

impl Watch {
    fn start() -> Watch {
        let is_over: &'static AtomicBool = Box::leak(Box::default());
        let seen = thread::spawn(move || {
            let mut seen = Vec::new();
            let begun = Instant::now();
            while !is_over.load(Relaxed) || begun.elapsed() < Duration::from_secs(1) {
                seen.extend(resident());
                thread::sleep(Duration::from_millis(100));
            }
            seen
        });
        Watch { seen, is_over }
    }

    fn end(self) -> Result<Memory> {
        self.is_over.store(true, Relaxed);
        let seen = self.seen.join().ok().context("nobody looked at the memory")?;
        ensure!(seen.len() >= 5, "memory was seen {} times", seen.len());
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let fifth = seen.len() / 5;
        Ok(Memory {
            last: mean(&seen[seen.len() - fifth..]),
            growth: mean(&seen[seen.len() - fifth..]) - mean(&seen[fifth..2 * fifth]),
        })
    }
}

/// Megabytes of this process in memory.
fn resident() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}
