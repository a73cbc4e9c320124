//! Validated reading of main lines: every move is legal, or it is an error.

mod limits;
mod pair;
mod pgn_extract;
mod pgn_reader;
mod python_chess;
mod tabiya;

use anyhow::Result;

pub(crate) use pgn_extract::PgnExtract;
pub(crate) use pgn_reader::Checker;
pub(crate) use tabiya::{Tabiya, read};

use self::{limits::Limit, pair::Pair, pgn_reader::PgnReader, python_chess::PythonChess};
use crate::{
    clock::Clock,
    contender::{Best, Contender, Standing, compete},
    corpus::{Corpus, Slice},
    floor::{Bound, Floor},
    report::Report,
    setting::Setting,
    table::Table,
};

/// Games python-chess is given.
const SLICE: usize = 2_000;

/// One thread, side by side with everybody else.
pub(crate) fn one_thread(corpus: &Corpus, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let slice = Slice::first(SLICE, &corpus.plain, setting.dir)?;
    let (plain, bytes) = (&corpus.plain, corpus.bytes);
    let mut contenders: Vec<Box<dyn Contender>> = vec![
        Box::new(Tabiya::alone("tabiya", plain.clone(), bytes)),
        Box::new(PgnReader::validating(plain.clone(), bytes)),
        Box::new(PgnExtract::new(plain.clone(), bytes)),
        Box::new(PythonChess::new(slice)),
        Box::new(PgnReader::tokenising(plain.clone(), bytes)),
        Box::new(Limit::looking(plain.clone(), bytes)),
        Box::new(Limit::reading(plain.clone(), bytes)),
    ];
    report.heading(&format!("Reading on one thread, by CPU time: {}", corpus.name));
    let standings = compete(&mut contenders, Clock::Processor)?;
    show(&standings, "tabiya ÷ it", report);
    for (other, least) in [(1, 1.6), (2, 8.0), (3, 200.0)] {
        promise(&standings, (0, other), least, &corpus.name, report);
    }
    Ok(())
}

/// What a second thread brings, on a plain file and on a compressed one.
pub(crate) fn two_threads(corpus: &Corpus, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let (plain, packed, bytes) = (&corpus.plain, &corpus.packed, corpus.bytes);
    let mut contenders: Vec<Box<dyn Contender>> = vec![
        Box::new(Tabiya::alone("plain file, one thread", plain.clone(), bytes)),
        Box::new(Tabiya::with_threads(2, "plain file, two threads", plain.clone(), bytes)),
        Box::new(Pair::new(plain.clone(), bytes)),
        Box::new(Tabiya::alone(".zst, one thread", packed.clone(), bytes)),
        Box::new(Tabiya::with_threads(2, ".zst, two threads", packed.clone(), bytes)),
        Box::new(Limit::unpacking(packed.clone(), bytes)),
    ];
    report.heading(&format!("Reading on two threads, by the wall clock: {}", corpus.name));
    let standings = compete(
        &mut contenders,
        Clock::Wall {
            patience: setting.patience,
        },
    )?;
    show(&standings, "plain, one thread ÷ it", report);
    promise(&standings, (1, 0), 1.8, &corpus.name, report);
    Ok(())
}

fn show(standings: &[Standing], ratio: &str, report: &Report) {
    let mut table = Table::new(&[
        "",
        "wall s",
        "CPU s",
        "games/s",
        "MB/s",
        "M moves/s",
        ratio,
        "others' load",
    ]);
    let first = standings[0].best;
    for standing in standings {
        let mut row = vec![standing.name.clone()];
        match standing.best {
            None => row.push("not installed".to_owned()),
            Some(best) => row.extend([
                format!("{:.3}", best.cost.wall.as_secs_f64()),
                format!("{:.3}", best.cost.cpu.as_secs_f64()),
                best.games_per_second()
                    .map_or_else(String::new, |rate| format!("{rate:.0}")),
                format!("{:.1}", best.bytes_per_second() / 1e6),
                best.moves_per_second()
                    .map_or_else(String::new, |rate| format!("{:.2}", rate / 1e6)),
                first.map_or_else(String::new, |first| format!("{:.2}", ratio_of(&first, &best))),
                format!("{:.0} %", best.cost.others * 100.0),
            ]),
        }
        table.row(row);
    }
    report.table(&table);
}

/// Games per second where both know them, bytes per second otherwise.
fn ratio_of(one: &Best, other: &Best) -> f64 {
    match (one.games_per_second(), other.games_per_second()) {
        (Some(one), Some(other)) => one / other,
        _ => one.bytes_per_second() / other.bytes_per_second(),
    }
}

fn promise(standings: &[Standing], (fast, slow): (usize, usize), least: f64, corpus: &str, report: &mut Report) {
    let (fast, slow) = (&standings[fast], &standings[slow]);
    if let (Some(one), Some(other)) = (&fast.best, &slow.best) {
        report.floor(Floor {
            what: format!("{} against {}, {corpus}", fast.name, slow.name),
            measured: ratio_of(one, other),
            bound: Bound::AtLeast(least),
            unit: "×",
            others: Some(one.cost.others.max(other.cost.others)),
        });
    }
}
