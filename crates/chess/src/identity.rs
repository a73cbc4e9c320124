//! What makes two positions the same, and the ids that follow from it.

mod epd;
mod fnv;
mod id;
mod node_id;
mod uuid_v8;

pub use epd::{epd, write_epd};
pub use fnv::{Fnv1a, fnv1a};
pub use id::{PositionId, edge_id, tactic_id};
pub use node_id::{NodeId, NotANodeId, ParseNodeIdError};
pub(crate) use uuid_v8::uuid_v8;
