//! What is read: games that the bench writes itself, and real ones where somebody names a file.

mod digest;
mod games;
mod generated;
mod movetext;
mod real;
mod repertoire;
mod slice;

use std::path::PathBuf;

pub(crate) use games::GameWriter;
pub(crate) use generated::generated;
pub(crate) use real::real;
pub(crate) use repertoire::{Repertoire, repertoire};
pub(crate) use slice::Slice;

/// One body of games, plain and compressed.
#[derive(Debug, Clone)]
pub(crate) struct Corpus {
    pub(crate) name: String,
    pub(crate) plain: PathBuf,
    pub(crate) packed: PathBuf,
    pub(crate) bytes: u64,
}
