//! Remembers positions, edges, repertoires, tactics, journals, rejects, the opening knowledge base and what
//! engines say in SQLite or PostgreSQL, and copies the knowledge base to Neo4j.
//!
//! ```no_run
//! use pgn_import::{Position, Storage};
//! use tabiya_store::Store;
//!
//! # async fn example() -> anyhow::Result<()> {
//! let mut store = Store::connect("sqlite://tabiya.db").await?;
//! store
//!     .upsert_positions(vec![Position {
//!         id: 0x9a3c_1d5e_77b0_4f21,
//!         fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".into(),
//!         side_to_move: 'w',
//!         ply: 0,
//!     }])
//!     .await?;
//! let positions = store.dump_positions().await?;
//! # Ok(())
//! # }
//! ```
//!
//! [`SqliteStore`] and [`PostgresStore`] implement [`pgn_import::Storage`] and [`pgn_import::Journal`], each with
//! its own best SQL; [`Store`] is either, or what [`project`] wrote into Neo4j ([`Neo4jStore`]), chosen by the URL. A handle is cheap to clone and may be used by many
//! tasks; any number of processes may write to one database.
//!
//! Invariants:
//!
//! - The content depends on the set of what was written, never on its order, its batching or the number of writers.
//! - A commit is there whole or not at all.
//! - A hash collision is an error that names both sides, never a merge.
//! - After [`settle`](pgn_import::Journal::settle) a position's `ply` is its distance from the root and its FEN's
//!   counters are those along the chain of nearest parents. Every read of positions settles first.
//! - A position is a node of the knowledge base as long as some [`Collection`] has a row about it. Each change of the
//!   knowledge base is one transaction.
//! - No error and no `Debug` output contains a password.

mod about;
mod error;
mod fault;
mod knowledge;
mod merge;
mod neo4j;
mod options;
mod postgres;
mod read;
mod rows;
mod sqlite;
mod store;
mod upsert;
mod url;
mod watch;

pub use about::About;
pub use error::StoreError;
pub use knowledge::{
    BestMove, BookMove, Change, ChildView, Collection, CollectionCounts, CollectionSource, CountPages, CrawlAnswer,
    CrawledEdge, CrawledNode, EvaluationCounts, EvaluationCoverage, GameHeader, GameList, Graph, GraphEdge, GraphNode,
    GraphPages, KnowledgeEdge, KnowledgeGraph, KnowledgeNode, LinkedOpening, ListedGame, ListedGames, Load, LoadPages,
    MoveFacet, NamedPosition, NodeAnnotation, NodeEvaluation, NodeGame, NodeSource, NodeView, OpeningKey, OpeningLink,
    OpeningName, OpeningRow, OpeningView, OtherParent, Pages, PhaseRecord, Quarantined, Review, StructureBy,
    StructureLink, StructureRow, StructureView, Stub,
};
pub use neo4j::{Neo4jStore, ProjectOptions, ProjectPhase, ProjectReport, ProjectWatch, Written, project};
pub use options::{Identity, StoreOptions};
pub use postgres::PostgresStore;
pub use read::{Counts, RepertoireMove, RepertoireSummary, TacticFilter, TacticThemes};
pub use sqlite::SqliteStore;
pub use store::Store;
pub use tabiya_address::ServerPlace;
pub use url::{check_takes, file_of, server_of};
pub use watch::Watch;
