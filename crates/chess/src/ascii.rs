//! A short ASCII text on the stack.

/// Text of at most `N` ASCII bytes that never touches the heap.
///
/// EPD, SAN and UCI are written here first and copied out once: pushing them byte by byte
/// onto a `String` pays for a capacity check and UTF-8 encoding per character.
#[derive(Debug)]
pub(crate) struct AsciiText<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> AsciiText<N> {
    pub(crate) const fn new() -> Self {
        AsciiText { bytes: [0; N], len: 0 }
    }

    /// Appends one byte. Callers size `N` for their longest text; a longer one panics.
    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        debug_assert!(byte.is_ascii());
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    /// Appends `byte` if `wanted`, without a branch for the processor to guess wrong.
    /// Needs room for the byte either way.
    #[inline]
    pub(crate) fn push_if(&mut self, wanted: bool, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += usize::from(wanted);
    }

    #[inline]
    pub(crate) fn push_square(&mut self, square: shakmaty::Square) {
        self.push(b'a' + square.file() as u8);
        self.push(b'1' + square.rank() as u8);
    }

    #[inline]
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        str::from_utf8(self.as_bytes()).expect("only ASCII is pushed")
    }
}
