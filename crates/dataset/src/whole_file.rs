//! A file that takes its place only when it is complete.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::{NamedTempFile, TempPath};

use crate::{
    descriptor::{Descriptor, links},
    output::Output,
};

/// What the names of files that wait beside their places begin and end with. Their writers hold locks on them.
const WAITING: (&str, &str) = (".tabiya-", ".tmp");

/// A file that somebody else removes before it is locked is created so often.
const MOST_TRIES: usize = 8;

/// Why a file could not be written. Whatever stood in its place before stands there still.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} `{}`: {source}", .path.display())]
pub struct WholeFileError {
    /// What was being done, as a verb.
    pub action: &'static str,
    /// The path as it was given, or that of the directory it was to be in.
    pub path: PathBuf,
    /// What the operating system said; [`IsADirectory`](io::ErrorKind::IsADirectory) for every path that names no file.
    pub source: io::Error,
}

impl WholeFileError {
    fn new(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WholeFileError {
        let path = path.to_owned();
        move |source| WholeFileError { action, path, source }
    }
}

/// A file that takes the place of whatever was there once it is whole.
///
/// Until [`commit`](WholeFile::commit) everything goes to a temporary file beside the target; dropping it removes that file. One
/// that a killed process left is removed by the next that writes to the same directory. A symbolic link stays one, permissions
/// stay as they were, and what its owner made read-only is not replaced. A device, a pipe or an open file (`/dev/stdout`) is
/// written to straight away; to a terminal goes only what does not command it.
///
/// ```
/// use std::io::Write;
/// use tabiya_dataset::WholeFile;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = directory.path().join("report.json");
/// let mut file = WholeFile::create(&path)?;
/// file.write_all(b"{}")?;
/// assert!(!path.exists());
/// assert_eq!(file.commit()?, 2);
/// assert_eq!(std::fs::read_to_string(&path)?, "{}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct WholeFile {
    path: PathBuf,
    // Before `place`, so that the file is closed before it is removed.
    out: BufWriter<Output>,
    place: Place,
}

impl WholeFile {
    /// Finds out whether the file can be written, and creates the directories above it.
    ///
    /// # Errors
    ///
    /// A directory as target, missing permissions, and what else the operating system refuses.
    pub fn create(path: impl AsRef<Path>) -> Result<WholeFile, WholeFileError> {
        WholeFile::open(path.as_ref(), true)
    }

    /// As [`create`](WholeFile::create), where so many files go to one directory that looking through it for what killed
    /// processes left would cost more than writing them.
    ///
    /// # Errors
    ///
    /// The same.
    pub fn create_among_many(path: impl AsRef<Path>) -> Result<WholeFile, WholeFileError> {
        WholeFile::open(path.as_ref(), false)
    }

    /// Finds out whether a file could be written, for work that ends with it. What [`is_special`] is not opened: whoever reads
    /// there would take it for the end.
    ///
    /// # Errors
    ///
    /// Those of [`create`](WholeFile::create).
    pub fn check(path: impl AsRef<Path>) -> Result<(), WholeFileError> {
        match is_special(path.as_ref()) {
            true => Ok(()),
            false => WholeFile::create(path).map(|_| ()),
        }
    }

    fn open(path: &Path, sweeps: bool) -> Result<WholeFile, WholeFileError> {
        let (output, place) = Place::open(path, sweeps)?;
        Ok(WholeFile {
            path: path.to_owned(),
            out: BufWriter::with_capacity(1 << 16, output),
            place,
        })
    }

    /// The path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the file durable, puts it in its place and says how large it is.
    ///
    /// # Errors
    ///
    /// What the operating system refuses; the target is then as it was before.
    pub fn commit(self) -> Result<u64, WholeFileError> {
        let WholeFile { path, out, place } = self;
        let written = out.into_inner().map_err(|error| error.into_error());
        written
            .and_then(|output| place.commit(output))
            .map_err(WholeFileError::new("write", &path))
    }
}

impl Write for WholeFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.out.write(buffer)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether this is a device, a pipe or a socket: something without old content to protect, beside which nothing is written. So is
/// the name of an open file, such as `/dev/stdout`, wherever the shell has sent it: beside it are other people's devices.
pub fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| !found.is_dir() && (!found.is_file() || Descriptor::of(path).is_some()))
}

/// Whether a file of this name waits beside the place of another, or was left there.
pub fn is_waiting(name: &str) -> bool {
    name.starts_with(WAITING.0) && name.ends_with(WAITING.1)
}

/// Where the output goes once it is complete.
#[derive(Debug)]
pub(crate) enum Place {
    /// A temporary file in the target's directory, removed when dropped and renamed when committed.
    Beside { temporary: TempPath, target: PathBuf },
    /// A device, a pipe or an open file. It has no old content to protect, and renaming over it would destroy it.
    Straight,
}

impl Place {
    /// Opens the output for `path`, and creates the directories above it.
    pub(crate) fn open(path: &Path, sweeps: bool) -> Result<(Output, Place), WholeFileError> {
        let fail = |action| WholeFileError::new(action, path);
        if path.as_os_str().is_empty() || path.is_dir() || path.file_name().is_none() || ends_in_separator(path) {
            return Err(fail("write")(io::ErrorKind::IsADirectory.into()));
        }
        if let Some(descriptor) = Descriptor::of(path) {
            let open = descriptor.open(path).map_err(fail("write"))?;
            return Ok((Output::new(open), Place::Straight));
        }
        // Opened for writing although it will be replaced: a rename asks only the directory for permission, and
        // would replace a file that its owner has made read-only.
        match File::options().write(true).open(path) {
            Ok(existing) => {
                let metadata = existing.metadata().map_err(fail("inspect"))?;
                if !metadata.is_file() {
                    return Ok((Output::new(existing), Place::Straight));
                }
                // A symbolic link stays, and the file it points to is replaced.
                let target = path.canonicalize().map_err(fail("resolve"))?;
                Place::beside(path, target, Some(metadata.permissions()), sweeps)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Absolute, so that a change of the working directory does not move the target.
                let end = links(path).last().unwrap_or_default();
                let target = std::path::absolute(end).map_err(fail("resolve"))?;
                if let Some(directory) = target.parent() {
                    fs::create_dir_all(directory).map_err(WholeFileError::new("create the directory", directory))?;
                }
                Place::beside(path, target, None, sweeps)
            }
            Err(error) => Err(fail("write")(error)),
        }
    }

    /// A new file in the target's directory: only there is a rename sure to be atomic.
    fn beside(
        path: &Path,
        target: PathBuf,
        permissions: Option<fs::Permissions>,
        sweeps: bool,
    ) -> Result<(Output, Place), WholeFileError> {
        let fail = |action| WholeFileError::new(action, path);
        let directory = target.parent().unwrap_or(Path::new("."));
        if sweeps {
            sweep(directory);
        }
        let (file, temporary) = waiting(directory)
            .map_err(|error| fail("create")(bare(error)))?
            .into_parts();
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)
                .map_err(fail("set the permissions of"))?;
        }
        Ok((Output::new(file), Place::Beside { temporary, target }))
    }

    /// Makes the complete output durable and puts it in place; answers its size.
    pub(crate) fn commit(self, output: Output) -> io::Result<u64> {
        let bytes = output.bytes();
        if let Place::Beside { temporary, target } = self {
            output.file().sync_all()?;
            // With the lock on it still held: without one it would pass for something that a killed process left.
            temporary.persist(&target).map_err(|e| e.error)?;
            drop(output);
            sync_directory_of(&target);
        }
        Ok(bytes)
    }
}

/// A new file under a name of its own, with a lock on it.
fn waiting(directory: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // Not derived from the target's name, which may be as long as a name can be.
    builder.prefix(WAITING.0).suffix(WAITING.1);
    #[cfg(unix)]
    {
        // A temporary file is private by default; this one gets what the umask leaves, as any new file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    for _ in 0..MOST_TRIES {
        let file = builder.tempfile_in(directory)?;
        // Where nothing can be locked, nobody can lock it for the sake of removing it either.
        let _ = file.as_file().lock();
        // Before it was locked, somebody may have taken it for one that was left.
        if file.path().exists() {
            return Ok(file);
        }
    }
    Err(io::Error::other("somebody keeps removing what is to take its place"))
}

/// Removes files that killed processes have left. What cannot be looked at or removed is no reason not to write.
fn sweep(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(is_waiting)
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Without the temporary file's name, which `tempfile` adds and which means nothing to the user. Where the kind says
/// too little on its own, the name is the lesser evil.
fn bare(error: io::Error) -> io::Error {
    match io_hint(error.kind()) {
        Some(_) => error.kind().into(),
        None => error,
    }
}

/// What the user can do about something that cannot be written.
pub fn write_hint(kind: io::ErrorKind) -> &'static str {
    io_hint(kind).unwrap_or("check that you may write to this file and its directory")
}

/// What the user can do about it, where there is something to say.
pub fn io_hint(kind: io::ErrorKind) -> Option<&'static str> {
    use io::ErrorKind as E;
    match kind {
        E::StorageFull => Some("the disk is full: free some space, or write to another disk"),
        E::QuotaExceeded => Some("your disk quota is used up: free some space, or write to another disk"),
        E::FileTooLarge => Some("the file system or a limit forbids a file this large: write to another disk"),
        E::PermissionDenied => Some("check that you may write to this file and its directory"),
        E::ReadOnlyFilesystem => Some("this file system is mounted read-only: write to another place"),
        E::IsADirectory => Some("this is a directory: add a file name"),
        E::NotADirectory | E::AlreadyExists => Some("a part of the path is a file where a directory is needed"),
        E::BrokenPipe => Some("whoever was reading the output has stopped"),
        _ => None,
    }
}

fn ends_in_separator(path: &Path) -> bool {
    path.as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&last| std::path::is_separator(last.into()))
}

/// Makes the rename itself durable.
fn sync_directory_of(target: &Path) {
    if let Some(directory) = target.parent() {
        sync_directory(directory);
    }
}

/// Makes renames in a directory durable. Where that cannot be asked for, they last soon: at worst a power cut brings back the
/// old file, which is whole too.
pub fn sync_directory(directory: &Path) {
    if cfg!(unix)
        && let Ok(directory) = File::open(directory)
    {
        let _ = directory.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listing(path: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(path)
            .expect("readable")
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn write(path: &Path, content: &str) {
        let mut file = WholeFile::create(path).expect("a file");
        file.write_all(content.as_bytes()).expect("written");
        assert_eq!(file.commit().expect("in place"), content.len() as u64);
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("deep/book.bin");
        let directory = home.path().join("deep");
        for content in ["first", "second"] {
            write(&path, content);
            assert_eq!(fs::read_to_string(&path).expect("there"), content);
        }
        let mut dropped = WholeFile::create(&path).expect("a file");
        dropped.write_all(b"third").expect("written");
        drop(dropped);
        WholeFile::check(&path).expect("it could be written");
        assert_eq!(fs::read_to_string(&path).expect("there"), "second");
        assert_eq!(listing(&directory), ["book.bin"]);
        for path in [&*directory, Path::new(""), Path::new("deep/")] {
            let refused = WholeFile::create(path).expect_err("no file");
            assert_eq!(refused.source.kind(), io::ErrorKind::IsADirectory, "{refused}");
        }
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not() {
        let home = tempfile::tempdir().expect("a directory");
        let at = |name: &str| home.path().join(name);
        let killed = at(".tabiya-killed.tmp");
        fs::write(&killed, "half").expect("written");
        fs::write(at("mine.tmp"), "mine").expect("written");
        let among_many = WholeFile::create_among_many(at("graph.svg")).expect("a file");
        assert!(killed.exists());
        let living = WholeFile::create(at("other.bin")).expect("a file");
        assert!(!killed.exists());
        write(&at("book.bin"), "fourth");
        living.commit().expect("nobody took it away");
        among_many.commit().expect("nor this");
        assert_eq!(listing(home.path()), ["book.bin", "graph.svg", "mine.tmp", "other.bin"]);
    }

    #[cfg(unix)]
    mod unix {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};

        use super::*;

        #[test]
        fn a_device_is_written_to_and_stays_one() {
            write(Path::new("/dev/null"), "nothing");
            WholeFile::check("/dev/null").expect("it could be written");
            let found = fs::symlink_metadata("/dev/null").expect("there");
            assert!(found.file_type().is_char_device());
            assert!(is_special(Path::new("/dev/null")) && !is_special(Path::new("/dev")));
            assert!(!listing(Path::new("/dev")).iter().any(|name| is_waiting(name)));
        }

        #[test]
        fn an_open_file_is_added_to_and_not_replaced() {
            use std::os::fd::AsRawFd as _;

            let home = tempfile::tempdir().expect("a directory");
            let path = home.path().join("redirected.txt");
            fs::write(&path, "before, ").expect("written");
            let mut held = File::options().append(true).open(&path).expect("a file");
            let (named, link) = (format!("/dev/fd/{}", held.as_raw_fd()), home.path().join("link"));
            symlink(&named, &link).expect("linked");
            for name in [Path::new(&named), &link] {
                assert!(is_special(name) && !is_special(&path), "{}", name.display());
                WholeFile::check(name).expect("it could be written");
                write(name, "within, ");
            }
            held.write_all(b"after").expect("written");
            let seen = fs::read_to_string(&path).expect("there");
            assert_eq!(seen, "before, within, within, after");
            assert_eq!(listing(home.path()), ["link", "redirected.txt"]);
            WholeFile::create("/dev/fd/12345").expect_err("nobody has opened it");
        }

        #[test]
        fn a_symbolic_link_stays_one_wherever_it_leads() {
            let home = tempfile::tempdir().expect("a directory");
            let (link, file) = (home.path().join("link"), home.path().join("file"));
            // Relative, and at first to nothing.
            symlink("file", &link).expect("linked");
            for content in ["new", "newer"] {
                write(&link, content);
                assert!(fs::symlink_metadata(&link).expect("there").is_symlink());
                assert_eq!(fs::read_to_string(&file).expect("written"), content);
            }
            let ring = home.path().join("ring");
            symlink("ring", &ring).expect("linked");
            WholeFile::create(&ring).expect_err("it leads nowhere");
        }

        #[test]
        fn permissions_stay_as_they_were() {
            let home = tempfile::tempdir().expect("a directory");
            let path = home.path().join("report.json");
            let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
            write(&path, "new");
            let plain = home.path().join("plain");
            fs::write(&plain, "").expect("written");
            assert_eq!(mode(&path), mode(&plain), "as any new file");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).expect("ours");
            write(&path, "newer");
            assert_eq!(mode(&path), 0o640);
        }

        /// Root may write everywhere, so there is nothing to see for it.
        #[test]
        fn what_is_read_only_is_not_replaced() {
            let home = tempfile::tempdir().expect("a directory");
            let path = home.path().join("kept.json");
            fs::write(&path, "old").expect("written");
            fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("ours");
            if File::options().write(true).open(&path).is_ok() {
                return;
            }
            let refused = WholeFile::create(&path).expect_err("read-only");
            assert_eq!(refused.source.kind(), io::ErrorKind::PermissionDenied);
            assert_eq!(fs::read_to_string(&path).expect("there"), "old");
        }
    }
}
