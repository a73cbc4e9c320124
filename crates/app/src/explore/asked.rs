//! What people ask about: a FEN, an EPD, or a line of moves.

use shakmaty::Chess;
use tabiya_chess::{PositionId, parse_fen, parse_line};

use crate::AppError;

/// A position, and the positions on the way to it where a line was given.
#[derive(Debug, Clone)]
pub struct Asked {
    /// From the initial position, or whichever was given, on; the one that is meant comes last.
    positions: Vec<Chess>,
}

impl Asked {
    /// Reads a FEN, an EPD, either with `_` for spaces, or a line of moves.
    pub fn parse(text: &str) -> Result<Asked, AppError> {
        let bad = |reason: String| AppError::BadFen {
            fen: text.to_owned(),
            reason,
        };
        match parse_fen(text) {
            Ok(start) => Ok(Asked {
                positions: vec![start.position],
            }),
            // A placement has slashes, a line of moves has none but in a result.
            Err(error)
                if text
                    .split([' ', '_'])
                    .next()
                    .is_some_and(|word| word.matches('/').count() == 7) =>
            {
                Err(bad(error.to_string()))
            }
            Err(_) => Asked::line(text).map_err(|error| bad(error.to_string())),
        }
    }

    /// Reads a line of moves from the initial position.
    pub fn line(text: &str) -> Result<Asked, tabiya_chess::LineError> {
        let line = parse_line(text)?;
        let mut positions = vec![Chess::default()];
        positions.extend_from_slice(line.positions());
        Ok(Asked { positions })
    }

    pub fn from(position: Chess) -> Asked {
        Asked {
            positions: vec![position],
        }
    }

    /// Goes on from the last position.
    #[must_use]
    pub fn then(mut self, positions: impl IntoIterator<Item = Chess>) -> Asked {
        self.positions.extend(positions);
        self
    }

    pub fn position(&self) -> &Chess {
        // There is one from the beginning.
        &self.positions[self.positions.len() - 1]
    }

    pub fn id(&self) -> PositionId {
        PositionId::of(self.position())
    }

    /// All positions, the one that is meant last.
    pub fn positions(&self) -> &[Chess] {
        &self.positions
    }
}
