//! One number certifies a generated file.

use std::io::{self, Write};

use tabiya_chess::Fnv1a;

/// Passes bytes on and digests them.
#[derive(Debug)]
pub(crate) struct Digesting<W> {
    inner: W,
    hash: Fnv1a,
    bytes: u64,
}

impl<W: Write> Digesting<W> {
    pub(crate) fn new(inner: W) -> Digesting<W> {
        Digesting {
            inner,
            hash: Fnv1a::default(),
            bytes: 0,
        }
    }

    pub(crate) fn digest(&self) -> u64 {
        self.hash.value()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl<W: Write> Write for Digesting<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
