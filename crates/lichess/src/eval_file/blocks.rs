//! Cuts a stream into blocks of whole lines.

use std::io::{self, Read};

use memchr::{memchr, memchr_iter, memrchr};

/// Blocks of this size keep all cores busy and cost next to no memory.
const BLOCK_BYTES: usize = 1 << 20;
/// The longest line of the real archive has some ten thousand bytes.
pub(super) const MAX_LINE: usize = 16 << 20;

/// Some whole lines.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) bytes: Vec<u8>,
    /// The number of its first line, from 1.
    pub(super) first_line: u64,
    /// The line at its end went on for longer than anybody reads; the rest of it is not there.
    pub(super) cut: bool,
}

#[derive(Debug)]
pub(super) struct Blocks<R> {
    reader: R,
    /// What was read behind the last whole line.
    rest: Vec<u8>,
    next_line: u64,
    size: usize,
    max_line: usize,
    /// Why there is no more, once all that came before has been handed out.
    failed: Option<io::Error>,
    ended: bool,
}

impl<R: Read> Blocks<R> {
    pub(super) fn new(reader: R) -> Blocks<R> {
        Blocks::of_size(reader, BLOCK_BYTES, MAX_LINE)
    }

    fn of_size(reader: R, size: usize, max_line: usize) -> Blocks<R> {
        Blocks {
            reader,
            rest: Vec::new(),
            next_line: 1,
            size,
            max_line,
            failed: None,
            ended: false,
        }
    }

    /// How many lines have been handed out.
    pub(super) fn lines(&self) -> u64 {
        self.next_line - 1
    }

    /// The next lines; nothing at the end. A line that broke off with an error is not handed out.
    pub(super) fn next_block(&mut self) -> io::Result<Option<Block>> {
        let mut bytes = std::mem::take(&mut self.rest);
        loop {
            let wanted = self.size.saturating_sub(bytes.len()).max(self.size / 4).max(1);
            self.fill(&mut bytes, wanted);
            if let Some(last) = memrchr(b'\n', &bytes) {
                self.rest = bytes.split_off(last + 1);
                return Ok(Some(self.block(bytes, false)));
            }
            if self.ended {
                return match self.failed.take() {
                    Some(error) => Err(error),
                    None if bytes.is_empty() => Ok(None),
                    None => Ok(Some(self.block(bytes, false))),
                };
            }
            if bytes.len() > self.max_line {
                bytes.clear();
                self.pass_over_line();
                return Ok(Some(self.block(bytes, true)));
            }
        }
    }

    fn block(&mut self, bytes: Vec<u8>, cut: bool) -> Block {
        let first_line = self.next_line;
        // The last line of all may lack its end.
        let unended = !bytes.is_empty() && bytes.last() != Some(&b'\n');
        self.next_line += memchr_iter(b'\n', &bytes).count() as u64 + u64::from(unended) + u64::from(cut);
        Block { bytes, first_line, cut }
    }

    /// Reads up to `wanted` more bytes.
    fn fill(&mut self, bytes: &mut Vec<u8>, wanted: usize) {
        if self.ended {
            return;
        }
        match (&mut self.reader).take(wanted as u64).read_to_end(bytes) {
            Ok(got) => self.ended = got < wanted,
            Err(error) => {
                self.failed = Some(error);
                self.ended = true;
            }
        }
    }

    fn pass_over_line(&mut self) {
        let mut bytes = Vec::new();
        while !self.ended {
            bytes.clear();
            self.fill(&mut bytes, self.size);
            if let Some(end) = memchr(b'\n', &bytes) {
                self.rest = bytes.split_off(end + 1);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every line with its number, and how it ended.
    fn lines(text: impl Read, size: usize, max_line: usize) -> (Vec<(u64, String)>, Option<io::Error>) {
        let mut blocks = Blocks::of_size(text, size, max_line);
        let mut lines = Vec::new();
        loop {
            match blocks.next_block() {
                Ok(Some(block)) => {
                    let text = String::from_utf8(block.bytes).expect("text");
                    let numbers = block.first_line..;
                    lines.extend(numbers.zip(text.lines().map(str::to_owned)));
                    if block.cut {
                        lines.push((block.first_line, "…".to_owned()));
                    }
                }
                Ok(None) => return (lines, None),
                Err(error) => return (lines, Some(error)),
            }
        }
    }

    #[test]
    fn a_line_beyond_measure_is_passed_over() {
        let text = format!("a\n{}\nb\n{}", "x".repeat(100), "y".repeat(90));
        let (lines, error) = lines(text.as_bytes(), 8, 32);
        let expected = [(1, "a"), (2, "…"), (3, "b"), (4, "…")];
        assert_eq!(lines, expected.map(|(number, text)| (number, text.to_owned())));
        assert!(error.is_none());
    }

    #[test]
    fn what_came_before_a_fault_is_handed_out() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::UnexpectedEof.into())
            }
        }
        let (lines, error) = lines("one\ntwo\nthr".as_bytes().chain(Broken), 1 << 10, 1 << 10);
        assert_eq!(lines, [(1, "one".to_owned()), (2, "two".to_owned())]);
        assert_eq!(error.map(|error| error.kind()), Some(io::ErrorKind::UnexpectedEof));
    }

    proptest! {
        #[test]
        fn no_line_is_lost_or_cut(text in "[ab\n]{0,60}", size in 1_usize..20) {
            let (found, error) = lines(text.as_bytes(), size, 1000);
            let expected: Vec<_> = (1..).zip(text.lines().map(str::to_owned)).collect();
            prop_assert_eq!(found, expected);
            prop_assert!(error.is_none());
        }
    }
}
