//! Packings that are not read here. Taken for text each would be one game of rubbish, and hardly anybody would guess why.

use std::{error::Error, fmt, io};

/// A packing that is recognised and not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignPacking {
    Xz,
    Zip,
    SevenZip,
    Rar,
}

impl ForeignPacking {
    /// Tells by a stream's first bytes. Those of RAR alone are letters, so they count with the two that follow.
    fn of(head: &[u8]) -> Option<ForeignPacking> {
        match head {
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(ForeignPacking::Xz),
            // With files in it, with none, and in pieces.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => Some(ForeignPacking::Zip),
            [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Some(ForeignPacking::SevenZip),
            [b'R', b'a', b'r', b'!', 0x1a, 0x07, ..] => Some(ForeignPacking::Rar),
            _ => None,
        }
    }

    pub(super) fn refuse(head: &[u8]) -> io::Result<()> {
        match ForeignPacking::of(head) {
            Some(packing) => Err(io::Error::new(io::ErrorKind::InvalidData, packing)),
            None => Ok(()),
        }
    }

    /// The packing that an error is about, wherever it stands among the causes.
    pub fn behind(error: &(dyn Error + 'static)) -> Option<ForeignPacking> {
        let mut causes = std::iter::successors(Some(error), |&cause| cause.source());
        causes.find_map(|cause| {
            // What an `io::Error` is made of is not among its causes.
            let inner = cause.downcast_ref::<io::Error>()?.get_ref()?;
            inner.downcast_ref().copied()
        })
    }

    /// A way to the games.
    pub fn hint(self) -> &'static str {
        match self {
            ForeignPacking::Xz => "unpack it (`xz -d FILE`), or pipe it in: `xz -dc FILE | tabiya … -`",
            ForeignPacking::Zip => "unpack it (`unzip FILE`), or pipe it in: `unzip -p FILE | tabiya … -`",
            ForeignPacking::SevenZip => "unpack it (`7z x FILE`), or pipe it in: `7z e -so FILE | tabiya … -`",
            ForeignPacking::Rar => "unpack it (`unrar x FILE`), or pipe it in: `unrar p -inul FILE | tabiya … -`",
        }
    }
}

impl fmt::Display for ForeignPacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            ForeignPacking::Xz => "xz",
            ForeignPacking::Zip => "zip",
            ForeignPacking::SevenZip => "7-Zip",
            ForeignPacking::Rar => "RAR",
        };
        write!(f, "it is packed with {name}, which is not read here")
    }
}

impl Error for ForeignPacking {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packings_are_told_by_their_first_bytes_and_text_is_none() {
        for (head, packing) in [
            (&b"\xfd7zXZ\0\0\x04"[..], ForeignPacking::Xz),
            (b"PK\x03\x04\x14\0", ForeignPacking::Zip),
            (b"PK\x05\x06\0\0", ForeignPacking::Zip),
            (b"7z\xbc\xaf\x27\x1c\0\x04", ForeignPacking::SevenZip),
            (b"Rar!\x1a\x07\x01\0", ForeignPacking::Rar),
        ] {
            assert_eq!(ForeignPacking::of(head), Some(packing));
            let error = ForeignPacking::refuse(head).expect_err("refused");
            assert_eq!(ForeignPacking::behind(&error), Some(packing));
        }
        for text in ["", "1", "PK", "Rar!", "Rar! Rar!", "PK vs. NN", "7z", "[Event \"x\"]"] {
            assert_eq!(ForeignPacking::of(text.as_bytes()), None, "{text}");
            assert!(ForeignPacking::refuse(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn other_errors_are_about_no_packing() {
        for error in [io::Error::other("x"), io::ErrorKind::InvalidData.into()] {
            assert_eq!(ForeignPacking::behind(&error), None, "{error}");
        }
    }
}
