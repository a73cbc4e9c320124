//! Reads samples, whatever the format.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use super::{FenFormat, Layout, Packing, Sample, SampleError, SampleFormat, binpack::Chunk, bullet, json, text};
#[cfg(feature = "parquet")]
use crate::training::parquet::ParquetSamples;

/// A line longer than this is no position.
const LONGEST_LINE: u64 = 1 << 16;

/// Reads the samples of a file one after the other.
pub struct SampleReader {
    path: PathBuf,
    format: SampleFormat,
    row: u64,
    inner: Inner,
    failed: bool,
}

enum Inner {
    #[cfg(feature = "parquet")]
    Parquet(Box<ParquetSamples>),
    Records(BufReader<File>),
    Chunks(BufReader<File>, Box<Chunk>),
    Lines(Box<dyn BufRead + Send>, fn(&str) -> Result<Sample, String>),
}

impl std::fmt::Debug for SampleReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SampleReader")
            .field("path", &self.path)
            .field("row", &self.row)
            .finish_non_exhaustive()
    }
}

impl SampleReader {
    /// Opens a file. Its name says what it is unless `format` does; `fen` is for Parquet that has lost what it said of
    /// itself.
    ///
    /// # Errors
    ///
    /// What cannot be read, or is not what it was taken for.
    pub fn open(
        path: &Path,
        format: Option<SampleFormat>,
        fen: Option<FenFormat>,
    ) -> Result<SampleReader, SampleError> {
        let file = File::open(path).map_err(|error| SampleError::io("read", path, error))?;
        let meta = file.metadata().map_err(|error| SampleError::io("read", path, error))?;
        if meta.is_dir() {
            return Err(SampleError::io("read", path, io::ErrorKind::IsADirectory.into()));
        }
        let format = format
            .or_else(|| SampleFormat::from_path(path))
            .ok_or_else(|| SampleError::UnknownFormat { path: path.to_owned() })?;
        let not_samples = |reason: String| SampleError::NotSamples {
            path: path.to_owned(),
            format,
            reason,
        };
        let inner = match format {
            #[cfg(feature = "parquet")]
            SampleFormat::Parquet => Inner::Parquet(Box::new(ParquetSamples::open(file, fen).map_err(not_samples)?)),
            #[cfg(not(feature = "parquet"))]
            SampleFormat::Parquet => return Err(SampleError::NoParquet),
            SampleFormat::Bulletformat => {
                if !meta.len().is_multiple_of(bullet::RECORD as u64) {
                    let reason = format!("its {} bytes are no whole number of records of 32", meta.len());
                    return Err(not_samples(reason));
                }
                Inner::Records(BufReader::with_capacity(1 << 16, file))
            }
            SampleFormat::Binpack => Inner::Chunks(BufReader::new(file), Box::default()),
            SampleFormat::Text => Inner::Lines(lines(path, file)?, text::decode),
            SampleFormat::Jsonl => Inner::Lines(lines(path, file)?, json::decode),
        };
        Ok(SampleReader {
            path: path.to_owned(),
            format,
            row: 0,
            inner,
            failed: false,
        })
    }

    pub fn format(&self) -> SampleFormat {
        self.format
    }

    /// How the file is written, as far as it says so.
    pub fn layout(&self) -> Layout {
        let (fen, variants) = match &self.inner {
            #[cfg(feature = "parquet")]
            Inner::Parquet(samples) => (samples.fen(), samples.has_variants()),
            _ => (FenFormat::default(), false),
        };
        Layout {
            format: self.format,
            fen,
            packing: Packing::from_path(&self.path),
            variants,
        }
    }

    /// How many samples there are, where the file says it.
    pub fn rows(&self) -> Option<u64> {
        match &self.inner {
            #[cfg(feature = "parquet")]
            Inner::Parquet(samples) => Some(samples.rows()),
            Inner::Records(reader) => Some(reader.get_ref().metadata().ok()?.len() / bullet::RECORD as u64),
            _ => None,
        }
    }

    fn read(&mut self) -> Result<Option<Result<Sample, String>>, SampleError> {
        let not_samples = |reason: String| SampleError::NotSamples {
            path: self.path.clone(),
            format: self.format,
            reason,
        };
        let unreadable = |error| SampleError::io("read", &self.path, error);
        match &mut self.inner {
            #[cfg(feature = "parquet")]
            Inner::Parquet(samples) => samples.next().map_err(not_samples),
            Inner::Records(reader) => {
                if reader.fill_buf().map_err(unreadable)?.is_empty() {
                    return Ok(None);
                }
                let mut record = [0; bullet::RECORD];
                reader.read_exact(&mut record).map_err(unreadable)?;
                Ok(Some(bullet::decode(&record)))
            }
            Inner::Chunks(reader, chunk) => loop {
                if let Some(sample) = chunk.next().map_err(not_samples)? {
                    return Ok(Some(sample));
                }
                match Chunk::read(reader) {
                    Ok(None) => return Ok(None),
                    Ok(Some(next)) => **chunk = next,
                    Err(error) if error.raw_os_error().is_some() => return Err(unreadable(error)),
                    Err(error) => return Err(not_samples(error.to_string())),
                }
            },
            Inner::Lines(reader, decode) => loop {
                let mut line = Vec::new();
                let got = reader
                    .take(LONGEST_LINE)
                    .read_until(b'\n', &mut line)
                    .map_err(unreadable)?;
                if got == 0 {
                    return Ok(None);
                }
                if got as u64 == LONGEST_LINE {
                    return Err(not_samples("a line is too long to be a position".to_owned()));
                }
                let Ok(line) = str::from_utf8(&line) else {
                    return Ok(Some(Err("the line is not UTF-8".to_owned())));
                };
                if !line.trim().is_empty() {
                    return Ok(Some(decode(line.trim())));
                }
            },
        }
    }
}

impl Iterator for SampleReader {
    type Item = Result<Sample, SampleError>;

    /// The next sample. Behind an error about the file there is nothing more; behind one about a position there is.
    fn next(&mut self) -> Option<Result<Sample, SampleError>> {
        if self.failed {
            return None;
        }
        match self.read() {
            Ok(None) => None,
            Ok(Some(sample)) => {
                self.row += 1;
                Some(sample.map_err(|reason| SampleError::BadRow {
                    path: self.path.clone(),
                    row: self.row,
                    reason,
                }))
            }
            Err(error) => {
                self.failed = true;
                Some(Err(error))
            }
        }
    }
}

fn lines(path: &Path, file: File) -> Result<Box<dyn BufRead + Send>, SampleError> {
    let buffered = BufReader::with_capacity(1 << 16, file);
    Ok(match Packing::from_path(path) {
        Packing::None => Box::new(buffered),
        Packing::Gzip => Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(buffered))),
        Packing::Zstd => {
            let decoder = zstd::Decoder::with_buffer(buffered).map_err(|error| SampleError::io("read", path, error))?;
            Box::new(BufReader::with_capacity(1 << 16, decoder))
        }
    })
}
