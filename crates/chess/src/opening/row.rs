//! One named line, and whose name it is.

use std::{cmp::Ordering, fmt, str::FromStr};

use shakmaty::{Chess, Move, Position};
use thiserror::Error;

use super::{Eco, LineError, movetext::walk};

/// Whose name a line bears, in order of precedence.
///
/// The first two are primary: they name positions. The others are second: they add aliases to positions that have a name, and
/// name those that have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NamingSystem {
    /// A user's own table.
    Own,
    /// The Lichess names.
    Lichess,
    /// The classic ECO book.
    Eco,
    /// Further names: of other books and programs, or of earlier times.
    Alias,
}

impl NamingSystem {
    /// Whether its names come before all others.
    #[must_use]
    pub const fn is_primary(self) -> bool {
        matches!(self, NamingSystem::Own | NamingSystem::Lichess)
    }

    /// The word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            NamingSystem::Own => "own",
            NamingSystem::Lichess => "lichess",
            NamingSystem::Eco => "eco",
            NamingSystem::Alias => "alias",
        }
    }
}

impl fmt::Display for NamingSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A text that is not a naming system.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a naming system: own, lichess, eco or alias")]
pub struct NotANamingSystem(pub String);

impl FromStr for NamingSystem {
    type Err = NotANamingSystem;

    fn from_str(text: &str) -> Result<NamingSystem, NotANamingSystem> {
        [
            NamingSystem::Own,
            NamingSystem::Lichess,
            NamingSystem::Eco,
            NamingSystem::Alias,
        ]
        .into_iter()
        .find(|system| system.as_str() == text)
        .ok_or_else(|| NotANamingSystem(text.to_owned()))
    }
}

/// Why a line cannot have a name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OpeningLineError {
    /// There is no name.
    #[error("the name is empty")]
    NoName,
    /// There are no moves: the initial position has no name.
    #[error("there are no moves")]
    NoMoves,
    /// A move cannot be read or played.
    #[error(transparent)]
    Moves(#[from] LineError),
    /// A move that was given as such is not legal.
    #[error("half-move {ply} is not legal")]
    Illegal {
        /// The half-move, counted from 1.
        ply: usize,
    },
}

/// A line of legal moves from the initial position that bears a name.
#[derive(Clone, Debug)]
pub struct OpeningLine {
    system: NamingSystem,
    eco: Eco,
    name: String,
    moves: Vec<Move>,
    end: Chess,
}

impl OpeningLine {
    /// Names a line.
    ///
    /// # Errors
    ///
    /// [`OpeningLineError`] where the name is empty, or a move is not legal.
    pub fn new(
        system: NamingSystem,
        eco: Eco,
        name: impl Into<String>,
        moves: Vec<Move>,
    ) -> Result<OpeningLine, OpeningLineError> {
        let mut end = Chess::default();
        for (i, m) in moves.iter().enumerate() {
            if !end.is_legal(*m) {
                return Err(OpeningLineError::Illegal { ply: i + 1 });
            }
            end.play_unchecked(*m);
        }
        OpeningLine {
            system,
            eco,
            name: name.into(),
            moves,
            end,
        }
        .checked()
    }

    /// Names a line that is written as [`parse_line`](crate::parse_line) reads it.
    ///
    /// # Errors
    ///
    /// [`OpeningLineError`] where the name is empty, or a move cannot be read or is not legal.
    pub fn read(
        system: NamingSystem,
        eco: Eco,
        name: impl Into<String>,
        line: &str,
    ) -> Result<OpeningLine, OpeningLineError> {
        let mut moves = Vec::with_capacity(16);
        let end = walk(line, |m, _| moves.push(m))?;
        OpeningLine {
            system,
            eco,
            name: name.into(),
            moves,
            end,
        }
        .checked()
    }

    fn checked(mut self) -> Result<OpeningLine, OpeningLineError> {
        let name = self.name.trim();
        if name.is_empty() {
            return Err(OpeningLineError::NoName);
        }
        if name.len() < self.name.len() {
            self.name = name.to_owned();
        }
        if self.moves.is_empty() {
            return Err(OpeningLineError::NoMoves);
        }
        Ok(self)
    }

    /// Whose name it is.
    #[must_use]
    pub const fn system(&self) -> NamingSystem {
        self.system
    }

    /// The ECO code.
    #[must_use]
    pub const fn eco(&self) -> Eco {
        self.eco
    }

    /// The full name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The moves, at least one.
    #[must_use]
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The position that has the name.
    #[must_use]
    pub const fn end(&self) -> &Chess {
        &self.end
    }

    /// The order of lines: the name that wins comes first, and its shortest line.
    pub(super) fn by_rank(&self, other: &OpeningLine) -> Ordering {
        let names = |line: &OpeningLine| (line.system, line.eco);
        let squares = |m: &Move| (m.from().map(u8::from), u8::from(m.to()), m.promotion().map(u8::from));
        names(self)
            .cmp(&names(other))
            .then_with(|| self.name.cmp(&other.name))
            .then_with(|| self.moves.len().cmp(&other.moves.len()))
            .then_with(|| self.moves.iter().map(squares).cmp(other.moves.iter().map(squares)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_line;

    fn eco() -> Eco {
        "C20".parse().expect("a code")
    }

    #[test]
    fn a_line_has_a_name_and_legal_moves() {
        let moves = parse_line("e4 e5").unwrap().moves().to_vec();
        let line = OpeningLine::new(NamingSystem::Own, eco(), " Open Game ", moves.clone()).unwrap();
        assert_eq!(line.name(), "Open Game");
        assert_eq!(line.end(), &parse_line("e4 e5").unwrap().last());

        let error = |name: &str, moves: Vec<Move>| OpeningLine::new(NamingSystem::Own, eco(), name, moves).unwrap_err();
        assert_eq!(error(" ", moves.clone()), OpeningLineError::NoName);
        assert_eq!(error("X", vec![]), OpeningLineError::NoMoves);
        let twice = vec![moves[0], moves[0]];
        assert_eq!(error("X", twice).to_string(), "half-move 2 is not legal");
        let text = OpeningLine::read(NamingSystem::Own, eco(), "X", "1.e4 e4").unwrap_err();
        assert_eq!(text.to_string(), "1...e4 is not a legal move (half-move 2)");
    }

    #[test]
    fn systems_read_as_they_are_written() {
        for text in ["own", "lichess", "eco", "alias"] {
            assert_eq!(text.parse::<NamingSystem>().unwrap().to_string(), text);
        }
        assert_eq!(
            "fide".parse::<NamingSystem>().unwrap_err().to_string(),
            "`fide` is not a naming system: own, lichess, eco or alias"
        );
    }
}
