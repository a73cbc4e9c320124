//! What can be wrong with a pawn rule.

use shakmaty::Color;
use thiserror::Error;

use super::PawnRule;

/// Why a text is not a [`PawnRule`], with the part at fault and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PawnRuleError {
    /// There is no text.
    #[error("the rule is empty; write White's pawns, `/` and Black's, such as `d4 -ce / -d`")]
    Empty,
    /// More text than is read.
    #[error("the rule has {0} bytes; at most {max} are read", max = PawnRule::MAX_LEN)]
    TooLong(usize),
    /// Nothing between two `;`, or behind the last.
    #[error("alternative {0} is empty; leave out the `;` or write a rule beside it")]
    EmptyAlternative(usize),
    /// The two sides are not told apart.
    #[error("`{0}` has no `/` between White's part and Black's; `.` stands for a side without conditions")]
    NoSlash(String),
    /// More than two sides.
    #[error("`{0}` has more than one `/`; put `;` between alternatives")]
    SecondSlash(String),
    /// Nothing on one side of the `/`.
    #[error("`{alternative}` says nothing of {}; write `.` for no condition", name(.side))]
    EmptySide {
        /// The alternative it stands in.
        alternative: String,
        /// The side without a word.
        side: Color,
    },
    /// A `.` beside conditions.
    #[error("`{0}` has a `.`, which means no condition, beside others; leave out one or the other")]
    DotBesideOthers(String),
    /// A `~` that ends nothing.
    #[error("`{0}` has a `~` inside; it belongs at the end of an alternative")]
    StrayTilde(String),
    /// A bracket without its partner.
    #[error("`{0}` has a bracket that is not closed; write `[c5 e5]`")]
    OpenBracket(String),
    /// Brackets around nothing.
    #[error("`{0}` lists no squares; write `[c5 e5]`")]
    EmptyBrackets(String),
    /// Files are lower case, as the capital B is the bishop.
    #[error("`{0}` is not understood; files are written in lower case, such as `{lower}`", lower = .0.to_ascii_lowercase())]
    UpperCase(String),
    /// A word of no known kind.
    #[error("`{0}` is not understood; write `d4`, `c23`, `e*`, `-c`, `-e45`, `[c5 e5]`, `Bg7` or `.`")]
    Token(String),
}

fn name(side: &Color) -> &'static str {
    side.fold_wb("White", "Black")
}
