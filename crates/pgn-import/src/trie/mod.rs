//! The opening trie: from games to positions and edges.

mod harvest;
mod known;
mod memory;
mod settle;

pub(crate) use harvest::{Harvest, Harvester, Rules};
pub use memory::InMemoryStore;
