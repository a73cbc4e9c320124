//! Why an archive could not be had.

use thiserror::Error;

use crate::service::{Cause, Fault};

/// Why an archive could not be had.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// A base URL that cannot be used.
    #[error("{url}: {reason}")]
    BadUrl { url: String, reason: &'static str },
    /// It is not there.
    #[error("{url}: there is no such archive")]
    NotFound { url: String },
    /// The server refuses, and would do so again.
    #[error("{url}: {reason}")]
    Refused { url: String, reason: String },
    /// Something else came under its name, and with a status that says nothing of it.
    #[error("{url}: what came is no archive packed with zstd")]
    NotAnArchive { url: String },
    /// The file is another one than at the beginning.
    #[error("{url}: the file changed while it was downloaded ({what})")]
    Changed { url: String, what: String },
    /// Its hash is not the published one.
    #[error("{url}: its sha256 is {found}, published is {published}")]
    WrongHash {
        url: String,
        found: String,
        published: String,
    },
    /// It was tried again and again.
    #[error("{url}: given up after {tries} tries without a byte more")]
    GivenUp {
        url: String,
        tries: u32,
        #[source]
        fault: Fault,
    },
    /// Nobody wants it any more.
    #[error("the download was called off")]
    Cancelled,
    /// The client could not be made.
    #[error("cannot make connections")]
    Client(#[source] Cause),
    /// The copy on disk.
    #[error("cannot {action} `{path}`: {source}")]
    Disk {
        action: &'static str,
        path: String,
        source: std::io::Error,
    },
}

impl ArchiveError {
    /// Whether the user's words are at fault.
    pub fn is_usage(&self) -> bool {
        matches!(self, ArchiveError::BadUrl { .. } | ArchiveError::NotFound { .. })
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            ArchiveError::BadUrl { .. } => "a base URL looks like https://database.lichess.org",
            ArchiveError::NotFound { .. } => "--list-months shows what there is",
            ArchiveError::Refused { .. } | ArchiveError::NotAnArchive { .. } => {
                "open the address in a browser to see what it says"
            }
            ArchiveError::Changed { .. } => "begin anew with --restart",
            ArchiveError::WrongHash { .. } => {
                "the download is damaged, or the archive was replaced: begin anew with --restart"
            }
            ArchiveError::GivenUp { .. } | ArchiveError::Cancelled | ArchiveError::Client(_) => {
                "run the same command again when the server can be reached, with --resume if the run had begun: everything so far is kept"
            }
            ArchiveError::Disk { .. } => "check that there is room, and that you may write there",
        }
    }
}
