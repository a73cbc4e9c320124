//! The verb itself, with and without its file.

use std::{
    fs::File,
    io::BufWriter,
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
};

use anyhow::{Result, ensure};
use tabiya_app::analyze::{Analysis, AnalyzeRequest, DbOptions, analyze};
use tokio::runtime::Runtime;

use super::THREADS;
use crate::contender::{Contender, Counts};

/// How far it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// Trie, novelties and branches are known.
    Known,
    /// What is printed where nobody asks for more: players, openings, lines, the greatest novelties.
    Summary,
    /// New positions too.
    Positions,
    /// `db.json` is written.
    Written,
}

#[derive(Debug)]
pub(super) struct Analysed {
    until: Until,
    path: PathBuf,
    bytes: u64,
    output: PathBuf,
    runtime: Runtime,
    counted: Counts,
}

pub(super) fn output(dir: &Path) -> PathBuf {
    dir.join("db.json")
}

impl Analysed {
    pub(super) fn new(until: Until, path: PathBuf, bytes: u64, dir: &Path) -> Result<Analysed> {
        Ok(Analysed {
            until,
            path,
            bytes,
            output: output(dir),
            runtime: Runtime::new()?,
            counted: Counts::default(),
        })
    }

    fn analyse(&self) -> Result<Counts> {
        let request = AnalyzeRequest {
            inputs: vec![self.path.display().to_string()],
            database: None,
            threads: THREADS,
            stop: Arc::default(),
        };
        let analysis = self.runtime.block_on(analyze(&request, None))?;
        match self.until {
            Until::Known => {}
            Until::Summary => drop(std::hint::black_box(analysis.summary(2, 5))),
            // Whoever asks about one game makes all known.
            Until::Positions => drop(analysis.position_novelty_plies(0)),
            Until::Written => self.write(&analysis)?,
        }
        ensure!(
            analysis.left_out().is_empty(),
            "{} games are left out",
            analysis.left_out().len()
        );
        Ok(Counts {
            games: u64::from(analysis.game_count()),
            moves: analysis.move_count(),
        })
    }

    fn write(&self, analysis: &Analysis) -> Result<()> {
        let options = DbOptions {
            analyzed_at: String::new(),
            min_games: 2,
            repertoires: 100,
        };
        let mut out = BufWriter::with_capacity(1 << 20, File::create(&self.output)?);
        Ok(analysis.write_db(&options, &AtomicBool::new(false), &mut out)?)
    }
}

impl Contender for Analysed {
    fn name(&self) -> String {
        match self.until {
            Until::Known => "trie, novelties, branches",
            Until::Summary => "the same and what is printed",
            Until::Positions => "the same and new positions",
            Until::Written => "all of it and db.json on disk",
        }
        .to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        self.counted = self.analyse()?;
        Ok(Some(self.counted))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn run(&mut self) -> Result<()> {
        ensure!(self.analyse()? == self.counted, "found other games than before");
        Ok(())
    }

    fn turns(&self) -> usize {
        match self.until {
            Until::Known | Until::Summary | Until::Positions => 7,
            Until::Written => 3,
        }
    }
}
