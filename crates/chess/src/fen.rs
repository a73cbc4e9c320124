//! Reading FEN as people write it, and writing it one way.

mod error;
mod read;
mod write;

pub use error::FenError;
pub(crate) use read::position_of_setup;
pub use read::{Ignored, StartPosition, parse_board, parse_fen, parse_fen_by_rights, parse_fen_with_mode};
pub use write::{fen_at, full_fen, ply_of, turn_of, write_full_fen};
