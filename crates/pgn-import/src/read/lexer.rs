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

/// How far ahead is looked, for a bracket's end or the rest of a tag's value, before something is decided about it. Bytes
/// further away never change where a game begins, so whoever cuts a stream into blocks knows how many to wait for.
pub(crate) const REACH: usize = 512;

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
        let len = rest
            .iter()
            .position(|b| {
                matches!(
                    b,
                    b' ' | b'\t' | b'\r' | b'\n' | b'{' | b'}' | b'(' | b')' | b'[' | b';' | b'$' | b'!' | b'?'
                )
            })
            .unwrap_or(rest.len())
            .max(1);
        let word = &rest[..len];
        self.take(len);
        // Behind the result people write who resigned and why.
        if self.result_seen || is_annotation(word) {
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
        let (number, behind) = rest.split_at(digits);
        if self.result_seen && number != b"1" && behind.starts_with(b".") {
            // Moves behind the result that are numbered on from those before it: the game was not over.
            self.result_seen = false;
        }
        if self.result_seen || (self.blank_line && self.is_first_move_number(number, behind)) {
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
        let digits = self.bytes[self.pos + 1..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
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
                let rest = &self.bytes[start..];
                self.token_start = self.pos;
                // The next game's tags, if they can be seen, are where reading goes on.
                let open = closed.map_or(rest, |len| &rest[..len]);
                self.pos = next_tag_section(open).map_or(self.bytes.len(), |at| start + at);
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

    /// `--` in `+--` or `---` is a sign of evaluation or a rule, not a null move.
    fn is_evaluation_sign(&self) -> bool {
        let before = self.pos > 0 && matches!(self.bytes[self.pos - 1], b'+' | b'-' | b'/' | b'=');
        before || matches!(self.bytes.get(self.pos + 2), Some(b'-' | b'+'))
    }

    /// `♘f3`: the chess symbols of Unicode stand for the letters. Other symbols are passed over (None).
    #[cold]
    fn figurine(&mut self) -> Option<Token<'a>> {
        let rest = &self.bytes[self.pos..];
        let Some([0x99, symbol @ 0x94..=0x9f]) = rest.get(1..3) else {
            self.pos += 1;
            return None;
        };
        if self.begins_next_game() {
            return Some(self.end());
        }
        // Some fonts want to be told that the symbol is text, some that it is a picture.
        let behind = match rest.get(3..6) {
            Some([0xef, 0xb8, 0x8e | 0x8f]) => 6,
            _ => 3,
        };
        let mut ascii = [0_u8; 12];
        let len = rest[behind..].len().min(11);
        ascii[0] = b"KQRBNP"[usize::from((symbol - 0x94) % 6)];
        ascii[1..=len].copy_from_slice(&rest[behind..behind + len]);
        let Some((san, _, used)) = parse_san(&ascii[..=len]) else {
            // Passing over the symbol alone would make `♘` + `f3` a pawn's move.
            return self.word().map(Token::Word);
        };
        self.take(behind + used - 1);
        self.moves_seen = true;
        self.blank_line = false;
        Some(Token::Move(san))
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
    const USUAL: [&str; 19] = [
        "e.p.", "e.p", "ep", "ch", "dbl", "dbl.ch", "dis", "dis.ch", "mate", "N", "TN", "D", "RR", "RN", "BB",
        "Diagram", "x", "1/2", "novelty",
    ];
    let bare = word.strip_suffix(b".").unwrap_or(word);
    USUAL.iter().any(|usual| {
        [word, bare]
            .iter()
            .any(|word| usual.as_bytes().eq_ignore_ascii_case(word))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The tokens of all games in a text, in a short hand: moves as SAN, `|` between games.
    fn tokens(text: &str) -> String {
        let mut lexer = Lexer::new(text.as_bytes());
        let mut words = Vec::new();
        while lexer.begin_game() {
            if !words.is_empty() {
                words.push("|".to_owned());
            }
            while let Some(tag) = lexer.next_tag() {
                words.push(format!("[{}]", tag.name()));
            }
            loop {
                words.push(match lexer.next_token() {
                    Token::Move(san) => san.to_string(),
                    Token::Comment(text) => format!("{{{}}}", String::from_utf8_lossy(text)),
                    Token::Nag(nag) => format!("${nag}"),
                    Token::BeginVariation => "(".to_owned(),
                    Token::EndVariation => ")".to_owned(),
                    Token::Result(result) => result.as_str().to_owned(),
                    Token::Word(word) => format!("<{}>", String::from_utf8_lossy(word)),
                    Token::OpenComment => "OPEN".to_owned(),
                    Token::EndOfGame => break,
                });
                if words.last().is_some_and(|word| word == "OPEN") {
                    break;
                }
            }
        }
        words.join(" ")
    }

    fn check(text: &str, expected: &str) {
        assert_eq!(tokens(text), expected, "{text:?}");
    }

    #[test]
    fn moves_numbers_and_results() {
        check("1. e4 e5 2.Nf3 1-0", "e4 e5 Nf3 1-0");
        check("1.e4 1...e5 0-1", "e4 e5 0-1");
        check("e4 1/2-1/2", "e4 1/2-1/2");
        check("e4 1/2", "e4 1/2-1/2");
        check("e4 *", "e4 *");
        check("0-0 0-0-0 O-O o-o-o 0-1", "O-O O-O-O O-O O-O-O 0-1");
        check("-- Z0 @@@@ 0000", "-- -- -- --");
        check("10. e4 100. e5", "e4 e5");
    }

    #[test]
    fn annotations_are_nags_or_nothing() {
        check("e4! e5?! $14 $300 $", "e4 $1 e5 $6 $14");
        check("e4+- e5 -+ = += +/= ~ ∞ ± Nf3", "e4 e5 Nf3");
        check("e4 +-- e5 --- Nf3 --+ d6", "e4 e5 Nf3 d6");
        check("exd6 e.p. exd6e.p. exd6 ep ch. N D", "exd6 exd6 exd6");
        check("e4 [%clk 0:01] e5 [unclosed Nf3", "e4 e5 <unclosed> Nf3");
        check("e4 Sf3 resigns", "e4 <Sf3> <resigns>");
    }

    #[test]
    fn comments_and_escapes() {
        check("{a} e4 {b (c} e5 ; d { e\nNf3", "{a} e4 {b (c} e5 { d { e} Nf3");
        check("e4\n% e5 { (\nNf3", "e4 Nf3");
        check("e4\r% e5\rNf3", "e4 Nf3");
        check("e4 % e5", "e4 e5");
        check("e4 } e5", "e4 e5");
        check("e4 {never", "e4 OPEN");
        check("e4 {never\n[Event \"x\"]\nd4", "e4 OPEN | [Event] d4");
        check("e4 {a\n[Event \"x\"]\nd4 {b} d5", "e4 OPEN | [Event] d4 {b} d5");
        check("e4 {a\n[Event \"x\"]\nd4 b} d5", "e4 {a\n[Event \"x\"]\nd4 b} d5");
    }

    #[test]
    fn parentheses_are_balanced_by_force() {
        check("e4 (d4 (c4) d5) e5 )", "e4 ( d4 ( c4 ) d5 ) e5");
        check("e4 (d4 1-0) e5 0-1", "e4 ( d4 ) e5 0-1");
        check("e4 (d4\n\n1. c4) e5", "e4 ( d4 c4 ) e5");
    }

    #[test]
    fn games_end_at_results_tags_and_first_moves() {
        check("e4 1-0 d4 0-1", "e4 1-0 | d4 0-1");
        check("1. e4 1-0 1. d4 0-1", "e4 1-0 | d4 0-1");
        check("1. e4 1-0 {late}\n\n1. d4", "e4 1-0 {late} | d4");
        check("1. e4 1-0 2. Nf3", "e4 1-0 Nf3");
        check("1. e4 e5\n\n1. d4 d5", "e4 e5 | d4 d5");
        check("1. e4\n\n1... e5\n\n2. Nf3", "e4 e5 Nf3");
        check("1. e4\n1. d4", "e4 d4");
        check("e4 [A \"b\"] d4", "e4 | [A] d4");
        check("[A \"b\"]\n\n[Event \"c\"]\n\ne4", "[A] | [Event] e4");
        check("1-0 0-1 * 1/2", "1-0 | 0-1 | * | 1/2-1/2");
        check("♘f3 1-0 ♘f3", "Nf3 1-0 | Nf3");
    }

    #[test]
    fn blanks_byte_order_marks_and_comments_stand_between_games() {
        check("\u{feff} \0\x1a\n; c\n  % d\n e4", "e4");
        check(" \n\t\r ", "");
        check("", "");
    }

    #[test]
    fn tokens_know_where_they_stand() {
        let mut lexer = Lexer::new(b"  [A \"b\"] 1. e4 {c} Sf3");
        assert!(lexer.begin_game());
        assert_eq!(lexer.token_start(), 2);
        assert!(lexer.next_tag().is_some());
        assert_eq!((lexer.token_start(), lexer.token_text()), (2, &b"[A \"b\"]"[..]));
        assert!(lexer.next_tag().is_none());
        lexer.next_token();
        assert_eq!((lexer.token_start(), lexer.token_text()), (13, &b"e4"[..]));
        lexer.next_token();
        assert_eq!((lexer.token_start(), lexer.token_text()), (16, &b"{c}"[..]));
        assert_eq!(lexer.next_token(), Token::Word(b"Sf3"));
        assert_eq!(lexer.token_start(), 20);
    }
}
