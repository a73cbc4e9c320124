//! Where and how patiently everything is measured.

use std::{path::Path, time::Duration};

/// What all comparisons share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'a> {
    /// For files that nobody needs afterwards.
    pub(crate) dir: &'a Path,
    /// How long a comparison by the wall clock may wait for others to leave the machine alone.
    pub(crate) patience: Duration,
}
