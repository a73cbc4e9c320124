//! The file a table goes to, which takes its place only when it is complete.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use tempfile::TempPath;

use super::{TableError, error::io_hint};

/// An open file that counts what goes into it.
#[derive(Debug)]
pub(crate) struct Output {
    file: File,
    bytes: u64,
}

impl Output {
    fn new(file: File) -> Output {
        Output { file, bytes: 0 }
    }

    /// A second handle, for writers that do not give back what they own.
    #[cfg(feature = "parquet")]
    pub(crate) fn try_clone(&self) -> io::Result<Output> {
        Ok(Output {
            file: self.file.try_clone()?,
            bytes: self.bytes,
        })
    }
}

impl Write for Output {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let written = self.file.write(buffer)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Where the output goes once it is complete.
#[derive(Debug)]
pub(crate) enum Place {
    /// A temporary file in the target's directory, removed when dropped and renamed when committed.
    Beside { temporary: TempPath, target: PathBuf },
    /// A device or a pipe. It has no old content to protect, and renaming over it would destroy it.
    Straight,
}

impl Place {
    /// Opens the output for `path`, and creates the directories above it.
    pub(crate) fn open(path: &Path) -> Result<(Output, Place), TableError> {
        let not_a_file = |reason| TableError::NotAFile {
            path: path.to_owned(),
            reason,
        };
        if path.as_os_str().is_empty() {
            return Err(not_a_file("the path is empty"));
        }
        if path.is_dir() || path.file_name().is_none() || ends_in_separator(path) {
            return Err(not_a_file("it is a directory"));
        }
        // Opened for writing although it will be replaced: a rename asks only the directory for permission, and
        // would replace a file that its owner has made read-only.
        match File::options().write(true).open(path) {
            Ok(existing) => {
                let metadata = existing.metadata().map_err(|e| TableError::io("inspect", path, e))?;
                if !metadata.is_file() {
                    return Ok((Output::new(existing), Place::Straight));
                }
                // A symbolic link stays, and the file it points to is replaced.
                let target = path.canonicalize().map_err(|e| TableError::io("resolve", path, e))?;
                Place::beside(path, target, Some(metadata.permissions()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                // Absolute, so that a change of the working directory does not move the target.
                let target = std::path::absolute(path).map_err(|e| TableError::io("resolve", path, e))?;
                if let Some(directory) = target.parent() {
                    fs::create_dir_all(directory).map_err(|e| TableError::io("create the directory", directory, e))?;
                }
                Place::beside(path, target, None)
            }
            Err(error) => Err(TableError::io("write", path, error)),
        }
    }

    /// A new file in the target's directory: only there is a rename sure to be atomic.
    fn beside(
        path: &Path,
        target: PathBuf,
        permissions: Option<fs::Permissions>,
    ) -> Result<(Output, Place), TableError> {
        let directory = target.parent().unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        // Not derived from the target's name, which may be as long as a name can be.
        builder.prefix(".tabiya-").suffix(".tmp");
        #[cfg(unix)]
        {
            // A temporary file is private by default; a table gets what the umask leaves, as any new file.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let (file, temporary) = builder
            .tempfile_in(directory)
            .map_err(|e| TableError::io("create", path, bare(e)))?
            .into_parts();
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)
                .map_err(|e| TableError::io("set the permissions of", path, e))?;
        }
        Ok((Output::new(file), Place::Beside { temporary, target }))
    }

    /// Makes the complete output durable and puts it in place; answers its size.
    pub(crate) fn commit(self, output: Output) -> io::Result<u64> {
        let Output { file, bytes } = output;
        if let Place::Beside { temporary, target } = self {
            file.sync_all()?;
            drop(file);
            temporary.persist(&target).map_err(|e| e.error)?;
            sync_directory_of(&target);
        }
        Ok(bytes)
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

fn ends_in_separator(path: &Path) -> bool {
    path.as_os_str()
        .as_encoded_bytes()
        .last()
        .is_some_and(|&last| std::path::is_separator(last.into()))
}

/// Makes the rename itself durable.
fn sync_directory_of(target: &Path) {
    if cfg!(unix)
        && let Some(directory) = target.parent()
        && let Ok(directory) = File::open(directory)
    {
        // Ignored: the table is complete and in place, and some file systems cannot sync a directory. At worst a
        // power cut brings back the old file, which is whole too.
        let _ = directory.sync_all();
    }
}
