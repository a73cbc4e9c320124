//! Cuts a stream into blocks of whole games, so that they can be read side by side.

use std::io::{self, Read};

use memchr::{memmem, memrchr2};

use crate::read::{game_starts, is_whole_game};

/// A run of whole games.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    /// Decompressed bytes of the source before it.
    pub(crate) offset: u64,
}

/// The stream broke off: all whole games before the break have been handed out.
#[derive(Debug, thiserror::Error)]
#[error("the input breaks off after {offset} bytes of PGN")]
pub struct CutShort {
    /// Decompressed bytes that could be read.
    pub offset: u64,
    pub source: io::Error,
}

/// Hands out a stream's blocks one after the other. Holds one block, or one game where that is larger.
pub(crate) struct Blocks {
    reader: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Where `buffer` begins.
    offset: u64,
    block_bytes: usize,
    end: Option<Result<(), io::Error>>,
}

impl Blocks {
    pub(crate) fn new(reader: Box<dyn Read + Send>, offset: u64, block_bytes: usize) -> Blocks {
        Blocks { reader, buffer: Vec::new(), offset, block_bytes: block_bytes.max(64), end: None }
    }

    pub(crate) fn next_block(&mut self) -> Result<Option<Block>, CutShort> {
        let mut wanted = self.block_bytes;
        loop {
            self.fill(wanted);
            let cut = match &self.end {
                None => quick_cut(&self.buffer).or_else(|| exact_cut(&self.buffer)),
                Some(Ok(())) => Some(self.buffer.len()).filter(|len| *len > 0),
                Some(Err(_)) => last_whole_game(&self.buffer),
            };
            match (cut, &self.end) {
                (Some(cut), _) => return Ok(Some(self.split(cut))),
                (None, None) => wanted = self.buffer.len() * 2,
                (None, Some(Ok(()))) => return Ok(None),
                (None, Some(Err(_))) => {
                    let offset = self.offset + self.buffer.len() as u64;
                    self.buffer.clear();
                    match self.end.replace(Ok(())) {
                        Some(Err(source)) => return Err(CutShort { offset, source }),
                        _ => return Ok(None),
                    }
                }
            }
        }
    }

    /// Reads until the buffer holds `wanted` bytes or the stream ends.
    fn fill(&mut self, wanted: usize) {
        if self.end.is_some() || self.buffer.len() >= wanted {
            return;
        }
        let missing = (wanted - self.buffer.len()) as u64;
        match self.reader.by_ref().take(missing).read_to_end(&mut self.buffer) {
            Ok(_) if self.buffer.len() < wanted => self.end = Some(Ok(())),
            Ok(_) => {}
            Err(e) => self.end = Some(Err(e)),
        }
    }

    fn split(&mut self, cut: usize) -> Block {
        let mut rest = Vec::with_capacity(self.block_bytes + 1024);
        rest.extend_from_slice(&self.buffer[cut..]);
        self.buffer.truncate(cut);
        let block = Block { bytes: std::mem::replace(&mut self.buffer, rest), offset: self.offset };
        self.offset += cut as u64;
        block
    }
}

/// The last place where surely a game begins: an `[Event` tag at the beginning of a line, a result before it, and no
/// comment open. Costs next to nothing; finds nothing in files that are written differently.
fn quick_cut(bytes: &[u8]) -> Option<usize> {
    let finder = memmem::FinderRev::new(b"\n[Event ");
    let mut end = bytes.len();
    loop {
        let newline = finder.rfind(&bytes[..end])?;
        let before = bytes[..newline].trim_ascii_end();
        let result = [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"].iter().any(|result| before.ends_with(result));
        // A comment is open exactly if the last brace opens one. A brace in a tag is taken for one too, which only
        // means that another place is looked for.
        let in_comment = || memrchr2(b'{', b'}', before).is_some_and(|brace| before[brace] == b'{');
        if result && newline > 0 && !in_comment() {
            return Some(newline + 1);
        }
        end = newline;
    }
}

/// Where the last game begins, found by reading all of them. It may not be whole yet, so the cut is before it.
fn exact_cut(bytes: &[u8]) -> Option<usize> {
    game_starts(bytes).last().filter(|start| *start > 0)
}

/// The end of the last game that is surely whole in a stream that broke off.
fn last_whole_game(bytes: &[u8]) -> Option<usize> {
    let last = game_starts(bytes).last()?;
    let cut = if is_whole_game(&bytes[last..]) { bytes.len() } else { last };
    Some(cut).filter(|cut| *cut > 0)
}
