//! From bytes to games: the streaming visitor and the tree.

mod lexer;
mod scan;
mod skim;
mod start;
mod tag;
mod token;
mod tree;
mod walk;
mod write;

pub(crate) use lexer::REACH;
pub(crate) use scan::{game_starts, is_whole_game};
pub use skim::Glimpse;
pub use start::{Start, StartError, StartKind};
pub use tag::Tag;
pub use token::GameResult;
pub use tree::{Game, GameFault, Node, NodeId, ROOT, TreeBuilder};
pub(crate) use walk::Walker;
pub use walk::{Fault, FaultKind, GameAt, Visitor};
pub(crate) use write::legible;
