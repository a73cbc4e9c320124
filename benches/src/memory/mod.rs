//! The most memory that reading and importing take, on files of 100 MB and of 1 GB.

mod child;

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};

pub(crate) use child::{Task, delegate, perform};

use self::child::Done;
use crate::{
    clock::{Cost, timed},
    corpus::GameWriter,
    floor::{Bound, Floor},
    report::Report,
    table::Table,
};

const SMALL: u64 = 100_000_000;
const LARGE: u64 = 1_000_000_000;
/// What a knowledge base is built from.
const ARCHIVE_GAMES: u64 = 2_000_000;
const SEED: u64 = 1_985;
/// The most that an import may take, in MB.
const MOST: f64 = 300.0;
/// The most that a build of the knowledge base may take, in MB.
const MOST_BUILDING: f64 = 600.0;
/// The most that taking positions may take, in MB.
const MOST_TAKING: f64 = 250.0;
/// What the reader may take more of on the large file: what an allocator does by chance.
const FLAT: f64 = 1.1;

/// Has a child do something; it must have read so many games of a file of that size. Gives its row and its peak in MB.
fn peak(what: &str, verb: &str, paths: &[&Path], size: u64, games: u64) -> Result<(Vec<String>, f64)> {
    let (done, cost) = timed(|| delegate(verb, paths));
    let done = done?;
    ensure!(
        done.games == games,
        "{what}: {} games were read, but {games} are there",
        done.games
    );
    Ok((row(what, size, &done, &cost), done.peak as f64 / 1e6))
}

const COLUMNS: [&str; 6] = ["", "file MB", "games", "distinct edges", "peak MB", "wall s"];

/// The most memory that building the knowledge base takes.
pub(crate) fn building(dir: &Path, report: &mut Report) -> Result<()> {
    report.heading("Peak memory of a build: generated games, a plain file");
    let (archive, bytes) = archive(dir)?;
    let database = dir.join("memory.db");
    let (row, build) = peak(
        "building the knowledge base",
        "build",
        &[&archive, &database],
        bytes,
        ARCHIVE_GAMES,
    )?;
    remove(&database);
    fs::remove_dir_all(format!("{}.counts", database.display()))?;
    fs::remove_file(archive)?;
    let mut table = Table::new(&COLUMNS);
    table.row(row);
    report.table(&table);
    report.floor(Floor {
        what: format!("peak memory of building from {ARCHIVE_GAMES} generated games"),
        measured: build,
        bound: Bound::Below(MOST_BUILDING),
        unit: " MB",
        others: None,
    });
    Ok(())
}

/// Writes the files, measures children on them and removes them again.
pub(crate) fn memory(dir: &Path, report: &mut Report) -> Result<()> {
    report.heading("Peak memory: generated games, plain files");
    let (small, few) = games_file(dir, "small.pgn", SMALL)?;
    let (large, many) = games_file(dir, "large.pgn", LARGE)?;
    let database = dir.join("memory.db");
    let mut table = Table::new(&COLUMNS);
    let mut peak = |what: &str, verb: &str, paths: &[&Path], size: u64, games: u64| -> Result<f64> {
        let (row, megabytes) = peak(what, verb, paths, size, games)?;
        table.row(row);
        Ok(megabytes)
    };
    let read_small = peak("reading", "read", &[&small], SMALL, few)?;
    let read_large = peak("reading", "read", &[&large], LARGE, many)?;
    peak("import to depth 20", "import", &[&small, &database], SMALL, few)?;
    remove(&database);
    let import_large = peak("import to depth 20", "import", &[&large, &database], LARGE, many)?;
    remove(&database);
    let positions = dir.join("memory.parquet");
    let taken_small = peak("taking positions", "positions", &[&small, &positions], SMALL, few)?;
    let taken_large = peak("taking positions", "positions", &[&large, &positions], LARGE, many)?;
    for file in [small, large] {
        fs::remove_file(file)?;
    }
    report.table(&table);
    report.floor(Floor {
        what: "peak memory of importing 1 GB to depth 20".to_owned(),
        measured: import_large,
        bound: Bound::Below(MOST),
        unit: " MB",
        others: None,
    });
    for (what, measured) in [("100 MB", taken_small), ("1 GB", taken_large)] {
        report.floor(Floor {
            what: format!("peak memory of taking positions out of {what}"),
            measured,
            bound: Bound::Below(MOST_TAKING),
            unit: " MB",
            others: None,
        });
    }
    report.floor(Floor {
        what: "the reader's peak memory on 1 GB against 100 MB".to_owned(),
        measured: read_large / read_small,
        bound: Bound::Below(FLAT),
        unit: "×",
        others: None,
    });
    Ok(())
}

fn row(what: &str, size: u64, done: &Done, cost: &Cost) -> Vec<String> {
    vec![
        what.to_owned(),
        (size / 1_000_000).to_string(),
        done.games.to_string(),
        if done.edges > 0 {
            done.edges.to_string()
        } else {
            String::new()
        },
        format!("{:.1}", done.peak as f64 / 1e6),
        format!("{:.1}", cost.wall.as_secs_f64()),
    ]
}

/// Games until the file has that many bytes; gives how many there are.
fn games_file(dir: &Path, name: &str, bytes: u64) -> Result<(PathBuf, u64)> {
    let (path, _, games) = write_games(dir, name, |written, _| written < bytes)?;
    Ok((path, games))
}

/// So many games that a knowledge base is worth building; gives how many bytes they take.
fn archive(dir: &Path) -> Result<(PathBuf, u64)> {
    let (path, bytes, _) = write_games(dir, "archive.pgn", |_, games| games < ARCHIVE_GAMES)?;
    Ok((path, bytes))
}

/// Writes games as long as there are not enough bytes and games; gives how many of both there are.
fn write_games(dir: &Path, name: &str, go_on: impl Fn(u64, u64) -> bool) -> Result<(PathBuf, u64, u64)> {
    let path = dir.join(name);
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&path)?);
    let mut writer = GameWriter::seeded(SEED);
    let (mut written, mut games) = (0, 0);
    let mut game = Vec::new();
    while go_on(written, games) {
        game.clear();
        writer.write_game(&mut game)?;
        out.write_all(&game)?;
        written += game.len() as u64;
        games += 1;
    }
    out.flush()?;
    Ok((path, written, games))
}

fn remove(database: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        // What is not there need not be removed.
        drop(fs::remove_file(format!("{}{suffix}", database.display())));
    }
}
