//! Lines of moves as people write them.

use std::borrow::Cow;

use shakmaty::{Chess, Move, Position};
use thiserror::Error;

use crate::{SanError, figurine, parse_san, resolve};

/// Moves from the initial position, with the positions they lead to.
#[derive(Clone, Debug, Default)]
pub struct Line {
    moves: Vec<Move>,
    positions: Vec<Chess>,
}

impl Line {
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The positions after each move; the initial position is not among them.
    #[must_use]
    pub fn positions(&self) -> &[Chess] {
        &self.positions
    }

    /// The position the line leads to: the initial one, if there are no moves.
    #[must_use]
    pub fn last(&self) -> Chess {
        self.positions.last().cloned().unwrap_or_default()
    }
}

/// Why a text is not a line of moves, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LineError {
    /// A word is not a move in any position.
    #[error("{} is not a move", numbered(*ply, text))]
    NotAMove {
        /// The half-move, counted from 1.
        ply: u32,
        /// The word.
        text: String,
    },
    /// The move cannot be played there.
    #[error("{} is not a legal move (half-move {ply})", numbered(*ply, text))]
    Illegal {
        /// The half-move, counted from 1.
        ply: u32,
        /// The move as it was written.
        text: String,
    },
    /// Several pieces could be meant.
    #[error("{} could be more than one move (half-move {ply})", numbered(*ply, text))]
    Ambiguous {
        /// The half-move, counted from 1.
        ply: u32,
        /// The move as it was written.
        text: String,
    },
    /// A comment or a variation is not closed.
    #[error("`{bracket}` before {} is never closed", numbered(*ply, "…"))]
    Unclosed {
        /// The half-move in front of which it stands, counted from 1.
        ply: u32,
        /// The bracket that opens it.
        bracket: char,
    },
}

fn numbered(ply: u32, text: &str) -> String {
    let dots = if ply % 2 == 1 { "." } else { "..." };
    format!("{}{dots}{text}", ply.div_ceil(2))
}

/// Reads a line of moves from the initial position, in SAN or UCI.
///
/// Numbers, dots, comments, variations, NAGs, `!?` and other glyphs are passed over, and numbers are not held against the
/// moves. Figurines are letters. Any other sign directly before a move makes it none: what it means nobody knows, and without it
/// another piece may move. A result ends the line.
///
/// ```
/// use tabiya_chess::{full_fen, parse_line};
///
/// let line = parse_line("1. e4 {best by test} e5 2.Nf3! Nc6 3.Bb5 *")?;
/// assert_eq!(line.moves().len(), 5);
/// assert_eq!(full_fen(&line.last()), full_fen(&parse_line("e2e4 e7e5 g1f3 b8c6 f1b5")?.last()));
///
/// let error = parse_line("1.e4 e5 2.Nf6").unwrap_err();
/// assert_eq!(error.to_string(), "2.Nf6 is not a legal move (half-move 3)");
/// # Ok::<_, tabiya_chess::LineError>(())
/// ```
///
/// # Errors
///
/// [`LineError`] names the move and its number.
pub fn parse_line(text: &str) -> Result<Line, LineError> {
    let mut line = Line::default();
    walk(text, |m, after| {
        line.moves.push(m);
        line.positions.push(after.clone());
    })?;
    Ok(line)
}

/// Plays a line and shows each move with the position behind it; gives the last position.
pub(super) fn walk(text: &str, mut played: impl FnMut(Move, &Chess)) -> Result<Chess, LineError> {
    let mut position = Chess::default();
    let mut words = Words { rest: text, ply: 1 };
    while let Some(word) = words.next_move()? {
        let fault = |fault: fn(u32, String) -> LineError| fault(words.ply, word.to_owned());
        let not_a_move = || fault(|ply, text| LineError::NotAMove { ply, text });
        let letters = in_letters(word);
        let (san, _, length) = parse_san(letters.as_bytes()).ok_or_else(not_a_move)?;
        let behind = &letters[length..];
        if behind.contains(|ch: char| ch.is_alphanumeric()) && !behind.starts_with("e.p.") {
            return Err(not_a_move());
        }
        let m = resolve(&position, san).map_err(|error| match error {
            SanError::Illegal => fault(|ply, text| LineError::Illegal { ply, text }),
            SanError::Ambiguous => fault(|ply, text| LineError::Ambiguous { ply, text }),
        })?;
        position.play_unchecked(m);
        played(m, &position);
        words.ply += 1;
    }
    Ok(position)
}

struct Words<'a> {
    rest: &'a str,
    /// The half-move that comes next.
    ply: u32,
}

const RESULTS: [&str; 5] = ["1-0", "0-1", "1/2", "½", "*"];

impl<'a> Words<'a> {
    /// The next word that should be a move, up to white space or a bracket.
    fn next_move(&mut self) -> Result<Option<&'a str>, LineError> {
        loop {
            let Some(first) = self.rest.chars().next() else {
                return Ok(None);
            };
            match first {
                'a'..='z' | 'A'..='Z' => return Ok(Some(self.take(word_length(self.rest)))),
                '0'..='9' => {
                    let length = word_length(self.rest);
                    let word = &self.rest[..length];
                    if RESULTS.iter().any(|result| word.starts_with(result)) {
                        return Ok(None);
                    }
                    // Castling with zeros is a move, though it begins as a number does.
                    if parse_san(word.as_bytes()).is_some() {
                        return Ok(Some(self.take(length)));
                    }
                    let digits = word.bytes().take_while(u8::is_ascii_digit).count();
                    if word[digits..].starts_with(|ch: char| ch.is_alphanumeric()) {
                        return Ok(Some(self.take(length)));
                    }
                    self.take(digits);
                }
                '*' | '½' => return Ok(None),
                '{' => {
                    let end = self.rest.find('}').ok_or_else(|| self.unclosed('{'))?;
                    self.take(end + 1);
                }
                '(' => self.skip_variation()?,
                ';' => {
                    self.take(self.rest.find('\n').unwrap_or(self.rest.len()));
                }
                '$' => {
                    let digits = self.rest[1..].bytes().take_while(u8::is_ascii_digit).count();
                    self.take(1 + digits);
                }
                '-' | '@' if parse_san(self.rest.as_bytes()).is_some() => {
                    return Ok(Some(self.take(word_length(self.rest))));
                }
                other if other.is_alphanumeric() || self.is_before_a_move(other) => {
                    return Ok(Some(self.take(word_length(self.rest))));
                }
                other => {
                    self.take(other.len_utf8());
                }
            }
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }

    /// Whether this sign, which comes next, belongs to the move behind it: a figurine does, and so does a sign of which nobody knows
    /// what it is.
    fn is_before_a_move(&self, sign: char) -> bool {
        if figurine(self.rest.as_bytes()).is_some() {
            return true;
        }
        if is_passed_over(sign) {
            return false;
        }
        let behind = &self.rest[sign.len_utf8()..];
        let behind = behind.strip_prefix(SELECTORS).unwrap_or(behind);
        let is_move = figurine(behind.as_bytes()).is_some() || parse_san(behind.as_bytes()).is_some();
        is_move || behind.starts_with(|ch: char| ch.is_alphabetic())
    }

    fn unclosed(&self, bracket: char) -> LineError {
        LineError::Unclosed { ply: self.ply, bracket }
    }

    fn skip_variation(&mut self) -> Result<(), LineError> {
        let mut depth = 0;
        let mut in_comment = false;
        for (at, ch) in self.rest.char_indices() {
            match ch {
                '}' => in_comment = false,
                _ if in_comment => {}
                '{' => in_comment = true,
                '(' => depth += 1,
                ')' if depth == 1 => {
                    self.take(at + 1);
                    return Ok(());
                }
                ')' => depth -= 1,
                _ => {}
            }
        }
        Err(self.unclosed('('))
    }
}

/// They say of the symbol before them whether it is text or a picture.
const SELECTORS: [char; 2] = ['\u{fe0e}', '\u{fe0f}'];

/// What may stand directly before a move and say nothing: white space, what stands between a number or a comment and a move, quotes,
/// and characters that nobody sees.
fn is_passed_over(sign: char) -> bool {
    let unseen = matches!(sign, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
    sign.is_whitespace() || unseen || ".…․‥·,:)]}[-‐‑‒–—―−\"'`´‘’‚“”„«»‹›".contains(sign)
}

/// The word with letters for its figurines.
fn in_letters(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return word.into();
    }
    let mut letters = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let (letter, length) = match figurine(rest.as_bytes()) {
            Some((letter, length)) => (char::from(letter), length),
            None => (first, first.len_utf8()),
        };
        letters.push(letter);
        rest = &rest[length..];
    }
    letters.into()
}

fn word_length(text: &str) -> usize {
    text.find(|ch: char| ch.is_whitespace() || "{}();$".contains(ch))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::to_san;

    fn sans(text: &str) -> String {
        let mut before = Chess::default();
        let line = parse_line(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let mut sans = Vec::new();
        for (m, after) in line.moves().iter().zip(line.positions()) {
            sans.push(to_san(&before, *m));
            before = after.clone();
        }
        sans.join(" ")
    }

    #[test]
    fn lines_are_read_as_people_write_them() {
        let spanish = "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O";
        for text in [
            "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O",
            "1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 5.O-O",
            "1. e4 1... e5 2. Nf3 2…Nc6 3. Bb5 a6 4. Ba4 Nf6 5. 0-0 1-0",
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1",
            "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1h1",
            "1.e4! {best (by test} e5 $1 2.Nf3!? (2.f4 {gambit :)} exf4 (2...d5)) Nc6 += 3.Bb5; Ruy Lopez\n3...a6 4.Ba4 Nf6 5.O-O ± *",
            "1 e4 e5 2 Nf3 Nc6 3 Bb5 a6 4 Ba4 Nf6 5 O-O 1/2-1/2",
        ] {
            assert_eq!(sans(text), spanish, "{text}");
        }
        assert_eq!(sans("1.e4 a6 2.e5 d5 3.exd6e.p."), "e4 a6 e5 d5 exd6");
        // What annotators and printers leave between the moves.
        for text in [
            "\u{feff}1.e4 ± e5 ?! 2.–Nf3 \u{200b}Nc6",
            "“1.e4 e5 2.Nf3 Nc6”",
            "1-e4 e5 2:Nf3,\u{a0}Nc6 ⩲",
            "1)e4 ‥e5 {x}… ]Nf3 !! ―Nc6 +-",
        ] {
            assert_eq!(sans(text), "e4 e5 Nf3 Nc6", "{text:?}");
        }
        for nothing in ["", "  ", "1.", "*", "{only a comment}", "1-0"] {
            assert_eq!(sans(nothing), "", "{nothing}");
        }
        assert_eq!(parse_line("").unwrap().last(), Chess::default());
    }

    /// Without its symbol a knight's move is a pawn's, and a legal one.
    #[test]
    fn figurines_are_letters() {
        for text in [
            "1.♘f3 d5 2.♙e4 ♟dxe4 3.♘g5 ♞f6 4.♗c4 ♝g4 5.O-O",
            "1. ♘\u{fe0e}f3 d5 2. e4 dxe4 3. ♞\u{fe0f}g5 …♞f6 4.…♗c4 {x}♗g4 5.O-O",
        ] {
            assert_eq!(sans(text), "Nf3 d5 e4 dxe4 Ng5 Nf6 Bc4 Bg4 O-O", "{text}");
        }
        assert_eq!(
            sans("a4 b5 axb5 a6 bxa6 Bb7 axb7 h6 bxa8=♕ h5 ♖a7"),
            "a4 b5 axb5 a6 bxa6 Bb7 axb7 h6 bxa8=Q h5 Ra7"
        );
        let error = |text| parse_line(text).unwrap_err().to_string();
        assert_eq!(error("1.♔e4"), "1.♔e4 is not a legal move (half-move 1)");
        assert_eq!(error("1.♘ f3"), "1.♘ is not a move");
        assert_eq!(error("1.e4♘ f3"), "1.e4♘ is not a move");
    }

    /// Nor is a piece's move that nobody can read a pawn's.
    #[test]
    fn signs_that_nobody_knows_are_not_dropped_from_a_move() {
        for text in [
            "?f3",
            "@f3",
            "△f3",
            "⚔f3",
            "⚔\u{fe0f}f3",
            "+e4",
            "?0-0",
            "?♘f3",
            "\u{fffd}f3",
        ] {
            for before in ["", "1. ", "1.", "{x}"] {
                let refused = LineError::NotAMove {
                    ply: 1,
                    text: text.to_owned(),
                };
                assert_eq!(parse_line(&format!("{before}{text} e5")).unwrap_err(), refused);
            }
        }
    }

    #[test]
    fn errors_name_the_move() {
        let error = |text| parse_line(text).unwrap_err().to_string();
        assert_eq!(error("1.e4 e5 2.Nf6"), "2.Nf6 is not a legal move (half-move 3)");
        assert_eq!(error("1.e4 Qh9"), "1...Qh9 is not a move");
        assert_eq!(error("1.e4 e5foo"), "1...e5foo is not a move");
        assert_eq!(error("1.Caballo"), "1.Caballo is not a move");
        assert_eq!(error("1.é4"), "1.é4 is not a move");
        assert_eq!(error("1.e4 12x"), "1...12x is not a move");
        assert_eq!(error("1.e4 --"), "1...-- is not a legal move (half-move 2)");
        assert_eq!(
            error("d4 d5 Nf3 Nf6 Nd2"),
            "3.Nd2 could be more than one move (half-move 5)"
        );
        assert_eq!(error("1.e4 {no end"), "`{` before 1...… is never closed");
        assert_eq!(error("1.e4 e5 (2.Nf3"), "`(` before 2.… is never closed");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in ".{0,60}") {
            let _ = parse_line(&text);
        }

        #[test]
        fn any_mixture_of_signs_is_read_or_refused(words in prop::collection::vec("[1-9]?\\.{0,3}(e4|e5|Nf3|♘f3|\u{fe0f}|@|O-O|0-0|\\{|\\}|\\(|\\)|;|\\$|½|…|!|-)", 0..12)) {
            let _ = parse_line(&words.join(" "));
        }
    }
}
