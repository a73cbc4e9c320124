//! Tag pairs: `[Name "value"]`, with everything real files do to them.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memchr3, memmem};

use super::lexer::REACH;
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
        if memchr3(b'\\', b'\n', b'\r', text.as_bytes()).is_none() {
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
    if let Some(plain) = parse_plain(bytes) {
        return Some(plain);
    }
    let mut at = 1 + count(&bytes[1..], |b| matches!(b, b' ' | b'\t'));
    let name = &bytes[at..at + count(&bytes[at..], is_name_byte)];
    at += name.len();
    at += count(&bytes[at..], |b| matches!(b, b' ' | b'\t'));
    if name.is_empty() || bytes.get(at) != Some(&b'"') {
        return None;
    }
    let start = at + 1;
    let (value_len, len) = closing_quote(&bytes[start..]);
    let tag = Tag {
        name,
        raw: &bytes[start..start + value_len],
    };
    Some((tag, start + len))
}

/// Reads a tag as nearly all are: on one line, one space, no escapes.
fn parse_plain(bytes: &[u8]) -> Option<(Tag<'_>, usize)> {
    let quote = memchr(b'"', &bytes[..bytes.len().min(40)])?;
    let name = bytes.get(1..quote.checked_sub(1)?)?;
    if name.is_empty() || bytes[quote - 1] != b' ' || !name.iter().all(|b| is_name_byte(*b)) {
        return None;
    }
    let value = &bytes[quote + 1..];
    let close = memchr3(b'"', b'\\', b'\n', value)?;
    if !value[close..].starts_with(b"\"]") {
        return None;
    }
    let raw = &value[..close];
    Some((Tag { name, raw }, quote + close + 3))
}

/// Finds the quote that closes a value: the first one followed by `]`, since real files leave inner quotes unescaped.
/// Gives the value's length and that of the value with what closes it.
///
/// There always is an answer: what has opened a value is a tag, however it goes on.
fn closing_quote(bytes: &[u8]) -> (usize, usize) {
    let mut from = 0;
    let mut escaped_close = None;
    loop {
        let reach = match escaped_close {
            None => bytes.len(),
            Some((at, _)) => bytes.len().min(at + REACH),
        };
        let found = memchr2(b'"', b'\n', &bytes[from..reach]).map(|at| from + at);
        let Some(at) = found.filter(|at| bytes[*at] == b'"') else {
            let line_end = found.unwrap_or(bytes.len());
            if let Some(close) = escaped_close {
                return close;
            }
            if !continues(bytes.get(line_end + 1..).unwrap_or_default()) {
                return unclosed(&bytes[..line_end]);
            }
            from = line_end + 1;
            continue;
        };
        let blanks = count(&bytes[at + 1..], |b| matches!(b, b' ' | b'\t'));
        if bytes.get(at + 1 + blanks) == Some(&b']') {
            let close = (at, at + 2 + blanks);
            let backslashes = bytes[..at].iter().rev().take_while(|b| **b == b'\\').count();
            if backslashes % 2 == 0 {
                return close;
            }
            // `\"]` is an escaped quote if the value goes on, and a stray backslash if it does not.
            escaped_close.get_or_insert(close);
        }
        from = at + 1;
    }
}

/// Whether a value goes on in the lines that begin here: one of them closes it, before a blank one or another tag.
fn continues(lines: &[u8]) -> bool {
    let within_reach = &lines[..lines.len().min(REACH)];
    within_reach
        .split(|b| *b == b'\n')
        .take_while(|line| !matches!(line.trim_ascii_start().first(), None | Some(b'[')))
        .any(|line| memmem::find(line, b"\"]").is_some())
}

/// A tag whose line ends before it is closed: what stands there is its value.
fn unclosed(line: &[u8]) -> (usize, usize) {
    let text = line.trim_ascii_end();
    let text = text.strip_suffix(b"]").unwrap_or(text);
    let text = text.strip_suffix(b"\"").unwrap_or(text);
    (text.len(), line.len())
}

const fn is_name_byte(byte: u8) -> bool {
    NAME_BYTES[byte as usize]
}

/// A table, because this is asked for every byte of every tag's name.
const NAME_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || matches!(b, b'_' | b'+' | b'#' | b'=' | b':' | b'-');
        byte += 1;
    }
    table
};

fn count(bytes: &[u8], is: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take_while(|b| is(**b)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` begins with a tag of that name and value, behind which `rest` stands.
    fn check(text: &str, name: &str, value: &str, rest: &str) {
        let (tag, len) = parse(text.as_bytes()).expect(text);
        assert_eq!(
            (&*tag.name(), &*tag.value(), &text[len..]),
            (name, value, rest),
            "{text:?}"
        );
    }

    #[test]
    fn values_are_closed_in_many_ways() {
        check("[A \"b\"]\n", "A", "b", "\n");
        check("[A \"\"]", "A", "", "");
        check("[ A\t\"b\" ] c", "A", "b", " c");
        check("[A\"b\"]", "A", "b", "");
        check("[A \"b \"c\" d\"]", "A", "b \"c\" d", "");
        check(r#"[A "b \"c\" \\ d"]"#, "A", r#"b "c" \ d"#, "");
        check(r#"[A "b\\"]"#, "A", r"b\", "");
        check(r#"[A "b\"] c"]"#, "A", r#"b"] c"#, "");
        check("[A \"b\\\"]\n[C \"d\"]", "A", "b\\", "\n[C \"d\"]");
        check(r#"[A "C:\dir"]"#, "A", r"C:\dir", "");
    }

    #[test]
    fn values_go_on_in_the_next_lines_only_if_they_are_closed_there() {
        check("[A \"b\nc\"] d", "A", "b c", " d");
        check("[A \"b\r\nc\r\nd\"]", "A", "b c d", "");
        check("[A \"b\n\nc\"]", "A", "b", "\n\nc\"]");
        check("[A \"b\n[C \"d\"]", "A", "b", "\n[C \"d\"]");
        check("[A \"b\n1. e4 e5", "A", "b", "\n1. e4 e5");
    }

    #[test]
    fn what_is_not_closed_ends_with_its_line() {
        check("[A \"b", "A", "b", "");
        check("[A \"b]\n", "A", "b", "\n");
        check("[A \"b\"\n", "A", "b", "\n");
        check("[A \"b \r\n", "A", "b", "\n");
        check("[A \"", "A", "", "");
    }

    #[test]
    fn some_brackets_are_no_tags() {
        for text in ["[", "[]", "[A", "[A b]", "[%clk 0:01]", "[\"a\"]", "[A! \"b\"]"] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        assert!(looks_like_tag(b"[A b]") && looks_like_tag(b"[A \"b\"]"));
        assert!(!looks_like_tag(b"[%clk 0:01]") && !looks_like_tag(b"[A]") && !looks_like_tag(b"A"));
    }

    #[test]
    fn the_short_way_is_only_shorter() {
        let texts = [
            "[A \"b\"] c",
            "[Event \"x y\"]\n",
            "[A \"b\" ]",
            "[A  \"b\"]",
            "[A \"b\\\"]",
            "[A \"b\nc\"]",
            "[A \"b\" c\"]",
        ];
        for text in texts {
            let Some((tag, len)) = parse_plain(text.as_bytes()) else {
                continue;
            };
            let from = text.find('"').expect("a quote") + 1;
            let (value, close) = closing_quote(&text.as_bytes()[from..]);
            assert_eq!(
                (tag.raw, len),
                (&text.as_bytes()[from..from + value], from + close),
                "{text}"
            );
        }
    }

    #[test]
    fn encodings_are_told_tag_by_tag() {
        let value = |bytes: &[u8]| parse(bytes).expect("a tag").0.value().into_owned();
        assert_eq!(value(b"[A \"M\xfcller \x96 \x80\"]"), "Müller – €");
        assert_eq!(value("[A \"Müller – €\"]".as_bytes()), "Müller – €");
    }
}
