//! Games that an explorer shows as examples.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A game, as explorers summarise one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct GameSummary {
    /// The game's id on the server.
    pub id: String,
    /// The move that was played in it, in the server's own UCI, where the game stands in a list.
    #[serde(default)]
    pub uci: Option<String>,
    /// `white`, `black`, or nobody.
    #[serde(default)]
    pub winner: Option<String>,
    /// Who had White.
    pub white: Player,
    /// Who had Black.
    pub black: Player,
    /// The year it was played in.
    #[serde(default)]
    pub year: Option<u16>,
    /// Year and month, as in `2014-06`.
    #[serde(default)]
    pub month: Option<String>,
}

/// One side of a game.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Player {
    /// The player's name.
    pub name: String,
    /// The player's rating, where it is known.
    #[serde(default)]
    pub rating: Option<u32>,
}

/// Games are decoration: one that cannot be read is left out and does not spoil the counts.
pub(super) fn readable<'de, D: Deserializer<'de>>(wire: D) -> Result<Vec<GameSummary>, D::Error> {
    let games = Option::<Vec<Value>>::deserialize(wire)?.unwrap_or_default();
    Ok(games
        .into_iter()
        .filter_map(|game| serde_json::from_value(game).ok())
        .collect())
}

/// As [`readable`], for the one game of a move.
pub(super) fn readable_one<'de, D: Deserializer<'de>>(wire: D) -> Result<Option<GameSummary>, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(wire)?).ok())
}
