//! The files of a state: written to their end, read in rows.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufReader, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

use crate::CountError;

/// Bytes that are held back before they are written: with 256 partitions, 16 MB.
pub(crate) const BUFFER: usize = 64 << 10;

/// A file that only grows. It is opened when something is written to it: whoever merely reads a state must neither touch what
/// another process is adding to it nor hold hundreds of descriptors.
#[derive(Debug)]
pub(crate) struct Writer {
    file: Option<File>,
    pub(crate) path: PathBuf,
    /// What is not in the file yet.
    held: Vec<u8>,
    pub(crate) len: u64,
}

impl Writer {
    /// Begins at `len`: what lies beyond was never committed.
    pub(crate) fn open(path: PathBuf, len: u64) -> Result<Writer, CountError> {
        let there = match fs::metadata(&path) {
            Ok(file) => file.len(),
            Err(missing) if missing.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(CountError::io("look at", &path)(error)),
        };
        if there < len {
            return Err(CountError::Damaged { path });
        }
        Ok(Writer {
            file: None,
            path,
            held: Vec::new(),
            len,
        })
    }

    /// The file, cut where this began.
    fn begin(&self) -> Result<File, CountError> {
        let len = self.len - self.held.len() as u64;
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&self.path)
            .map_err(CountError::io("open", &self.path))?;
        // ext4 takes whoever makes a file empty, also an empty one, for somebody who is about to replace what it held, and writes all of
        // it to the disk as soon as it is closed.
        let is_longer = file.metadata().map_err(CountError::io("look at", &self.path))?.len() > len;
        let cut = if is_longer { file.set_len(len) } else { Ok(()) };
        cut.and_then(|()| file.seek(SeekFrom::Start(len)))
            .map_err(CountError::io("cut", &self.path))?;
        Ok(file)
    }

    /// One that cannot be written to is not given back, and so is opened and cut anew.
    fn take_file(&mut self) -> Result<File, CountError> {
        self.file.take().map_or_else(|| self.begin(), Ok)
    }

    #[inline]
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), CountError> {
        if self.held.len() + bytes.len() > self.held.capacity() {
            self.make_room(bytes.len())?;
        }
        self.len += bytes.len() as u64;
        self.held.extend_from_slice(bytes);
        Ok(())
    }

    #[cold]
    fn make_room(&mut self, bytes: usize) -> Result<(), CountError> {
        self.flush()?;
        self.held.reserve_exact(bytes.max(BUFFER));
        Ok(())
    }

    pub(crate) fn flush(&mut self) -> Result<u64, CountError> {
        if self.held.is_empty() {
            return Ok(self.len);
        }
        let mut file = self.take_file()?;
        file.write_all(&self.held)
            .map_err(CountError::io("write", &self.path))?;
        self.file = Some(file);
        self.held.clear();
        Ok(self.len)
    }

    /// Writes what is not worth holding back.
    pub(crate) fn write_now(&mut self, bytes: &[u8]) -> Result<(), CountError> {
        self.flush()?;
        let mut file = self.take_file()?;
        file.write_all(bytes).map_err(CountError::io("write", &self.path))?;
        self.file = Some(file);
        self.len += bytes.len() as u64;
        Ok(())
    }
}

/// Reads rows of `N` bytes, a megabyte or so at a time.
pub(crate) fn read_rows<const N: usize>(
    path: &Path,
    bytes: u64,
    mut each: impl FnMut(&[u8; N]),
) -> Result<(), CountError> {
    if bytes == 0 {
        return Ok(());
    }
    if !bytes.is_multiple_of(N as u64) {
        return Err(CountError::Damaged { path: path.to_owned() });
    }
    let mut file = File::open(path).map_err(CountError::io("open", path))?;
    let mut left = bytes;
    // Most files are far smaller than a megabyte, and there are hundreds of them.
    let mut buffer = vec![0; N * ((1 << 20) / N).min(bytes as usize / N)];
    while left > 0 {
        let want = left.min(buffer.len() as u64) as usize;
        match file.read_exact(&mut buffer[..want]) {
            Err(short) if short.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(CountError::Damaged { path: path.to_owned() });
            }
            read => read.map_err(CountError::io("read", path))?,
        }
        buffer[..want].as_chunks::<N>().0.iter().for_each(&mut each);
        left -= want as u64;
    }
    Ok(())
}

/// A file that is read here and there, mostly a little farther on.
pub(crate) struct Rows {
    file: BufReader<File>,
    path: PathBuf,
    /// Where the next byte would come from.
    at: u64,
}

impl Rows {
    pub(crate) fn new(file: File, path: PathBuf) -> Rows {
        // Large enough for rows that lie near each other, small enough to be read for a single one.
        let file = BufReader::with_capacity(1 << 13, file);
        Rows { file, path, at: 0 }
    }

    pub(crate) fn u64_at(&mut self, number: u64) -> Result<u64, CountError> {
        let mut bytes = [0; 8];
        self.read_at(number * 8, &mut bytes)?;
        Ok(u64::from_le_bytes(bytes))
    }

    pub(crate) fn read_at(&mut self, at: u64, bytes: &mut [u8]) -> Result<(), CountError> {
        // Both are places in one file, which no file system lets grow beyond this.
        let farther = at.cast_signed() - self.at.cast_signed();
        let read = self.file.seek_relative(farther);
        match read.and_then(|()| self.file.read_exact(bytes)) {
            Err(short) if short.kind() == io::ErrorKind::UnexpectedEof => return Err(self.damaged()),
            read => read.map_err(CountError::io("read", &self.path))?,
        }
        self.at = at + bytes.len() as u64;
        Ok(())
    }

    pub(crate) fn damaged(&self) -> CountError {
        CountError::Damaged {
            path: self.path.clone(),
        }
    }
}
