//! The opening knowledge base: which positions and moves belong to it, what games say of them, what they are called and
//! lead to.
//!
//! Positions and edges are the shared ones of the trie. Game counts are kept apart, per named [`Collection`]; a position
//! is a *node* as long as some collection has a row about it. Lines of named openings are the collection `openings`,
//! lines found missing the collection `validation`, both without games.
//!
//! Every change is one transaction. The values of both databases are the same, and [`Store::dump_knowledge`] says so.
//!
//! [`Store::dump_knowledge`]: crate::Store::dump_knowledge

mod api;
mod crawl;
mod dump;
mod enrich;
pub(crate) mod evaluation;
pub(crate) mod game_lists;
pub(crate) mod games;
mod graph;
mod load;
mod node;
mod openings;
mod pages;
mod plies;
pub(crate) mod projection;
mod rows;
pub(crate) mod stats;
pub(crate) mod tx;
mod views;

pub use evaluation::*;
pub use pages::*;
pub use rows::*;
pub use views::*;
