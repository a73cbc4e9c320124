//! What is held of the pages of a row group, counted for as long as anybody holds it.
//!
//! All columns of a group are open at once, and nobody but whoever reads them knows for how long a page is needed: texts are pieces of it, a decoder
//! for each way of packing keeps its last one. So a page gives its room back itself, when the last piece of it is dropped.

use std::{
    mem,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use ::parquet::column::page::Page;
use bytes::Bytes;

use super::{LENGTH, Weight, packed::Packed};

/// Shared by the columns of a row group that are open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room(Arc<AtomicU64>);

impl Room {
    fn share(&self, bytes: u64) -> Share {
        let mut share = Share {
            bytes: 0,
            room: self.clone(),
        };
        share.grow(bytes);
        share
    }
}

/// A part of the room, until it is dropped.
struct Share {
    bytes: u64,
    room: Room,
}

impl Share {
    fn grow(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.room.0.fetch_add(bytes, Ordering::Relaxed);
    }

    fn grow_to(&mut self, bytes: u64) {
        self.grow(bytes.saturating_sub(self.bytes));
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.room.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The bytes of a page with their share of the room.
struct Counted {
    bytes: Bytes,
    _share: Share,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// What a column holds of its pages.
pub(super) struct Held {
    room: Room,
    /// What each value of its dictionary takes.
    value: u64,
    /// The values of its dictionary, and the most lengths that a page had in either way of packing them: decoders keep their room.
    dictionary: Share,
    lengths: Share,
    prefixes: Share,
    /// Texts that are put together anew, of the pages since there was last a whole batch of rows, and of as many before those: a batch may have rows
    /// of both.
    copied: Share,
    copied_before: Share,
}

impl Held {
    pub(super) fn new(room: &Room, value: u64) -> Held {
        let nothing = || room.share(0);
        Held {
            room: room.clone(),
            value,
            dictionary: nothing(),
            lengths: nothing(),
            prefixes: nothing(),
            copied: nothing(),
            copied_before: nothing(),
        }
    }

    /// There was a whole batch of rows.
    pub(super) fn next_batch(&mut self) {
        self.copied_before = mem::replace(&mut self.copied, self.room.share(0));
    }

    /// Counts a page until its last piece is dropped, and what else it takes. Tells what all columns hold now.
    pub(super) fn hold(&mut self, page: &mut Page, weight: &Weight) -> u64 {
        match weight.packed {
            Some(Packed::Lengths) => self.lengths.grow_to(weight.values * LENGTH),
            Some(Packed::Prefixes) => {
                // How much each has of the one before, and how much of its own.
                self.prefixes.grow_to(weight.values * LENGTH * 2);
                self.copied.grow(weight.bytes + weight.copied);
            }
            None => self.dictionary.grow_to(weight.values * self.value),
        }
        let (Page::DataPage { buf, .. } | Page::DataPageV2 { buf, .. } | Page::DictionaryPage { buf, .. }) = page;
        *buf = Bytes::from_owner(Counted {
            bytes: mem::take(buf),
            _share: self.room.share(weight.bytes),
        });
        self.room.0.load(Ordering::Relaxed)
    }
}
