//! What the queue costs: workers with engines that answer at once, on PostgreSQL.

mod server;

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use tabiya_app::{
    build::{AnnotateRequest, DEFAULT_GAP, default_state_dir},
    engines::EngineSettings,
    worker::{QueueSettings, WorkerReport, WorkerRequest, enqueue, work},
};
use tokio::runtime::Runtime;

use self::server::Scratch;
use crate::{
    clock::{Clock, Cost, Patience, timed},
    corpus::{Corpus, Slice},
    expanding,
    floor::{Bound, Floor},
    report::Report,
    setting::Setting,
    table::Table,
};

const GAMES: usize = 20_000;
/// Positions in a batch.
const BATCH: usize = 32;
const TURNS: usize = 3;
/// Positions a second.
const LEAST_RATE: f64 = 2_000.0;

/// Fills a queue and has a worker empty it, each time in a database of its own. Left out without a server or the engine.
pub(crate) fn queueing(server: Option<&str>, corpus: &Corpus, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    report.heading("The queue on PostgreSQL, with engines that answer at once");
    let Some(server) = server else {
        report.note("Left out: no server is named with --postgres or TABIYA_TEST_POSTGRES.");
        return Ok(());
    };
    let Some(engine) = instant_engine(setting.dir)? else {
        report
            .note("Left out: fake-engine is not beside this program; cargo build --release -p tabiya-engine makes it.");
        return Ok(());
    };
    let runtime = Runtime::new()?;
    let games = Slice::first(GAMES, &corpus.plain, setting.dir)?;
    let mut patience = Patience::with(Clock::Wall {
        patience: setting.patience,
    });
    let mut table = Table::new(&[
        "",
        "batches",
        "positions",
        "wall s",
        "own CPU s",
        "positions/s",
        "others' load",
    ]);
    let mut best: Option<(f64, Cost)> = None;
    for turn in 1..=TURNS {
        let scratch = runtime.block_on(Scratch::create(server))?;
        let measured = turn_of(&runtime, &scratch, &games.path, &engine, &mut patience);
        runtime.block_on(scratch.remove())?;
        let (worked, cost) = measured?;
        let rate = worked.done.searched as f64 / cost.wall.as_secs_f64();
        table.row(vec![
            format!("turn {turn}"),
            worked.batches.to_string(),
            worked.done.searched.to_string(),
            format!("{:.2}", cost.wall.as_secs_f64()),
            format!("{:.2}", cost.cpu.as_secs_f64()),
            format!("{rate:.0}"),
            format!("{:.0} %", cost.others * 100.0),
        ]);
        if best.is_none_or(|(known, _)| rate > known) {
            best = Some((rate, cost));
        }
    }
    report.table(&table);
    if let Some((rate, cost)) = best {
        report.floor(Floor {
            what: "positions a second claimed, answered at once and written".to_owned(),
            measured: rate,
            bound: Bound::AtLeast(LEAST_RATE),
            unit: "/s",
            others: Some(cost.others),
        });
    }
    Ok(())
}

fn turn_of(
    runtime: &Runtime,
    scratch: &Scratch,
    games: &Path,
    engine: &Path,
    patience: &mut Patience,
) -> Result<(WorkerReport, Cost)> {
    let url = scratch.url();
    runtime.block_on(expanding::build(&[games], Path::new(url), expanding::MIN_GAMES))?;
    fs::remove_dir_all(default_state_dir(url))?;
    let request = AnnotateRequest {
        batch: BATCH,
        ..AnnotateRequest::new(url)
    };
    let queue = QueueSettings::default();
    let queued = runtime.block_on(enqueue(&request, &queue))?;
    let worker = WorkerRequest {
        database: url.to_owned(),
        queue,
        engine: EngineSettings {
            engine: Some(engine.to_owned()),
            ..EngineSettings::default()
        },
        cloud: None,
        name: "bench".to_owned(),
        until_empty: true,
        gap: DEFAULT_GAP,
        stop: Default::default(),
    };
    patience.wait_for_quiet();
    let (worked, cost) = timed(|| runtime.block_on(work(&worker, |_| {})));
    let worked = worked?;
    ensure!(
        worked.batches == queued.batches && worked.failed == 0,
        "{} batches were queued, {} done and {} failed",
        queued.batches,
        worked.batches,
        worked.failed
    );
    Ok((worked, cost))
}

/// A program that starts the tests' engine as one that answers at once.
fn instant_engine(dir: &Path) -> Result<Option<PathBuf>> {
    let fake = std::env::current_exe()?.with_file_name("fake-engine");
    if !fake.exists() {
        return Ok(None);
    }
    let script = dir.join("instant-engine");
    fs::write(&script, format!("#!/bin/sh\nexec '{}' instant\n", fake.display()))?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).with_context(|| script.display().to_string())?;
    Ok(Some(script))
}
