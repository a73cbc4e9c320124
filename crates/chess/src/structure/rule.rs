//! A pawn formation as text, and whether a board has it.

mod error;
mod masks;
mod parse;
mod token;

use std::fmt;

use shakmaty::{Board, Color};

pub use error::PawnRuleError;
use masks::Masks;
pub(super) use masks::Pieces;
use token::Token;

/// A pawn formation, written as `White part / Black part` in ordinary coordinates.
///
/// Every token must hold for that side:
///
/// | token | meaning |
/// |---|---|
/// | `d4` | a pawn on d4 |
/// | `c23`, `d567` | a pawn on c2 or c3; on d5, d6 or d7 |
/// | `[c5 e5]` | a pawn on at least one of these squares |
/// | `e*` | at least one pawn on the e-file |
/// | `-c`, `-ce` | no pawn on the c-file; on neither c- nor e-file |
/// | `-e5`, `-e45` | no pawn on e5; on neither e4 nor e5 |
/// | `Bg7`, `[Bf4 Bg3]` | that side's bishop on g7; on one of these |
/// | `.` | no condition |
///
/// `;` separates alternatives, of which one is enough. `~` behind an alternative also tries it with
/// colours reversed: sides swapped and ranks flipped.
///
/// ```
/// use shakmaty::Board;
/// use tabiya_chess::PawnRule;
///
/// let isolani: PawnRule = "d4 -ce / -d ~".parse()?;
/// let whites: Board = "4k3/8/8/8/3P4/8/8/4K3".parse().expect("a board");
/// let blacks: Board = "4k3/8/8/3p4/8/8/8/4K3".parse().expect("a board");
/// assert!(isolani.matches(&whites) && isolani.matches(&blacks));
/// assert!(!isolani.matches(&Board::new()));
/// assert_eq!(isolani.to_string(), "d4 -ce / -d ~");
/// # Ok::<_, tabiya_chess::PawnRuleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PawnRule {
    alternatives: Vec<Alternative>,
}

impl PawnRule {
    /// The longest text that is read, in bytes. Several times the longest rule of the built-in table, and a bound on
    /// what a stranger's rule can cost.
    pub const MAX_LEN: usize = 1024;

    /// Whether a board has this formation.
    #[must_use]
    pub fn matches(&self, board: &Board) -> bool {
        let pieces = Pieces::of(board);
        self.orientations().any(|orientation| orientation.fits(pieces))
    }

    /// What is to be compared with a board, in the order of trial: each alternative as written, then reversed.
    pub(super) fn orientations(&self) -> impl Iterator<Item = &Orientation> {
        self.alternatives
            .iter()
            .flat_map(|alternative| &alternative.orientations)
    }

    pub(super) fn alternatives(&self) -> &[Alternative] {
        &self.alternatives
    }
}

/// Both sides' conditions, one of which has to be there for the rule to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Alternative {
    white: Vec<Token>,
    black: Vec<Token>,
    /// As written, and for a `~` reversed.
    orientations: Vec<Orientation>,
}

impl Alternative {
    fn new(white: Vec<Token>, black: Vec<Token>, reversible: bool) -> Alternative {
        let written = Orientation {
            side: Color::White,
            white: Masks::of(&white),
            black: Masks::of(&black),
        };
        let reversed = reversible.then(|| Orientation {
            side: Color::Black,
            white: written.black.flipped(),
            black: written.white.flipped(),
        });
        Alternative {
            white,
            black,
            orientations: [written].into_iter().chain(reversed).collect(),
        }
    }

    pub(super) fn orientations(&self) -> &[Orientation] {
        &self.orientations
    }
}

/// An alternative the one way or the other round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Orientation {
    /// White as written, Black with colours reversed.
    pub(super) side: Color,
    white: Masks,
    black: Masks,
}

impl Orientation {
    #[inline]
    pub(super) fn fits(&self, pieces: Pieces) -> bool {
        self.white.hold(pieces.white) && self.black.hold(pieces.black)
    }
}

impl fmt::Display for PawnRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, alternative) in self.alternatives.iter().enumerate() {
            let separator = if number == 0 { "" } else { "; " };
            write!(f, "{separator}{alternative}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Alternative {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_part(&self.white, f)?;
        f.write_str(" / ")?;
        write_part(&self.black, f)?;
        match self.orientations.len() {
            1 => Ok(()),
            _ => f.write_str(" ~"),
        }
    }
}

fn write_part(tokens: &[Token], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if tokens.is_empty() {
        return f.write_str(".");
    }
    for (number, token) in tokens.iter().enumerate() {
        let separator = if number == 0 { "" } else { " " };
        write!(f, "{separator}{token}")?;
    }
    Ok(())
}
