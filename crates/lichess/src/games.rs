//! Players' games, as the sites that keep them hand them out.

mod chesscom;
mod client;
mod error;
mod lichess;

pub use chesscom::ChessCom;
pub use client::GamesConfig;
pub use error::GamesError;
pub use lichess::{Lichess, LichessQuery};
