//! The verbs: what Tabiya does, whoever asks for it.
//!
//! One module per verb. A verb takes a request of plain values, does its work through the adapters and gives a report
//! of plain values; it never prints, never exits and never reads the command line.
//!
//! ```
//! use tabiya_app::analyze::{UploadLimits, analyze_pgn};
//! use tabiya_app::name::{NameSources, Names};
//!
//! let names = Names::open(&NameSources::default())?;
//! let answer = names.answer("1.e4 e5 2.Nf3 Nc6 3.Bc4")?;
//! assert_eq!(answer.name.expect("it has one").opening.name(), "Italian Game");
//!
//! let ours = b"1. e4 e5 2. Nf3 Nc6 *\n\n1. e4 e5 2. Nf3 Nf6 *\n\n1. d4 *\n";
//! let limits = UploadLimits { bytes: 1 << 20, games: 100, plies: 600 };
//! let analysis = analyze_pgn("ours.pgn", ours.to_vec(), limits, 1, &Default::default())?;
//! // Each game left the others somewhere.
//! assert_eq!(analysis.novelties(10).len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analyze;
pub mod build;
mod calendar;
mod database;
pub mod doctor;
pub mod engines;
mod error;
pub mod evals;
pub mod explore;
pub mod export;
pub mod fetch;
pub mod import;
mod interrupt;
mod lock;
pub mod lookup;
pub mod name;
mod numbers;
mod opening_graph;
pub mod positions;
pub mod project;
pub mod repertoire;
pub mod review;
mod scratch;
mod set_up;
pub mod spreadsheet;
pub mod worker;

pub use calendar::days_of_month;
pub use database::{check_database, database_file};
pub use error::{AppError, Reaction};
pub use numbers::thousands;
pub use tabiya_dataset::{
    Tamed, WholeFile, WholeFileError, io_hint, is_special, is_standard_output, panics_are_caught, tame, write_hint,
};
