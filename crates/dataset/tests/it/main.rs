//! Tables as their readers meet them: written through the public interface, read back by other libraries.
#![expect(
    clippy::unwrap_used,
    reason = "clippy knows `#[test]` functions as tests, but not what they call"
)]

mod atomic;
mod errors;
mod json_lines;
#[cfg(feature = "parquet")]
mod parquet_bombs;
#[cfg(feature = "parquet")]
mod parquet_file;
mod rows;
mod training;
