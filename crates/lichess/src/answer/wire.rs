//! The explorer's JSON, as `/masters` and `/lichess` share it. What is not needed is not read.

use serde::Deserialize;
use serde_json::Number;

use super::{
    GameSummary, Tally,
    game::{readable, readable_one},
};

/// An opening's code and name.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OpeningName {
    /// The ECO code, as in `C50`.
    pub eco: String,
    /// The full name.
    pub name: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    pub(super) white: Number,
    pub(super) draws: Number,
    pub(super) black: Number,
    #[serde(default)]
    pub(super) average_rating: Option<f64>,
    pub(super) moves: Vec<Move>,
    #[serde(default)]
    pub(super) opening: Option<OpeningName>,
    #[serde(default, deserialize_with = "readable")]
    pub(super) top_games: Vec<GameSummary>,
    #[serde(default, deserialize_with = "readable")]
    pub(super) recent_games: Vec<GameSummary>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Move {
    pub(super) uci: String,
    pub(super) san: String,
    pub(super) white: Number,
    pub(super) draws: Number,
    pub(super) black: Number,
    #[serde(default)]
    pub(super) average_rating: Option<f64>,
    #[serde(default, deserialize_with = "readable_one")]
    pub(super) game: Option<GameSummary>,
    #[serde(default)]
    pub(super) opening: Option<OpeningName>,
}

/// Counts are read as any numbers, so that a wrong one costs its move and not the whole answer.
pub(super) fn tally(white: &Number, draws: &Number, black: &Number) -> Result<Tally, String> {
    let tally = || Tally::new(white.as_u64()?, draws.as_u64()?, black.as_u64()?);
    tally().ok_or_else(|| format!("{white}, {draws} and {black} are not numbers of games"))
}

/// A mean rating as a whole number; what cannot be one is as good as none.
pub(super) fn rating(mean: Option<f64>) -> Option<u32> {
    let mean = mean?.round();
    (1.0..10_000.0).contains(&mean).then_some(mean as u32)
}
