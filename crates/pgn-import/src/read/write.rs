//! Writes a game as PGN again.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use tabiya_chess::ply_of;

use super::GameResult;
use super::lexer::REACH;
use super::tree::{Game, Node, NodeId, ROOT};

/// PGN asks for lines of at most 80 characters.
const LINE: usize = 80;

impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            let value = legible(value);
            writeln!(f, "[{name} \"{}\"]", value.replace('\\', "\\\\").replace('"', "\\\""))?;
        }
        if !self.tags.is_empty() {
            writeln!(f)?;
        }
        let mut text = Wrapped { out: f, column: 0 };
        text.comments(&self.node(ROOT).comments)?;
        text.moves(self)?;
        text.word(self.result.unwrap_or(GameResult::Unknown).as_str())?;
        writeln!(f)
    }
}

/// A tag's value as writing leaves it. A quote before a bracket ends a value for whoever sees no other behind it, and readers look so
/// far and no further; in values of such a length it becomes an apostrophe.
pub(crate) fn legible(value: &str) -> Cow<'_, str> {
    // Escaping makes two bytes of one at the most.
    if value.len() < REACH / 2 {
        return Cow::Borrowed(value);
    }
    let ends = |(at, _): &(usize, &str)| value[at + 1..].trim_start_matches([' ', '\t']).starts_with(']');
    let mut clean = value.to_owned();
    for (at, _) in value.match_indices('"').filter(ends) {
        clean.replace_range(at..=at, "'");
    }
    Cow::Owned(clean)
}

impl Game {
    /// Half-moves before the first one, as the numbers count them.
    fn first_ply(&self) -> u64 {
        self.start
            .as_ref()
            .map_or(0, |start| u64::from(ply_of(&start.position)))
    }
}

/// A line that is being written.
#[derive(Clone, Copy)]
struct Branch<'a> {
    /// The last move that is written.
    from: NodeId,
    /// Half-moves up to it.
    ply: u64,
    /// The next move must be numbered even though it is Black's.
    numbered: bool,
    /// Alternatives to `from` that are still to be written.
    others: &'a [NodeId],
}

struct Wrapped<'a, 'b> {
    out: &'a mut fmt::Formatter<'b>,
    column: usize,
}

impl Wrapped<'_, '_> {
    /// The moves of the game: the main one, its alternatives, and so on down the line.
    ///
    /// Variations wait on a stack of our own, because files nest them deeper than threads' stacks reach.
    fn moves(&mut self, game: &Game) -> fmt::Result {
        let mut line = Branch {
            from: ROOT,
            ply: game.first_ply(),
            numbered: true,
            others: &[],
        };
        let mut outer = Vec::new();
        loop {
            if let [other, rest @ ..] = line.others {
                // The line goes on behind its main move once all alternatives to that are written.
                self.word("(")?;
                line.numbered = true;
                let ply = line.ply - 1;
                outer.push(Branch { others: rest, ..line });
                let numbered = self.one_move(game.node(*other), ply, true)?;
                line = Branch {
                    from: *other,
                    ply: ply + 1,
                    numbered,
                    others: &[],
                };
            } else if let [main, others @ ..] = game.children(line.from) {
                let numbered = self.one_move(game.node(*main), line.ply, line.numbered)?;
                line = Branch {
                    from: *main,
                    ply: line.ply + 1,
                    numbered,
                    others,
                };
            } else if let Some(branch) = outer.pop() {
                self.word(")")?;
                line = branch;
            } else {
                return Ok(());
            }
        }
    }

    /// Writes a move; true if the next one must be numbered even though it is Black's.
    fn one_move(&mut self, node: &Node, ply: u64, numbered: bool) -> Result<bool, fmt::Error> {
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
            let mut words = text.split_whitespace();
            while let Some(word) = words.next() {
                let is_begun = |text: &str| text.starts_with("[%") && !text.ends_with(']') && text.len() < LINE / 2;
                if !is_begun(word) {
                    self.word(word)?;
                    continue;
                }
                // Some readers look for a command such as `[%eval 0.32]` on one line.
                let mut command = word.to_owned();
                while is_begun(&command)
                    && let Some(next) = words.next()
                {
                    command.push(' ');
                    command.push_str(next);
                }
                self.word(&command)?;
            }
        }
        Ok(())
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
