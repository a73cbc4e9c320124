//! Full import into the trie: reading, identities, merging, writing, settling.

mod bare_sqlite;
mod subject;
mod tabiya;

use anyhow::{Result, ensure};

pub(crate) use self::subject::Subject;
use self::{
    bare_sqlite::BareSqlite,
    tabiya::{IntoMemory, IntoSqlite},
};
use crate::{
    clock::Clock,
    contender::{Best, Contender, Standing, compete},
    corpus::{Corpus, Repertoire},
    floor::{Bound, Floor},
    report::Report,
    setting::Setting,
    table::Table,
};

/// Distinct edges that must be stored each second.
const LEAST: f64 = 30_000.0;

/// Repertoires with all their variations.
pub(crate) fn repertoires(repertoire: &Repertoire, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let subject = Subject {
        path: repertoire.path.clone(),
        bytes: repertoire.bytes,
        max_depth: None,
        repertoire: Some("Bench"),
    };
    let name = format!(
        "{} generated repertoires, {} moves with all variations, {} of them distinct",
        repertoire.chapters, repertoire.moves, repertoire.edges
    );
    let standings = import(&subject, &name, setting, report)?;
    let stored = standings[0]
        .best
        .and_then(|best| best.counts)
        .map(|counts| counts.moves);
    ensure!(
        stored == Some(repertoire.edges),
        "{stored:?} edges were stored, but {} are there",
        repertoire.edges
    );
    promise(&standings, "edges/s, generated repertoires into SQLite", report);
    Ok(())
}

/// The openings of whole games.
pub(crate) fn openings(corpus: &Corpus, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let subject = Subject {
        path: corpus.plain.clone(),
        bytes: corpus.bytes,
        max_depth: Some(20),
        repertoire: None,
    };
    let standings = import(
        &subject,
        &format!("{}, the first 20 half-moves", corpus.name),
        setting,
        report,
    )?;
    promise(
        &standings,
        &format!("edges/s, {} to depth 20 into SQLite", corpus.name),
        report,
    );
    Ok(())
}

fn import(subject: &Subject, name: &str, setting: Setting<'_>, report: &Report) -> Result<Vec<Standing>> {
    let mut contenders: Vec<Box<dyn Contender>> = vec![
        Box::new(IntoSqlite::new(subject.clone(), setting.dir)?),
        Box::new(IntoMemory::new(subject.clone())?),
        Box::new(BareSqlite::new(subject.clone(), setting.dir)?),
    ];
    report.heading(&format!("Import, by the wall clock: {name}"));
    let standings = compete(
        &mut contenders,
        Clock::Wall {
            patience: setting.patience,
        },
    )?;
    let mut table = Table::new(&[
        "",
        "wall s",
        "CPU s",
        "distinct edges",
        "edges/s",
        "games/s",
        "MB/s",
        "tabiya ÷ it",
        "others' load",
    ]);
    let first = standings[0].best.and_then(|best| best.moves_per_second());
    for standing in &standings {
        table.row(row(standing, first));
    }
    report.table(&table);
    Ok(standings)
}

fn row(standing: &Standing, first: Option<f64>) -> Vec<String> {
    let Some(
        best @ Best {
            counts: Some(counts), ..
        },
    ) = standing.best
    else {
        return vec![standing.name.clone()];
    };
    let edges = counts.moves as f64 / best.seconds;
    vec![
        standing.name.clone(),
        format!("{:.3}", best.cost.wall.as_secs_f64()),
        format!("{:.3}", best.cost.cpu.as_secs_f64()),
        counts.moves.to_string(),
        format!("{edges:.0}"),
        format!("{:.0}", counts.games as f64 / best.seconds),
        format!("{:.1}", best.bytes_per_second() / 1e6),
        first.map_or_else(String::new, |first| format!("{:.2}", first / edges)),
        format!("{:.0} %", best.cost.others * 100.0),
    ]
}

fn promise(standings: &[Standing], what: &str, report: &mut Report) {
    if let Some((best, measured)) = standings[0]
        .best
        .and_then(|best| Some((best, best.moves_per_second()?)))
    {
        let others = Some(best.cost.others);
        report.floor(Floor {
            what: what.to_owned(),
            measured,
            bound: Bound::AtLeast(LEAST),
            unit: "",
            others,
        });
    }
}
