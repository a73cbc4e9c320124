//! The hash of what is read, once all of it was.

use std::{
    io::{self, Read},
    sync::{Arc, OnceLock},
};

use sha2::{Digest, Sha256};

/// Where the hash will be found.
#[derive(Debug, Clone, Default)]
pub(super) struct Hash(Arc<OnceLock<String>>);

impl Hash {
    /// In hexadecimal; nothing before the end was reached.
    pub(super) fn get(&self) -> Option<String> {
        self.0.get().cloned()
    }
}

/// Reads through, and adds up.
pub(super) struct Hashing<R> {
    inner: R,
    hasher: Sha256,
    hash: Hash,
}

impl<R> Hashing<R> {
    pub(super) fn new(inner: R) -> (Hashing<R>, Hash) {
        let hash = Hash::default();
        let reader = Hashing {
            inner,
            hasher: Sha256::new(),
            hash: hash.clone(),
        };
        (reader, hash)
    }
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        if got == 0 && !buffer.is_empty() {
            // The first end counts; a reader may be asked again behind it.
            self.hash.0.get_or_init(|| hex(&self.hasher.clone().finalize()));
        }
        self.hasher.update(&buffer[..got]);
        Ok(got)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_there_when_everything_was_read() {
        let (mut reader, hash) = Hashing::new(&b"abc"[..]);
        let mut two = [0; 2];
        reader.read_exact(&mut two).expect("two bytes");
        assert_eq!(hash.get(), None);
        io::copy(&mut reader, &mut io::sink()).expect("the rest");
        assert_eq!(
            hash.get().as_deref(),
            Some("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        );
    }
}
