//! A pool against a bare loop that feeds the same engine the same positions.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use shakmaty::Chess;
use tabiya_chess::{Analysis, SearchLimit};
use tabiya_engine::{Answer, EngineConfig, Memory, Pool, PoolConfig, Search, Unit};
use tokio::runtime::Runtime;

use super::{
    bare::{self, Opinion},
    positions::positions,
};
use crate::{
    clock::{Clock, Cost, Patience, timed},
    floor::{Bound, Floor},
    report::Report,
    setting::Setting,
    table::Table,
};

const WORKERS: usize = 2;
const POSITIONS: usize = 200;
/// About each position. A tenth of a second: annotation takes far more, and then feeding costs a smaller part.
const NODES: u64 = 50_000;
const PAIRS: usize = 7;
/// Of the engines' CPU time.
const MOST_OWN: f64 = 3.0;
/// Of the bare rate.
const LEAST_RATE: f64 = 0.97;

pub(super) fn feeding(engine: &EngineConfig, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let positions = positions(POSITIONS);
    let runtime = Runtime::new()?;
    let ours = || runtime.block_on(pool(engine, &positions));
    let bare = || bare::analyse(engine, WORKERS, &positions, NODES);

    let mut patience = Patience::with(Clock::Wall {
        patience: setting.patience,
    });
    let mut pairs = Vec::with_capacity(PAIRS);
    let mut name = String::new();
    for pair in 0..PAIRS {
        patience.wait_for_quiet();
        // Bare, ours, ours, bare, …: what drifts meets both alike.
        let ((lines, bare), (analyses, ours)) = if pair % 2 == 0 {
            let bare = timed(bare);
            (bare, timed(ours))
        } else {
            let ours = timed(ours);
            (timed(bare), ours)
        };
        let analyses = analyses.context("the pool")?;
        agree(&positions, &lines.context("the bare loop")?, &analyses)?;
        name.clone_from(&analyses[0].engine);
        pairs.push((bare, ours));
    }
    report.heading(&format!(
        "Feeding engines: {POSITIONS} positions, {NODES} nodes each, {WORKERS} × {name}"
    ));
    show(&pairs, report);
    promise(&pairs, report);
    Ok(())
}

/// All positions through a pool, each in a unit of its own, from the start of the first engine to the end of the last.
async fn pool(engine: &EngineConfig, positions: &[Chess]) -> Result<Vec<Analysis>> {
    let config = PoolConfig {
        workers: WORKERS,
        at_once: WORKERS,
        ..PoolConfig::new(engine.clone())
    };
    let pool = Pool::start(config).await?;
    let submit = |position: &Chess| {
        let search = Search {
            position: position.clone(),
            limit: SearchLimit::nodes(NODES),
            multipv: 1,
        };
        pool.submit(Unit {
            searches: vec![search],
            memory: Memory::Nothing,
        })
    };
    let all: Vec<_> = positions.iter().map(submit).collect();
    let mut analyses = Vec::with_capacity(all.len());
    for mut replies in all {
        match replies.next().await {
            Some((_, Answer::Done(analysis))) => analyses.push(analysis),
            other => bail!("a position was not answered: {other:?}"),
        }
    }
    pool.stop(Duration::from_secs(1)).await;
    Ok(analyses)
}

/// Both have heard the same.
fn agree(positions: &[Chess], lines: &[String], analyses: &[Analysis]) -> Result<()> {
    for ((position, line), analysis) in positions.iter().zip(lines).zip(analyses) {
        let best = analysis.best().context("an answer without a line")?;
        let ours = Opinion {
            best: best.moves.first().map(ToString::to_string).unwrap_or_default(),
            eval: best.eval,
        };
        let bare = bare::opinion(position, line)?;
        ensure!(ours == bare, "the pool says {ours:?}, the engine {bare:?}");
    }
    Ok(())
}

fn show(pairs: &[(Cost, Cost)], report: &Report) {
    let mut table = Table::new(&[
        "pair",
        "bare s",
        "ours s",
        "rate against bare",
        "engines' CPU s",
        "bare own CPU ms",
        "our own CPU ms",
        "our share",
        "others' load",
    ]);
    for (number, (bare, ours)) in pairs.iter().enumerate() {
        table.row(vec![
            (number + 1).to_string(),
            format!("{:.2}", bare.wall.as_secs_f64()),
            format!("{:.2}", ours.wall.as_secs_f64()),
            format!("{:.3}", rate(bare, ours)),
            format!("{:.2}", ours.children.as_secs_f64()),
            format!("{:.0}", bare.own().as_secs_f64() * 1e3),
            format!("{:.0}", ours.own().as_secs_f64() * 1e3),
            format!("{:.2} %", share(ours)),
            format!("{:.0} %", ours.others.max(bare.others) * 100.0),
        ]);
    }
    report.table(&table);
}

fn promise(pairs: &[(Cost, Cost)], report: &mut Report) {
    let others = pairs.iter().map(|(bare, ours)| bare.others.max(ours.others));
    report.floor(Floor {
        what: "our own CPU time against the engines', the median of all pairs".to_owned(),
        measured: median(pairs.iter().map(|(_, ours)| share(ours))),
        bound: Bound::Below(MOST_OWN),
        unit: " %",
        others: None,
    });
    report.floor(Floor {
        what: "positions a second against a bare loop, the median of all pairs".to_owned(),
        measured: median(pairs.iter().map(|(bare, ours)| rate(bare, ours))),
        bound: Bound::AtLeast(LEAST_RATE),
        unit: "×",
        others: others.reduce(f64::max),
    });
}

fn rate(bare: &Cost, ours: &Cost) -> f64 {
    bare.wall.as_secs_f64() / ours.wall.as_secs_f64()
}

/// In percent.
fn share(ours: &Cost) -> f64 {
    ours.own().as_secs_f64() / ours.children.as_secs_f64().max(1e-9) * 100.0
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
