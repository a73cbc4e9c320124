//! Building the knowledge base: counting against reading alone, the whole build, growth and memory.

mod counting;
mod peer;
mod whole;

use std::path::Path;

use anyhow::Result;

pub(crate) use self::whole::build;
use self::{
    counting::{Counts as Counted, ReaderAlone},
    peer::Peer,
    whole::Whole,
};
use crate::{
    clock::{Clock, timed},
    contender::{Best, Contender, Standing, compete},
    corpus::{Corpus, Slice},
    floor::{Bound, Floor},
    memory::delegate,
    report::Report,
    setting::Setting,
    table::Table,
};

/// The longest named line has 36 half-moves, and expansion goes 15 beyond.
const MAX_PLY: u32 = 51;
pub(crate) const MIN_GAMES: u64 = 5;
const THREADS: usize = 2;
/// Of the reader's rate to the same depth.
const LEAST_SHARE: f64 = 0.45;
/// Of the reader's time.
const MOST_TIMES: f64 = 12.0;
/// Of what lila-openingexplorer imports.
const TIMES_THE_PEER: f64 = 30.0;
/// In per cent.
const MOST_UNKNOWN: f64 = 8.0;
/// In MB.
const MOST_MEMORY: f64 = 400.0;
/// The cost of a game may grow by no more than what the clock does by chance.
const FLAT: f64 = 1.15;

/// Counting and building, on real games.
pub(crate) fn expand(corpus: &Corpus, games: usize, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    let peer = Peer::here(corpus, games)?;
    for (path, form) in [(&corpus.packed, "compressed"), (&corpus.plain, "plain")] {
        report.heading(&format!(
            "Counting to ply {MAX_PLY} on two threads, by the wall clock: {}, {form}",
            corpus.name
        ));
        let mut contenders: Vec<Box<dyn Contender>> = vec![
            Box::new(Counted::new(path.clone(), corpus.bytes, setting.dir)),
            Box::new(ReaderAlone::new(path.clone(), corpus.bytes)),
        ];
        if form == "compressed" {
            contenders.push(Box::new(Whole::new(path.clone(), corpus.bytes, setting.dir)?));
        }
        let standings = by_the_wall(&mut contenders, setting)?;
        show(&standings, report);
        // Archives come compressed, and that is what is promised; the plain file shows what the decoder costs.
        if form == "compressed" {
            promise(&standings, &corpus.name, report);
            report.floor(Floor {
                what: format!("structures at plies 16 to 30 that no rule knows, {}", corpus.name),
                measured: whole::unknown_structures(setting.dir)?,
                bound: Bound::Below(MOST_UNKNOWN),
                unit: " %",
                others: None,
            });
        }
        compare(&standings, peer, &format!("{}, {form}", corpus.name), report);
    }
    growth(corpus, games, setting, report)?;
    memory(corpus, setting.dir, report)
}

fn by_the_wall(contenders: &mut [Box<dyn Contender>], setting: Setting<'_>) -> Result<Vec<Standing>> {
    let patience = setting.patience;
    compete(contenders, Clock::Wall { patience })
}

fn show(standings: &[Standing], report: &Report) {
    let mut table = Table::new(&["", "wall s", "CPU s", "games/s", "MB/s", "reader ÷ it", "others' load"]);
    let reader = standings[1].best.map(|best| best.seconds);
    for standing in standings {
        let Some(best @ Best { cost, .. }) = standing.best else {
            continue;
        };
        table.row(vec![
            standing.name.clone(),
            format!("{:.3}", cost.wall.as_secs_f64()),
            format!("{:.3}", cost.cpu.as_secs_f64()),
            best.games_per_second()
                .map_or_else(String::new, |games| format!("{games:.0}")),
            format!("{:.1}", best.bytes_per_second() / 1e6),
            reader.map_or_else(String::new, |reader| format!("{:.2}", reader / best.seconds)),
            format!("{:.0} %", cost.others * 100.0),
        ]);
    }
    report.table(&table);
}

fn promise(standings: &[Standing], what: &str, report: &mut Report) {
    let (Some(counting), Some(reader)) = (standings[0].best, standings[1].best) else {
        return;
    };
    let others = Some(counting.cost.others.max(reader.cost.others));
    report.floor(Floor {
        what: format!("rate of counting against that of the reader alone, {what}"),
        measured: reader.seconds / counting.seconds,
        bound: Bound::AtLeast(LEAST_SHARE),
        unit: "×",
        others,
    });
    if let Some(whole) = standings.get(2).and_then(|standing| standing.best) {
        report.floor(Floor {
            what: format!("names, counts, structures and transpositions into SQLite against the reader alone, {what}"),
            measured: whole.seconds / reader.seconds,
            bound: Bound::Below(MOST_TIMES),
            unit: "×",
            others,
        });
    }
}

/// Archives come compressed and plain, and so the peer gets them.
fn compare(standings: &[Standing], peer: Peer, what: &str, report: &mut Report) {
    let Some(counting) = standings[0].best else { return };
    let Some(games) = counting.games_per_second() else {
        return;
    };
    let yardstick = match peer.yardstick {
        Some(games) => format!(", told by pgn-extract's {games:.0} here"),
        None => String::new(),
    };
    report.floor(Floor {
        what: format!(
            "games/s counted against {:.0} of lila-openingexplorer{yardstick}, {what}",
            peer.games_per_second
        ),
        measured: games / peer.games_per_second,
        bound: Bound::AtLeast(TIMES_THE_PEER),
        unit: "×",
        others: Some(counting.cost.others),
    });
}

/// A quarter, a half and all of it.
fn growth(corpus: &Corpus, games: usize, setting: Setting<'_>, report: &mut Report) -> Result<()> {
    report.heading(&format!("Counting more games: {}", corpus.name));
    let mut table = Table::new(&["games", "wall s", "CPU s", "CPU µs a game"]);
    let mut costs = Vec::new();
    for part in [4, 2, 1] {
        let slice = Slice::first(games / part, &corpus.plain, setting.dir)?;
        let mut contenders: Vec<Box<dyn Contender>> =
            vec![Box::new(Counted::new(slice.path.clone(), slice.bytes, setting.dir))];
        let standings = compete(&mut contenders, Clock::Processor)?;
        let Some(best) = standings[0].best else { continue };
        let counted = best.counts.map_or(1, |counts| counts.games);
        let micros = best.cost.cpu.as_secs_f64() * 1e6 / counted as f64;
        costs.push(micros);
        table.row(vec![
            counted.to_string(),
            format!("{:.3}", best.cost.wall.as_secs_f64()),
            format!("{:.3}", best.cost.cpu.as_secs_f64()),
            format!("{micros:.2}"),
        ]);
    }
    report.table(&table);
    if let [quarter, _, all] = costs[..] {
        report.floor(Floor {
            what: "cost of a game among all against one among a quarter".to_owned(),
            measured: all / quarter,
            bound: Bound::Below(FLAT),
            unit: "×",
            others: None,
        });
    }
    Ok(())
}

fn memory(corpus: &Corpus, dir: &Path, report: &mut Report) -> Result<()> {
    report.heading(&format!("Peak memory of a build: {}", corpus.name));
    let database = dir.join("expand-memory.db");
    let (done, cost) = timed(|| delegate("build", &[&corpus.packed, &database]));
    let done = done?;
    whole::remove(&database);
    let mut table = Table::new(&["games", "edges", "peak MB", "wall s"]);
    table.row(vec![
        done.games.to_string(),
        done.edges.to_string(),
        format!("{:.1}", done.peak as f64 / 1e6),
        format!("{:.1}", cost.wall.as_secs_f64()),
    ]);
    report.table(&table);
    report.floor(Floor {
        what: format!("peak memory of building from {}", corpus.name),
        measured: done.peak as f64 / 1e6,
        bound: Bound::Below(MOST_MEMORY),
        unit: " MB",
        others: None,
    });
    Ok(())
}
