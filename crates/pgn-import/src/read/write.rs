//! Writes a game as PGN again.

use std::fmt::{self, Write as _};

use shakmaty::{Color, Position as _};

use super::tree::{Game, Node, NodeId, ROOT};
use super::GameResult;

/// PGN asks for lines of at most 80 characters.
const LINE: usize = 80;

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))?;
        }
        if !self.tags.is_empty() {
            writeln!(f)?;
        }
        let mut text = Wrapped { out: f, column: 0 };
        text.comments(&self.node(ROOT).comments)?;
        text.line(self, ROOT, self.first_ply(), true)?;
        text.word(self.result.unwrap_or(GameResult::Unknown).as_str())?;
        writeln!(f)
    }
}

impl Game {
    /// Half-moves before the first one, as the numbers count them.
    fn first_ply(&self) -> u32 {
        self.start.as_ref().map_or(0, |start| {
            let black = u32::from(start.position.turn() == Color::Black);
            2 * (start.position.fullmoves().get() - 1) + black
        })
    }
}

struct Wrapped<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    column: usize,
}

impl Wrapped<'_, '_> {
    /// The moves behind `from`: the main one, its alternatives, and so on down the line.
    fn line(&mut self, game: &Game, from: NodeId, ply: u32, numbered: bool) -> fmt::Result {
        let (mut from, mut ply, mut numbered) = (from, ply, numbered);
        while let [main, others @ ..] = game.children(from) {
            numbered = self.one_move(game.node(*main), ply, numbered)?;
            for other in others {
                self.open()?;
                let behind = self.one_move(game.node(*other), ply, true)?;
                self.line(game, *other, ply + 1, behind)?;
                self.close()?;
                numbered = true;
            }
            (from, ply) = (*main, ply + 1);
        }
        Ok(())
    }

    /// Writes a move; true if the next one must be numbered even though it is Black's.
    fn one_move(&mut self, node: &Node, ply: u32, numbered: bool) -> Result<bool, fmt::Error> {
        self.comments(&node.comments_before)?;
        let number = ply / 2 + 1;
        if ply.is_multiple_of(2) {
            self.word(&format!("{number}."))?;
        } else if numbered || !node.comments_before.is_empty() {
            self.word(&format!("{number}..."))?;
        }
        self.word(&node.san)?;
        for nag in &node.nags {
            self.word(&format!("${nag}"))?;
        }
        self.comments(&node.comments)?;
        Ok(!node.comments.is_empty())
    }

    fn comments(&mut self, comments: &[String]) -> fmt::Result {
        for comment in comments {
            // A `;` comment may hold a brace, which cannot be written between braces.
            let text = format!("{{ {} }}", comment.replace('{', "(").replace('}', ")"));
            for word in text.split_whitespace() {
                self.word(word)?;
            }
        }
        Ok(())
    }

    fn open(&mut self) -> fmt::Result {
        self.word("(")
    }

    fn close(&mut self) -> fmt::Result {
        self.word(")")
    }

    fn word(&mut self, word: &str) -> fmt::Result {
        let width = word.chars().count();
        if self.column > 0 {
            if self.column + 1 + width > LINE {
                self.out.write_char('\n')?;
                self.column = 0;
            } else {
                self.out.write_char(' ')?;
                self.column += 1;
            }
        }
        self.column += width;
        self.out.write_str(word)
    }
}
