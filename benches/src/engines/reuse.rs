//! Annotating neighbours with engines that keep what they remember, against cold ones.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use tabiya_app::{
    build::{AnnotateRequest, DEFAULT_BATCH, DEFAULT_MULTIPV, Depths, Effort, annotate},
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
/// Of the time that cold engines take.
const MOST_TIME: f64 = 0.70;

/// One way to annotate.
#[derive(Debug, Clone, Copy)]
struct Mode {
    reuse: bool,
    depth: u8,
    lines: u8,
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
    runtime.block_on(expanding::build(&[&games.path], &base, expanding::MIN_GAMES))?;

    let cold = Mode {
        reuse: false,
        depth: 14,
        lines: 1,
        batch: DEFAULT_BATCH,
        hash_mb: engine.hash_mb,
    };
    let warm = Mode { reuse: true, ..cold };
    let one_line = [
        cold,
        warm,
        Mode { batch: 50, ..warm },
        Mode {
            batch: 50,
            hash_mb: 64,
            ..warm
        },
    ];
    // As many lines as are asked for where nobody says otherwise: less is gained with them. They take longer, hence the depth.
    let three_lines = [cold, warm].map(|mode| Mode {
        depth: 12,
        lines: DEFAULT_MULTIPV,
        ..mode
    });
    let mut patience = Patience::with(Clock::Wall {
        patience: setting.patience,
    });
    let mut measure = |modes: &[Mode]| -> Result<Vec<Outcome>> {
        let measured = modes.iter().map(|mode| {
            let database = fresh_copy(&base, setting.dir)?;
            patience.wait_for_quiet();
            run(&runtime, &database, engine, *mode).with_context(|| format!("{mode:?}"))
        });
        measured.collect()
    };
    let (one_line, three_lines) = (measure(&one_line)?, measure(&three_lines)?);
    report.heading(&format!(
        "Annotating the {POSITIONS} most played positions, on all cores: {}",
        corpus.name
    ));
    show(&[&one_line, &three_lines], report);
    let (cold, warm) = (&one_line[0], &one_line[1]);
    report.floor(Floor {
        what: format!("time with --reuse-hash against cold engines, one line, {}", corpus.name),
        measured: warm.cost.wall.as_secs_f64() / cold.cost.wall.as_secs_f64(),
        bound: Bound::Below(MOST_TIME),
        unit: "×",
        others: Some(warm.cost.others.max(cold.cost.others)),
    });
    Ok(())
}

fn run(runtime: &Runtime, database: &Path, engine: &EngineConfig, mode: Mode) -> Result<Outcome> {
    let request = request(database, engine, mode);
    let (annotated, cost) = timed(|| runtime.block_on(annotate(&request, |_| {})));
    let done = annotated?.done;
    let evals = runtime.block_on(evaluations(database, mode.depth))?;
    ensure!(
        done.searched == POSITIONS as u64 && evals.len() == POSITIONS,
        "{} positions were searched and {} are shown as deep as was wanted, not {POSITIONS}",
        done.searched,
        evals.len()
    );
    Ok(Outcome {
        mode,
        cost,
        nodes: done.nodes,
        evals,
    })
}

fn request(database: &Path, engine: &EngineConfig, mode: Mode) -> AnnotateRequest {
    AnnotateRequest {
        engine: EngineSettings {
            engine: Some(engine.command.clone()),
            hash_mb: Some(mode.hash_mb),
            ..EngineSettings::default()
        },
        effort: Effort::Depths(Depths {
            branching: mode.depth,
            popular: mode.depth,
            popular_games: u64::MAX,
            terminal: mode.depth,
        }),
        multipv: mode.lines,
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
async fn evaluations(database: &Path, depth: u8) -> Result<HashMap<PositionId, i32>> {
    let store = Store::connect(&database.display().to_string()).await?;
    let graph = store.knowledge_graph(None).await?;
    store.close().await;
    let shown = graph.nodes.iter().filter_map(|node| {
        let evaluation = node.evaluation.as_ref()?;
        (evaluation.depth >= depth).then_some((node.id, evaluation.eval.cp))
    });
    Ok(shown.collect())
}

/// Each group against its first.
fn show(groups: &[&[Outcome]], report: &Report) {
    let mut table = Table::new(&[
        "",
        "depth",
        "lines",
        "batch",
        "hash MB",
        "wall s",
        "×",
        "CPU s",
        "×",
        "M nodes",
        "×",
        "cp apart",
        "others' load",
    ]);
    for group in groups {
        let cold = &group[0];
        for Outcome {
            mode,
            cost,
            nodes,
            evals,
        } in *group
        {
            let against = |of: fn(&Cost) -> Duration| of(cost).as_secs_f64() / of(&cold.cost).as_secs_f64();
            table.row(vec![
                if mode.reuse { "--reuse-hash" } else { "cold" }.to_owned(),
                mode.depth.to_string(),
                mode.lines.to_string(),
                mode.batch.to_string(),
                mode.hash_mb.to_string(),
                format!("{:.1}", cost.wall.as_secs_f64()),
                format!("{:.2}", against(|cost| cost.wall)),
                format!("{:.1}", cost.cpu.as_secs_f64()),
                format!("{:.2}", against(|cost| cost.cpu)),
                format!("{:.1}", *nodes as f64 / 1e6),
                format!("{:.2}", *nodes as f64 / cold.nodes as f64),
                format!("{:.1}", difference(evals, &cold.evals)),
                format!("{:.0} %", cost.others * 100.0),
            ]);
        }
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
