//! What stands among the moves: numbers, results, signs of approval and doubt, figurines.

use tabiya_chess::{figurine, parse_san};

use super::{GameResult, Lexer, Token, ends_word};

impl<'a> Lexer<'a> {
    /// A move number is passed over (None); `1-0` and its kin, castling with zeros and `0000` are tokens.
    pub(super) fn number(&mut self) -> Option<Token<'a>> {
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
    pub(super) fn result(&mut self, result: GameResult) -> Option<Token<'a>> {
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

    /// Letters that are not ASCII's. A move in the notation of another alphabet, `Кf3` or `О-О`, is a word like any other that is
    /// no move: passing over its letters alone would make the rest a pawn's move. All else is passed over (None), not further
    /// than its letters go, since a result or a figurine may stand behind them.
    #[cold]
    pub(super) fn foreign(&mut self) -> Option<Token<'a>> {
        let start = self.pos;
        while self.at_foreign_letter() {
            self.skip_character();
        }
        if self.pos == start {
            self.skip_character();
            return None;
        }
        let behind = std::mem::replace(&mut self.pos, start);
        if is_foreign_move(&self.bytes[start..], behind - start) {
            return self.word().map(Token::Word);
        }
        self.pos = behind;
        None
    }

    fn at_foreign_letter(&self) -> bool {
        matches!(character(self.rest()), Some((letter, _)) if !letter.is_ascii() && letter.is_alphabetic())
    }

    /// Goes behind a character of any length. Its bytes by themselves may mean something else: the last one of `н` is Latin-1's `½`.
    fn skip_character(&mut self) {
        self.pos += character(self.rest()).map_or(0, |(_, len)| len);
    }

    /// `½-½` or `½`, in UTF-8 or Latin-1.
    pub(super) fn half(&mut self) -> Option<Token<'a>> {
        let rest = &self.bytes[self.pos..];
        for text in [&b"\xc2\xbd-\xc2\xbd"[..], b"\xbd-\xbd", b"\xc2\xbd", b"\xbd"] {
            if rest.starts_with(text) {
                self.take(text.len());
                return self.result(GameResult::Draw);
            }
        }
        self.foreign()
    }

    pub(super) fn nag(&mut self) -> Option<u8> {
        let digits = self.bytes[self.pos + 1..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        let text = &self.bytes[self.pos + 1..self.pos + 1 + digits];
        self.take(1 + digits);
        std::str::from_utf8(text).ok()?.parse().ok()
    }

    /// `!`, `?!` and the others, as NAGs.
    pub(super) fn suffix(&mut self) -> u8 {
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

    /// `--` in `+--` or `---` is a sign of evaluation or a rule, not a null move.
    pub(super) fn is_evaluation_sign(&self) -> bool {
        let before = self.pos > 0 && matches!(self.bytes[self.pos - 1], b'+' | b'-' | b'/' | b'=');
        before || matches!(self.bytes.get(self.pos + 2), Some(b'-' | b'+'))
    }

    /// `♘f3`: the chess symbols of Unicode stand for the letters. Other symbols are passed over (None).
    #[cold]
    pub(super) fn figurine(&mut self) -> Option<Token<'a>> {
        let rest = &self.bytes[self.pos..];
        let Some((letter, behind)) = figurine(rest) else {
            return self.foreign();
        };
        if self.begins_next_game() {
            return Some(self.end());
        }
        let mut ascii = [0_u8; 12];
        let len = rest[behind..].len().min(11);
        ascii[0] = letter;
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

/// Whether a word that begins with so many bytes of foreign letters is a move in their notation: it has the digit of a square, or
/// repeats its one letter as castling does. Moves are short; of longer words only the beginning is looked at. The first digit of a
/// result makes no move of the word before it, nor does punctuation between the two.
fn is_foreign_move(rest: &[u8], letters: usize) -> bool {
    let near = &rest[..rest.len().min(letters + 8)];
    let (letter, behind) = near.split_at(letters);
    let is_one = character(letter).is_some_and(|(_, len)| len == letters);
    // What stands behind the word may belong to the next game, and be there or not as blocks are cut.
    let behind = behind.split(ends_word).next().unwrap_or_default();
    let castles = is_one && behind.strip_prefix(b"-").is_some_and(|again| again.starts_with(letter));
    let digit = behind.iter().position(u8::is_ascii_digit);
    castles || digit.is_some_and(|digit| result_prefix(&rest[letters + digit..]).is_none())
}

/// The first character and its length, in UTF-8 or else in Latin-1.
fn character(rest: &[u8]) -> Option<(char, usize)> {
    let latin = char::from(*rest.first()?);
    let bytes = &rest[..rest.len().min(4)];
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    Some(
        valid
            .chars()
            .next()
            .map_or((latin, 1), |first| (first, first.len_utf8())),
    )
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
pub(super) fn is_annotation(word: &[u8]) -> bool {
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
