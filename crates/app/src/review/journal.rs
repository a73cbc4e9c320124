//! What a long review has done so far, so that it can be gone on with.
//!
//! The first line says of what and by which rules; each further line is one game, in the order of the input. A line is
//! written whole and ends with a line break: one that does not was cut short and is done again.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufRead, BufReader, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{Entry, json::VERSION};

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
    /// Games that were in it when it was opened.
    done: u64,
}

impl Journal {
    /// Opens a journal for a job; one that belongs to another job is begun anew.
    pub(super) fn open(path: &Path, key: &str) -> io::Result<Journal> {
        let header = Header {
            tabiya_review: VERSION,
            key: key.to_owned(),
        };
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent)?;
        }
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)?;
        let (done, whole) = measure(&file, &header)?;
        file.set_len(whole)?;
        file.seek(SeekFrom::End(0))?;
        if whole == 0 {
            let mut line = serde_json::to_vec(&header)?;
            line.push(b'\n');
            file.write_all(&line)?;
        }
        Ok(Journal {
            path: path.to_owned(),
            file,
            done,
        })
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
        drop(self.file);
        fs::remove_file(self.path)
    }
}

/// How many games a journal has, and how long it is up to the last whole one; nothing if it is another job's.
fn measure(file: &File, expected: &Header) -> io::Result<(u64, u64)> {
    let mut reader = BufReader::new(file);
    let mut line = Vec::new();
    let mut whole = reader.read_until(b'\n', &mut line)? as u64;
    let is_ours =
        line.last() == Some(&b'\n') && serde_json::from_slice::<Header>(&line).is_ok_and(|header| header == *expected);
    if !is_ours {
        return Ok((0, 0));
    }
    let mut games = 0;
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') || serde_json::from_slice::<Entry>(&line).is_err() {
            return Ok((games, whole));
        }
        games += 1;
        whole += length;
    }
}
