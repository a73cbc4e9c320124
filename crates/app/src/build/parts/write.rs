//! `count`: from games to a table of partial counts.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use pgn_import::{Watcher, expand_inputs};
use serde::Serialize;
use tabiya_chess::FacetKinds;
use tabiya_counts::{CountError, State, walk};
use tabiya_dataset::{is_special, table::TableWriter};

use super::{
    PartRules,
    table::{COLUMNS, RULES_KEY, SOURCES_KEY, row},
};
use crate::{
    AppError,
    build::count::{CountedFile, Counting, LeftOut, count_input},
    lock::Lock,
};

/// What a table of partial counts holds.
#[derive(Debug, Clone, Serialize)]
pub struct PartReport {
    pub out: PathBuf,
    pub files: Vec<CountedFile>,
    pub games: u64,
    pub counted: u64,
    pub duplicates: u64,
    pub left_out: LeftOut,
    pub positions: u64,
    /// Position and move, whatever the facet.
    pub moves: u64,
    pub rows: u64,
    pub bytes: u64,
}

/// Counts games and writes the table. `inputs` are files, directories, globs or `-`.
pub fn write_part(
    inputs: &[String],
    counting: &Counting,
    facets: FacetKinds,
    out: &Path,
    watcher: Option<&Watcher>,
) -> Result<PartReport, AppError> {
    counting.filter.check()?;
    let inputs = expand_inputs(inputs)?;
    // Begun before the counting: what is wrong with the output is not to be found after hours.
    let mut table = TableWriter::create(out, &COLUMNS)?;
    let scratch = scratch_beside(out)?;
    let rules = PartRules {
        rules: counting.rules(),
        facets,
    };
    let mut state = State::create_with_texts(&scratch.dir.path().join("state"), rules.rules.clone())?;
    let mut report = PartReport {
        out: out.to_owned(),
        files: Vec::with_capacity(inputs.len()),
        games: 0,
        counted: 0,
        duplicates: 0,
        left_out: LeftOut::default(),
        positions: 0,
        moves: 0,
        rows: 0,
        bytes: 0,
    };
    for input in &inputs {
        let file = count_input(&mut state, input, counting, watcher)?;
        if !file.known {
            report.games += file.games;
            report.counted += file.counted;
            report.duplicates += file.duplicates;
            report.left_out += file.left_out;
        }
        report.files.push(file);
    }
    if report.counted == 0 {
        return Err(AppError::NothingCounted {
            inputs: report.files.iter().map(|file| file.name.clone()).collect(),
            games: report.games,
            left_out: report.left_out,
        });
    }
    let rules = rules.to_text();
    table.describe(RULES_KEY, rules.as_str());
    // Plain values can always be written.
    table.describe(SOURCES_KEY, serde_json::to_string(state.sources()).unwrap_or_default());
    let (mut position, mut by) = (String::new(), String::new());
    walk(&state, facets, &counting.stop, |departed| {
        if departed.epd != position {
            departed.epd.clone_into(&mut position);
            report.positions += 1;
            by.clear();
        }
        if departed.uci != by {
            departed.uci.clone_into(&mut by);
            report.moves += 1;
        }
        Ok::<(), AppError>(table.write(&row(departed, &rules))?)
    })?;
    let summary = table.finish()?;
    (report.rows, report.bytes) = (summary.rows, summary.bytes);
    drop(state);
    // Also removed when something fails above; only here can it be told that it was not. The lock is held until then, or another
    // run would remove it at the same time.
    let Scratch { dir, lock: _held } = scratch;
    let path = dir.path().to_owned();
    dir.close().map_err(cannot("remove", path))?;
    Ok(report)
}

const PREFIX: &str = ".tabiya-";
const SUFFIX: &str = ".counts";
const LOCK: &str = "lock";
const NEW_LOCK: &str = "lock.new";

/// A directory for what is counted until it is added up.
struct Scratch {
    dir: tempfile::TempDir,
    /// Held for as long as it is used: whoever finds it free knows that its run was killed. None on a disk without locks, where
    /// nobody will find it free either.
    lock: Option<Lock>,
}

/// On the disk that the output is on. What killed runs have left there takes more room than what they counted, and is removed.
fn scratch_beside(out: &Path) -> Result<Scratch, AppError> {
    let parent = match out.parent() {
        _ if is_special(out) => std::env::temp_dir(),
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    sweep(&parent);
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    let dir = builder
        .tempdir_in(&parent)
        .map_err(cannot("create a directory in", parent))?;
    // Under another name until it is locked: one that is seen and free passes for a killed run's.
    let (new, path) = (dir.path().join(NEW_LOCK), dir.path().join(LOCK));
    let file = File::create(&new).map_err(cannot("create", new.clone()))?;
    let lock = Lock::take(file).ok();
    fs::rename(&new, &path).map_err(cannot("create", path))?;
    Ok(Scratch { dir, lock })
}

/// Whatever cannot be looked at or removed is left for the next run.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with(PREFIX) || !name.ends_with(SUFFIX) {
            continue;
        }
        let lock = File::open(entry.path().join(LOCK));
        if lock.is_ok_and(|lock| Lock::take(lock).is_ok()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn cannot(doing: &'static str, path: PathBuf) -> impl FnOnce(std::io::Error) -> AppError {
    move |source| CountError::Io { doing, path, source }.into()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

    use super::*;

    #[test]
    fn what_killed_runs_left_is_removed_and_what_a_run_has_just_made_is_not() {
        let home = tempfile::tempdir().expect("a directory");
        let killed = home.path().join(".tabiya-killed.counts");
        fs::create_dir(&killed).expect("a directory");
        fs::write(killed.join(LOCK), "").expect("written");
        let out = home.path().join("part.parquet");
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Relaxed) {
                    sweep(home.path());
                }
            });
            let made: Vec<bool> = (0..2_000)
                .map(|_| scratch_beside(&out).is_ok_and(|scratch| scratch.dir.path().join(LOCK).exists()))
                .collect();
            over.store(true, Relaxed);
            assert!(made.iter().all(|there| *there), "somebody took it away");
        });
        assert!(!killed.exists());
    }
}
