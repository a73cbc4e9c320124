//! The hash all ids are made of.

use std::hash::Hasher;

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// The 64-bit FNV-1a hash, fed in pieces.
///
/// FNV-1a is not the fastest hash, but it is published, trivial to write in any language
/// and the same on every machine, which is what ids that leave the program need.
///
/// ```
/// use tabiya_chess::{Fnv1a, fnv1a};
///
/// let mut hash = Fnv1a::new();
/// hash.update(b"foo");
/// hash.update(b"bar");
/// assert_eq!(hash.value(), fnv1a(b"foobar"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fnv1a(u64);

impl Fnv1a {
    /// The hash of nothing.
    #[must_use]
    pub const fn new() -> Fnv1a {
        Fnv1a(OFFSET_BASIS)
    }

    /// Hashes `bytes` after everything hashed before.
    #[inline]
    pub const fn update(&mut self, bytes: &[u8]) {
        let mut i = 0;
        while i < bytes.len() {
            self.0 = (self.0 ^ bytes[i] as u64).wrapping_mul(PRIME);
            i += 1;
        }
    }

    /// The hash of everything so far.
    #[must_use]
    pub const fn value(self) -> u64 {
        self.0
    }
}

impl Default for Fnv1a {
    fn default() -> Fnv1a {
        Fnv1a::new()
    }
}

impl Hasher for Fnv1a {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// The 64-bit FNV-1a hash of `bytes`.
#[inline]
#[must_use]
pub const fn fnv1a(bytes: &[u8]) -> u64 {
    let mut hash = Fnv1a::new();
    hash.update(bytes);
    hash.value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_published_vectors() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn the_hasher_is_the_same_hash() {
        let mut hasher = Fnv1a::default();
        hasher.write(b"foo");
        hasher.write(b"bar");
        assert_eq!(hasher.finish(), fnv1a(b"foobar"));
    }
}
