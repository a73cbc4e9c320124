//! Text for a terminal, in which strangers may have had a word: names out of files must not command it.

use std::{
    borrow::Cow,
    io::{self, Write},
};

/// The text without what terminals obey. What JSON may hold unescaped is written as JSON would escape it, so that a document still says the same.
pub fn tame(text: &str) -> Cow<'_, str> {
    let is_wild = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\t');
    if !text.contains(is_wild) {
        return Cow::Borrowed(text);
    }
    let mut tame = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            wild if is_wild(wild) && wild < '\u{7f}' => {}
            wild if is_wild(wild) => tame.push_str(&format!("\\u{:04x}", u32::from(wild))),
            letter => tame.push(letter),
        }
    }
    Cow::Owned(tame)
}

/// Lets through what [`tame`] does of bytes that come bit by bit.
#[derive(Debug)]
pub struct Tamed<W: Write> {
    out: W,
    /// The beginning of a letter whose end has not come yet.
    held: Vec<u8>,
}

impl<W: Write> Tamed<W> {
    pub fn new(out: W) -> Tamed<W> {
        Tamed { out, held: Vec::new() }
    }

    pub(crate) fn get_ref(&self) -> &W {
        &self.out
    }
}

impl<W: Write> Write for Tamed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.held) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            // What is no text at all becomes some.
            _ => self.held.len(),
        };
        let text = String::from_utf8_lossy(&self.held[..whole]);
        self.out.write_all(tame(&text).as_bytes())?;
        self.held.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(
            tame("a\tb\n\x1b[1;31mred \x1b]0;x\x07 \u{9b}31m\r\u{7f}é"),
            "a\tb\n[1;31mred ]0;x \\u009b31m\\u007fé"
        );
        assert!(matches!(tame("plain\n"), Cow::Borrowed("plain\n")));
    }

    #[test]
    fn what_comes_bit_by_bit_is_tamed_as_the_whole_is() {
        let wild = "{\"a\": \"\u{9b}2Jé\u{7f}\u{1f600}\"}\n\x1b[1m";
        for size in 1..wild.len() {
            let mut out = Tamed::new(Vec::new());
            for part in wild.as_bytes().chunks(size) {
                out.write_all(part).expect("a Vec takes everything");
            }
            assert_eq!(String::from_utf8(out.out).expect("text"), tame(wild), "{size}");
        }
    }
}
