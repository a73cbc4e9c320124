//! The output while it grows: numbered parts, each valid on its own.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use tabiya_dataset::training::{Layout, Sample, SampleWriter, Written, join};

use super::{error::PositionsError, progress::PartRecord};

/// A part is closed, and progress noted, after so many groups or so much time, whichever comes first. How groups lie in
/// parts does not show in the end.
const MOST_GROUPS: usize = 64;
const LONGEST: Duration = Duration::from_secs(20);

#[derive(Debug)]
pub(super) struct Parts {
    directory: PathBuf,
    layout: Layout,
    batch: usize,
    buffer: Vec<Sample>,
    writer: Option<SampleWriter>,
    groups: usize,
    since: Instant,
    /// Rows of the part at hand.
    rows: u64,
    pub(super) done: Vec<PartRecord>,
}

impl Parts {
    /// Goes on behind the parts that are known; whatever else lies there was not noted, and is removed.
    pub(super) fn open(
        directory: PathBuf,
        layout: Layout,
        batch: usize,
        done: Vec<PartRecord>,
    ) -> Result<Parts, PositionsError> {
        fs::create_dir_all(&directory).map_err(|error| PositionsError::io("create", &directory, error))?;
        let unreadable = |error| PositionsError::io("read", &directory, error);
        for entry in fs::read_dir(&directory).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name();
            if !done.iter().any(|part| name == part.file.as_str()) {
                // A sieve for duplicates that a killed run was filling is a directory.
                let removed = match entry.file_type() {
                    Ok(kind) if kind.is_dir() => fs::remove_dir_all(entry.path()),
                    _ => fs::remove_file(entry.path()),
                };
                removed.map_err(|error| PositionsError::io("remove", entry.path(), error))?;
            }
        }
        for part in &done {
            let path = directory.join(&part.file);
            let bytes = fs::metadata(&path).map(|meta| meta.len()).unwrap_or(0);
            if bytes != part.bytes {
                return Err(PositionsError::CannotResume {
                    path,
                    reason: format!("it has {bytes} bytes and had {}", part.bytes),
                });
            }
        }
        Ok(Parts {
            directory,
            layout,
            batch: batch.max(1),
            buffer: Vec::with_capacity(batch.clamp(1, 1 << 16)),
            writer: None,
            groups: 0,
            since: Instant::now(),
            rows: 0,
            done,
        })
    }

    /// Adds a position; true if it completed a group.
    pub(super) fn push(&mut self, sample: Sample) -> Result<bool, PositionsError> {
        self.buffer.push(sample);
        if self.buffer.len() < self.batch {
            return Ok(false);
        }
        self.write_group()?;
        Ok(true)
    }

    /// Whether it is time to close the part.
    pub(super) fn is_due(&self) -> bool {
        self.groups >= MOST_GROUPS || (self.groups > 0 && self.since.elapsed() >= LONGEST)
    }

    /// Writes what is left, as the last group.
    pub(super) fn write_rest(&mut self) -> Result<(), PositionsError> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        self.write_group()
    }

    fn write_group(&mut self) -> Result<(), PositionsError> {
        let writer = match &mut self.writer {
            Some(writer) => writer,
            none => {
                self.since = Instant::now();
                let path = self.directory.join(name(self.done.len()));
                none.insert(SampleWriter::create(path, self.layout)?)
            }
        };
        writer.write_group(&self.buffer)?;
        self.rows += self.buffer.len() as u64;
        self.groups += 1;
        self.buffer.clear();
        Ok(())
    }

    /// Makes the part at hand durable. Positions that have not completed a group are not in it.
    pub(super) fn close(&mut self) -> Result<(), PositionsError> {
        let Some(writer) = self.writer.take() else {
            return Ok(());
        };
        let Written { bytes, .. } = writer.finish()?;
        self.done.push(PartRecord {
            file: name(self.done.len()),
            rows: self.rows,
            bytes,
        });
        self.rows = 0;
        self.groups = 0;
        Ok(())
    }

    /// Rows in parts that are closed.
    pub(super) fn closed_rows(&self) -> u64 {
        self.done.iter().map(|part| part.rows).sum()
    }

    pub(super) fn files(&self) -> Vec<PathBuf> {
        self.done.iter().map(|part| self.directory.join(&part.file)).collect()
    }

    pub(super) fn join(&self, output: &Path) -> Result<Written, PositionsError> {
        Ok(join(&self.files(), output, self.layout, self.closed_rows())?)
    }
}

fn name(number: usize) -> String {
    format!("part-{:06}", number + 1)
}
