//! The protocol's text, both ways: commands out, `info` and `bestmove` in.

mod info;
mod kept;
mod option;

pub(crate) use info::{Info, Score};
pub(crate) use kept::KeptLines;
pub(crate) use option::{Offered, OptionKind};

/// The first word of a line and what follows it.
pub(crate) fn split_word(line: &[u8]) -> (&[u8], &[u8]) {
    let line = line.trim_ascii();
    match line.iter().position(u8::is_ascii_whitespace) {
        Some(end) => (&line[..end], line[end..].trim_ascii_start()),
        None => (line, &[]),
    }
}

/// The words of a line.
pub(crate) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A line as it may be shown: cut to a bearable length, on one line.
pub(crate) fn shown(line: &[u8]) -> String {
    const LONGEST: usize = 120;
    let text = String::from_utf8_lossy(&line[..line.len().min(LONGEST)]);
    let mut shown: String = text
        .chars()
        .map(|ch| if ch.is_control() { '\u{fffd}' } else { ch })
        .collect();
    if line.len() > LONGEST {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_split_at_its_first_gap() {
        assert_eq!(
            split_word(b"bestmove e2e4 ponder e7e5"),
            (&b"bestmove"[..], &b"e2e4 ponder e7e5"[..])
        );
        assert_eq!(split_word(b"  readyok\r"), (&b"readyok"[..], &b""[..]));
        assert_eq!(split_word(b""), (&b""[..], &b""[..]));
    }

    #[test]
    fn what_is_shown_fits_on_a_line() {
        assert_eq!(shown(b"a\x07b\xff"), "a\u{fffd}b\u{fffd}");
        assert_eq!(shown(&[b'x'; 5000]).chars().count(), 121);
    }
}
