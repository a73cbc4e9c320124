//! Tabiya: every move of the main lines checked, on one thread or several.

use std::{fs, ops::ControlFlow, path::PathBuf};

use anyhow::{Context, Result, ensure};
use pgn_import::{Fault, Input, Source, Visitor, read_games, read_games_parallel};
use shakmaty::{Chess, Move};

use crate::contender::{Contender, Counts};

/// Counts main-line moves, and what could not be understood.
#[derive(Debug, Default)]
struct Counter {
    moves: u64,
    faults: u64,
}

impl Visitor for Counter {
    const VARIATIONS: bool = false;

    fn playing(&mut self, _before: &Chess, _m: Move) -> ControlFlow<()> {
        self.moves += 1;
        ControlFlow::Continue(())
    }

    fn fault(&mut self, _fault: &Fault<'_>) {
        self.faults += 1;
    }
}

#[derive(Debug)]
pub(crate) struct Tabiya {
    path: PathBuf,
    bytes: u64,
    threads: Option<usize>,
    name: &'static str,
    counted: Counts,
}

impl Tabiya {
    /// Reads a file of so many decompressed bytes without starting any thread.
    pub(crate) fn alone(name: &'static str, path: PathBuf, bytes: u64) -> Tabiya {
        Tabiya {
            path,
            bytes,
            threads: None,
            name,
            counted: Counts::default(),
        }
    }

    pub(crate) fn with_threads(threads: usize, name: &'static str, path: PathBuf, bytes: u64) -> Tabiya {
        Tabiya {
            threads: Some(threads),
            ..Tabiya::alone(name, path, bytes)
        }
    }
}

/// Reads a file on this thread; an error if a game cannot be understood.
pub(crate) fn read(path: &std::path::Path) -> Result<Counts> {
    let source = Source::open(&Input::Path(path.to_owned())).with_context(|| path.display().to_string())?;
    let mut counter = Counter::default();
    let games = read_games(source, &mut counter)?;
    ensure!(counter.faults == 0, "{} games have faults", counter.faults);
    Ok(Counts {
        games,
        moves: counter.moves,
    })
}

fn read_with(threads: usize, path: &std::path::Path) -> Result<Counts> {
    let source = Source::open(&Input::Path(path.to_owned())).with_context(|| path.display().to_string())?;
    let (mut moves, mut faults) = (0, 0);
    let games = read_games_parallel(source, threads, Counter::default, |counter, _| {
        moves += counter.moves;
        faults += counter.faults;
        ControlFlow::Continue(())
    })?;
    ensure!(faults == 0, "{faults} games have faults");
    Ok(Counts { games, moves })
}

impl Contender for Tabiya {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        fs::metadata(&self.path).with_context(|| self.path.display().to_string())?;
        self.counted = match self.threads {
            None => read(&self.path)?,
            Some(threads) => read_with(threads, &self.path)?,
        };
        Ok(Some(self.counted))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn run(&mut self) -> Result<()> {
        let before = self.counted;
        let now = self.count()?;
        ensure!(now == Some(before), "found {before:?} at first and then {now:?}");
        Ok(())
    }
}
