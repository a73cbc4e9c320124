//! One search in JSON. What is not needed is not read.

use std::borrow::Cow;

use serde::Deserialize;

/// What one search of a position came to.
#[derive(Debug, Deserialize)]
pub(crate) struct Searched<'a> {
    /// The best line first.
    #[serde(borrow)]
    pub(super) pvs: Vec<Pv<'a>>,
    #[serde(default)]
    pub(super) knodes: u64,
    pub(crate) depth: u64,
}

impl Searched<'_> {
    /// How many lines it claims to have.
    pub(crate) fn lines(&self) -> usize {
        self.pvs.len()
    }

    /// Of two searches the greater goes deeper, or has more lines, or looked at more positions.
    pub(crate) fn rank(&self) -> (u64, usize, u64) {
        (self.depth, self.pvs.len(), self.knodes)
    }
}

/// One line, with White's evaluation.
#[derive(Debug, Deserialize)]
pub(super) struct Pv<'a> {
    #[serde(default)]
    pub(super) cp: Option<i64>,
    #[serde(default)]
    pub(super) mate: Option<i64>,
    /// UCI, with castling as the king taking its rook. The cloud says `moves`, the archive `line`.
    #[serde(borrow, alias = "moves")]
    pub(super) line: Cow<'a, str>,
}
