//! A file that appears whole or not at all.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::{ExportError, files::STAGING};

/// How files end that wait beside their places. Their writer holds a lock on them.
pub(super) const UNFINISHED: &str = ".tmp";

/// A file that takes the place of whatever was there once it is whole.
#[derive(Debug)]
pub(super) struct WholeFile {
    path: PathBuf,
    out: Out,
}

#[derive(Debug)]
enum Out {
    Beside(BufWriter<NamedTempFile>),
    /// A device or a pipe has no old content to protect, and a rename would destroy it.
    Straight(BufWriter<File>),
}

impl WholeFile {
    /// Finds out whether the file can be written, and creates the directories above it.
    pub(super) fn create(path: &Path) -> Result<WholeFile, ExportError> {
        let fail = |action| ExportError::io(action, path);
        let whole = |out| WholeFile {
            path: path.to_owned(),
            out,
        };
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => return Err(ExportError::IsADirectory(path.to_owned())),
            // A rename asks only the directory for permission, and would replace a file its owner made read-only.
            Ok(found) => {
                let old = File::options().append(true).open(path).map_err(fail("write"))?;
                if !found.is_file() {
                    return Ok(whole(Out::Straight(BufWriter::new(old))));
                }
            }
            Err(_) => {}
        }
        let directory = directory_of(path);
        fs::create_dir_all(directory).map_err(ExportError::io("create the directory", directory))?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(STAGING).suffix(UNFINISHED);
        #[cfg(unix)]
        {
            // A temporary file is private by default; this one gets what the umask leaves, as any new file.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        sweep(directory);
        let file = builder.tempfile_in(directory).map_err(plain).map_err(fail("write"))?;
        file.as_file().lock().map_err(fail("lock"))?;
        Ok(whole(Out::Beside(BufWriter::with_capacity(1 << 16, file))))
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn put(&mut self, content: &[u8]) -> Result<(), ExportError> {
        self.write_all(content).map_err(ExportError::io("write", &self.path))
    }

    /// Puts the file in its place and says how large it is.
    pub(super) fn commit(self) -> Result<u64, ExportError> {
        let path = self.path;
        let fail = |action| ExportError::io(action, &path);
        let file = match self.out {
            Out::Straight(mut out) => {
                out.flush().map_err(fail("write"))?;
                return Ok(0);
            }
            Out::Beside(out) => out.into_inner().map_err(|error| fail("write")(error.into_error()))?,
        };
        file.as_file().sync_all().map_err(fail("write"))?;
        let bytes = file.as_file().metadata().map_err(fail("look at"))?.len();
        file.persist(&path).map_err(|error| fail("write")(error.error))?;
        sync_directory(directory_of(&path));
        Ok(bytes)
    }
}

impl Write for WholeFile {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match &mut self.out {
            Out::Beside(out) => out.write(buffer),
            Out::Straight(out) => out.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.out {
            Out::Beside(out) => out.flush(),
            Out::Straight(out) => out.flush(),
        }
    }
}

/// Without the temporary file's name, which means nothing to anybody.
pub(super) fn plain(error: io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(_) => error,
        None => error.kind().into(),
    }
}

pub(super) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Removes files that killed runs have left. What cannot be looked at or removed is no reason not to write.
fn sweep(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_unfinished = |name: &str| name.starts_with(STAGING) && name.ends_with(UNFINISHED);
        if name.to_str().is_some_and(is_unfinished)
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Makes renames last. Where that cannot be asked for, they last soon.
pub(super) fn sync_directory(directory: &Path) {
    if let Ok(directory) = File::open(directory) {
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

    #[test]
    fn a_file_is_replaced_whole() {
        let home = tempfile::tempdir().expect("a directory");
        let path = home.path().join("deep/book.bin");
        for content in ["first", "second"] {
            let mut file = WholeFile::create(&path).expect("a file");
            file.write_all(content.as_bytes()).expect("written");
            assert_eq!(file.commit().expect("in place"), content.len() as u64);
            assert_eq!(fs::read_to_string(&path).expect("there"), content);
        }
        assert_eq!(listing(directory_of(&path)), ["book.bin"]);
        WholeFile::create(&path)
            .expect("a file")
            .write_all(b"third")
            .expect("written");
        assert_eq!(fs::read_to_string(&path).expect("there"), "second");
        assert_eq!(listing(directory_of(&path)), ["book.bin"]);
        // One that was killed leaves its file; the next removes it, but not that of one that lives.
        let killed = path.with_file_name(format!("{STAGING}killed{UNFINISHED}"));
        fs::write(&killed, "half").expect("written");
        let living = WholeFile::create(&path.with_file_name("other.bin")).expect("a file");
        assert!(!killed.exists());
        let fourth = WholeFile::create(&path).expect("a file");
        assert_eq!(listing(directory_of(&path)).len(), 3);
        fourth.commit().expect("in place");
        living.commit().expect("in place");
        assert_eq!(listing(directory_of(&path)), ["book.bin", "other.bin"]);
        assert!(matches!(
            WholeFile::create(directory_of(&path)),
            Err(ExportError::IsADirectory(_))
        ));
    }
}
