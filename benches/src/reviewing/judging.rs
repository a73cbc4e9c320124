//! Everything but the engine: reading, tree, lines, extraction, verdicts with all checks, summary, annotated PGN.

use std::{path::Path, sync::atomic::AtomicBool};

use anyhow::{Result, ensure};
use tabiya_app::review::{LineSource, Origin, RecordedLines, Reviewer, Rules, Trouble};
use tokio::runtime::Builder;

use super::lines::{games, write_lines};
use crate::{
    clock::{Cost, timed},
    floor::{Bound, Floor},
    report::Report,
    table::Table,
};

const TURNS: usize = 5;
/// Moves a second, on one core.
const LEAST: f64 = 3_000.0;

/// What a turn has judged.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Judged {
    games: u64,
    moves: u64,
    brilliant: u64,
    bad: u64,
}

pub(super) fn judging(path: &Path, name: &str, report: &mut Report) -> Result<()> {
    let mut text = String::new();
    for (number, game) in (1..).zip(games(path)?) {
        write_lines(&game, Some(number), &mut text);
    }
    let reviewer = Reviewer {
        rules: Rules::default(),
        lines: LineSource::Recorded(RecordedLines::read(&text)?),
        record: false,
    };
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let mut best: Option<(Judged, Cost)> = None;
    for _ in 0..TURNS {
        let (judged, cost) = timed(|| runtime.block_on(judge(path, &reviewer)));
        let judged = judged?;
        if let Some((before, fastest)) = best {
            ensure!(judged == before, "two turns differ: {judged:?}, {before:?}");
            if fastest.cpu <= cost.cpu {
                continue;
            }
        }
        best = Some((judged, cost));
    }
    let Some((judged, cost)) = best else { return Ok(()) };
    ensure!(
        judged.moves > 1_000 && judged.bad > 0,
        "too little was judged: {judged:?}"
    );
    let rate = judged.moves as f64 / cost.cpu.as_secs_f64();
    report.heading(&format!(
        "Reviewing without an engine: the first games of {name}, one core, made-up lines"
    ));
    let mut table = Table::new(&["games", "moves", "brilliant", "bad", "CPU s", "moves/s"]);
    table.row(vec![
        judged.games.to_string(),
        judged.moves.to_string(),
        judged.brilliant.to_string(),
        judged.bad.to_string(),
        format!("{:.3}", cost.cpu.as_secs_f64()),
        format!("{rate:.0}"),
    ]);
    report.table(&table);
    report.floor(Floor {
        what: "moves reviewed a second, everything but the engine, one core".to_owned(),
        measured: rate,
        bound: Bound::AtLeast(LEAST),
        unit: " moves/s",
        others: None,
    });
    Ok(())
}

async fn judge(path: &Path, reviewer: &Reviewer) -> Result<Judged> {
    let mut judged = Judged::default();
    for (number, game) in (1..).zip(games(path)?) {
        let origin = Origin { file: "bench", number };
        let reviewed = match reviewer.review(origin, &game, &|_| {}, &AtomicBool::new(false)).await {
            Ok(reviewed) => reviewed,
            Err(Trouble::Unfit(_)) => continue,
            Err(trouble) => anyhow::bail!("{trouble:?}"),
        };
        let classes = || {
            reviewed
                .review
                .moves
                .iter()
                .filter_map(|one| one.classification)
                .map(|class| class.0)
        };
        judged.games += 1;
        judged.moves += classes().count() as u64;
        judged.brilliant += classes()
            .filter(|class| *class == tabiya_chess::Class::Brilliant)
            .count() as u64;
        judged.bad += classes().filter(|class| class.is_bad()).count() as u64;
    }
    Ok(judged)
}
