//! Where PGN comes from: files, directories, globs and standard input, compressed or not.

mod blocks;
mod compression;
mod counting;
mod digest;
mod foreign_packing;
mod input;
mod wildcards;

use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    sync::Arc,
};

pub use blocks::CutShort;
pub(crate) use blocks::{Block, Blocks};
pub use compression::Compression;
pub use counting::Progress;
pub use foreign_packing::ForeignPacking;
pub use input::{Input, InputError, expand_inputs};

use compression::HEAD;
use counting::Counting;
use digest::Digest;

/// An opened input: a stream of PGN bytes, decompressed where need be.
pub struct Source {
    /// The input as it was named.
    pub name: String,
    pub compression: Compression,
    reader: Box<dyn Read + Send>,
    progress: Arc<Progress>,
    /// Decompressed bytes that lie before the stream's current place.
    offset: u64,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("compression", &self.compression)
            .finish_non_exhaustive()
    }
}

impl Source {
    /// Opens an input. What it is compressed with is read from its first bytes, not from its name.
    pub fn open(input: &Input) -> io::Result<Source> {
        Source::open_at(input, 0)
    }

    /// Opens an input and goes to `offset` of its decompressed bytes: at once in plain files, by reading on in others.
    pub fn open_at(input: &Input, offset: u64) -> io::Result<Source> {
        match input {
            Input::Stdin => Source::from_reader(input.to_string(), Box::new(io::stdin()), None, offset),
            Input::Path(path) => {
                let mut file = File::open(path)?;
                let meta = file.metadata()?;
                if !meta.is_file() {
                    // A pipe cannot be looked at first and read again.
                    return Source::from_reader(input.to_string(), Box::new(file), None, offset);
                }
                let len = meta.len();
                let mut head = [0; HEAD];
                let got = read_up_to(&mut file, &mut head)?;
                let plain = Compression::of(&head[..got]) == Compression::None;
                let seek = if plain { offset } else { 0 };
                file.seek(SeekFrom::Start(seek))?;
                let name = input.to_string();
                if !plain || offset == 0 {
                    return Source::from_reader(name, Box::new(file), Some(len), offset);
                }
                let progress = Arc::new(Progress::starting_at(seek, Some(len)));
                let reader = Box::new(Counting::new(file, progress.clone()));
                Ok(Source {
                    name,
                    compression: Compression::None,
                    reader,
                    progress,
                    offset,
                })
            }
        }
    }

    /// Takes any stream of bytes for a source.
    pub fn from_reader(
        name: String,
        reader: Box<dyn Read + Send>,
        len: Option<u64>,
        offset: u64,
    ) -> io::Result<Source> {
        let progress = Arc::new(Progress::starting_at(0, len));
        let mut counting = Counting::new(reader, progress.clone());
        let mut head = [0; HEAD];
        let got = read_up_to(&mut counting, &mut head)?;
        ForeignPacking::refuse(&head[..got])?;
        let compression = Compression::of(&head[..got]);
        let whole = io::Cursor::new(head[..got].to_vec()).chain(counting);
        let mut reader = compression.decoder(whole)?;
        let skipped = io::copy(&mut (&mut reader).take(offset), &mut io::sink())?;
        Ok(Source {
            name,
            compression,
            reader,
            progress,
            offset: skipped,
        })
    }

    /// How much of the input has been read: shared, so that somebody else can show it.
    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    pub(crate) fn blocks(self, block_bytes: usize) -> Blocks {
        Blocks::new(self.reader, self.offset, block_bytes)
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

/// Changes when the input's content does: its length and a digest of all bytes, which are read for it. Standard input and pipes
/// have none.
pub fn fingerprint(input: &Input) -> io::Result<Option<String>> {
    fingerprint_of_first(input, u64::MAX)
}

/// The fingerprint that the input would have if it ended after so many bytes: whether it is another's continuation.
pub fn fingerprint_of_first(input: &Input, bytes: u64) -> io::Result<Option<String>> {
    let Input::Path(path) = input else {
        return Ok(None);
    };
    // A named pipe is like standard input: what is read from it here would be missing later.
    if !fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let digest = Digest::of(File::open(path)?.take(bytes))?;
    Ok(Some(format!("{}-{:016x}", digest.bytes(), digest.value())))
}

/// Fills as much of `buffer` as there is to read.
fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(filled)
}
