//! Cuts PGN bytes into tokens, and says where one game ends and the next begins.
//!
//! Written by hand instead of taken from pgn-reader for what that reader does not tell: where a token stands,
//! what an unreadable one said, `;` comments, tags over several lines, games without blank lines between them
//! and comments that never close. pgn-reader stays as the oracle of the tests and the peer of the benchmark.

use memchr::{memchr, memchr2, memmem, memrchr};
use shakmaty::san::San;
use tabiya_chess::parse_san;

use super::tag::{self, Tag};

/// A `{` comment longer than this was never closed.
const LONGEST_COMMENT: usize = 16 << 20;

/// What movetext is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token<'a> {
    Move(San),
    /// The text of a comment without its delimiters.
    Comment(&'a [u8]),
    Nag(u8),
    BeginVariation,
    EndVariation,
    Result(GameResult),
    /// Letters that are neither a move nor a usual annotation.
    Word(&'a [u8]),
    /// A comment that was never closed. The game ends here; the next one begins where its tags stand.
    OpenComment,
    EndOfGame,
}

/// The result at the end of a game's moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GameResult {
    WhiteWins,
    BlackWins,
    Draw,
    /// `*`: unfinished or unknown.
    Unknown,
}

impl GameResult {
    /// The result as PGN writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }
}

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
        }
    }

    /// Where the cursor stands.
    pub(crate) fn pos(&self) -> usize {
        self.pos
    }

    /// Where the last token began.
    pub(crate) fn token_start(&self) -> usize {
        self.token_start
    }

    /// The text of the last token, for messages.
    pub(crate) fn token_text(&self) -> &'a [u8] {
        &self.bytes[self.token_start..self.pos.max(self.token_start)]
    }

    /// Whether the current game has shown its result: only then can a cut right after it not hurt.
    pub(crate) fn result_seen(&self) -> bool {
        self.result_seen
    }

    /// Whether the open comment met last might be closed by bytes that are not here yet.
    pub(crate) fn comment_may_close(&self) -> bool {
        self.comment_may_close
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
                Some(b'%' | b';') if self.at_line_start() => self.skip_line(),
                Some(0xef) if self.bytes[self.pos..].starts_with(b"\xef\xbb\xbf") => self.pos += 3,
                Some(_) => return true,
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
                    if self.begins_next_game() {
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
                    if let Some(token) = self.number() {
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
                    if self.bytes[self.pos..].starts_with(b"--") && !self.is_evaluation_sign() {
                        if let Some(san) = self.try_move() {
                            return Token::Move(san);
                        }
                    }
                    self.pos += 1;
                }
                0xe2 => {
                    if let Some(san) = self.figurine() {
                        return Token::Move(san);
                    }
                    self.pos += 1;
                }
                0xc2 | 0xbd => {
                    if let Some(token) = self.half() {
                        return token;
                    }
                }
                b'A'..=b'Z' | b'i'..=b'z' => {
                    if let Some(word) = self.word() {
                        return Token::Word(word);
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
        self.pos == 0 || matches!(self.bytes[self.pos - 1], b'\n' | b'\r' | 0xbf)
    }

    fn skip_line(&mut self) {
        self.pos = memchr(b'\n', &self.bytes[self.pos..])
            .map_or(self.bytes.len(), |newline| self.pos + newline);
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

    #[inline]
    fn try_move(&mut self) -> Option<San> {
        let (san, _, len) = parse_san(&self.bytes[self.pos..])?;
        self.take(len);
        self.moves_seen = true;
        self.blank_line = false;
        Some(san)
    }

    /// Letters that are no move. Usual annotations are passed over (None); anything else is handed out.
    #[cold]
    fn word(&mut self) -> Option<&'a [u8]> {
        let rest = &self.bytes[self.pos..];
        let len = rest
            .iter()
            .position(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'{' | b'}' | b'(' | b')' | b'[' | b';' | b'$' | b'!' | b'?'))
            .unwrap_or(rest.len())
            .max(1);
        let word = &rest[..len];
        self.take(len);
        if is_annotation(word) {
            return None;
        }
        Some(word)
    }

    /// A move number is passed over (None); `1-0` and its kin, castling with zeros and `0000` are tokens.
    fn number(&mut self) -> Option<Token<'a>> {
        let rest = &self.bytes[self.pos..];
        if let Some((result, len)) = result_prefix(rest) {
            self.take(len);
            return self.result(result);
        }
        if rest[0] == b'0' && (rest.starts_with(b"0-0") || rest.starts_with(b"0000")) {
            if self.begins_next_game() {
                return Some(self.end());
            }
            if let Some(san) = self.try_move() {
                return Some(Token::Move(san));
            }
        }
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if self.result_seen || (self.blank_line && self.is_first_move_number(&rest[..digits], &rest[digits..])) {
            return Some(self.end());
        }
        self.pos += digits;
        None
    }

    /// `1.` and not `1...`, in a game that has moves already.
    fn is_first_move_number(&self, digits: &[u8], behind: &[u8]) -> bool {
        self.moves_seen && self.depth == 0 && digits == b"1" && !behind.starts_with(b"..")
    }

    /// A result ends the game's moves. Inside a variation it only says how that line ended.
    fn result(&mut self, result: GameResult) -> Option<Token<'a>> {
        if self.depth > 0 {
            return None;
        }
        if self.result_seen {
            self.pos = self.token_start;
            return Some(self.end());
        }
        self.result_seen = true;
        self.blank_line = false;
        Some(Token::Result(result))
    }

    /// `½-½` or `½`, in UTF-8 or Latin-1.
    fn half(&mut self) -> Option<Token<'a>> {
        let rest = &self.bytes[self.pos..];
        for text in [&b"\xc2\xbd-\xc2\xbd"[..], b"\xbd-\xbd", b"\xc2\xbd", b"\xbd"] {
            if rest.starts_with(text) {
                self.take(text.len());
                return self.result(GameResult::Draw);
            }
        }
        self.pos += 1;
        None
    }

    fn nag(&mut self) -> Option<u8> {
        let digits = self.bytes[self.pos + 1..].iter().take_while(|b| b.is_ascii_digit()).count();
        let text = &self.bytes[self.pos + 1..self.pos + 1 + digits];
        self.take(1 + digits);
        std::str::from_utf8(text).ok()?.parse().ok()
    }

    /// `!`, `?!` and the others, as NAGs.
    fn suffix(&mut self) -> u8 {
        let rest = &self.bytes[self.pos..];
        let len = rest.iter().take_while(|b| matches!(b, b'!' | b'?')).count();
        let nag = match &rest[..len.min(2)] {
            b"!" => 1,
            b"?" => 2,
            b"!!" => 3,
            b"??" => 4,
            b"!?" => 5,
            _ => 6,
        };
        self.take(len);
        nag
    }

    fn comment(&mut self) -> Token<'a> {
        let start = self.pos + 1;
        let window = &self.bytes[start..self.bytes.len().min(start + LONGEST_COMMENT)];
        match memchr(b'}', window) {
            Some(len) if !holds_open_game(&window[..len]) => {
                self.take(len + 2);
                Token::Comment(&window[..len])
            }
            closed => {
                let end = closed.unwrap_or(window.len());
                self.token_start = self.pos;
                // The next game's tags, if they can be seen, are where reading goes on.
                self.pos = next_tag_section(&window[..end]).map_or(self.bytes.len(), |at| start + at);
                self.ended = true;
                self.comment_may_close = closed.is_none() && window.len() < LONGEST_COMMENT;
                Token::OpenComment
            }
        }
    }

    fn line_comment(&mut self) -> Token<'a> {
        let start = self.pos + 1;
        self.token_start = self.pos;
        self.skip_line();
        let text = &self.bytes[start..self.pos];
        Token::Comment(text.strip_suffix(b"\r").unwrap_or(text))
    }

    /// `[%clk …]` that stands outside a comment, and other brackets that are no tags.
    fn skip_bracket(&mut self) {
        let rest = &self.bytes[self.pos..];
        self.pos += match memchr2(b']', b'\n', rest) {
            Some(end) if rest[end] == b']' => end + 1,
            _ => 1,
        };
    }

    /// `--` in `+--` or `---` is a sign of evaluation or a rule, not a null move.
    fn is_evaluation_sign(&self) -> bool {
        let before = self.pos > 0 && matches!(self.bytes[self.pos - 1], b'+' | b'-' | b'/' | b'=');
        before || matches!(self.bytes.get(self.pos + 2), Some(b'-' | b'+'))
    }

    /// `♘f3`: the chess symbols of Unicode stand for the letters.
    fn figurine(&mut self) -> Option<San> {
        let rest = &self.bytes[self.pos..];
        let letter = match rest.get(1..3)? {
            [0x99, symbol @ 0x94..=0x9f] => b"KQRBNP"[usize::from((symbol - 0x94) % 6)],
            _ => return None,
        };
        let mut ascii = [0_u8; 12];
        let len = rest[3..].len().min(11);
        ascii[0] = letter;
        ascii[1..=len].copy_from_slice(&rest[3..3 + len]);
        let (san, _, used) = parse_san(&ascii[..=len])?;
        self.take(used + 2);
        self.moves_seen = true;
        Some(san)
    }
}

/// `1-0`, `0-1`, `1/2-1/2` and `1/2`, not followed by more of a word.
fn result_prefix(rest: &[u8]) -> Option<(GameResult, usize)> {
    let (result, len) = if rest.starts_with(b"1-0") {
        (GameResult::WhiteWins, 3)
    } else if rest.starts_with(b"0-1") {
        (GameResult::BlackWins, 3)
    } else if rest.starts_with(b"1/2-1/2") {
        (GameResult::Draw, 7)
    } else if rest.starts_with(b"1/2") {
        (GameResult::Draw, 3)
    } else {
        return None;
    };
    match rest.get(len) {
        Some(b'-' | b'/' | b'0'..=b'9') => None,
        _ => Some((result, len)),
    }
}

/// Words and letters that annotators leave among the moves and that say nothing about which move was played.
fn is_annotation(word: &[u8]) -> bool {
    const USUAL: [&str; 16] = [
        "e.p.", "ep", "ch", "dbl", "dis", "mate", "N", "TN", "D", "RR", "RN", "BB", "Diagram", "x", "1/2", "novelty",
    ];
    USUAL.iter().any(|usual| usual.as_bytes().eq_ignore_ascii_case(word))
}

/// Where, in the text of a comment, a line begins that looks like a game's first tag.
fn next_tag_section(text: &[u8]) -> Option<usize> {
    memmem::find_iter(text, b"\n[Event \"").map(|at| at + 1).next()
}

/// Whether a comment's text runs into another game: a tag section, and behind it the beginning of another comment.
/// A game quoted inside a comment cannot hold a `{`, because comments do not nest.
fn holds_open_game(text: &[u8]) -> bool {
    memrchr(b'{', text).is_some_and(|brace| next_tag_section(&text[..brace]).is_some())
}
