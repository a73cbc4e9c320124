//! Writes movetext in lines of at most 80 columns, as PGN's export format asks for.

use std::fmt::Write as _;

const WIDTH: usize = 80;

/// Text that breaks between words.
#[derive(Debug, Default)]
pub(crate) struct Movetext {
    text: String,
    column: usize,
    word: String,
}

impl Movetext {
    /// Appends a word with a space, or a line's end, before it.
    pub(crate) fn word(&mut self, word: impl std::fmt::Display) {
        self.word.clear();
        // Writing to a string cannot fail.
        let _ = write!(self.word, "{word}");
        if self.column > 0 && self.column + 1 + self.word.len() > WIDTH {
            self.text.push('\n');
            self.column = 0;
        } else if self.column > 0 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(&self.word);
        self.column += self.word.len();
    }

    /// Hands over the text and begins anew.
    pub(crate) fn take(&mut self) -> String {
        self.column = 0;
        std::mem::take(&mut self.text)
    }
}
