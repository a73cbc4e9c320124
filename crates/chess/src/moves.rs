//! Moves and their two notations, SAN and UCI.

mod figurine;
mod legality;
mod packed_san;
mod parse_san;
mod resolve;
mod uci;
mod write_san;

pub use figurine::figurine;
pub(crate) use legality::king_is_safe;
pub use packed_san::PackedSan;
pub use parse_san::parse_san;
pub(crate) use resolve::from_square;
pub use resolve::{SanError, resolve};
pub use uci::{UciError, from_uci, to_uci, write_uci};
pub use write_san::{numbered_line, resets_clock, to_san, write_check_mark, write_san, write_san_unmarked};
