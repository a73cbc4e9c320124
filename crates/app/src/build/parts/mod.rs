//! Partial counts: what one machine has counted, as a table that adds up with those of others.
//!
//! A part has one row for each position, move and facet. Rows only ever add up, so parts may be merged in any order and
//! number, by [`merge_part`] or by any engine that speaks SQL. What rows must have in common to be added up stands in a
//! column of its own: it lasts where a file's metadata does not.

mod error;
mod merge;
mod rules;
mod table;
mod write;

pub use error::PartError;
pub use merge::{Part, expand_parts, merge_part};
pub use rules::PartRules;
pub use write::{PartReport, write_part};
