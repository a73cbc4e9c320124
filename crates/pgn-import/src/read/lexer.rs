//! Cuts PGN bytes into tokens, and says where one game ends and the next begins.
//!
//! Written by hand instead of taken from pgn-reader for what that reader does not tell: where a token stands,
//! what an unreadable one said, `;` comments, tags over several lines, games without blank lines between them
//! and comments that never close. pgn-reader stays as the oracle of the tests and the peer of the benchmark.

use memchr::{memchr, memchr2, memmem};
use shakmaty::san::San;
use tabiya_chess::parse_san;

use super::tag::{self, Tag};
use super::token::{GameResult, Token};

mod marks;
#[cfg(test)]
mod tests;

use marks::is_annotation;

/// A `{` comment longer than this was never closed: it would be the text of several books.
const LONGEST_COMMENT: usize = 4 << 20;

/// How far ahead is looked, for a bracket's end or the rest of a tag's value, before something is decided about it. Bytes
/// further away never change where a game begins, so whoever cuts a stream into blocks knows how many to wait for.
pub(crate) const REACH: usize = 512;

/// A cursor over bytes that hold whole games.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    bytes: &'a [u8],
    pos: usize,
    token_start: usize,
    depth: u32,
    moves_seen: bool,
    result_seen: bool,
    blank_line: bool,
    ended: bool,
    comment_may_close: bool,
    /// No `}` stands between the comment that was left open last and this place.
    unclosed_until: usize,
}

impl<'a> Lexer<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Lexer<'a> {
        Lexer {
            bytes,
            pos: 0,
            token_start: 0,
            depth: 0,
            moves_seen: false,
            result_seen: false,
            blank_line: false,
            ended: true,
            comment_may_close: false,
            unclosed_until: 0,
        }
    }

    /// Where the cursor stands.
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// What has been read from some place on.
    pub(super) fn since(&self, begin: usize) -> &'a [u8] {
        &self.bytes[begin..self.pos.max(begin)]
    }

    /// Where the last token began.
    pub(crate) fn token_start(&self) -> usize {
        self.token_start
    }

    /// The text of the last token, for messages.
    pub(crate) fn token_text(&self) -> &'a [u8] {
        self.bytes[self.token_start..self.pos.max(self.token_start)].trim_ascii_end()
    }

    /// Whether the current game has shown its result: only then can a cut right after it not hurt.
    pub(crate) fn result_seen(&self) -> bool {
        self.result_seen
    }

    /// Whether the open comment met last might be closed by bytes that are not here yet.
    pub(crate) fn comment_may_close(&self) -> bool {
        self.comment_may_close
    }

    /// Whether moves of the main line are being read, and nothing suggests that the game is over.
    pub(super) fn in_plain_moves(&self) -> bool {
        !(self.ended || self.result_seen || self.blank_line) && self.moves_seen && self.depth == 0
    }

    /// What has not been read.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.pos..]
    }

    /// Goes past bytes that were read elsewhere.
    pub(super) fn advance(&mut self, len: usize) {
        self.pos += len;
    }

    /// Goes to the beginning of the next game. False when there is none.
    pub(crate) fn begin_game(&mut self) -> bool {
        self.depth = 0;
        self.moves_seen = false;
        self.result_seen = false;
        self.blank_line = false;
        self.ended = false;
        loop {
            match self.bytes.get(self.pos) {
                None => return false,
                Some(b' ' | b'\t' | b'\r' | b'\n' | b'\x0b' | b'\x0c' | 0 | 0x1a) => self.pos += 1,
                // Between games nothing but blanks stands before them, so a line's beginning need not be asked for.
                Some(b'%' | b';') => self.skip_line(),
                Some(0xef) if self.bytes[self.pos..].starts_with(b"\xef\xbb\xbf") => self.pos += 3,
                Some(_) => {
                    self.token_start = self.pos;
                    return true;
                }
            }
        }
    }

    /// The next tag pair of the current game, or none where its movetext begins.
    ///
    /// A malformed tag is passed over: the game may be sound all the same.
    pub(crate) fn next_tag(&mut self) -> Option<Tag<'a>> {
        loop {
            match self.bytes.get(self.pos)? {
                b'\n' => {
                    self.pos += 1;
                    self.note_blank_line();
                }
                b' ' | b'\t' | b'\r' => self.pos += 1,
                b'%' | b';' if self.at_line_start() => self.skip_line(),
                b'[' => {
                    if self.blank_line && self.starts_new_section() {
                        self.ended = true;
                        return None;
                    }
                    match tag::parse(&self.bytes[self.pos..]) {
                        Some((tag, len)) => {
                            self.token_start = self.pos;
                            self.pos += len;
                            self.blank_line = false;
                            return Some(tag);
                        }
                        None if tag::looks_like_tag(&self.bytes[self.pos..]) => self.skip_line(),
                        None => return None,
                    }
                }
                _ => return None,
            }
        }
    }

    /// The next token of the current game's movetext.
    #[inline]
    pub(crate) fn next_token(&mut self) -> Token<'a> {
        if self.ended {
            return Token::EndOfGame;
        }
        loop {
            let Some(&byte) = self.bytes.get(self.pos) else {
                return self.end();
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'.' => self.pos += 1,
                b'a'..=b'h' | b'K' | b'Q' | b'R' | b'B' | b'N' | b'O' | b'o' | b'P' | b'Z' | b'@' => {
                    if self.begins_next_game() && parse_san(&self.bytes[self.pos..]).is_some() {
                        return self.end();
                    }
                    if let Some(san) = self.try_move() {
                        return Token::Move(san);
                    }
                    if let Some(word) = self.word() {
                        return Token::Word(word);
                    }
                }
                b'0'..=b'9' => {
                    // `12.` in the middle of a game, which is what nearly every number is.
                    let mut ahead = self.pos + 1;
                    while matches!(self.bytes.get(ahead), Some(b'0'..=b'9')) {
                        ahead += 1;
                    }
                    if self.bytes.get(ahead) == Some(&b'.') && !self.result_seen && !self.blank_line {
                        self.pos = ahead + 1;
                        self.pass_space();
                    } else if let Some(token) = self.number() {
                        return token;
                    }
                }
                b'\n' => {
                    self.pos += 1;
                    match self.bytes.get(self.pos) {
                        Some(b'%') => self.skip_line(),
                        _ => self.note_blank_line(),
                    }
                    if self.blank_line && self.result_seen {
                        return self.end();
                    }
                }
                b'{' => return self.comment(),
                b'(' => {
                    self.take(1);
                    self.depth += 1;
                    return Token::BeginVariation;
                }
                b')' => {
                    self.take(1);
                    if self.depth > 0 {
                        self.depth -= 1;
                        return Token::EndVariation;
                    }
                }
                b';' => return self.line_comment(),
                b'$' => {
                    if let Some(nag) = self.nag() {
                        return Token::Nag(nag);
                    }
                }
                b'!' | b'?' => return Token::Nag(self.suffix()),
                b'*' => {
                    self.take(1);
                    if let Some(token) = self.result(GameResult::Unknown) {
                        return token;
                    }
                }
                b'[' => {
                    let rest = &self.bytes[self.pos..];
                    if tag::looks_like_tag(rest) && tag::parse(rest).is_some() {
                        return self.end();
                    }
                    self.skip_bracket();
                }
                b'-' => {
                    if self.bytes[self.pos..].starts_with(b"--")
                        && !self.is_evaluation_sign()
                        && let Some(san) = self.try_move()
                    {
                        return Token::Move(san);
                    }
                    self.pos += 1;
                }
                0xe2 => {
                    if let Some(token) = self.figurine() {
                        return token;
                    }
                }
                0xc2 | 0xbd => {
                    if let Some(token) = self.half() {
                        return token;
                    }
                }
                b'%' if self.at_line_start() => self.skip_line(),
                b'A'..=b'Z' | b'i'..=b'z' => {
                    if let Some(word) = self.word() {
                        return Token::Word(word);
                    }
                }
                0x80.. => {
                    if let Some(token) = self.foreign() {
                        return token;
                    }
                }
                _ => self.pos += 1,
            }
        }
    }

    /// Leaves the movetext: whatever is left of the current game is passed over.
    pub(crate) fn skip_game(&mut self) {
        loop {
            match self.next_token() {
                Token::EndOfGame | Token::OpenComment => return,
                _ => {}
            }
        }
    }

    /// Passes over the rest of the innermost open variation. The caller has taken its `(`.
    pub(crate) fn skip_variation(&mut self) -> Token<'a> {
        let until = self.depth - 1;
        loop {
            match self.next_token() {
                Token::EndVariation if self.depth == until => return Token::EndVariation,
                token @ (Token::EndOfGame | Token::OpenComment) => return token,
                _ => {}
            }
        }
    }

    fn take(&mut self, len: usize) {
        self.token_start = self.pos;
        self.pos += len;
    }

    fn end(&mut self) -> Token<'a> {
        self.token_start = self.pos;
        self.ended = true;
        Token::EndOfGame
    }

    fn at_line_start(&self) -> bool {
        self.pos == 0 || matches!(self.bytes[self.pos - 1], b'\n' | b'\r')
    }

    fn skip_line(&mut self) {
        self.pos =
            memchr2(b'\n', b'\r', &self.bytes[self.pos..]).map_or(self.bytes.len(), |newline| self.pos + newline);
    }

    /// Called behind a newline: is the line that begins here blank?
    fn note_blank_line(&mut self) {
        let mut ahead = self.pos;
        while let Some(b' ' | b'\t' | b'\r') = self.bytes.get(ahead) {
            ahead += 1;
        }
        if self.bytes.get(ahead) == Some(&b'\n') {
            self.blank_line = true;
        }
    }

    /// Behind a blank line, another `[Event` opens the next game: this one had no moves.
    fn starts_new_section(&self) -> bool {
        self.bytes[self.pos..].starts_with(b"[Event ")
    }

    /// A move behind the result belongs to a game without tags.
    fn begins_next_game(&self) -> bool {
        self.result_seen
    }

    #[inline(always)]
    fn try_move(&mut self) -> Option<San> {
        let (san, _, len) = parse_san(&self.bytes[self.pos..])?;
        self.take(len);
        self.moves_seen = true;
        self.blank_line = false;
        self.pass_space();
        Some(san)
    }

    /// One space stands behind nearly everything. Passing it here saves a turn of the loop.
    #[inline]
    fn pass_space(&mut self) {
        self.pos += usize::from(self.bytes.get(self.pos) == Some(&b' '));
    }

    /// Letters that are no move. Usual annotations are passed over (None); anything else is handed out.
    #[cold]
    fn word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.pos..];
        let len = rest.iter().position(ends_word).unwrap_or(rest.len()).max(1);
        let word = &rest[..len];
        self.take(len);
        // Behind the result people write who resigned and why.
        if self.result_seen || is_annotation(word) {
            return None;
        }
        Some(word)
    }

    fn comment(&mut self) -> Token<'a> {
        let start = self.pos + 1;
        let window = &self.bytes[start..self.bytes.len().min(start + LONGEST_COMMENT)];
        // Behind a comment that stays open others do so too: to search for the same brace from each would take quadratic time.
        let searched = self.unclosed_until.saturating_sub(start);
        match memchr(b'}', &window[searched..]).map(|at| searched + at) {
            Some(len) if !holds_open_game(&window[..len]) => {
                self.take(len + 2);
                Token::Comment(&window[..len])
            }
            closed => {
                let rest = &self.bytes[start..];
                self.token_start = self.pos;
                // The next game's tags, if they can be seen, are where reading goes on.
                let open = closed.map_or(rest, |len| &rest[..len]);
                self.pos = next_tag_section(open).map_or(self.bytes.len(), |at| start + at);
                self.ended = true;
                self.comment_may_close = closed.is_none() && window.len() < LONGEST_COMMENT;
                self.unclosed_until = start + closed.unwrap_or(window.len());
                Token::OpenComment
            }
        }
    }

    fn line_comment(&mut self) -> Token<'a> {
        let start = self.pos + 1;
        self.token_start = self.pos;
        self.skip_line();
        Token::Comment(&self.bytes[start..self.pos])
    }

    /// `[%clk …]` that stands outside a comment, and other brackets that are no tags.
    fn skip_bracket(&mut self) {
        let rest = &self.bytes[self.pos..self.bytes.len().min(self.pos + REACH)];
        self.pos += match memchr2(b']', b'\n', rest) {
            Some(end) if rest[end] == b']' => end + 1,
            _ => 1,
        };
    }
}

fn ends_word(byte: &u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'\r' | b'\n' | b'{' | b'}' | b'(' | b')' | b'[' | b';' | b'$' | b'!' | b'?'
    )
}

/// Where, in the text of a comment, a line begins that looks like a game's first tag.
fn next_tag_section(text: &[u8]) -> Option<usize> {
    memmem::find_iter(text, b"\n[Event \"").map(|at| at + 1).next()
}

/// Whether a comment's text runs into another game: a tag section, and behind it the beginning of another comment.
/// A game quoted inside a comment cannot hold a `{`, because comments do not nest.
///
/// Looks forwards only: reading goes on at that tag section, so no byte is looked at again and again, as those behind the
/// last `{` would be by whoever looks for it from the end.
fn holds_open_game(text: &[u8]) -> bool {
    memchr(b'{', text).is_some()
        && next_tag_section(text).is_some_and(|section| memchr(b'{', &text[section..]).is_some())
}
