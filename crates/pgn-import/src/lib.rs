//! Reads any PGN into games, an opening trie and a tactics bank.
mod counters;
mod model;
mod reject;
mod storage;

pub use counters::Counters;
pub use model::{Edge, Position, RepertoireEdge, Tactic};
pub use reject::{Reject, RejectOutcome};
pub use storage::{Batch, Checkpoint, ImportJob, Inserted, Journal, Storage};
