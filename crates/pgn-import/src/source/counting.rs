//! How far into an input reading has come, for whoever shows progress.

use std::{
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Bytes of the input as it lies on disk: read so far, and in all where that is known.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    len: Option<u64>,
}

impl Progress {
    pub(super) fn starting_at(offset: u64, len: Option<u64>) -> Progress {
        Progress {
            read: AtomicU64::new(offset),
            len,
        }
    }

    pub fn bytes_read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    pub fn bytes_total(&self) -> Option<u64> {
        self.len
    }
}

/// Counts what is read through it.
pub(super) struct Counting<R> {
    inner: R,
    progress: Arc<Progress>,
}

impl<R> Counting<R> {
    pub(super) fn new(inner: R, progress: Arc<Progress>) -> Counting<R> {
        Counting { inner, progress }
    }
}

impl<R: Read> Read for Counting<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.progress.read.fetch_add(got as u64, Relaxed);
        Ok(got)
    }
}
