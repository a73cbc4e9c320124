//! What the user names: files, directories, globs, `-`.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

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
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => {
            let before = inputs.len();
            walk_directory(path, inputs).map_err(|source| InputError::Io {
                name: name.to_owned(),
                source,
            })?;
            if inputs.len() == before {
                return Err(InputError::EmptyDirectory { name: name.to_owned() });
            }
            Ok(())
        }
        Ok(_) => {
            inputs.push(Input::Path(path.to_owned()));
            Ok(())
        }
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(InputError::Io {
            name: name.to_owned(),
            source: e,
        }),
        Err(_) if name.contains(['*', '?', '[']) => expand_glob(name, inputs),
        Err(_) => Err(InputError::NotFound { name: name.to_owned() }),
    }
}

fn expand_glob(name: &str, inputs: &mut Vec<Input>) -> Result<(), InputError> {
    let matches = glob::glob(name).map_err(|source| InputError::Pattern {
        name: name.to_owned(),
        source,
    })?;
    let before = inputs.len();
    for path in matches {
        let path = path.map_err(|e| InputError::Io {
            name: e.path().display().to_string(),
            source: e.into(),
        })?;
        if path.is_dir() {
            walk_directory(&path, inputs).map_err(|source| InputError::Io {
                name: path.display().to_string(),
                source,
            })?;
        } else {
            inputs.push(Input::Path(path));
        }
    }
    if inputs.len() == before {
        return Err(InputError::NoMatch { name: name.to_owned() });
    }
    Ok(())
}

fn walk_directory(directory: &Path, inputs: &mut Vec<Input>) -> io::Result<()> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A link to a directory is not followed: it may lead back up.
        if entry.file_type()?.is_dir() {
            walk_directory(&path, inputs)?;
        } else if is_pgn_name(&path) && path.is_file() {
            inputs.push(Input::Path(path));
        }
    }
    Ok(())
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
