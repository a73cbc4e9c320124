//! `export`: the knowledge base in the formats of other programs.
//!
//! ```text
//! View ──▶ Subject: a family, an opening, a repertoire, with the moves that lead to it
//!   │        ├──▶ Tree: every line of play ──▶ the app's JSON
//!   │        └──▶ Reach: every move once ──▶ PGN, Polyglot
//!   └──▶ Selection: rows of nodes and moves ──▶ CSV, Parquet, JSON lines
//! ```
//!
//! Whatever is written takes the place of what was there only when it is whole, and the same database gives the same bytes.

mod alone;
mod csv;
mod error;
mod files;
mod index;
mod json;
mod limits;
mod pgn;
mod polyglot;
mod reach;
mod repertoire;
mod request;
mod rows;
mod run;
mod subject;
mod swap;
mod tables;
mod tree;
mod weights;

pub use error::ExportError;
pub use index::ExportedFile;
pub use json::{AppTree, app_tree};
pub use limits::{EcoRange, EcoRangeError, Limits};
pub use request::{ExportFormat, ExportReport, ExportRequest, RepertoireName};
pub use run::{ExportEvent, ExportWatcher, export};
pub use subject::{Difficulty, Subject};
