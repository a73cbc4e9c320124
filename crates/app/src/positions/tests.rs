//! Runs from games to files, without a terminal.

mod devices;
mod engines;
mod farm;
mod games;
mod resuming;
mod selecting;
mod sharing;
mod tools;

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::Arc,
};

use tabiya_dataset::training::{FenFormat, Sample, SampleReader};

use super::{PositionsReport, PositionsRequest, Rules, take_positions};
use crate::AppError;

/// A directory with games in it, and runs over them.
struct Bench {
    directory: tempfile::TempDir,
}

impl Bench {
    fn with(pgn: &str) -> Bench {
        let directory = tempfile::tempdir().expect("a directory");
        std::fs::write(directory.path().join("games.pgn"), pgn).expect("writable");
        Bench { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// A run without an engine over the games, with everything else as it is by default.
    fn request(&self, output: &str) -> PositionsRequest {
        PositionsRequest {
            inputs: vec![self.path("games.pgn").display().to_string()],
            archives: None,
            rules: Rules::default(),
            max: None,
            stratify: None,
            shard: None,
            dedupe: false,
            dedupe_with: Vec::new(),
            engine: None,
            output: self.path(output),
            format: None,
            fen_format: FenFormat::Packed,
            batch_size: NonZeroUsize::new(100).expect("not 0"),
            threads: NonZeroUsize::new(2).expect("not 0"),
            resume: false,
            restart: false,
            stop: Arc::default(),
        }
    }

    fn samples(&self, output: &str) -> Vec<Sample> {
        samples(&self.path(output))
    }

    fn bytes(&self, output: &str) -> Vec<u8> {
        std::fs::read(self.path(output)).expect("written")
    }

    /// Names of all files, to see that nothing is left behind.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).expect("readable");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

fn samples(path: &Path) -> Vec<Sample> {
    let reader = SampleReader::open(path, None, None).expect("samples");
    reader.map(|sample| sample.expect("a sample")).collect()
}

fn run(request: &PositionsRequest) -> Result<PositionsReport, AppError> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(take_positions(request, None))
}

fn ran(request: &PositionsRequest) -> PositionsReport {
    run(request).expect("a run")
}
