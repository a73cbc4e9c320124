//! What goes over the wire. Names and shapes are a contract: `openapi.json` is made from them.

mod explorer;
mod id;
mod node;
mod numbers;
mod opening;
mod openings;
mod position;
mod service;
mod skeleton;
mod structure;
mod tactic;
mod tree;

pub(crate) use explorer::{AppOpening, ExplorerAnswer};
pub use id::Id;
pub use node::{Child, Node, Transposition};
pub use opening::{NamedLine, OpeningEntry, OpeningSummary, RelatedOpening, SearchResult};
pub use openings::{CodeEntry, Counted, OpeningGames, Openings};
pub use position::{
    CollectionResults, EvaluationLine, Game, MoveRow, Name, Names, ParentRow, Plans, Player, Position, Results,
};
pub use service::{Collection, Health, Stats};
pub use skeleton::{FoundOpening, FoundSkeleton, SkeletonSearch};
pub use structure::{Structure, StructureOpening};
pub use tactic::{TacticEntry, Tactics, Theme, Themes};
pub use tree::{EcoTree, TreeNode};
