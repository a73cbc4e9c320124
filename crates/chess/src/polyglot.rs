//! The Polyglot book format.

mod book;
mod key;

pub use book::{BookMove, BookMoves, PolyglotBook, PolyglotError};
pub use key::polyglot_key;
