//! One export at a time in a directory.

use std::{
    fs::{self, File, TryLockError},
    path::Path,
};

use super::ExportError;
use crate::lock::Lock;

/// So often a directory that was exchanged for another while it was being locked is opened again.
const MOST_TRIES: usize = 100;

/// Makes the directory where there is none, and locks it: two exports that both believed to be alone would take each other's
/// files for what a killed run left.
pub(super) fn lock(path: &Path) -> Result<Option<Lock>, ExportError> {
    for _ in 0..MOST_TRIES {
        fs::create_dir_all(path).map_err(ExportError::io("create the directory", path))?;
        let Ok(directory) = File::open(path) else {
            return Ok(None);
        };
        match Lock::take(directory) {
            Ok(lock) if lock.is_still(path) => return Ok(Some(lock)),
            // Another export has just put a new one in its place, or has taken it away again.
            Ok(_) => {}
            Err(TryLockError::WouldBlock) => return Err(ExportError::Busy(path.to_owned())),
            // Not everywhere can a directory be locked.
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
    Err(ExportError::Busy(path.to_owned()))
}
