//! `tabiya positions --no-engine`, from the archive to the joined Parquet file.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::{Result, ensure};
use tabiya_app::{
    engines::EngineSettings,
    positions::{FenFormat, PositionsReport, PositionsRequest, Rules, take_positions},
};
use tabiya_chess::SearchLimit;
use tokio::runtime::Runtime;

use crate::contender::{Contender, Counts};

pub(crate) fn request(input: &Path, output: &Path, threads: usize) -> PositionsRequest {
    PositionsRequest {
        inputs: vec![input.display().to_string()],
        archives: None,
        rules: Rules::default(),
        max: None,
        stratify: None,
        shard: None,
        dedupe: false,
        dedupe_with: Vec::new(),
        engine: None,
        output: output.to_owned(),
        format: None,
        fen_format: FenFormat::Packed,
        batch_size: NonZeroUsize::new(10_000).unwrap_or(NonZeroUsize::MIN),
        threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
        resume: false,
        restart: true,
        stop: Arc::default(),
    }
}

pub(crate) fn extract(input: &Path, output: &Path, threads: usize) -> Result<PositionsReport> {
    Ok(Runtime::new()?.block_on(take_positions(&request(input, output, threads), None))?)
}

/// With engines, for so many positions.
pub(super) fn extract_scored(
    input: &Path,
    output: &Path,
    settings: EngineSettings,
    limit: SearchLimit,
    positions: u64,
) -> Result<PositionsReport> {
    let scored = PositionsRequest {
        engine: Some((settings, limit)),
        max: Some(positions),
        ..request(input, output, 1)
    };
    Ok(Runtime::new()?.block_on(take_positions(&scored, None))?)
}

#[derive(Debug)]
pub(super) struct Tabiya {
    packed: PathBuf,
    bytes: u64,
    output: PathBuf,
    threads: usize,
    rows: u64,
}

impl Tabiya {
    pub(super) fn new(packed: PathBuf, bytes: u64, output: PathBuf, threads: usize) -> Tabiya {
        Tabiya {
            packed,
            bytes,
            output,
            threads,
            rows: 0,
        }
    }
}

impl Contender for Tabiya {
    fn name(&self) -> String {
        "tabiya positions --no-engine".to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        let report = extract(&self.packed, &self.output, self.threads)?;
        self.rows = report.manifest.counts.positions;
        ensure!(self.rows > 0, "no position was taken");
        Ok(Some(Counts {
            games: report.manifest.counts.games,
            moves: 0,
        }))
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn run(&mut self) -> Result<()> {
        let report = extract(&self.packed, &self.output, self.threads)?;
        ensure!(
            report.manifest.counts.positions == self.rows,
            "found other positions than before"
        );
        Ok(())
    }
}
