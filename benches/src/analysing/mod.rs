//! Comparing games with each other: against the reader alone, and with the file that comes of it.

mod games;

use anyhow::Result;

use self::games::{Analysed, Until};
use crate::{
    clock::Clock,
    contender::{Best, Contender, compete},
    corpus::Corpus,
    floor::{Bound, Floor},
    reading::Tabiya,
    report::Report,
    setting::Setting,
    table::Table,
};

const THREADS: usize = 2;
/// Of the reader's rate.
const LEAST_SHARE: f64 = 0.7;

/// Two threads, by the wall clock, on a plain file and a compressed one.
pub(crate) fn analyse(corpus: &Corpus, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    for (path, form) in [(&corpus.plain, "plain"), (&corpus.packed, "compressed")] {
        let bytes = corpus.bytes;
        report.heading(&format!(
            "Analysing on two threads, by the wall clock: {}, {form}",
            corpus.name
        ));
        let mut contenders: Vec<Box<dyn Contender>> = vec![
            Box::new(Tabiya::with_threads(
                THREADS,
                "the reader alone (limit)",
                path.clone(),
                bytes,
            )),
            Box::new(Analysed::new(Until::Known, path.clone(), bytes, setting.dir)?),
            Box::new(Analysed::new(Until::Summary, path.clone(), bytes, setting.dir)?),
            Box::new(Analysed::new(Until::Positions, path.clone(), bytes, setting.dir)?),
            Box::new(Analysed::new(Until::Written, path.clone(), bytes, setting.dir)?),
        ];
        let clock = Clock::Wall {
            patience: setting.patience,
        };
        let standings = compete(&mut contenders, clock)?;
        let mut table = Table::new(&["", "wall s", "CPU s", "games/s", "MB/s", "reader ÷ it", "others' load"]);
        let reader = standings[0].best;
        for standing in &standings {
            let (Some(best @ Best { cost, .. }), Some(reader)) = (standing.best, reader) else {
                continue;
            };
            table.row(vec![
                standing.name.clone(),
                format!("{:.3}", cost.wall.as_secs_f64()),
                format!("{:.3}", cost.cpu.as_secs_f64()),
                best.games_per_second()
                    .map_or_else(String::new, |rate| format!("{rate:.0}")),
                format!("{:.1}", best.bytes_per_second() / 1e6),
                format!("{:.2}", reader.seconds / best.seconds),
                format!("{:.0} %", cost.others * 100.0),
            ]);
        }
        report.table(&table);
        if let (Some(reader), Some(known)) = (reader, standings[1].best) {
            report.floor(Floor {
                what: format!(
                    "rate of analysing against that of the reader alone, {}, {form}",
                    corpus.name
                ),
                measured: reader.seconds / known.seconds,
                bound: Bound::AtLeast(LEAST_SHARE),
                unit: "×",
                others: Some(known.cost.others.max(reader.cost.others)),
            });
        }
        let written = std::fs::metadata(games::output(setting.dir))?.len();
        report.note(&format!(
            "The file has {:.0} MB, {:.1} times the games themselves.",
            written as f64 / 1e6,
            written as f64 / bytes as f64
        ));
    }
    Ok(())
}
