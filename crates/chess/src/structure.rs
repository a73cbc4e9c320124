//! Pawn structures: a small language for pawn formations, and the table that names them.

mod catalogue;
mod classify;
mod diagram;
mod rule;
mod table;

pub use catalogue::Structure;
pub use classify::{Classified, UNKNOWN, classify};
pub use diagram::{pawn_diagram, pawn_skeleton};
pub use rule::{PawnRule, PawnRuleError};
