//! The copy that is kept of a download, and what lies beside it: what it is a copy of.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io,
    path::{Path, PathBuf},
};

use super::{Download, identity::Identity};
use crate::archive::{ArchiveError, site::TextError};

impl Download {
    pub(super) fn open_copy(&mut self, path: &Path) -> io::Result<()> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let copy = OpenOptions::new().create(true).append(true).read(true).open(path)?;
        let is_ours = match copy.try_lock() {
            Err(TryLockError::WouldBlock) => false,
            // Where nothing can be locked, everybody has to take care of it.
            Ok(()) | Err(TryLockError::Error(_)) => true,
        };
        let identity: Option<Identity> = fs::read(sidecar(path))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok());
        if !is_ours {
            let length = copy.metadata()?.len();
            if let Some(identity) = identity.filter(|identity| identity.total == Some(length)) {
                self.identity = Some(identity);
                self.copied = Some(File::open(path)?);
            }
            return Ok(());
        }
        match identity {
            Some(identity) => {
                self.identity = Some(identity);
                self.copied = Some(File::open(path)?);
            }
            // Nobody knows what these bytes are of.
            None => copy.set_len(0)?,
        }
        self.copy = Some(copy);
        Ok(())
    }

    pub(super) fn keep_identity(&self, identity: &Identity) -> Result<(), TextError> {
        let Some(path) = self.kept() else {
            return Ok(());
        };
        let text = serde_json::to_vec(identity).unwrap_or_default();
        fs::write(sidecar(path), text).map_err(|error| TextError::Lasting(self.disk("write", error)))
    }

    /// The copy, if it is ours.
    fn kept(&self) -> Option<&Path> {
        self.options.keep.as_deref().filter(|_| self.copy.is_some())
    }

    /// Lets whoever comes next begin anew, where going on would come to the same end.
    pub(super) fn forget(&self, error: &ArchiveError) {
        let is_other = matches!(
            error,
            ArchiveError::NotAnArchive { .. } | ArchiveError::Changed { .. } | ArchiveError::WrongHash { .. }
        );
        if let Some(path) = self.kept().filter(|_| is_other) {
            // Where it cannot be removed the next one says the same again.
            let _ = fs::remove_file(sidecar(path));
        }
    }

    /// What the disk under the copy did not take or give.
    pub(super) fn disk(&self, action: &'static str, source: io::Error) -> ArchiveError {
        let path = self.options.keep.clone().unwrap_or_default();
        ArchiveError::Disk {
            action,
            path: path.display().to_string(),
            source,
        }
    }
}

/// Beside the copy: what it is a copy of.
fn sidecar(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".identity.json");
    path.with_file_name(name)
}
