//! Annotating neighbours with engines that keep what they remember, against cold ones.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use tabiya_app::{
    build::{AnnotateRequest, DEFAULT_BATCH, Depths, Effort, annotate},
    engines::EngineSettings,
};
use tabiya_chess::PositionId;
use tabiya_engine::EngineConfig;
use tabiya_store::Store;
use tokio::runtime::Runtime;

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
const POSITIONS: usize = 300;
const DEPTH: u8 = 12;
/// Of the time that cold engines take.
const MOST_TIME: f64 = 0.70;

/// One way to annotate.
#[derive(Debug, Clone, Copy)]
struct Mode {
    reuse: bool,
    batch: usize,
    hash_mb: u32,
}

/// What came of it.
#[derive(Debug)]
struct Outcome {
    mode: Mode,
    cost: Cost,
    nodes: u64,
    /// In centipawns.
    evals: HashMap<PositionId, i32>,
}

pub(super) fn reuse(engine: &EngineConfig, corpus: &Corpus, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let runtime = Runtime::new()?;
    let base = setting.dir.join("openings.db");
    let games = Slice::first(GAMES, &corpus.plain, setting.dir)?;
    runtime.block_on(expanding::build(&games.path, &base))?;

    let with_memory = |batch, hash_mb| Mode {
        reuse: true,
        batch,
        hash_mb,
    };
    let hash_mb = engine.hash_mb;
    let modes = [
        Mode {
            reuse: false,
            batch: DEFAULT_BATCH,
            hash_mb,
        },
        with_memory(DEFAULT_BATCH, hash_mb),
        with_memory(50, hash_mb),
        with_memory(100, hash_mb),
        with_memory(50, 64),
    ];
    let mut patience = Patience::with(Clock::Wall {
        patience: setting.patience,
    });
    let mut outcomes = Vec::new();
    for mode in modes {
        let database = fresh_copy(&base, setting.dir)?;
        patience.wait_for_quiet();
        let request = request(&database, engine, mode);
        let (annotated, cost) = timed(|| runtime.block_on(annotate(&request, |_| {})));
        let done = annotated.with_context(|| format!("{mode:?}"))?.done;
        let evals = runtime.block_on(evaluations(&database))?;
        ensure!(
            done.searched == POSITIONS as u64 && evals.len() == POSITIONS,
            "{mode:?} searched {} positions and shows {} at depth {DEPTH}, not {POSITIONS}",
            done.searched,
            evals.len()
        );
        outcomes.push(Outcome {
            mode,
            cost,
            nodes: done.nodes,
            evals,
        });
    }
    report.heading(&format!(
        "Annotating {POSITIONS} neighbours to depth {DEPTH}: {}",
        corpus.name
    ));
    show(&outcomes, report);
    let (cold, warm) = (&outcomes[0], &outcomes[1]);
    report.floor(Floor {
        what: format!("time with --reuse-hash against cold engines, {}", corpus.name),
        measured: warm.cost.wall.as_secs_f64() / cold.cost.wall.as_secs_f64(),
        bound: Bound::Below(MOST_TIME),
        unit: "×",
        others: Some(warm.cost.others.max(cold.cost.others)),
    });
    Ok(())
}

fn request(database: &Path, engine: &EngineConfig, mode: Mode) -> AnnotateRequest {
    AnnotateRequest {
        engine: EngineSettings {
            engine: Some(engine.command.clone()),
            hash_mb: Some(mode.hash_mb),
            ..EngineSettings::default()
        },
        effort: Effort::Depths(Depths {
            branching: DEPTH,
            popular: DEPTH,
            popular_games: u64::MAX,
            terminal: DEPTH,
        }),
        limit: Some(POSITIONS),
        batch: mode.batch,
        reuse_hash: mode.reuse,
        ..AnnotateRequest::new(database.display().to_string())
    }
}

fn fresh_copy(base: &Path, dir: &Path) -> Result<PathBuf> {
    let copy = dir.join("annotated.db");
    for suffix in ["", "-wal", "-shm"] {
        let (from, to) = (
            format!("{}{suffix}", base.display()),
            format!("{}{suffix}", copy.display()),
        );
        // What is not there need not be removed.
        drop(fs::remove_file(&to));
        if Path::new(&from).exists() {
            fs::copy(&from, &to).with_context(|| from)?;
        }
    }
    Ok(copy)
}

/// What the nodes show that are as deep as was wanted.
async fn evaluations(database: &Path) -> Result<HashMap<PositionId, i32>> {
    let store = Store::connect(&database.display().to_string()).await?;
    let graph = store.knowledge_graph(None).await?;
    store.close().await;
    let shown = graph.nodes.iter().filter_map(|node| {
        let evaluation = node.evaluation.as_ref()?;
        (evaluation.depth >= DEPTH).then_some((node.id, evaluation.eval.cp))
    });
    Ok(shown.collect())
}

fn show(outcomes: &[Outcome], report: &Report) {
    let cold = &outcomes[0];
    let mut table = Table::new(&[
        "",
        "batch",
        "hash MB",
        "wall s",
        "time",
        "CPU s",
        "CPU",
        "M nodes",
        "nodes",
        "mean difference in cp",
        "others' load",
    ]);
    let seconds = |cost: &Cost| (cost.wall.as_secs_f64(), cost.cpu.as_secs_f64());
    let (cold_wall, cold_cpu) = seconds(&cold.cost);
    for outcome in outcomes {
        let (wall, cpu) = seconds(&outcome.cost);
        table.row(vec![
            if outcome.mode.reuse { "--reuse-hash" } else { "cold" }.to_owned(),
            outcome.mode.batch.to_string(),
            outcome.mode.hash_mb.to_string(),
            format!("{wall:.1}"),
            format!("{:.2}", wall / cold_wall),
            format!("{cpu:.1}"),
            format!("{:.2}", cpu / cold_cpu),
            format!("{:.1}", outcome.nodes as f64 / 1e6),
            format!("{:.2}", outcome.nodes as f64 / cold.nodes as f64),
            format!("{:.1}", difference(&outcome.evals, &cold.evals)),
            format!("{:.0} %", outcome.cost.others * 100.0),
        ]);
    }
    report.table(&table);
}

/// The mean of absolute differences.
fn difference(evals: &HashMap<PositionId, i32>, cold: &HashMap<PositionId, i32>) -> f64 {
    let differences = evals
        .iter()
        .filter_map(|(node, cp)| Some(cp.abs_diff(*cold.get(node)?)));
    differences.map(f64::from).sum::<f64>() / evals.len().max(1) as f64
}
