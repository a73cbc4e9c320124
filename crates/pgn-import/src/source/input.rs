//! What the user names: files, directories, globs, `-`.

use std::{
    fmt,
    fs::{self, FileType},
    io,
    path::{Path, PathBuf},
};

use super::wildcards::{Wildcards, has_wildcards};

/// One thing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    Path(PathBuf),
    Stdin,
}

impl Input {
    /// The last part of the name: what a reader recognises, wherever the file lies.
    pub fn short_name(&self) -> String {
        match self {
            Input::Stdin => "stdin".to_owned(),
            Input::Path(path) => match path.file_name() {
                Some(name) => name.to_string_lossy().into_owned(),
                None => path.display().to_string(),
            },
        }
    }
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Input::Path(path) => path.display().fmt(f),
            Input::Stdin => f.write_str("-"),
        }
    }
}

/// Why a named input cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    #[error("{name}: no such file or directory")]
    NotFound { name: String },
    #[error("{name}: no file matches")]
    NoMatch { name: String },
    #[error("{name}: no PGN files in this directory")]
    EmptyDirectory { name: String },
    #[error("{name}: not a valid pattern")]
    Pattern { name: String, source: glob::PatternError },
    #[error("{name}: cannot be read")]
    Io { name: String, source: io::Error },
}

/// Turns what the user named into inputs: a directory into the PGN files below it, a glob into what it matches, both
/// in the order of their names.
pub fn expand_inputs<S: AsRef<str>>(named: &[S]) -> Result<Vec<Input>, InputError> {
    let mut inputs = Vec::new();
    for name in named.iter().map(AsRef::as_ref) {
        expand(name, &mut inputs)?;
    }
    Ok(inputs)
}

fn expand(name: &str, inputs: &mut Vec<Input>) -> Result<(), InputError> {
    if name == "-" {
        inputs.push(Input::Stdin);
        return Ok(());
    }
    let path = Path::new(name);
    let files = match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            let mut files = Vec::new();
            walk_directory(path, &mut files).map_err(|source| InputError::Io {
                name: name.to_owned(),
                source,
            })?;
            if files.is_empty() {
                return Err(InputError::EmptyDirectory { name: name.to_owned() });
            }
            files
        }
        // Named itself, it may be a pipe or a device: whoever names it means it.
        Ok(_) => vec![path.to_owned()],
        Err(e) if e.kind() != io::ErrorKind::NotFound => {
            return Err(InputError::Io {
                name: name.to_owned(),
                source: e,
            });
        }
        Err(_) if has_wildcards(name) => expand_wildcards(name)?,
        Err(_) => return Err(InputError::NotFound { name: name.to_owned() }),
    };
    inputs.extend(files.into_iter().map(Input::Path));
    Ok(())
}

fn expand_wildcards(name: &str) -> Result<Vec<PathBuf>, InputError> {
    let wildcards = Wildcards::new(name).map_err(|source| InputError::Pattern {
        name: name.to_owned(),
        source,
    })?;
    let files = wildcards.files().map_err(|(path, source)| InputError::Io {
        name: path.display().to_string(),
        source,
    })?;
    match files.is_empty() {
        true => Err(InputError::NoMatch { name: name.to_owned() }),
        false => Ok(files.into_iter().collect()),
    }
}

/// The PGN files below a directory, in the order of their names.
pub(super) fn walk_directory(directory: &Path, found: &mut impl Extend<PathBuf>) -> io::Result<()> {
    for (path, kind) in entries(directory)? {
        // A link to a directory is not followed: it may lead back up.
        if kind.is_dir() {
            walk_directory(&path, found)?;
        } else if is_pgn_name(&path) && path.is_file() {
            found.extend([path]);
        }
    }
    Ok(())
}

/// What is in a directory, in the order of its names, and what each is itself: a link is a link. The empty path is the current directory, whose
/// files are called by their names alone.
pub(super) fn entries(directory: &Path) -> io::Result<Vec<(PathBuf, FileType)>> {
    let place = match directory.as_os_str().is_empty() {
        true => Path::new("."),
        false => directory,
    };
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        Ok((directory.join(entry.file_name()), entry.file_type()?))
    };
    let mut entries = fs::read_dir(place)?.map(entry).collect::<io::Result<Vec<_>>>()?;
    entries.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(entries)
}

/// In a directory only what is called PGN is taken; a file that is named itself is read whatever it is called.
fn is_pgn_name(path: &Path) -> bool {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    let stem = [".zst", ".gz", ".bz2"]
        .iter()
        .find_map(|packed| name.strip_suffix(packed))
        .unwrap_or(&name);
    stem.ends_with(".pgn") || stem.ends_with(".txt")
}
