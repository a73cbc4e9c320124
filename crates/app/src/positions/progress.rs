//! `<output>.progress.json`: how far a run is, and all that going on safely needs.

use std::{
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use tabiya_dataset::{WholeFile, is_special};

use super::{Configuration, GamesLeftOut, PositionsPassedOver, caps::Taken, error::PositionsError};
use crate::scratch::{self, Scratch};

/// The version of the file's form.
pub(super) const VERSION: u32 = 1;

/// The file. The first six fields are for people and programs that watch; the others are for going on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    pub month: Option<String>,
    pub variant: String,
    pub games_processed: u64,
    pub positions_extracted: u64,
    pub bytes_downloaded: u64,
    /// In the decompressed source: everything before it is accounted for.
    pub last_game_offset: u64,
    pub version: u32,
    pub(super) phase: Phase,
    pub(super) configuration: Configuration,
    pub(super) engine: Option<String>,
    pub(super) sources: Vec<SourceRecord>,
    pub(super) at: Place,
    pub(super) parts: Vec<PartRecord>,
}

/// What is being done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Phase {
    /// Positions are taken from games, scored where that is asked for, and written.
    Extracting,
    /// Positions are taken from games and put aside, until duplicates are known.
    Gathering,
    /// What was put aside is sifted, scored and written.
    Sifting,
    /// All parts are there.
    Joining,
}

/// A place between two positions, with what was counted up to it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Place {
    /// Which source, and where in it a block begins.
    pub(super) source: usize,
    pub(super) offset: u64,
    /// As many positions of that block are done.
    pub(super) skip: usize,
    /// Before that source, and up to the beginning of that block.
    pub(super) games_before: u64,
    pub(super) games: u64,
    pub(super) games_left_out: GamesLeftOut,
    pub(super) passed_over: PositionsPassedOver,
    pub(super) taken: Taken,
    /// Up to the place itself.
    pub(super) scored: PositionsPassedOver,
}

/// A source, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceRecord {
    pub name: String,
    pub month: Option<String>,
    pub variant: Option<String>,
    /// Of the file as it lies on disk or comes over the wire; null for standard input.
    pub bytes: Option<u64>,
    /// Changes with the content, and is known at once.
    pub fingerprint: Option<String>,
    /// Of all bytes; null where reading ended before they did.
    pub sha256: Option<String>,
    /// Of games, once all were read.
    pub games: Option<u64>,
    /// Whether it was found to break off. The place at hand is then behind its last whole game.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) cut: bool,
}

/// A finished part.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PartRecord {
    pub(super) file: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

/// Where the files of a run lie.
#[derive(Debug, Clone)]
pub(super) struct Paths {
    pub(super) output: PathBuf,
    /// As the user wrote it.
    pub(super) named: PathBuf,
    /// Where everything else lies if the output is a device, a pipe or an open file, which has no place beside it. Such a run
    /// cannot be gone on with: nobody could tell what of it was read.
    aside: Option<Arc<Scratch>>,
}

impl Paths {
    pub(super) fn of(named: &Path) -> Result<Paths, PositionsError> {
        let output = std::path::absolute(named).map_err(|error| PositionsError::io("resolve", named, error))?;
        let aside = match is_special(&output) {
            true => Some(Arc::new(Scratch::beside(&output, scratch::POSITIONS)?)),
            false => None,
        };
        Ok(Paths {
            output,
            named: named.to_owned(),
            aside,
        })
    }

    /// Whether the output is a file that can be read again, with others beside it.
    pub(super) fn has_place(&self) -> bool {
        self.aside.is_none()
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.output.file_name().unwrap_or_default().to_owned();
        name.push(ending);
        match &self.aside {
            Some(aside) => aside.path().join(name),
            None => self.output.with_file_name(name),
        }
    }

    pub(super) fn lock(&self) -> PathBuf {
        self.beside(".lock")
    }

    pub(super) fn progress(&self) -> PathBuf {
        self.beside(".progress.json")
    }

    pub(super) fn manifest(&self) -> PathBuf {
        self.beside(".manifest.json")
    }

    pub(super) fn parts(&self) -> PathBuf {
        self.beside(".parts")
    }

    pub(super) fn gathered(&self) -> PathBuf {
        self.beside(".gathered")
    }

    pub(super) fn answers(&self) -> PathBuf {
        self.beside(".answers")
    }

    pub(super) fn download(&self) -> PathBuf {
        self.beside(".download")
    }

    /// Removes what engines said: those who read on with it would take it for what they say of other positions.
    pub(super) fn forget_answers(&self) -> Result<(), PositionsError> {
        let path = self.answers();
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(PositionsError::io("remove", path, error)),
            _ => Ok(()),
        }
    }

    /// Removes all but the output and its manifest. What is not there need not be removed.
    pub(super) fn clean(&self) {
        // In this order: without the progress file nobody goes on with parts that are half gone.
        let _ = fs::remove_file(self.progress());
        let _ = fs::remove_file(self.answers());
        let _ = fs::remove_dir_all(self.parts());
        let _ = fs::remove_dir_all(self.gathered());
        let _ = fs::remove_dir_all(self.download());
    }
}

pub(super) fn read(path: &Path) -> Result<Option<Progress>, PositionsError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(PositionsError::io("read", path, error)),
    };
    let bad = |reason: String| PositionsError::CannotResume {
        path: path.to_owned(),
        reason,
    };
    let value: serde_json::Value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(version) if version == u64::from(VERSION) => {}
        Some(version) => {
            return Err(bad(format!(
                "it is of version {version}, this program writes {VERSION}"
            )));
        }
        None => return Err(bad("it is no progress file".to_owned())),
    }
    serde_json::from_value(value)
        .map(Some)
        .map_err(|error| bad(error.to_string()))
}

/// Writes a JSON file that is there whole or not at all, even if the power goes.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), PositionsError> {
    // Plain values with text keys can always be written.
    let text = serde_json::to_string_pretty(value).unwrap_or_default() + "\n";
    let mut file = WholeFile::create(path)?;
    file.write_all(text.as_bytes())
        .map_err(|error| PositionsError::io("write", path, error))?;
    file.commit()?;
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn what_killed_runs_into_devices_left_is_removed() {
        let killed = tempfile::Builder::new()
            .prefix(".tabiya-killed")
            .suffix(scratch::POSITIONS)
            .tempdir()
            .expect("a directory");
        fs::write(killed.path().join("lock"), "").expect("written");
        let paths = Paths::of(Path::new("/dev/null")).expect("paths");
        // Another test may have found it before us, and be about it still.
        let begun = Instant::now();
        while killed.path().exists() {
            assert!(begun.elapsed() < Duration::from_secs(20), "it is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
        let lock = paths.lock();
        let aside = lock.parent().expect("a directory");
        // Nobody else takes it for one of those.
        Paths::of(Path::new("/dev/null")).expect("paths");
        assert!(aside.starts_with(std::env::temp_dir()) && aside.exists());
        drop(paths);
        assert!(!aside.exists());
    }
}
