//! `db.json` for whoever serves it, who has only so much room.

use std::{
    io::{self, Write},
    sync::atomic::AtomicBool,
};

use super::{Analysis, DbOptions};
use crate::AppError;

impl Analysis {
    /// `db.json` as bytes: where it has more than `most` it is an error, and no more than these were ever there. What games
    /// have in common is listed with the moves that lead to it, so it can be a thousand times as long as the games are.
    pub fn db_within(&self, options: &DbOptions, most: usize, stop: &AtomicBool) -> Result<Vec<u8>, AppError> {
        let mut text = Bounded {
            bytes: Vec::new(),
            most,
            is_full: false,
        };
        match self.write_db(options, stop, &mut text) {
            Ok(()) => Ok(text.bytes),
            Err(_) if text.is_full => Err(AppError::TooMuchPgn {
                input: self.files().first().cloned().unwrap_or_default(),
                limit: format!("{most} bytes are to be said about them"),
            }),
            // Memory takes everything else.
            Err(_) => Err(AppError::Interrupted),
        }
    }
}

/// A text of so many bytes at the most.
struct Bounded {
    bytes: Vec<u8>,
    most: usize,
    is_full: bool,
}

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.most - self.bytes.len() {
            self.is_full = true;
            return Err(io::Error::other("there is no room for more"));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
