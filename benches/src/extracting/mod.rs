//! Training positions out of a compressed archive: side by side with a reader that only checks moves, and with the loop that
//! people write in Python.

mod engine;
mod python;
mod tabiya;
mod validator;

use std::path::Path;

use anyhow::Result;

pub(crate) use tabiya::extract;

use self::{python::PythonLoop, tabiya::Tabiya, validator::Validator};
use crate::{
    clock::Clock,
    contender::{Contender, Standing, compete},
    corpus::{Corpus, Slice},
    floor::{Bound, Floor},
    memory::delegate,
    report::Report,
    setting::Setting,
    table::Table,
};

const THREADS: usize = 2;
/// Games the loop in Python is given.
const SLICE: usize = 1_000;
const LEAST_OF_VALIDATING: f64 = 0.7;
const LEAST_OF_PYTHON: f64 = 100.0;
/// In MB.
const MOST_MEMORY: f64 = 250.0;

pub(crate) fn positions(
    engine: Option<&Path>,
    corpus: &Corpus,
    setting: Setting<'_>,
    report: &mut Report,
) -> Result<()> {
    let slice = Slice::first(SLICE, &corpus.plain, setting.dir)?;
    let output = setting.dir.join("positions.parquet");
    let mut contenders: Vec<Box<dyn Contender>> = vec![
        Box::new(Tabiya::new(
            corpus.packed.clone(),
            corpus.bytes,
            output.clone(),
            THREADS,
        )),
        Box::new(Validator::new(corpus.packed.clone(), corpus.bytes, THREADS)),
        Box::new(PythonLoop::new(slice)),
    ];
    report.heading(&format!(
        "Positions without an engine, {THREADS} threads, by the wall clock: {}",
        corpus.name
    ));
    let standings = compete(
        &mut contenders,
        Clock::Wall {
            patience: setting.patience,
        },
    )?;
    show(&standings, report);
    promise(&standings, 1, LEAST_OF_VALIDATING, corpus, report);
    promise(&standings, 2, LEAST_OF_PYTHON, corpus, report);
    let done = delegate("positions", &[&corpus.packed, &output])?;
    report.floor(Floor {
        what: format!("peak memory of taking positions out of {}", corpus.name),
        measured: done.peak as f64 / 1e6,
        bound: Bound::Below(MOST_MEMORY),
        unit: " MB",
        others: None,
    });
    engine::own_time(engine, corpus, setting, report)
}

fn show(standings: &[Standing], report: &Report) {
    let mut table = Table::new(&["", "wall s", "CPU s", "games/s", "MB/s", "tabiya ÷ it", "others' load"]);
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
                first
                    .and_then(|first| Some(first.games_per_second()? / best.games_per_second()?))
                    .map_or_else(String::new, |ratio| format!("{ratio:.2}")),
                format!("{:.0} %", best.cost.others * 100.0),
            ]),
        }
        table.row(row);
    }
    report.table(&table);
}

fn promise(standings: &[Standing], other: usize, least: f64, corpus: &Corpus, report: &mut Report) {
    if let (Some(ours), Some(theirs)) = (&standings[0].best, &standings[other].best)
        && let (Some(fast), Some(slow)) = (ours.games_per_second(), theirs.games_per_second())
    {
        report.floor(Floor {
            what: format!("positions against {}, {}", standings[other].name, corpus.name),
            measured: fast / slow,
            bound: Bound::AtLeast(least),
            unit: "×",
            others: Some(ours.cost.others.max(theirs.cost.others)),
        });
    }
}
