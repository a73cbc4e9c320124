//! The tactics bank: puzzles from FEN-tagged games, and from comments where that is asked for.

#[cfg(feature = "comment-tactic")]
mod comments;
mod from_fen;
mod motifs;

#[cfg(feature = "comment-tactic")]
pub(crate) use comments::tactics_in_comments;
pub(crate) use from_fen::{FenTactics, MOST_COPIED};
