//! Positions as few bytes: shakmaty's packed form, and the compact layout with its own castling and counters.

mod compact;
mod error;
mod packed;

pub use compact::{from_compact, write_compact};
pub use error::PackingError;
pub use packed::{PositionKey, from_packed, position_key, write_packed};
