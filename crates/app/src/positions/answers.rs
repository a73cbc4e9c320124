//! What engines said of positions that are in no part yet. A killed run need not ask again.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tabiya_chess::fnv1a;

use super::error::PositionsError;

/// How long an answer may wait to be written.
const WRITE_AFTER: Duration = Duration::from_secs(1);

const RECORD: usize = 32;

/// Which position: its source, where its block begins, and its number there.
pub(super) type Key = (u32, u64, u32);

/// What an engine said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Score {
        score: i32,
        depth: u8,
        /// Whether the best move takes or promotes.
        loud: bool,
    },
    /// Nothing, however often it was tried.
    GaveUp,
}

/// A file of answers. A record that was not written whole is no record.
#[derive(Debug)]
pub(super) struct Answers {
    path: PathBuf,
    file: File,
    known: HashMap<Key, Said>,
    waiting: Vec<u8>,
    written: Instant,
}

impl Answers {
    pub(super) fn open(path: &Path) -> Result<Answers, PositionsError> {
        let fail = |error| PositionsError::io("write", path, error);
        let mut file = OpenOptions::new()
            .create(true)
            .read(true)
            .append(true)
            .open(path)
            .map_err(fail)?;
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(fail)?;
        let (records, rest) = content.as_chunks::<RECORD>();
        if !rest.is_empty() {
            // What follows would be read askew.
            file.set_len((records.len() * RECORD) as u64).map_err(fail)?;
        }
        Ok(Answers {
            path: path.to_owned(),
            file,
            known: records.iter().filter_map(decode).collect(),
            waiting: Vec::new(),
            written: Instant::now(),
        })
    }

    pub(super) fn get(&self, key: Key) -> Option<Said> {
        self.known.get(&key).copied()
    }

    pub(super) fn put(&mut self, key: Key, said: Said) -> Result<(), PositionsError> {
        self.waiting.extend_from_slice(&encode(key, said));
        if self.written.elapsed() >= WRITE_AFTER {
            self.flush()?;
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) -> Result<(), PositionsError> {
        self.written = Instant::now();
        let written = self.file.write_all(&self.waiting);
        self.waiting.clear();
        written.map_err(|error| PositionsError::io("write", &self.path, error))
    }

    /// Everything is in parts.
    pub(super) fn forget(&mut self) -> Result<(), PositionsError> {
        self.known = HashMap::new();
        self.waiting.clear();
        let emptied = self.file.set_len(0);
        emptied.map_err(|error| PositionsError::io("write", &self.path, error))
    }
}

fn encode((source, offset, number): Key, said: Said) -> [u8; RECORD] {
    let (score, depth, kind) = match said {
        Said::Score { score, depth, loud } => (score, depth, 1 + u8::from(loud)),
        Said::GaveUp => (0, 0, 3),
    };
    let mut record = [0; RECORD];
    record[..4].copy_from_slice(&source.to_le_bytes());
    record[4..12].copy_from_slice(&offset.to_le_bytes());
    record[12..16].copy_from_slice(&number.to_le_bytes());
    record[16..20].copy_from_slice(&score.to_le_bytes());
    record[20] = depth;
    record[21] = kind;
    let sum = fnv1a(&record[..24]).to_le_bytes();
    record[24..].copy_from_slice(&sum);
    record
}

fn decode(record: &[u8; RECORD]) -> Option<(Key, Said)> {
    if record[24..] != fnv1a(&record[..24]).to_le_bytes() {
        return None;
    }
    let number = |at: usize| record[at..].first_chunk::<4>().map(|bytes| u32::from_le_bytes(*bytes));
    let offset = u64::from_le_bytes(*record[4..].first_chunk::<8>()?);
    let said = match record[21] {
        kind @ (1 | 2) => Said::Score {
            score: number(16)?.cast_signed(),
            depth: record[20],
            loud: kind == 2,
        },
        3 => Said::GaveUp,
        _ => return None,
    };
    Some(((number(0)?, offset, number(12)?), said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_whole_is_known_again() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("answers");
        let score = Said::Score {
            score: -10_000,
            depth: 12,
            loud: true,
        };
        let mut answers = Answers::open(&path).expect("a file");
        answers.put((1, 1 << 40, 7), score).expect("noted");
        answers.put((1, 1 << 40, 8), Said::GaveUp).expect("noted");
        answers.put((2, 0, 0), score).expect("noted");
        answers.flush().expect("written");
        let mut content = std::fs::read(&path).expect("written");
        // The last was cut off, and the second hit by a stray bit.
        content.truncate(80);
        content[33] ^= 1;
        std::fs::write(&path, &content).expect("writable");
        let mut answers = Answers::open(&path).expect("a file");
        assert_eq!(answers.get((1, 1 << 40, 7)), Some(score));
        assert_eq!(answers.get((1, 1 << 40, 8)), None);
        assert_eq!(answers.get((2, 0, 0)), None);
        answers.put((2, 0, 0), Said::GaveUp).expect("noted");
        answers.flush().expect("written");
        assert_eq!(Answers::open(&path).expect("a file").get((2, 0, 0)), Some(Said::GaveUp));
        answers.forget().expect("emptied");
        assert_eq!(Answers::open(&path).expect("a file").get((2, 0, 0)), None);
    }
}
