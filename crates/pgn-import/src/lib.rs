#![doc = include_str!("../README.md")]

mod config;
mod counters;
mod error;
#[doc(hidden)]
pub mod fuzzing;
mod importer;
mod labels;
mod metrics;
mod model;
mod pipeline;
mod read;
mod reject;
mod retry;
mod sink;
mod source;
mod storage;
mod tactic;
mod text;
mod trie;

pub use config::{ImportOptions, IngestConfig, ParseSideError, Policy, SideFilter};
pub use counters::Counters;
pub use error::ImportError;
pub use importer::{Importer, IngestSummary, Watch, Watcher};
pub use model::{Edge, Position, RepertoireEdge, Tactic};
pub use pipeline::{BlockRead, read_blocks_parallel, read_games, read_games_parallel, read_trees};
pub use read::{
    Fault, FaultKind, Game, GameAt, GameFault, GameResult, Glimpse, Node, NodeId, ROOT, Start, StartError, StartKind,
    Tag, TreeBuilder, Visitor,
};
pub use reject::{Reject, RejectOutcome};
pub use sink::{Journalled, Plain, Sink};
pub use source::{
    Compression, CutShort, ForeignPacking, Input, InputError, Progress, Source, expand_inputs, fingerprint,
    fingerprint_of_first,
};
pub use storage::{Batch, Checkpoint, ImportJob, Inserted, Journal, Storage};
pub use trie::InMemoryStore;
