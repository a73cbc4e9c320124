//! Lichess's evaluations, as its cloud and its archive both write them, checked against the rules of the game.

mod lines;
mod wire;

pub(crate) use lines::analysis;
pub use lines::{BadLine, NoAnalysis};
pub(crate) use wire::Searched;

/// Whose answer it is, wherever it was found.
pub const CLOUD_ENGINE: &str = "lichess-cloud";
