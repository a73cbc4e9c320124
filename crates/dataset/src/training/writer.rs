//! Writes samples, a group at a time.

use std::{
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

#[cfg(feature = "parquet")]
use ::parquet::{errors::ParquetError, file::writer::SerializedFileWriter};

#[cfg(feature = "parquet")]
use tabiya_chess::Variant;

use super::{Layout, Sample, SampleError, SampleFormat, group};
use crate::table::TableError;
#[cfg(feature = "parquet")]
use crate::training::{FenFormat, parquet};
use crate::{output::Output, whole_file::Place};

/// What a finished file amounts to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub rows: u64,
    pub bytes: u64,
}

/// Writes one file of samples, which appears under its name when it is whole.
#[derive(Debug)]
pub struct SampleWriter {
    // Before `place`, so that the file is closed before it is removed.
    encoder: Encoder,
    place: Place,
    path: PathBuf,
    layout: Layout,
    rows: u64,
    /// A write failed, so the file may have a hole.
    failed: bool,
}

#[derive(Debug)]
enum Encoder {
    #[cfg(feature = "parquet")]
    Parquet(Box<SerializedFileWriter<Output>>),
    Groups(Output),
}

impl SampleWriter {
    /// Starts a file. Missing directories are created.
    ///
    /// # Errors
    ///
    /// Everything that can be known before the first sample: a directory as target, missing permissions.
    pub fn create(path: impl AsRef<Path>, layout: Layout) -> Result<SampleWriter, SampleError> {
        let path = path.as_ref();
        let (output, place) = Place::open(path, true).map_err(TableError::from)?;
        let encoder = match layout.format {
            #[cfg(feature = "parquet")]
            SampleFormat::Parquet => {
                let file = parquet::open(layout, output).map_err(|error| broken("write", path, error))?;
                Encoder::Parquet(Box::new(file))
            }
            #[cfg(not(feature = "parquet"))]
            SampleFormat::Parquet => return Err(SampleError::NoParquet),
            _ => Encoder::Groups(output),
        };
        Ok(SampleWriter {
            encoder,
            place,
            path: path.to_owned(),
            layout,
            rows: 0,
            failed: false,
        })
    }

    /// Appends a group: a row group of Parquet, a chunk of binpack.
    ///
    /// # Errors
    ///
    /// What the format cannot hold, and what the operating system refuses.
    pub fn write_group(&mut self, samples: &[Sample]) -> Result<(), SampleError> {
        let written = self.encode(samples);
        self.failed |= written.is_err();
        written?;
        self.rows += samples.len() as u64;
        Ok(())
    }

    fn encode(&mut self, samples: &[Sample]) -> Result<(), SampleError> {
        match &mut self.encoder {
            #[cfg(feature = "parquet")]
            Encoder::Parquet(file) => {
                refuse_unsaid(self.layout, samples)?;
                parquet::write_group(file, self.layout, samples).map_err(|error| broken("write", &self.path, error))
            }
            Encoder::Groups(output) => {
                let bytes = group::encode(self.layout, samples)?;
                output
                    .write_all(&bytes)
                    .map_err(|error| SampleError::io("write", &self.path, error))
            }
        }
    }

    /// Appends all groups of a file of the same layout as they are.
    pub(super) fn splice(&mut self, part: &Path) -> Result<(), SampleError> {
        let spliced = self.append(part);
        self.failed |= spliced.is_err();
        self.rows += spliced?;
        Ok(())
    }

    /// The rows of the part, where they are known.
    fn append(&mut self, part: &Path) -> Result<u64, SampleError> {
        match &mut self.encoder {
            #[cfg(feature = "parquet")]
            Encoder::Parquet(file) => {
                // Which of the two is at fault it does not say.
                parquet::splice(file, part).map_err(|error| broken("take over", part, error))
            }
            Encoder::Groups(output) => {
                let unreadable = |error| SampleError::io("read", part, error);
                let mut input = std::fs::File::open(part).map_err(unreadable)?;
                let mut bytes = vec![0; 1 << 16];
                loop {
                    match input.read(&mut bytes).map_err(unreadable)? {
                        0 => return Ok(0),
                        read => output
                            .write_all(&bytes[..read])
                            .map_err(|error| SampleError::io("write", &self.path, error))?,
                    }
                }
            }
        }
    }

    /// Makes the file durable and puts it in place.
    ///
    /// # Errors
    ///
    /// What the operating system refuses; the target is then as it was before.
    pub fn finish(self) -> Result<Written, SampleError> {
        let path = self.path;
        if self.failed {
            return Err(TableError::Abandoned { path }.into());
        }
        let output = match self.encoder {
            #[cfg(feature = "parquet")]
            Encoder::Parquet(mut file) => {
                file.finish().map_err(|error| broken("write", &path, error))?;
                let copy = file.inner().try_clone();
                copy.map_err(|error| SampleError::io("write", &path, error))?
            }
            Encoder::Groups(output) => output,
        };
        let bytes = self
            .place
            .commit(output)
            .map_err(|error| SampleError::io("write", &path, error))?;
        Ok(Written { rows: self.rows, bytes })
    }
}

/// A packed position does not say that it is of Chess960: read back it would be one of standard chess, with other castling
/// rights or none.
#[cfg(feature = "parquet")]
fn refuse_unsaid(layout: Layout, samples: &[Sample]) -> Result<(), SampleError> {
    let is_said = layout.variants || layout.fen != FenFormat::Packed;
    match samples.iter().find(|sample| sample.variant != Variant::Standard) {
        Some(_) if !is_said => Err(SampleError::Encoding {
            format: layout.format,
            reason: "one is of Chess960, and there is no column to say so".to_owned(),
        }),
        _ => Ok(()),
    }
}

#[cfg(feature = "parquet")]
fn broken(action: &'static str, path: &Path, error: ParquetError) -> SampleError {
    SampleError::io(action, path, crate::table::parquet_into_io(error))
}
