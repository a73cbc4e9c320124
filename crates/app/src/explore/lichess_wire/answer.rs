//! What is answered, field by field as the explorer writes it.

use serde::Serialize;
use tabiya_chess::{Outcome, lichess_game_id};
use tabiya_store::GameHeader;

/// What was played in a position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplorerAnswer {
    /// The last name on the way, if there is any.
    pub opening: Option<ExplorerOpening>,
    pub white: u64,
    pub draws: u64,
    pub black: u64,
    /// The most played first.
    pub moves: Vec<ExplorerMove>,
    /// By the strongest players.
    pub top_games: Vec<ExplorerGame>,
    /// The latest; `/masters` has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recent_games: Option<Vec<ExplorerGame>>,
}

/// A move, and how the games went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplorerMove {
    /// Castling is the king taking its rook.
    pub uci: String,
    pub san: String,
    /// Of both players, where both have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub average_rating: Option<u64>,
    pub white: u64,
    pub draws: u64,
    pub black: u64,
    /// Always `null`: single games are not kept.
    pub game: Option<ExplorerGame>,
    /// Of the position that the move leads to, if it has a name of its own.
    pub opening: Option<ExplorerOpening>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplorerOpening {
    pub eco: String,
    pub name: String,
}

/// A game, and the move it went on with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplorerGame {
    pub uci: String,
    /// Lichess's own of a game from there; else sixteen hexadecimal digits.
    pub id: String,
    /// `white`, `black`, or nobody.
    pub winner: Option<&'static str>,
    pub white: ExplorerPlayer,
    pub black: ExplorerPlayer,
    pub year: Option<u16>,
    /// `1998-05`.
    pub month: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExplorerPlayer {
    pub name: String,
    pub rating: Option<u16>,
}

impl ExplorerOpening {
    pub(super) fn new(eco: &str, name: &str) -> ExplorerOpening {
        ExplorerOpening {
            eco: eco.to_owned(),
            name: name.to_owned(),
        }
    }
}

impl ExplorerGame {
    pub(super) fn new(uci: String, game: &GameHeader) -> ExplorerGame {
        let player = |name: &str, rating: Option<u16>| ExplorerPlayer {
            name: name.to_owned(),
            rating,
        };
        let year = year(&game.date);
        let month = game.date.get(5..7).filter(|month| matches!(month.parse(), Ok(1..=12)));
        ExplorerGame {
            uci,
            id: lichess_game_id(&game.site).map_or_else(|| format!("{:016x}", game.id), str::to_owned),
            winner: match game.outcome {
                Outcome::White => Some("white"),
                Outcome::Draw => None,
                Outcome::Black => Some("black"),
            },
            white: player(&game.white, game.white_elo),
            black: player(&game.black, game.black_elo),
            year,
            month: year.zip(month).map(|(year, month)| format!("{year:04}-{month}")),
        }
    }
}

/// The year of a PGN date.
pub(super) fn year(date: &str) -> Option<u16> {
    date.get(..4)?.parse().ok().filter(|year| *year > 0)
}
