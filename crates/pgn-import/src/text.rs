//! Bytes of unknown encoding to text.

use std::borrow::Cow;

/// UTF-8 where it is valid, Windows-1252 (and so Latin-1) where it is not.
///
/// Asked piece by piece, because files that were put together from several sources mix both.
pub(crate) fn decode(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0,
    }
}
