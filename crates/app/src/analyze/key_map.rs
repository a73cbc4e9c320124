//! Maps by keys that are as good as random, which need no hashing.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

pub(super) type KeyMap<T> = HashMap<u64, T, BuildHasherDefault<KeyHasher>>;

/// The key itself.
#[derive(Debug, Clone, Default)]
pub(super) struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }
}
