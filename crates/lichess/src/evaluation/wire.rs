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
