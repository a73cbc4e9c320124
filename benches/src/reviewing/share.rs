//! Our own CPU time beside the engine's, in a whole review.

use std::path::Path;

use anyhow::{Result, ensure};
use tabiya_app::{
    engines::EngineSettings,
    review::{LinesFrom, ReviewOutputs, ReviewRequest, review_games},
};
use tabiya_chess::SearchLimit;
use tabiya_engine::find_engine;
use tokio::runtime::Runtime;

use super::request;
use crate::{
    clock::timed,
    corpus::Slice,
    floor::{Bound, Floor},
    report::Report,
    setting::Setting,
    table::Table,
};

const GAMES: usize = 4;
/// A twentieth of what reviews are given by default: there our share is smaller still.
const NODES: u64 = 50_000;
/// Of the engines' CPU time, in percent.
const MOST_OWN: f64 = 3.0;

/// Without an engine it is left out.
pub(super) fn share(engine: Option<&Path>, plain: &Path, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let program = match (find_engine(engine), engine) {
        (Ok(program), _) => program,
        (Err(error), Some(_)) => return Err(error.into()),
        (Err(error), None) => {
            report.heading("Reviewing with an engine");
            report.note(&format!("Left out: {error}"));
            return Ok(());
        }
    };
    let games = Slice::first(GAMES, plain, setting.dir)?;
    let lines = LinesFrom::Engine {
        engine: EngineSettings {
            engine: Some(program),
            ..EngineSettings::default()
        },
        limit: SearchLimit::nodes(NODES),
        multipv: 3,
        cloud: None,
        database: None,
    };
    let request = ReviewRequest {
        outputs: ReviewOutputs {
            json: Some(setting.dir.join("share.json")),
            pgn: Some(setting.dir.join("share.pgn")),
            ..ReviewOutputs::default()
        },
        ..request(&games.path, lines)
    };
    let runtime = Runtime::new()?;
    let (outcome, cost) = timed(|| runtime.block_on(review_games(&request, &|_| {}, |_, _| Ok(()))));
    let outcome = outcome?;
    ensure!(outcome.summary.games == GAMES as u64, "{:?}", outcome.failures);
    let own = cost.own().as_secs_f64() / cost.children.as_secs_f64().max(1e-9) * 100.0;
    report.heading(&format!(
        "Reviewing with an engine: {GAMES} games, {NODES} nodes a position, three lines"
    ));
    let mut table = Table::new(&["moves", "wall s", "engines' CPU s", "our own CPU s", "our share"]);
    table.row(vec![
        outcome.summary.moves.to_string(),
        format!("{:.1}", cost.wall.as_secs_f64()),
        format!("{:.1}", cost.children.as_secs_f64()),
        format!("{:.2}", cost.own().as_secs_f64()),
        format!("{own:.2} %"),
    ]);
    report.table(&table);
    report.floor(Floor {
        what: "our own CPU time against the engines' in a review".to_owned(),
        measured: own,
        bound: Bound::Below(MOST_OWN),
        unit: " %",
        others: None,
    });
    Ok(())
}
