//! What an explorer says about a position, checked against the rules of the game.

mod game;
mod legal;
mod tally;
mod wire;

use shakmaty::{Chess, Move};

pub use game::{GameSummary, Player};
pub use legal::{IllegalMove, IllegalReason};
pub use tally::Tally;
pub use wire::OpeningName;

/// An explorer's answer about one position.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplorerAnswer {
    /// How the games that reached the position ended.
    pub tally: Tally,
    /// The mean rating of the players, where the server says it.
    pub average_rating: Option<u32>,
    /// The moves that were played, in the server's order, all of them legal, with no more games than the position.
    pub moves: Vec<ExplorerMove>,
    /// What the server listed as moves and cannot be used as such.
    pub illegal: Vec<IllegalMove>,
    /// The opening's name.
    pub opening: Option<OpeningName>,
    /// Games by the strongest players, as many as were asked for.
    pub top_games: Vec<GameSummary>,
    /// The latest games, as many as were asked for.
    pub recent_games: Vec<GameSummary>,
}

/// A move that was played, and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplorerMove {
    /// The move, legal in the position that was asked for.
    pub played: Move,
    /// The move in UCI notation; castling is the king's own move (`e1g1`).
    pub uci: String,
    /// The move in standard notation.
    pub san: String,
    /// How the games with this move ended.
    pub tally: Tally,
    /// The mean rating of those who played it, where the server says it.
    pub average_rating: Option<u32>,
    /// The game, where there was only one.
    pub game: Option<GameSummary>,
    /// The name of the opening that the move leads to, where the server says it.
    pub opening: Option<OpeningName>,
}

impl ExplorerAnswer {
    /// Reads the answer to a question about `pos`.
    ///
    /// # Errors
    ///
    /// As `serde_json` reports it: the text is no JSON, or no explorer's answer. Single moves that make no sense are
    /// not an error; they are in [`illegal`](Self::illegal).
    pub fn from_json(pos: &Chess, json: &[u8]) -> serde_json::Result<ExplorerAnswer> {
        let wire: wire::Answer = serde_json::from_slice(json)?;
        let tally = wire::tally(&wire.white, &wire.draws, &wire.black).map_err(serde::de::Error::custom)?;
        let (moves, illegal) = legal::sort_out(pos, tally.games(), wire.moves);
        Ok(ExplorerAnswer {
            tally,
            average_rating: wire::rating(wire.average_rating),
            moves,
            illegal,
            opening: wire.opening,
            top_games: wire.top_games,
            recent_games: wire.recent_games,
        })
    }
}
