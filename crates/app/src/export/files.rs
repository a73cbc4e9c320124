//! Directories of files that appear whole or not at all.

use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

use tabiya_dataset::{is_waiting, sync_directory};
use tempfile::TempDir;

use super::{ExportError, alone::lock, index::Index, swap::Swap};
use crate::lock::Lock;

/// Where files wait beside their places until all are written. Another run finds it by this name when ours was killed.
pub(super) const STAGING: &str = ".tabiya-export-";
const LOCK: &str = ".lock";
/// The list of a directory's files, by which we know what is ours to replace and to remove.
pub(super) const INDEX: &str = "index.json";

/// A directory that is about to get new files.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    staging: TempDir,
    /// What keeps others out, from before the first look at the directory to after its exchange: the directory itself, where the
    /// system can lock one; the one that may take its name, which is locked under that name from the first moment; and a
    /// file among those that wait, for systems on which directories cannot be locked.
    _locks: [Option<Lock>; 3],
    /// Files of earlier exports of ours.
    ours: BTreeSet<String>,
    /// What killed runs left.
    abandoned: Vec<PathBuf>,
    /// How the new files may come all at once.
    swap: Option<Swap>,
    /// Whether the directory is there because of us.
    is_new: bool,
    is_committed: bool,
}

impl Directory {
    /// Looks whether files of this format may go there. A directory that is not there is made.
    pub(super) fn open(path: &Path, format: &str) -> Result<Directory, ExportError> {
        match fs::metadata(path) {
            Ok(found) if !found.is_dir() => return Err(ExportError::NotADirectory(path.to_owned())),
            Ok(_) | Err(_) => {}
        }
        let is_new = !path.exists();
        let alone = lock(path)?;
        let mut found = Found::look(path, format)?;
        let swap = Swap::of(path);
        if let Some(swap) = &swap {
            found.list(swap.next());
            swap.clear(&found.ours);
        }
        let staging = tempfile::Builder::new()
            .prefix(STAGING)
            .tempdir_in(path)
            .map_err(plain)
            .map_err(ExportError::io("write to", path))?;
        let told = File::create(staging.path().join(LOCK)).map_err(ExportError::io("write to", path))?;
        // Nobody else knows of it yet, so it is free, unless the disk has no locks at all.
        let told = Lock::take(told).ok();
        // Where directories cannot be locked, the file in it has to do.
        let successor = File::open(staging.path())
            .ok()
            .and_then(|directory| Lock::take(directory).ok());
        Ok(Directory {
            path: path.to_owned(),
            staging,
            _locks: [alone, successor, told],
            ours: found.ours,
            abandoned: found.abandoned,
            swap,
            is_new,
            is_committed: false,
        })
    }

    /// Refuses names under which somebody else's files lie.
    pub(super) fn claim<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<(), ExportError> {
        for name in names {
            let place = self.path.join(name);
            if !self.ours.contains(name) && fs::symlink_metadata(&place).is_ok() {
                return Err(ExportError::InTheWay(place));
            }
        }
        Ok(())
    }

    /// Where a file is written until [`commit`](Directory::commit) puts it in its place.
    pub(super) fn waiting(&self, name: &str) -> PathBuf {
        self.staging.path().join(name)
    }

    /// Writes a file that waits for its place.
    pub(super) fn write(&self, name: &str, content: &[u8]) -> Result<(), ExportError> {
        let place = self.path.join(name);
        let fail = |action| ExportError::io(action, &place);
        let mut file = File::create(self.waiting(name)).map_err(fail("write"))?;
        file.write_all(content).map_err(fail("write"))?;
        file.sync_all().map_err(fail("write"))
    }

    /// Puts all files in their places, those of earlier exports out of theirs: in one step where nobody else's files lie among
    /// them and the system can do it, else one after the other.
    pub(super) fn commit(mut self, index: &Index) -> Result<(), ExportError> {
        self.write(INDEX, &index.json())?;
        if !self.exchange() {
            self.one_by_one(index)?;
        }
        self.is_committed = true;
        sync_directory(&self.path);
        sync_directory(directory_of(&self.path));
        for abandoned in &self.abandoned {
            // Whatever is left of it, the next export tries again.
            let _ = fs::remove_dir_all(abandoned);
        }
        Ok(())
    }

    fn exchange(&self) -> bool {
        let Some(swap) = self.swap.as_ref().filter(|_| !self.has_strangers()) else {
            return false;
        };
        let lock = self.waiting(LOCK);
        let exchanged = fs::remove_file(&lock).and_then(|()| swap.exchange(self.staging.path()));
        if exchanged.is_ok() {
            swap.clear(&self.ours);
        }
        exchanged.is_ok()
    }

    /// Whether anything lies there that is not from us.
    fn has_strangers(&self) -> bool {
        let is_ours = |entry: &fs::DirEntry| {
            let name = entry.file_name();
            self.staging.path().file_name() == Some(&name)
                || self.abandoned.iter().any(|left| left.file_name() == Some(&name))
                || name.to_str().is_some_and(|name| self.ours.contains(name))
        };
        match fs::read_dir(&self.path) {
            Ok(entries) => entries.flatten().any(|entry| !is_ours(&entry)),
            Err(_) => true,
        }
    }

    /// The list of files comes last. A run that is killed in here leaves its list with the files that wait, where the next one
    /// finds it.
    fn one_by_one(&self, index: &Index) -> Result<(), ExportError> {
        let names: BTreeSet<&str> = index.names().collect();
        for name in &names {
            self.put(name)?;
        }
        for stale in self
            .ours
            .iter()
            .filter(|name| !names.contains(name.as_str()) && *name != INDEX)
        {
            let place = self.path.join(stale);
            match fs::remove_file(&place) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(ExportError::io("remove the old", &place)(error));
                }
                _ => {}
            }
        }
        self.put(INDEX)
    }

    fn put(&self, name: &str) -> Result<(), ExportError> {
        let place = self.path.join(name);
        fs::rename(self.waiting(name), &place).map_err(ExportError::io("write", &place))
    }
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Without the temporary directory's name, which means nothing to anybody.
fn plain(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(_) => error,
        None => error.kind().into(),
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        if self.is_new && !self.is_committed {
            // Nothing was asked to stay. A directory with anything in it is left alone by the system.
            let _ = fs::remove_dir_all(self.staging.path());
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// What lies in a directory.
#[derive(Debug, Default)]
struct Found {
    ours: BTreeSet<String>,
    abandoned: Vec<PathBuf>,
}

impl Found {
    fn look(path: &Path, format: &str) -> Result<Found, ExportError> {
        let mut found = Found::default();
        let mut strangers = BTreeSet::new();
        let entries = fs::read_dir(path).map_err(ExportError::io("read the directory", path))?;
        for entry in entries {
            let entry = entry.map_err(ExportError::io("read the directory", path))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            // Somebody writes a file of another kind here.
            if is_waiting(&name) {
                continue;
            }
            if !name.starts_with(STAGING) {
                strangers.insert(name);
                continue;
            }
            if let Ok(lock) = File::open(entry.path().join(LOCK))
                && let Err(TryLockError::WouldBlock) = lock.try_lock()
            {
                return Err(ExportError::Busy(path.to_owned()));
            }
            found.list(&entry.path());
            found.abandoned.push(entry.path());
        }
        if let Some(old) = found.list(path)
            && old != format
        {
            return Err(ExportError::OtherFormat {
                path: path.to_owned(),
                old,
            });
        }
        match strangers.into_iter().next() {
            Some(stranger) if found.ours.is_empty() => Err(ExportError::NotOurs {
                path: path.to_owned(),
                stranger,
            }),
            _ => Ok(found),
        }
    }

    /// Takes over the list of files that lies in a directory, and says of what format they are.
    fn list(&mut self, directory: &Path) -> Option<String> {
        let index = Index::read(&fs::read(directory.join(INDEX)).ok()?)?;
        // A list that somebody wrote must not lead us out of the directory.
        let plain = |name: &&str| Path::new(name).file_name().is_some_and(|own| own == *name);
        self.ours.extend(index.names().filter(plain).map(str::to_owned));
        self.ours.insert(INDEX.to_owned());
        Some(index.format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(names: &[&str]) -> Index {
        Index::of_names("json", names)
    }

    fn listing(path: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(path)
            .expect("readable")
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn export(path: &Path, files: &[(&str, &str)]) -> Result<(), ExportError> {
        let directory = Directory::open(path, "json")?;
        directory.claim(files.iter().map(|(name, _)| *name))?;
        for (name, content) in files {
            directory.write(name, content.as_bytes())?;
        }
        directory.commit(&index(&files.iter().map(|(name, _)| *name).collect::<Vec<_>>()))
    }

    #[test]
    fn an_export_takes_the_place_of_the_one_before_and_leaves_others_files_alone() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("new/openings");
        export(&path, &[("a.json", "1"), ("b.json", "1")]).expect("written");
        assert_eq!(listing(&path), ["a.json", "b.json", "index.json"]);

        fs::write(path.join("notes.txt"), "mine").expect("written");
        export(&path, &[("b.json", "2"), ("c.json", "2")]).expect("written");
        assert_eq!(listing(&path), ["b.json", "c.json", "index.json", "notes.txt"]);
        assert_eq!(fs::read_to_string(path.join("b.json")).expect("there"), "2");

        let error = export(&path, &[("notes.txt", "3")]).expect_err("somebody else's");
        assert!(matches!(error, ExportError::InTheWay(_)), "{error}");
        assert_eq!(fs::read_to_string(path.join("notes.txt")).expect("there"), "mine");
        assert_eq!(listing(&path), ["b.json", "c.json", "index.json", "notes.txt"]);
    }

    #[test]
    fn what_is_not_committed_leaves_no_trace() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("openings");
        Directory::open(&path, "json")
            .expect("open")
            .write("a.json", b"1")
            .expect("written");
        assert!(!path.exists());

        export(&path, &[("a.json", "1")]).expect("written");
        Directory::open(&path, "json")
            .expect("open")
            .write("a.json", b"2")
            .expect("written");
        assert_eq!(listing(&path), ["a.json", "index.json"]);
        assert_eq!(fs::read_to_string(path.join("a.json")).expect("there"), "1");
    }

    #[test]
    fn a_run_that_was_killed_while_it_put_files_in_place_is_cleaned_up_after() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path();
        export(path, &[("a.json", "1")]).expect("written");
        // Killed after its first file: the list waits with the rest.
        let left = path.join(format!("{STAGING}killed"));
        fs::create_dir(&left).expect("made");
        fs::write(left.join(LOCK), "").expect("written");
        fs::write(left.join(INDEX), index(&["new.json"]).json()).expect("written");
        fs::write(path.join("new.json"), "2").expect("written");

        export(path, &[("b.json", "3")]).expect("written");
        assert_eq!(listing(path), ["b.json", "index.json"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn nobody_sees_old_and_new_files_together() {
        use std::os::fd::AsRawFd;
        use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("openings");
        let names: Vec<String> = (0..20).map(|number| format!("{number}.json")).collect();
        let of = |round: usize| -> Vec<(&str, String)> {
            names.iter().map(|name| (name.as_str(), round.to_string())).collect()
        };
        let write = |round: usize| {
            let files = of(round);
            let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
            export(&path, &files)
        };
        write(0).expect("written");
        let is_over = AtomicBool::new(false);
        let looks = std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let mut looks = 0_u32;
                while !is_over.load(Relaxed) {
                    // One directory, whatever its name is by now.
                    let Ok(directory) = File::open(&path) else { continue };
                    let place = PathBuf::from(format!("/proc/self/fd/{}", directory.as_raw_fd()));
                    let seen: BTreeSet<String> = names
                        .iter()
                        .filter_map(|name| fs::read_to_string(place.join(name)).ok())
                        .collect();
                    assert!(seen.len() <= 1, "files of several exports: {seen:?}");
                    looks += 1;
                }
                looks
            });
            // A panic in here would leave the scope waiting for its reader for ever.
            let written: Result<Vec<()>, ExportError> = (1..20).map(write).collect();
            is_over.store(true, Relaxed);
            written.expect("written");
            reader.join().expect("no mixture")
        });
        assert!(looks > 3, "{looks}");
        assert_eq!(listing(home.path()), ["openings"]);
        assert_eq!(listing(&path).len(), 21);
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn other_people_s_files_and_runs_stay_where_they_are() {
        use std::os::unix::fs::MetadataExt;
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("openings");
        let id = || fs::metadata(&path).expect("there").ino();
        export(&path, &[("a.json", "1")]).expect("written");
        let first = id();
        export(&path, &[("a.json", "2")]).expect("written");
        let second = id();
        assert_ne!(first, second, "one directory took the other's place");
        // Somebody is about to put a file there.
        let other = tabiya_dataset::WholeFile::create(path.join("book.bin")).expect("a file");
        export(&path, &[("a.json", "3")]).expect("written");
        assert_eq!(id(), second);
        other.commit().expect("it was not moved away");
        export(&path, &[("a.json", "4")]).expect("written");
        assert_eq!(id(), second);
        assert_eq!(listing(&path), ["a.json", "book.bin", "index.json"]);
    }

    #[cfg(any(target_os = "linux", target_os = "macos"))]
    #[test]
    fn what_a_run_leaves_that_was_killed_around_the_exchange_is_removed() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("openings");
        export(&path, &[("a.json", "1")]).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).expect("ours");
        export(&path, &[("a.json", "2")]).expect("written");
        let mode = fs::metadata(&path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o750, "as its owner made it");
        let next = home.path().join(format!("{STAGING}openings.next"));
        fs::create_dir(&next).expect("made");
        fs::write(next.join(INDEX), index(&["b.json"]).json()).expect("written");
        fs::write(next.join("b.json"), "2").expect("written");
        // Somebody wrote it while the directory had its old name.
        fs::write(next.join("notes.txt"), "mine").expect("written");

        export(&path, &[("c.json", "3")]).expect("written");
        assert_eq!(listing(home.path()), ["openings"]);
        assert_eq!(listing(&path), ["c.json", "index.json", "notes.txt"]);
    }

    #[test]
    fn directories_that_are_not_ours_are_refused() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path();
        let file = path.join("file");
        fs::write(&file, "").expect("written");
        let open = |path: &Path, format| Directory::open(path, format).map(|_| ()).expect_err("refused");
        assert!(matches!(open(&file, "json"), ExportError::NotADirectory(_)));
        assert!(matches!(open(path, "json"), ExportError::NotOurs { stranger, .. } if stranger == "file"));
        // A list of files that is not ours does not make it ours.
        fs::write(path.join(INDEX), "{\"files\":[\"file\"]}").expect("written");
        assert!(matches!(open(path, "json"), ExportError::NotOurs { .. }));

        let ours = path.join("ours");
        export(&ours, &[("a.json", "1")]).expect("written");
        assert!(matches!(open(&ours, "pgn"), ExportError::OtherFormat { old, .. } if old == "json"));
        let held = Directory::open(&ours, "json").expect("open");
        assert!(matches!(open(&ours, "json"), ExportError::Busy(_)));
        drop(held);
        export(&ours, &[("a.json", "1")]).expect("free again");
    }

    /// Before anything of a run can be seen, and while the exchange takes away what could be.
    #[cfg(unix)]
    #[test]
    fn nobody_comes_in_between() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("openings");
        let busy = || matches!(Directory::open(&path, "json"), Err(ExportError::Busy(_)));
        let first = lock(&path).expect("made").expect("locked");
        assert!(busy());
        drop(first);
        let held = Directory::open(&path, "json").expect("open");
        held.write("a.json", b"1").expect("written");
        let staged = held.staging.path().to_owned();
        fs::remove_file(held.waiting(LOCK)).expect("as the exchange does");
        assert!(busy());
        // As after the exchange: the successor has the name.
        fs::rename(&path, home.path().join("old")).expect("moved");
        let staged = home.path().join("old").join(staged.file_name().expect("a name"));
        fs::rename(&staged, &path).expect("moved");
        assert!(busy());
        drop(held);
        assert!(!busy());
    }
}
