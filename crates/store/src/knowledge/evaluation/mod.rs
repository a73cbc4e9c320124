//! What engines say: their answers about any position, what nodes of the knowledge base show of them, and who is asking.
//!
//! Answers are kept under (position, engine, limit, number of lines). Of two for the same key the deeper one stays, so
//! neither the order of writers nor their number shows.

mod analyses;
mod annotations;
mod api;
mod lines;
mod quarantine;
mod rows;

pub(crate) use analyses::{StoredAnalysis, best, in_range};
pub(super) use annotations::{of_node, of_nodes, of_nodes_in};
pub use rows::*;
