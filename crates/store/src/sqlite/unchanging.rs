//! A file that SQLite was told will stay as it is.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Of such a file SQLite keeps what it has read and never looks whether it is still so: once somebody else has written, old pages
/// and new ones would be read side by side. It cannot tell, so we do.
#[derive(Debug)]
pub(super) struct Unchanging {
    path: PathBuf,
    at_first: Option<Seen>,
}

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    length: u64,
    modified: Option<SystemTime>,
    /// Device and number: another file may have taken the name.
    #[cfg(unix)]
    file: (u64, u64),
}

impl Unchanging {
    pub(super) fn new(path: &Path) -> Unchanging {
        Unchanging {
            path: path.to_owned(),
            at_first: Seen::of(path),
        }
    }

    pub(super) fn has_changed(&self) -> bool {
        Seen::of(&self.path) != self.at_first
    }
}

impl Seen {
    /// `None` where there is nothing to be seen.
    fn of(path: &Path) -> Option<Seen> {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;

        let found = fs::metadata(path).ok()?;
        Some(Seen {
            length: found.len(),
            modified: found.modified().ok(),
            #[cfg(unix)]
            file: (found.dev(), found.ino()),
        })
    }
}
