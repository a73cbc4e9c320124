//! One step for a whole directory: the new one and the old one exchange their names.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::files::{INDEX, STAGING};

/// A directory whose successor can take its name.
#[derive(Debug)]
pub(super) struct Swap {
    /// The directory itself, not a link to it.
    place: PathBuf,
    /// Its successor before the exchange, its predecessor after it. Always of the same name, so that whoever comes after
    /// a killed run finds it.
    next: PathBuf,
}

impl Swap {
    /// `None` where a directory has to stay the one it is: because it has no place among others, or because we are in it.
    pub(super) fn of(path: &Path) -> Option<Swap> {
        let place = fs::canonicalize(path).ok()?;
        let name = place.file_name()?.to_str()?;
        let here = std::env::current_dir().and_then(fs::canonicalize).ok()?;
        let next = place.with_file_name(format!("{STAGING}{name}.next"));
        (!here.starts_with(&place)).then_some(Swap { place, next })
    }

    /// Makes `staging`, which lies in the directory, take its place. Where the system cannot do that, for a mount point and on
    /// a file system that knows no exchange, nothing has changed.
    pub(super) fn exchange(&self, staging: &Path) -> io::Result<()> {
        like(&self.place, staging)?;
        fs::rename(staging, &self.next)?;
        let exchanged = exchange(&self.next, &self.place);
        if exchanged.is_err() {
            fs::rename(&self.next, staging)?;
        }
        exchanged
    }

    /// Removes what an exchange, or a run that was killed before or after one, has left: files that are ours. What somebody
    /// else put there meanwhile goes back to its directory. Whatever cannot be removed now, the next export tries again.
    pub(super) fn clear(&self, ours: &BTreeSet<String>) {
        let Ok(entries) = fs::read_dir(&self.next) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let known = name.to_str().filter(|name| *name != INDEX);
            if known.is_some_and(|name| name.starts_with(STAGING)) {
                let _ = fs::remove_dir_all(entry.path()).or_else(|_| fs::remove_file(entry.path()));
            } else if known.is_some_and(|name| ours.contains(name)) {
                let _ = fs::remove_file(entry.path());
            } else if name != INDEX && fs::symlink_metadata(self.place.join(&name)).is_err() {
                let _ = fs::rename(entry.path(), self.place.join(&name));
            }
        }
        // The list comes last: without it the next run would not know the files as ours.
        if fs::read_dir(&self.next).is_ok_and(|left| left.count() <= 1) {
            let _ = fs::remove_file(self.next.join(INDEX));
            let _ = fs::remove_dir(&self.next);
        }
    }

    pub(super) fn next(&self) -> &Path {
        &self.next
    }
}

/// Gives a directory the owner and the permissions of the one whose place it takes.
#[cfg(unix)]
fn like(old: &Path, new: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, chown};
    let (wanted, found) = (fs::metadata(old)?, fs::metadata(new)?);
    if (wanted.uid(), wanted.gid()) != (found.uid(), found.gid()) {
        chown(new, Some(wanted.uid()), Some(wanted.gid()))?;
    }
    fs::set_permissions(new, wanted.permissions())
}

#[cfg(not(unix))]
fn like(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
