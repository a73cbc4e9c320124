//! The Polyglot book format.

mod book;
mod key;
mod write;

pub use book::{BookMove, BookMoves, PolyglotBook, PolyglotError};
pub use key::polyglot_key;
pub use write::{BookWriter, book_weight, polyglot_key_beside};
