//! The first games of a corpus, for contenders that would take all day over the whole of it.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use memchr::memmem;

/// The beginning of a corpus as a file of its own.
#[derive(Debug)]
pub(crate) struct Slice {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

impl Slice {
    /// The first `games` games of a file in which every game begins with its `Event` tag.
    pub(crate) fn first(games: usize, plain: &Path, dir: &Path) -> Result<Slice> {
        let mut head = Vec::new();
        fs::File::open(plain)?
            .take(games as u64 * 4096)
            .read_to_end(&mut head)?;
        let end = memmem::find_iter(&head, b"\n[Event ")
            .nth(games - 1)
            .map_or(head.len(), |newline| newline + 1);
        let path = dir.join("slice.pgn");
        fs::write(&path, &head[..end]).with_context(|| path.display().to_string())?;
        Ok(Slice {
            path,
            bytes: end as u64,
        })
    }
}
