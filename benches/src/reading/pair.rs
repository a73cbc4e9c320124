//! Two readers at once that share nothing: what a second thread can bring on this machine at all.

use std::{path::PathBuf, thread};

use anyhow::{Result, anyhow, ensure};

use super::tabiya;
use crate::contender::{Contender, Counts};

#[derive(Debug)]
pub(crate) struct Pair {
    path: PathBuf,
    bytes: u64,
    counted: Counts,
}

impl Pair {
    /// Each of the two reads the whole file.
    pub(crate) fn new(path: PathBuf, bytes: u64) -> Pair {
        Pair {
            path,
            bytes,
            counted: Counts::default(),
        }
    }

    fn read(&self) -> Result<Counts> {
        let path = &self.path;
        let (one, other) = thread::scope(|scope| {
            let one = scope.spawn(|| tabiya::read(path));
            (tabiya::read(path), one.join())
        });
        let (one, other) = (one?, other.map_err(|_| anyhow!("a reader panicked"))??);
        Ok(Counts {
            games: one.games + other.games,
            moves: one.moves + other.moves,
        })
    }
}

impl Contender for Pair {
    fn name(&self) -> String {
        "two readers of one thread each, the file twice (limit)".to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        self.counted = self.read()?;
        Ok(Some(self.counted))
    }

    fn expected(&self, whole: Counts) -> Counts {
        Counts {
            games: whole.games * 2,
            moves: whole.moves * 2,
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes * 2
    }

    fn run(&mut self) -> Result<()> {
        ensure!(self.read()? == self.counted, "found other games than before");
        Ok(())
    }
}
