//! What a long review has done so far, so that it can be gone on with.
//!
//! The first line says of what and by which rules; each further line is one game, in the order of the input. A line is
//! written whole and ends with a line break: one that does not was cut short and is done again.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, Read as _, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Entry, json::VERSION};
use crate::{AppError, lock::Lock};

/// Longer than the first line ever is.
const LONGEST_HEADER: u64 = 4096;

/// So often a journal that was taken away while it was being locked is made again.
const MOST_TRIES: usize = 100;

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Header {
    tabiya_review: u32,
    /// Of the inputs and everything that changes what comes out.
    key: String,
}

/// A journal that is open for writing.
#[derive(Debug)]
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    /// Held until it is removed or dropped: two reviews would write into each other's lines. None on a disk without locks.
    lock: Option<Lock>,
    /// Games that were in it when it was opened.
    done: u64,
}

impl Journal {
    /// Opens a journal for a job; one that belongs to another job is begun anew, and what is no journal is left as it is.
    pub(super) fn open(path: &Path, key: &str) -> Result<Journal, AppError> {
        let fail = |source| AppError::CannotWrite {
            path: path.to_owned(),
            source,
        };
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(fail)?;
        }
        for _ in 0..MOST_TRIES {
            let file = OpenOptions::new()
                .create(true)
                .truncate(false)
                .read(true)
                .write(true)
                .open(path)
                .map_err(fail)?;
            let lock = match Lock::take(file.try_clone().map_err(fail)?) {
                Ok(lock) if lock.is_still(path) => Some(lock),
                // A review that has just ended has taken its journal away.
                Ok(_) => continue,
                Err(TryLockError::WouldBlock) => break,
                Err(TryLockError::Error(_)) => None,
            };
            let opened = Journal::of(path, file, lock, key).map_err(fail)?;
            return opened.ok_or_else(|| AppError::NotAJournal { path: path.to_owned() });
        }
        Err(AppError::InUse { path: path.to_owned() })
    }

    fn of(path: &Path, mut file: File, lock: Option<Lock>, key: &str) -> io::Result<Option<Journal>> {
        let header = Header {
            tabiya_review: VERSION,
            key: key.to_owned(),
        };
        let Some((done, whole)) = measure(&file, &header)? else {
            return Ok(None);
        };
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        if whole == 0 {
            let mut line = serde_json::to_vec(&header)?;
            line.push(b'\n');
            file.write_all(&line)?;
        }
        Ok(Some(Journal {
            path: path.to_owned(),
            file,
            lock,
            done,
        }))
    }

    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// Hands out what is in it, one game at a time.
    pub(super) fn replay<E: From<io::Error>>(&self, mut each: impl FnMut(Entry) -> Result<(), E>) -> Result<(), E> {
        let lines = BufReader::new(File::open(&self.path)?).lines().skip(1);
        for line in lines.take(usize::try_from(self.done).unwrap_or(usize::MAX)) {
            let entry = serde_json::from_str(&line?).map_err(io::Error::from)?;
            each(entry)?;
        }
        Ok(())
    }

    /// Adds a game.
    pub(super) fn add(&mut self, entry: &Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }

    /// The job is done and nobody will ask again.
    pub(super) fn remove(self) -> io::Result<()> {
        // Held until it is gone: whoever has it open by then sees that it is not the one of this name any more.
        let Journal { path, lock: _held, .. } = self;
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// What every journal begins with.
const BEGINNING: &[u8] = b"{\"tabiya_review\":";

/// How many games a journal has, and how long it is up to the last whole one: 0 if it is another job's. None if it is no journal.
fn measure(file: &File, expected: &Header) -> io::Result<Option<(u64, u64)>> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    // Nobody's first line is longer; a file without line breaks need not be read to its end.
    let mut whole = reader.by_ref().take(LONGEST_HEADER).read_until(b'\n', &mut line)? as u64;
    // One that was killed while it wrote it has a piece of it.
    let begun = line.len().min(BEGINNING.len());
    if line[..begun] != BEGINNING[..begun] || (line.len() > begun && line.len() as u64 == LONGEST_HEADER) {
        return Ok(None);
    }
    let is_whole = line.last() == Some(&b'\n');
    match serde_json::from_slice::<Header>(&line) {
        Ok(header) if is_whole && header == *expected => {}
        Err(_) if is_whole => return Ok(None),
        _ => return Ok(Some((0, 0))),
    }
    let mut games = 0;
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') || serde_json::from_slice::<Entry>(&line).is_err() {
            return Ok(Some((games, whole)));
        }
        games += 1;
        whole += length;
    }
}
