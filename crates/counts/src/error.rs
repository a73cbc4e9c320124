//! Why counting stopped.

use std::{io, path::PathBuf};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountError {
    #[error("cannot {doing} {}", path.display())]
    Io {
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// Something else lies where the counts should be.
    #[error("{} is not a directory of counts: {why}", path.display())]
    NotACount { path: PathBuf, why: String },
    #[error("{} was written by a newer version (format {found}, this one reads {known})", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },
    /// Counts are made from games, so those are there to be counted again.
    #[error("{} was written by an older version: count its games again, without --add", path.display())]
    Older { path: PathBuf },
    #[error("{} is shorter than its manifest says", path.display())]
    Damaged { path: PathBuf },
    #[error("{} was counted {was}, and this run asks for games counted {asked}", path.display())]
    OtherRules { path: PathBuf, was: String, asked: String },
    #[error("{} cannot tell games apart by {asked}: what was merged into it does so by {}", path.display(), or_nothing(known))]
    NoFacets {
        path: PathBuf,
        asked: String,
        known: String,
    },
    /// Only a state that keeps texts can say which position a key stands for.
    #[error("{} does not know which position the key {key:016x} stands for", path.display())]
    NoText { path: PathBuf, key: u64 },
    #[error("more than 4,294,967,295 games in one collection")]
    TooManyGames,
    /// Never a silent merge.
    #[error("two positions share the counting key {key:016x}: {one} and {other}")]
    Collision { key: u64, one: String, other: String },
    #[error("the counts hold a move that is not legal in {epd}: the state directory is damaged")]
    IllegalMove { epd: String },
    #[error("stopped on request")]
    Stopped,
}

impl CountError {
    pub(crate) fn io(doing: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> CountError {
        let path = path.into();
        move |source| CountError::Io { doing, path, source }
    }
}

fn or_nothing(facets: &str) -> &str {
    if facets.is_empty() { "nothing" } else { facets }
}
