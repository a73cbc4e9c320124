//! Game review: what a move was worth, and why.
//!
//! ```text
//! evaluations ──wintr/lichess──▶ class by numbers ┐
//! boards ──attackers──▶ safety ──▶ threats ───────┴──classify──▶ Verdict ──▶ reason, explanation
//! ```
//!
//! Everything works on boards whose turn can be turned, which no [`Chess`](shakmaty::Chess) allows: to ask who could take a
//! piece is to ask what the other side would do if it were its move.

mod brilliant;
mod class;
mod classify;
mod explain;
mod lichess;
mod motif;
mod phase;
mod pieces;
mod safety;
mod scene;
mod threats;
mod thresholds;
mod wintr;
mod words;

pub use class::{Class, NotAClass, NotARuleSet, RuleSet};
pub use classify::{After, Before, Verdict, classify};
pub use explain::{Explanation, explain};
pub use lichess::{
    INITIAL_CP, lichess_accuracy, lichess_drop, lichess_game_accuracy, lichess_judgement, lichess_win_percent,
};
pub use motif::{Motif, motifs};
pub use phase::{Phase, Phases};
pub use pieces::piece_value;
pub use thresholds::{MateThresholds, Thresholds};
pub use wintr::class_by_evaluation;
pub use words::{Reason, line_in_san};
