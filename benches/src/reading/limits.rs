//! What no reader can be faster than: the file read, its bytes looked at, its archive unpacked.

use std::{
    fs::File,
    io::{self, Read},
    path::{Path, PathBuf},
};

use anyhow::{Result, ensure};

use crate::contender::{Contender, Counts};

/// Something that is done with all bytes of a file; gives how many there were.
type Pass = fn(&Path) -> io::Result<u64>;

#[derive(Debug)]
pub(crate) struct Limit {
    name: &'static str,
    path: PathBuf,
    bytes: u64,
    pass: Pass,
}

impl Limit {
    pub(crate) fn reading(path: PathBuf, bytes: u64) -> Limit {
        Limit {
            name: "reading the file (limit)",
            path,
            bytes,
            pass: read_through,
        }
    }

    pub(crate) fn looking(path: PathBuf, bytes: u64) -> Limit {
        Limit {
            name: "reading and counting newlines (limit)",
            path,
            bytes,
            pass: look_through,
        }
    }

    pub(crate) fn unpacking(path: PathBuf, bytes: u64) -> Limit {
        Limit {
            name: "zstd decoder alone (limit)",
            path,
            bytes,
            pass: unpack,
        }
    }
}

fn each_piece(mut reader: impl Read, mut see: impl FnMut(&[u8])) -> io::Result<u64> {
    let mut piece = vec![0; 1 << 20];
    let mut bytes = 0;
    loop {
        match reader.read(&mut piece)? {
            0 => return Ok(bytes),
            read => {
                see(&piece[..read]);
                bytes += read as u64;
            }
        }
    }
}

fn read_through(path: &Path) -> io::Result<u64> {
    each_piece(File::open(path)?, |piece| {
        std::hint::black_box(piece);
    })
}

fn look_through(path: &Path) -> io::Result<u64> {
    let mut lines = 0;
    let bytes = each_piece(File::open(path)?, |piece| {
        lines += memchr::memchr_iter(b'\n', piece).count()
    })?;
    std::hint::black_box(lines);
    Ok(bytes)
}

fn unpack(path: &Path) -> io::Result<u64> {
    let mut decoder = zstd::Decoder::new(File::open(path)?)?;
    decoder.window_log_max(31)?;
    each_piece(decoder, |piece| {
        std::hint::black_box(piece);
    })
}

impl Contender for Limit {
    fn name(&self) -> String {
        self.name.to_owned()
    }

    fn count(&mut self) -> Result<Option<Counts>> {
        self.run().map(|()| None)
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn run(&mut self) -> Result<()> {
        let bytes = (self.pass)(&self.path)?;
        ensure!(bytes == self.bytes, "{bytes} bytes came out of {}", self.bytes);
        Ok(())
    }
}
