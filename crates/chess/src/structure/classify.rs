//! A board's structure, by the first rule that fits.

use std::sync::LazyLock;

use shakmaty::{Board, Color};

use super::{
    PawnRule, Structure,
    rule::{Orientation, Pieces},
    table::ROWS,
};

/// The label of a board that no rule fits. It is no [`Structure`]: there is nothing to say about it.
pub const UNKNOWN: &str = "Unknown";

/// A board's structure, and how it was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Classified {
    pub structure: &'static Structure,
    /// The row of the rule table that matched, counted from 1.
    pub row: usize,
    /// The alternative of that row that matched, as text.
    pub rule: &'static str,
    /// White where it matched as written, Black where it did with colours reversed.
    pub side: Color,
}

/// Names the pawn structure of a board; `None` is [`UNKNOWN`].
///
/// Looks at pawns, for a few rules also at a bishop. Kings may be missing. The initial position has no structure yet.
///
/// ```
/// use shakmaty::{Board, Color};
/// use tabiya_chess::classify;
///
/// let tarrasch: Board = "r2q1rk1/pp3ppp/2n1bn2/2bp4/8/2N2NP1/PP2PPBP/R1BQ1RK1".parse().expect("a board");
/// let found = classify(&tarrasch).expect("a known structure");
/// assert_eq!(found.structure.name, "Isolated Queen's Pawn");
/// assert_eq!((found.row, found.rule, found.side), (1, "d4 -ce / -d ~", Color::Black));
///
/// assert_eq!(classify(&Board::new()), None);
/// ```
#[must_use]
pub fn classify(board: &Board) -> Option<Classified> {
    let pieces = Pieces::of(board);
    TRIALS
        .iter()
        .find(|trial| trial.orientation.fits(pieces))
        .map(|trial| trial.verdict)
}

/// One comparison with a board, and what follows if it fits.
#[derive(Debug)]
struct Trial {
    orientation: Orientation,
    verdict: Classified,
}

/// The whole table as one run of comparisons.
static TRIALS: LazyLock<Vec<Trial>> = LazyLock::new(|| {
    let mut trials = Vec::new();
    for (index, (slug, rules)) in ROWS.iter().enumerate() {
        let rule: PawnRule = rules.parse().expect("a test has parsed every row");
        let structure = Structure::with_slug(slug).expect("a test has found every slug");
        for (alternative, text) in rule.alternatives().iter().zip(rules.split("; ")) {
            trials.extend(alternative.orientations().iter().map(|orientation| Trial {
                orientation: orientation.clone(),
                verdict: Classified {
                    structure,
                    row: index + 1,
                    rule: text,
                    side: orientation.side,
                },
            }));
        }
    }
    trials
});
