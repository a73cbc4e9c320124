//! What taking positions costs beside what the engines cost that score them.

use std::path::Path;

use anyhow::{Result, ensure};
use tabiya_app::engines::EngineSettings;
use tabiya_chess::SearchLimit;
use tabiya_engine::find_engine;

use super::tabiya::extract_scored;
use crate::{
    clock::timed,
    corpus::Corpus,
    floor::{Bound, Floor},
    report::Report,
    setting::Setting,
};

const WORKERS: usize = 2;
const POSITIONS: u64 = 300;
/// The default.
const DEPTH: u8 = 12;
/// Of the engines' CPU time, in percent.
const MOST_OWN: f64 = 5.0;

pub(super) fn own_time(
    engine: Option<&Path>,
    corpus: &Corpus,
    setting: Setting<'_>,
    report: &mut Report,
) -> Result<()> {
    let program = match find_engine(engine) {
        Ok(program) => program,
        Err(error) => {
            report.note(&format!("Left out: {error}"));
            return Ok(());
        }
    };
    let settings = EngineSettings {
        engine: Some(program),
        workers: Some(WORKERS),
        ..EngineSettings::default()
    };
    let output = setting.dir.join("scored.parquet");
    let limit = SearchLimit::depth(DEPTH);
    let (taken, cost) = timed(|| extract_scored(&corpus.packed, &output, settings, limit, POSITIONS));
    let taken = taken?;
    ensure!(
        taken.manifest.counts.positions == POSITIONS,
        "other positions than asked for"
    );
    report.note(&format!(
        "{POSITIONS} positions to depth {DEPTH} by {WORKERS} × {}: {:.2} s, engines' CPU {:.2} s, our own {:.0} ms",
        taken.manifest.engine.unwrap_or_default(),
        cost.wall.as_secs_f64(),
        cost.children.as_secs_f64(),
        cost.own().as_secs_f64() * 1e3
    ));
    report.floor(Floor {
        what: "our own CPU time against the engines', positions to depth 12".to_owned(),
        measured: cost.own().as_secs_f64() / cost.children.as_secs_f64().max(1e-9) * 100.0,
        bound: Bound::Below(MOST_OWN),
        unit: " %",
        others: None,
    });
    Ok(())
}
