//! Cuts a stream into blocks of whole games, so that they can be read side by side.

use std::io::{self, Read};

use memchr::{memchr2, memmem, memrchr, memrchr2};

use crate::read::{REACH, game_starts, is_whole_game};

/// A run of whole games.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) bytes: Vec<u8>,
    /// Decompressed bytes of the source before it.
    pub(crate) offset: u64,
}

/// A game of more bytes is none: the longest that were annotated by people have some hundred kilobytes. Without a limit a few
/// kilobytes of compressed nonsense would fill the memory, where a tree of moves takes up to a hundred times its bytes.
///
/// A comment that is never closed must be known as such well before, or the games behind it would be lost.
const LONGEST_GAME: usize = 16 << 20;

/// The stream broke off: all whole games before the break have been handed out.
#[derive(Debug, thiserror::Error)]
#[error("the input breaks off after {offset} bytes of PGN")]
pub struct CutShort {
    /// Decompressed bytes that could be read.
    pub offset: u64,
    pub source: io::Error,
}

impl CutShort {
    /// Where it broke off, and why.
    pub fn in_full(&self) -> String {
        format!("{self}: {}", self.source)
    }
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
        Blocks {
            reader,
            buffer: Vec::new(),
            offset,
            block_bytes: block_bytes.clamp(64, LONGEST_GAME),
            end: None,
        }
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
                (None, None) if self.buffer.len() >= LONGEST_GAME => {
                    let reason = format!(
                        "no game ends within {} MB: this is not PGN, or a game that must be split, or lose the longest of its comments",
                        LONGEST_GAME >> 20
                    );
                    let offset = self.offset;
                    self.buffer = Vec::new();
                    self.end = Some(Ok(()));
                    let source = io::Error::new(io::ErrorKind::InvalidData, reason);
                    return Err(CutShort { offset, source });
                }
                // What is too long is so for blocks of any size.
                (None, None) => wanted = (self.buffer.len() * 2).min(LONGEST_GAME),
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
        let block = Block {
            bytes: std::mem::replace(&mut self.buffer, rest),
            offset: self.offset,
        };
        self.offset += cut as u64;
        block
    }
}

/// The last place where surely a game begins: an `[Event` tag at the beginning of a line, a result before it, and no
/// comment open. Costs next to nothing; finds nothing in files that are written differently.
fn quick_cut(bytes: &[u8]) -> Option<usize> {
    let finder = memmem::FinderRev::new(b"\n[Event \"");
    let mut end = bytes.len();
    loop {
        let newline = finder.rfind(&bytes[..end])?;
        let before = bytes[..newline].trim_ascii_end();
        let result = [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"]
            .iter()
            .any(|result| before.ends_with(result));
        end = newline;
        if !result || among_tags(before) {
            continue;
        }
        // A comment is open exactly if the last brace opens one. A brace in a tag is taken for one too, which only
        // means that another place is looked for. It is open everywhere behind its brace: looking for that brace from each
        // place there would take quadratic time.
        match memrchr2(b'{', b'}', before) {
            Some(brace) if before[brace] == b'{' => end = brace,
            _ => return Some(newline + 1),
        }
    }
}

/// Whether the last line of `before` could belong to a game's tags, or be an escape among them: then a further `[Event`
/// is one more tag of the same game.
fn among_tags(before: &[u8]) -> bool {
    let line = &before[memrchr(b'\n', before).map_or(0, |newline| newline + 1)..];
    matches!(line.trim_ascii_start().first(), Some(b'[' | b'%' | b';')) || memchr2(b'"', b'\r', line).is_some()
}

/// Where the last game begins, found by reading all of them. It may not be whole yet, so the cut is before it. What
/// stands at the very end may read differently once more of it is there, so no game is taken to begin there.
fn exact_cut(bytes: &[u8]) -> Option<usize> {
    let is_sure = |start: &usize| start + 2 * REACH <= bytes.len();
    game_starts(bytes).take_while(is_sure).last().filter(|start| *start > 0)
}

/// The end of the last game that is surely whole in a stream that broke off.
fn last_whole_game(bytes: &[u8]) -> Option<usize> {
    let last = game_starts(bytes).last()?;
    let cut = if is_whole_game(&bytes[last..]) {
        bytes.len()
    } else {
        last
    };
    Some(cut).filter(|cut| *cut > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(n: usize) -> String {
        format!("[Event \"{n}\"]\n[White \"W\"]\n\n1. e4 {{a comment}} e5 1-0\n\n")
    }

    fn blocks(text: &str, block_bytes: usize) -> Vec<(u64, String)> {
        let mut blocks = Blocks::new(Box::new(io::Cursor::new(text.as_bytes().to_vec())), 0, block_bytes);
        let mut all = Vec::new();
        while let Some(block) = blocks.next_block().expect("whole") {
            all.push((block.offset, String::from_utf8(block.bytes).expect("text")));
        }
        all
    }

    #[test]
    fn blocks_are_whole_games_and_nothing_is_lost() {
        let text: String = (0..100).map(game).collect();
        for block_bytes in [64, 100, 500, 5_000, 1 << 20] {
            let all = blocks(&text, block_bytes);
            assert_eq!(all.iter().map(|(_, block)| block.as_str()).collect::<String>(), text);
            let mut offset = 0;
            for (at, block) in &all {
                assert_eq!(*at, offset);
                assert!(block.starts_with("[Event "), "{block}");
                offset += block.len() as u64;
            }
            assert!(all.len() > 1 || block_bytes > text.len());
        }
    }

    #[test]
    fn a_game_larger_than_a_block_is_a_block() {
        let large = format!("[Event \"L\"]\n\n1. e4 {{{}}} 1-0\n\n", "x".repeat(100_000));
        let text = format!("{}{large}{}", game(0), game(1));
        let all = blocks(&text, 64);
        assert_eq!(all.iter().map(|(_, block)| block.as_str()).collect::<String>(), text);
        assert!(all.iter().any(|(_, block)| block.starts_with(&large)));
    }

    #[test]
    fn the_quick_cut_is_taken_only_where_a_game_surely_begins() {
        let cut = |text: &str| quick_cut(text.as_bytes()).map(|at| text[at..].to_owned());
        let event = "[Event \"x\"]";
        assert_eq!(cut(&format!("e4 1-0\n\n{event}")).as_deref(), Some(event));
        assert_eq!(cut(&format!("e4 *\n{event}")).as_deref(), Some(event));
        assert_eq!(cut(&format!("e4 {{a}} 1/2-1/2\r\n\r\n{event}")).as_deref(), Some(event));
        for before in [
            "",
            "e4",
            "e4 {1-0",
            "e4 {a} {1-0",
            "[A \"1-0",
            "[A \"b\"]\n% 1-0",
            "[A \"b\"]\n; 1-0",
            "[A \"b\"]\n[Foo 1-0",
            "[A \"b\rc 1-0",
        ] {
            assert_eq!(cut(&format!("{before}\n{event}")), None, "{before:?}");
        }
        assert_eq!(cut("e4 1-0\n[Event x]"), None);
    }

    #[test]
    fn nothing_is_cut_where_more_bytes_could_change_it() {
        let far = " ".repeat(2 * REACH);
        assert_eq!(exact_cut(b"1. e4 e5 1-0 1. d4 d5"), None);
        assert_eq!(exact_cut(format!("1. e4 e5 1-0 1. d4 d5{far}").as_bytes()), Some(13));
        assert_eq!(exact_cut(format!("1. e4 {{{far}1-0 1. d4 d5{far}").as_bytes()), None);
    }

    #[test]
    fn what_never_ends_is_no_game() {
        let reader = io::repeat(b'a').take(1 << 40);
        let mut blocks = Blocks::new(Box::new(reader), 0, 1 << 20);
        let cut = blocks.next_block().expect_err("endless");
        assert!(
            cut.source.to_string().contains("no game ends within 16 MB"),
            "{}",
            cut.source
        );
        assert!(blocks.next_block().expect("said once").is_none());
    }

    #[test]
    fn the_longest_game_is_as_long_in_blocks_of_any_size() {
        let comment = format!("{{{}}} ", "x".repeat(3 << 20));
        let game = |comments: usize| format!("[Event \"x\"]\n\n1. e4 {}e5 1-0\n\n", comment.repeat(comments));
        // There is more behind it than is looked at.
        let text = |comments: usize| format!("{}{}", game(comments), game(1).repeat(3));
        for block_bytes in [100, 1_000_000, 1 << 20, 64 << 20] {
            assert!(
                blocks(&text(5), block_bytes)[0].1.starts_with(&game(5)),
                "{block_bytes}"
            );
            let reader = io::Cursor::new(text(6).into_bytes());
            let mut blocks = Blocks::new(Box::new(reader), 0, block_bytes);
            blocks.next_block().expect_err("too long");
        }
    }

    struct Breaking(io::Cursor<Vec<u8>>);

    impl Read for Breaking {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => Err(io::ErrorKind::UnexpectedEof.into()),
                got => Ok(got),
            }
        }
    }

    /// What is handed out before the stream breaks at the end of `text`, and where it says that it broke.
    fn broken(text: &str) -> (String, u64) {
        let mut blocks = Blocks::new(Box::new(Breaking(io::Cursor::new(text.as_bytes().to_vec()))), 1_000, 64);
        let mut whole = String::new();
        loop {
            match blocks.next_block() {
                Ok(Some(block)) => whole.push_str(std::str::from_utf8(&block.bytes).expect("text")),
                Ok(None) => panic!("the break went unnoticed"),
                Err(cut) => {
                    assert!(blocks.next_block().expect("said once").is_none());
                    return (whole, cut.offset);
                }
            }
        }
    }

    #[test]
    fn a_break_costs_the_game_it_goes_through() {
        let (one, two) = (game(1), game(2));
        for len in 1..two.len() {
            let text = format!("{one}{}", &two[..len]);
            let (whole, offset) = broken(&text);
            assert_eq!(offset, 1_000 + text.len() as u64);
            let over = two[..len].trim_end().ends_with("1-0");
            assert_eq!(&whole, if over { &text } else { &one }, "{:?}", &two[..len]);
        }
    }
}
