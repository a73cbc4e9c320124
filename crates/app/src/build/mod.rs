//! `build`: the opening knowledge base, phase by phase.
//!
//! ```text
//! eco ──▶ expand (games, partial counts, or an explorer) ──▶ annotate ──▶ structures ──▶ transpositions ──▶ audit
//!   names    counts, graph, lineage                            evaluations   labels         links
//! ```
//!
//! Each phase is one transaction or leaves nothing half done, so it can be interrupted at any instant and run again. What a
//! phase was done with is recorded, and `all` leaves out what would come out the same.

mod all;
pub(crate) mod annotate;
mod audit;
pub mod count;
mod crawl;
mod eco;
mod expand;
mod names;
pub mod parts;
mod phases;
mod progress;
mod skeleton;
mod state_dir;
mod structures;
mod threshold;
mod transpositions;
mod validate;

pub use all::{BuildReport, build_all};
pub(crate) use annotate::prepare;
pub use annotate::{
    AnnotateEvent, AnnotateReport, AnnotateRequest, Annotator, Batch, BatchPosition, DEFAULT_BATCH, DEFAULT_GAP,
    DEFAULT_MULTIPV, Depths, EVALUATION_REVIEW, Effort, Estimate, EvaluationAnswer, Kind, Planned, Tally, Turn,
    annotate, answer_evaluation, estimate, evaluation_reviews,
};
pub use audit::{AuditReport, Check, audit};
pub use crawl::{CrawlRequest, CrawlSummary, crawl_explorer};
pub use eco::{EcoReport, EcoRequest, eco};
pub use expand::{DEFAULT_DEPTH, DEFAULT_MAX_NODES, ExpandFrom, ExpandReport, ExpandRequest, expand};
pub use progress::{Step, Steps};
pub use state_dir::default_state_dir;
pub use structures::{
    FLAGGED_REVIEW, STRUCTURE_REVIEW, StructuresReport, UnknownSkeleton, assign_structure, structure_reviews,
    structures,
};
pub use tabiya_chess::FacetKinds;
pub use tabiya_store::Review;
pub use threshold::MinGames;
pub use transpositions::{Meeting, TranspositionsReport, transpositions};
pub use validate::{MissingVariation, ValidateReport, ValidateRequest, validate};

/// Who an explorer is, and how it is spoken to.
pub mod explorer {
    pub use tabiya_lichess::{CloudConfig, ExplorerConfig, Token, Url};
}
