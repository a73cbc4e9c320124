//! Tables of plain values, written in the format their file name asks for; and [training positions](training) in the
//! formats of those who train networks. Every file is a [`WholeFile`].
//!
//! A table is a list of [`Column`](table::Column)s and rows of borrowed [`Value`](table::Value)s. The file
//! extension chooses between JSON lines (`.jsonl`), compressed JSON lines (`.jsonl.zst`, `.jsonl.gz`) and
//! Parquet (`.parquet`); see [`TableFormat`](table::TableFormat). Rows go out as they come in, and the file
//! appears under its name only when it is complete.
//!
//! ```
//! use tabiya_dataset::table::{Column, Kind, TableWriter, Value};
//!
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("edges.jsonl");
//! let columns = [
//!     Column::new("id", Kind::U64),
//!     Column::new("move_uci", Kind::Text),
//!     Column::new("source_hint", Kind::OptionalText),
//! ];
//! let mut table = TableWriter::create(&path, &columns)?;
//! table.write(&[Value::U64(7), Value::Text("e2e4"), Value::OptionalText(None)])?;
//! let summary = table.finish()?;
//!
//! assert_eq!(summary.rows, 1);
//! assert_eq!(
//!     std::fs::read_to_string(&path)?,
//!     "{\"id\":7,\"move_uci\":\"e2e4\",\"source_hint\":null}\n"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Invariants
//!
//! - The same rows give the same bytes: no clock, no randomness, no map order in any format.
//! - A reader of the target path sees the old file or the complete new one, never half of one.
//! - To a terminal goes nothing that commands it; everybody else gets the bytes as they are.
//! - Memory does not grow with the number of rows.
//! - [`table`] knows nothing of chess; [`training`] knows positions and how trainers write them. Neither knows PGN, an engine
//!   or a database.
//!
//! # Features
//!
//! - `parquet` (default): Parquet tables. Without it a `.parquet` path is an error that says so.

mod caught;
mod descriptor;
mod output;
#[cfg(feature = "parquet")]
mod pages;
pub mod table;
mod tamed;
pub mod training;
mod whole_file;

pub use caught::panics_are_caught;
pub use descriptor::is_standard_output;
pub use tamed::{Tamed, tame};
pub use whole_file::{WholeFile, WholeFileError, io_hint, is_special, is_waiting, sync_directory, write_hint};
