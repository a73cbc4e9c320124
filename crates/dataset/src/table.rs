//! Writing tables: columns and rows in, one complete file out; and reading Parquet back.

mod column;
mod error;
mod format;
mod json_lines;
#[cfg(feature = "parquet")]
mod parquet;
mod writer;

pub use column::{Column, Kind, Value};
pub use error::TableError;
pub use format::TableFormat;
#[cfg(feature = "parquet")]
pub(crate) use parquet::into_io as parquet_into_io;
#[cfg(feature = "parquet")]
pub use parquet::{TableReader, VERSION, VERSION_KEY};
pub use writer::{Summary, TableWriter};
