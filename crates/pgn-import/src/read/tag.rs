//! Tag pairs: `[Name "value"]`, with everything real files do to them.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

use crate::text::decode;

/// A tag pair as it stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tag<'a> {
    pub name: &'a [u8],
    raw: &'a [u8],
}

impl<'a> Tag<'a> {
    /// The value's bytes between its quotes, escapes and line breaks included.
    pub fn raw(&self) -> &'a [u8] {
        self.raw
    }

    /// The tag's name as text.
    pub fn name(&self) -> Cow<'a, str> {
        decode(self.name)
    }

    /// The value as text: `\"` and `\\` undone, line breaks turned into spaces.
    pub fn value(&self) -> Cow<'a, str> {
        let text = decode(self.raw);
        if !text.contains(['\\', '\n', '\r']) {
            return text;
        }
        let mut clean = String::with_capacity(text.len());
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' if matches!(chars.peek(), Some('"' | '\\')) => clean.extend(chars.next()),
                '\r' => {}
                '\n' => clean.push(' '),
                _ => clean.push(c),
            }
        }
        Cow::Owned(clean)
    }
}

/// Whether the bytes at a `[` read like a tag: a name, a space, a quote.
pub(crate) fn looks_like_tag(bytes: &[u8]) -> bool {
    let Some(inside) = bytes.strip_prefix(b"[") else {
        return false;
    };
    let inside = inside.trim_ascii_start();
    let name = inside.iter().take_while(|b| is_name_byte(**b)).count();
    name > 0 && matches!(inside.get(name), Some(b' ' | b'\t' | b'"'))
}

/// Reads the tag pair at the beginning of `bytes`; gives it and its length.
pub(crate) fn parse(bytes: &[u8]) -> Option<(Tag<'_>, usize)> {
    let mut at = 1 + count(&bytes[1..], |b| matches!(b, b' ' | b'\t'));
    let name = &bytes[at..at + count(&bytes[at..], is_name_byte)];
    at += name.len();
    at += count(&bytes[at..], |b| matches!(b, b' ' | b'\t'));
    if name.is_empty() || bytes.get(at) != Some(&b'"') {
        return None;
    }
    let start = at + 1;
    let (value_len, len) = closing_quote(&bytes[start..])?;
    let tag = Tag { name, raw: &bytes[start..start + value_len] };
    Some((tag, start + len))
}

/// Finds the quote that closes a value: the first one followed by `]`, since real files leave inner quotes unescaped.
/// Gives the value's length and that of the value with what closes it.
fn closing_quote(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut from = 0;
    let mut escaped_close = None;
    loop {
        let at = from + memchr2(b'"', b'\n', &bytes[from..]).or(escaped_close.map(|_| bytes.len() - from))?;
        if at == bytes.len() {
            return escaped_close;
        }
        if bytes[at] == b'\n' {
            if escaped_close.is_some() {
                return escaped_close;
            }
            if !continues(&bytes[at + 1..]) {
                return unclosed(&bytes[..at]);
            }
            from = at + 1;
            continue;
        }
        let blanks = count(&bytes[at + 1..], |b| matches!(b, b' ' | b'\t'));
        if bytes.get(at + 1 + blanks) == Some(&b']') {
            let close = (at, at + 2 + blanks);
            let backslashes = bytes[..at].iter().rev().take_while(|b| **b == b'\\').count();
            if backslashes % 2 == 0 {
                return Some(close);
            }
            // `\"]` is an escaped quote if the value goes on, and a stray backslash if it does not.
            escaped_close.get_or_insert(close);
        }
        from = at + 1;
    }
}

/// Whether a value may go on in the line that begins here.
fn continues(line: &[u8]) -> bool {
    let first = line.iter().find(|b| !matches!(b, b' ' | b'\t' | b'\r'));
    let closes = memchr(b'\n', line).map_or(line, |end| &line[..end]).contains(&b'"');
    !matches!(first, None | Some(b'\n' | b'[')) && closes
}

/// A tag whose line ends before it is closed: what stands there is its value.
fn unclosed(line: &[u8]) -> Option<(usize, usize)> {
    let text = line.trim_ascii_end();
    let text = text.strip_suffix(b"]").unwrap_or(text);
    let text = text.strip_suffix(b"\"").unwrap_or(text);
    Some((text.len(), line.len()))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'+' | b'#' | b'=' | b':' | b'-')
}

fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| is(**b)).count()
}
