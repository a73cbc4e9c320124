//! The longer way of a run that leaves out duplicates: positions are gathered, then sifted.

use tabiya_dataset::training::{SampleFormat, SampleReader};

use super::Run;
use crate::{
    AppError, interrupt,
    positions::{
        dedupe::{Fates, Sieve},
        error::PositionsError,
        progress::{Phase, Place, write_json},
        select::Selected,
        stage::Scoring,
    },
};

/// Positions that are taken out of what was gathered at a time.
const SIFTED: usize = 4096;

/// After so many positions it is asked whether the user wants to stop.
const LOOKED: usize = 1024;

impl Run {
    /// Positions are put aside, because a duplicate of one may be known only when all were seen.
    pub(super) fn gather(&mut self) -> Result<(), AppError> {
        let mut stage = self.stage(None, true)?;
        self.read_all(&mut stage)?;
        self.close(&mut stage, Phase::Gathering)?;
        self.progress.phase = Phase::Sifting;
        // Counted are games and what selection passed over; the place is now one among what was gathered.
        let counted = std::mem::take(&mut self.progress.at);
        self.progress.at = Place {
            games: counted.games,
            games_left_out: counted.games_left_out,
            passed_over: counted.passed_over,
            ..Place::default()
        };
        self.progress.parts.clear();
        self.progress.positions_extracted = 0;
        Ok(write_json(&self.paths.progress(), &self.progress)?)
    }

    /// Goes through what was gathered, without duplicates.
    pub(super) fn sift(&mut self, scoring: Option<Scoring>) -> Result<(u64, u64), AppError> {
        let gathered = self.gathered_files()?;
        let mut fates = self.fates(&gathered)?;
        let mut stage = self.stage(scoring, false)?;
        let begin = stage.now.offset;
        let mut row = 0;
        let mut block = Selected::default();
        let mut in_block = 0;
        for path in &gathered {
            for sample in SampleReader::open(path, Some(SampleFormat::Parquet), None).map_err(PositionsError::from)? {
                let sample = sample.map_err(PositionsError::from)?;
                let fate = fates.next()?;
                row += 1;
                if row <= begin {
                    if row % LOOKED as u64 == 0 {
                        interrupt::go_on(&self.stop)?;
                    }
                    continue;
                }
                match fate {
                    Some(reason) => block.passed_over.add(reason, 1),
                    None => block.samples.push(sample),
                }
                in_block += 1;
                if in_block == SIFTED {
                    in_block = 0;
                    self.take(&mut stage, std::mem::take(&mut block), 0, row)?;
                    if stage.full {
                        break;
                    }
                }
            }
            if stage.full {
                break;
            }
        }
        if !stage.full {
            self.take(&mut stage, block, 0, row)?;
        }
        self.close(&mut stage, Phase::Joining)
    }

    fn gathered_files(&self) -> Result<Vec<std::path::PathBuf>, AppError> {
        let directory = self.paths.gathered();
        let unreadable = |error| PositionsError::io("read", &directory, error);
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&directory).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if path.is_file() {
                files.push(path);
            }
        }
        files.sort();
        Ok(files)
    }

    fn fates(&self, gathered: &[std::path::PathBuf]) -> Result<Fates, AppError> {
        let mut sieve = Sieve::create(&self.paths.gathered().join("sieve"))?;
        for path in &self.dedupe_with {
            let samples = SampleReader::open(path, None, None).map_err(PositionsError::from)?;
            for (number, sample) in samples.enumerate() {
                sieve.know(&sample.map_err(PositionsError::from)?.position)?;
                if number % LOOKED == 0 {
                    interrupt::go_on(&self.stop)?;
                }
            }
        }
        for path in gathered {
            let samples = SampleReader::open(path, Some(SampleFormat::Parquet), None).map_err(PositionsError::from)?;
            for (number, sample) in samples.enumerate() {
                sieve.add(&sample.map_err(PositionsError::from)?.position)?;
                if number % LOOKED == 0 {
                    interrupt::go_on(&self.stop)?;
                }
            }
        }
        sieve.sift(&self.stop)
    }
}
