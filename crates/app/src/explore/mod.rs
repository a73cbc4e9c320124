//! Asking the knowledge base: what a position is called, what is played in it, how good that is, what it becomes.
//!
//! ```text
//! Store ──▶ Snapshot ──▶ View        positions and moves of one collection, or of all
//!                   └──▶ Catalogue   openings, families, structures, collections
//! Catalogue ──▶ SearchIndex          openings by what somebody types
//! Catalogue, View ──▶ SkeletonIndex  openings and skeletons by a pawn formation
//! KnowledgeBase ──▶ masters, lichess answers as the Lichess explorer writes them
//! ```
//!
//! A snapshot is one state of the database, in memory and never changed: whoever holds it gets answers that agree with
//! each other. [`KnowledgeBase`] holds the present one and takes the next when the data change.

mod asked;
mod best_lines;
mod catalogue;
mod ended;
mod facts;
mod knowledge_base;
mod lichess_wire;
mod search;
mod skeleton;
mod snapshot;
mod tactics;
mod tree;
mod view;

pub use asked::Asked;
pub use best_lines::BestLine;
pub(crate) use catalogue::own_names;
pub use catalogue::{Catalogue, Family, rank_of};
pub use ended::EndedGames;
pub use facts::{After, Facts};
pub use knowledge_base::KnowledgeBase;
pub use lichess_wire::{
    AskError, ExplorerAnswer, ExplorerGame, ExplorerMove, ExplorerOpening, ExplorerPlayer, ExplorerQuery, lichess,
    masters,
};
pub use search::{Found, SearchIndex};
pub use skeleton::{SkeletonCount, SkeletonIndex, SkeletonMatches, SkeletonOpening};
pub use snapshot::Snapshot;
pub use tabiya_store::{
    Collection, KnowledgeEdge, KnowledgeNode, LinkedOpening, ListedGame, NodeEvaluation, NodeView, OpeningName,
    OpeningRow, OpeningView, StoreError, StructureLink, StructureRow, StructureView,
};
pub use tactics::{Tactic, TacticFilter, TacticThemes};
pub use tree::{Branch, Tree, TreeLimits};
pub use view::{Place, Step, View};
