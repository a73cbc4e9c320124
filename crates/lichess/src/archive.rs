//! Monthly archives of games: where they are, what is known to be wrong with them, and how to get them.

mod download;
mod error;
mod known_issues;
mod site;

use crate::Month;
pub use download::{Download, DownloadOptions, Downloaded};
pub use error::ArchiveError;
pub use known_issues::{Action, KNOWN_ISSUES, KnownIssue, Span, WhichVariants, blocking_issue};
pub use site::{Archive, ArchiveSite, Published};
