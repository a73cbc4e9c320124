//! What is done with files of positions: looked into, converted, merged, shuffled, sifted. All of it streams.

mod convert;
mod inspect;
mod shuffle;

use std::{
    fs::File,
    io::{self, Read as _},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
};

use serde::{Deserialize, Serialize};
use tabiya_chess::Variant;
use tabiya_dataset::{
    is_special,
    training::{FenFormat, Layout, Packing, Sample, SampleError, SampleFormat, SampleReader, SampleWriter, Written},
};

pub use convert::{Dedupe, convert, decode, dedupe};
pub use inspect::{Bin, Histogram, Inspection, inspect};
pub use shuffle::shuffle;

use super::{OutputRecord, PositionsError, SourceRecord, hashing::Hashing, progress::VERSION, progress::write_json};
use crate::{AppError, interrupt};

/// Bytes of a file that are hashed before it is asked whether the user wants to stop.
const HASHED: u64 = 4 << 20;

/// Files of positions, and what they are where their names do not say it.
#[derive(Debug, Clone, Default)]
pub struct SampleInputs {
    pub files: Vec<PathBuf>,
    pub format: Option<SampleFormat>,
    pub fen_format: Option<FenFormat>,
}

/// A file of positions to be written.
#[derive(Debug, Clone)]
pub struct SampleOutput {
    pub file: PathBuf,
    pub format: Option<SampleFormat>,
    pub fen_format: Option<FenFormat>,
    pub batch_size: usize,
}

/// What stands beside an output that was made of other files of positions.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ToolManifest {
    pub version: u32,
    pub tabiya: String,
    /// What was done.
    pub verb: String,
    pub output: OutputRecord,
    pub format: String,
    pub fen_format: String,
    pub seed: Option<u64>,
    pub sources: Vec<SourceRecord>,
    pub counts: ToolCounts,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCounts {
    pub read: u64,
    pub written: u64,
    pub duplicates: u64,
    pub known_elsewhere: u64,
}

impl SampleInputs {
    fn open(&self, path: &Path) -> Result<SampleReader, PositionsError> {
        Ok(SampleReader::open(path, self.format, self.fen_format)?)
    }

    /// All samples of all files, until `each` has seen enough. It ends with an error when the user wants to stop.
    fn for_each(
        &self,
        stop: &AtomicBool,
        mut each: impl FnMut(Sample) -> Result<ControlFlow<()>, AppError>,
    ) -> Result<(), AppError> {
        for path in &self.files {
            for (number, sample) in self.open(path)?.enumerate() {
                if each(sample.map_err(PositionsError::from)?)?.is_break() {
                    return Ok(());
                }
                if number % 1024 == 0 {
                    interrupt::go_on(stop)?;
                }
            }
        }
        Ok(())
    }

    /// How the output is laid out when nobody says it: as the first input is.
    fn layout(&self, output: &SampleOutput, stop: &AtomicBool) -> Result<Layout, AppError> {
        let format = output
            .format
            .or_else(|| SampleFormat::from_path(&output.file))
            .ok_or_else(|| PositionsError::UnknownOutput {
                path: output.file.clone(),
            })?;
        let layouts = self.files.iter().map(|path| self.layout_of(path));
        let layouts = layouts.collect::<Result<Vec<_>, _>>()?;
        let first = layouts.first().copied().unwrap_or_default();
        let mut variants = layouts.iter().any(|layout| layout.variants);
        // A table has a column from its first row on or not at all; other formats say it of each position, or cannot.
        if format == SampleFormat::Parquet {
            for (path, layout) in self.files.iter().zip(layouts) {
                variants = variants || self.has_chess960(path, layout, stop)?;
            }
        }
        Ok(Layout {
            format,
            fen: output.fen_format.unwrap_or(first.fen),
            packing: Packing::from_path(&output.file),
            variants,
        })
    }

    /// As [`SampleReader::layout`]. A pipe is not opened for it: whoever writes into one is gone when it is closed.
    fn layout_of(&self, path: &Path) -> Result<Layout, PositionsError> {
        match self.format.or_else(|| SampleFormat::from_path(path)) {
            Some(format) if format != SampleFormat::Parquet && is_read_once(path) => Ok(Layout {
                format,
                packing: Packing::from_path(path),
                ..Layout::default()
            }),
            _ => Ok(self.open(path)?.layout()),
        }
    }

    fn check_readable_twice(&self) -> Result<(), PositionsError> {
        self.files.iter().try_for_each(|path| check_readable_twice(path))
    }

    /// Whether a file without a column for it has positions of Chess960, by reading it.
    fn has_chess960(&self, path: &Path, layout: Layout, stop: &AtomicBool) -> Result<bool, AppError> {
        let is_possible = match layout.format {
            SampleFormat::Parquet => layout.fen != FenFormat::Packed,
            SampleFormat::Text | SampleFormat::Jsonl => true,
            SampleFormat::Bulletformat | SampleFormat::Binpack => false,
        };
        if !is_possible || is_read_once(path) {
            // A pipe can be read only once, so there may be some.
            return Ok(is_possible);
        }
        let one = SampleInputs {
            files: vec![path.to_owned()],
            ..self.clone()
        };
        let mut found = false;
        one.for_each(stop, |sample| {
            found = sample.variant != Variant::Standard;
            Ok(if found {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        Ok(found)
    }

    /// Taken before anything is written: the output may take the place of an input.
    fn records(&self, stop: &AtomicBool) -> Result<Vec<SourceRecord>, AppError> {
        let record = |path: &PathBuf| {
            let (bytes, sha256) = hash(path, stop)?;
            Ok(SourceRecord {
                name: path.display().to_string(),
                bytes: Some(bytes),
                sha256: Some(sha256),
                ..SourceRecord::default()
            })
        };
        self.files.iter().map(record).collect()
    }
}

/// For verbs that go through an input twice: the second time a pipe is at its end, or waits for somebody to write into it.
pub(super) fn check_readable_twice(path: &Path) -> Result<(), PositionsError> {
    match is_read_once(path) {
        true => Err(PositionsError::ReadTwice { path: path.to_owned() }),
        false => Ok(()),
    }
}

/// Whether what is read there is gone then. A file that the shell has opened for us is not, where opening it again begins at its beginning.
fn is_read_once(path: &Path) -> bool {
    is_special(path) && !(cfg!(target_os = "linux") && path.is_file())
}

/// Gathers samples into groups.
struct Grouped {
    writer: SampleWriter,
    buffer: Vec<Sample>,
    batch: usize,
}

impl Grouped {
    fn create(path: &Path, layout: Layout, batch: usize) -> Result<Grouped, SampleError> {
        Ok(Grouped {
            writer: SampleWriter::create(path, layout)?,
            buffer: Vec::new(),
            batch: batch.max(1),
        })
    }

    fn push(&mut self, sample: Sample) -> Result<(), SampleError> {
        self.buffer.push(sample);
        if self.buffer.len() >= self.batch {
            self.writer.write_group(&self.buffer)?;
            self.buffer.clear();
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Written, SampleError> {
        if !self.buffer.is_empty() {
            self.writer.write_group(&self.buffer)?;
        }
        self.writer.finish()
    }
}

/// Writes the manifest, once the output is in place.
fn conclude(
    verb: &str,
    sources: Vec<SourceRecord>,
    output: &SampleOutput,
    layout: Layout,
    seed: Option<u64>,
    counts: ToolCounts,
) -> Result<ToolManifest, AppError> {
    // A device, a pipe or an open file cannot be read again, and has no place beside it.
    let has_place = !is_special(&output.file);
    let (bytes, sha256) = match has_place {
        true => hash_output(&output.file)?,
        false => (0, String::new()),
    };
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let manifest = ToolManifest {
        version: VERSION,
        tabiya: env!("CARGO_PKG_VERSION").to_owned(),
        verb: verb.to_owned(),
        output: OutputRecord {
            file: name(&output.file),
            rows: counts.written,
            bytes,
            sha256,
        },
        format: layout.format.to_string(),
        fen_format: layout.fen.to_string(),
        seed,
        sources,
        counts,
    };
    if has_place {
        write_json(
            &output.file.with_file_name(name(&output.file) + ".manifest.json"),
            &manifest,
        )?;
    }
    Ok(manifest)
}

/// As [`hash`], of an output that is in its place. Whoever stopped here would leave it there without its manifest.
pub(super) fn hash_output(path: &Path) -> Result<(u64, String), AppError> {
    hash(path, &AtomicBool::new(false))
}

/// How long a file is, and the hash of its bytes. A device or a pipe has none that could be read again.
pub(super) fn hash(path: &Path, stop: &AtomicBool) -> Result<(u64, String), AppError> {
    if !path.is_file() {
        return Ok((0, String::new()));
    }
    let unreadable = |error| PositionsError::io("read", path, error);
    let (mut reader, hash) = Hashing::new(File::open(path).map_err(unreadable)?);
    let mut bytes = 0;
    loop {
        interrupt::go_on(stop)?;
        let mut some = reader.by_ref().take(HASHED);
        match io::copy(&mut some, &mut io::sink()).map_err(unreadable)? {
            0 => return Ok((bytes, hash.get().unwrap_or_default())),
            read => bytes += read,
        }
    }
}
