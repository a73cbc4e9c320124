//! Files and directories that one run at a time may use.

use std::{
    fs::{File, TryLockError},
    path::Path,
};

/// A lock on an open file or directory, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock(File);

impl Lock {
    /// Takes it if nobody else has it.
    pub(crate) fn take(file: File) -> Result<Lock, TryLockError> {
        file.try_lock()?;
        Ok(Lock(file))
    }

    /// Whether what is locked has this name now. Between opening and locking it, somebody may have taken it away or put another
    /// in its place, and then whoever comes next does not see the lock.
    #[cfg(unix)]
    pub(crate) fn is_still(&self, path: &Path) -> bool {
        use std::{fs, os::unix::fs::MetadataExt};
        let id = |meta: fs::Metadata| (meta.dev(), meta.ino());
        match (fs::metadata(path), self.0.metadata()) {
            (Ok(named), Ok(open)) => id(named) == id(open),
            _ => false,
        }
    }

    #[cfg(not(unix))]
    pub(crate) fn is_still(&self, _: &Path) -> bool {
        true
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing alone does not do: a program that is just being started, an engine say, has a copy of every open file
        // for a moment, and keeps the lock for as long. Where this fails, closing has to do.
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_of_the_file_does_not_keep_the_lock() {
        let home = tempfile::tempdir().expect("a directory");
        let open = || File::open(home.path()).expect("readable");
        let held = Lock::take(open()).expect("free");
        assert!(matches!(Lock::take(open()), Err(TryLockError::WouldBlock)));
        let copy = held.0.try_clone().expect("a copy, as a child process has it");
        drop(held);
        Lock::take(open()).expect("free again");
        drop(copy);
    }
}
