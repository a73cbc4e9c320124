//! Training positions: what a trainer learns from, in the formats that trainers read.
//!
//! ```text
//! Sample ──▶ SampleWriter ──write_group──▶ Parquet row groups, bulletformat, binpack chunks, text, JSON lines
//!                                            └──join──▶ one file out of numbered parts, nothing encoded again
//! SampleReader ──▶ Sample, whatever the format
//! ```
//!
//! # Invariants
//!
//! - A group is encoded by itself: how groups are divided over parts does not show in the bytes of the joined file.
//! - Scores and results are White's in a [`Sample`]; formats that want the mover's turn them round, here and nowhere else.
//! - What a format cannot hold is refused with a way out, or listed as lost on its page; nothing is made up.

mod binpack;
mod bullet;
mod error;
mod format;
mod group;
mod join;
mod json;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod sample;
mod text;
mod writer;

pub use error::SampleError;
pub use format::{FenFormat, Layout, Packing, ParseFormatError, SampleFormat};
pub use join::join;
pub use reader::SampleReader;
pub use sample::Sample;
pub use writer::{SampleWriter, Written};

#[doc(hidden)]
pub mod fuzzing;
