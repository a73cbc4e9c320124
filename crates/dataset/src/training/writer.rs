//! Writes samples, a group at a time.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

#[cfg(feature = "parquet")]
use ::parquet::{errors::ParquetError, file::writer::SerializedFileWriter};

use super::{Layout, Sample, SampleError, SampleFormat, group};
use crate::table::{Output, Place};
#[cfg(feature = "parquet")]
use crate::training::parquet;

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
        let (output, place) = Place::open(path)?;
        let encoder = match layout.format {
            #[cfg(feature = "parquet")]
            SampleFormat::Parquet => {
                let file = parquet::open(layout, output).map_err(|error| broken(path, error))?;
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
        })
    }

    /// Appends a group: a row group of Parquet, a chunk of binpack.
    ///
    /// # Errors
    ///
    /// What the format cannot hold, and what the operating system refuses.
    pub fn write_group(&mut self, samples: &[Sample]) -> Result<(), SampleError> {
        match &mut self.encoder {
            #[cfg(feature = "parquet")]
            Encoder::Parquet(file) => {
                parquet::write_group(file, self.layout, samples).map_err(|error| broken(&self.path, error))?;
            }
            Encoder::Groups(output) => {
                let bytes = group::encode(self.layout, samples)?;
                output
                    .write_all(&bytes)
                    .map_err(|error| SampleError::io("write", &self.path, error))?;
            }
        }
        self.rows += samples.len() as u64;
        Ok(())
    }

    /// Appends all groups of a file of the same layout as they are.
    pub(super) fn splice(&mut self, part: &Path) -> Result<(), SampleError> {
        match &mut self.encoder {
            #[cfg(feature = "parquet")]
            Encoder::Parquet(file) => {
                self.rows += parquet::splice(file, part).map_err(|error| broken(part, error))?;
            }
            Encoder::Groups(output) => {
                let mut input = std::fs::File::open(part).map_err(|error| SampleError::io("read", part, error))?;
                std::io::copy(&mut input, output).map_err(|error| SampleError::io("write", &self.path, error))?;
            }
        }
        Ok(())
    }

    /// Makes the file durable and puts it in place.
    ///
    /// # Errors
    ///
    /// What the operating system refuses; the target is then as it was before.
    pub fn finish(self) -> Result<Written, SampleError> {
        let path = self.path;
        let output = match self.encoder {
            #[cfg(feature = "parquet")]
            Encoder::Parquet(mut file) => {
                file.finish().map_err(|error| broken(&path, error))?;
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

#[cfg(feature = "parquet")]
fn broken(path: &Path, error: ParquetError) -> SampleError {
    SampleError::io("write", path, crate::table::parquet_into_io(error))
}
