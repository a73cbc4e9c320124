//! Open files of this process that have names: `/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

/// A link that leads to a link, and so on, is followed so often.
const MOST_LINKS: usize = 40;

/// An open file that a path is another name of.
///
/// What it leads to may be a file like any other, if standard output was sent to one. A file that took its place would be seen by
/// nobody who holds the open one, the shell first of all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(not(unix), expect(dead_code, reason = "elsewhere open files have no names"))]
pub(crate) enum Descriptor {
    Stdout,
    Stderr,
    Other,
}

impl Descriptor {
    /// Also where other links lead to the name.
    #[cfg(unix)]
    pub(crate) fn of(path: &Path) -> Option<Descriptor> {
        let places: Vec<PathBuf> = (["/dev/fd", "/proc/self/fd"].iter())
            .filter_map(|place| fs::canonicalize(place).ok())
            .collect();
        links(path).find_map(|path| {
            let path = std::path::absolute(path).ok()?;
            let place = path.parent()?.canonicalize().ok()?;
            let number: u32 = path.file_name()?.to_str()?.parse().ok()?;
            places.contains(&place).then_some(match number {
                1 => Descriptor::Stdout,
                2 => Descriptor::Stderr,
                _ => Descriptor::Other,
            })
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_: &Path) -> Option<Descriptor> {
        None
    }

    /// Opens it so that what was written there before stays.
    pub(crate) fn open(self, path: &Path) -> io::Result<File> {
        match self {
            // Copies go on where the shell is. Opened anew, a file would be written from its beginning.
            #[cfg(unix)]
            Descriptor::Stdout => copy(io::stdout()),
            #[cfg(unix)]
            Descriptor::Stderr => copy(io::stderr()),
            // Without `unsafe` there is no copy of these; their end is where the shell is, too.
            _ => File::options().append(true).open(path),
        }
    }
}

#[cfg(unix)]
fn copy(stream: impl std::os::fd::AsFd) -> io::Result<File> {
    stream.as_fd().try_clone_to_owned().map(File::from)
}

/// Whether what is written there comes out of the standard output of this process, under whatever name.
pub fn is_standard_output(path: &Path) -> bool {
    Descriptor::of(path) == Some(Descriptor::Stdout) || is_same_as_standard_output(path)
}

#[cfg(unix)]
fn is_same_as_standard_output(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |meta: &fs::Metadata| (meta.dev(), meta.ino());
    let out = copy(io::stdout()).and_then(|out| out.metadata());
    // A file of this name takes the place of what standard output goes to, and is not mixed with it.
    crate::is_special(path) && matches!((&fs::metadata(path), &out), (Ok(named), Ok(out)) if id(named) == id(out))
}

#[cfg(not(unix))]
fn is_same_as_standard_output(_: &Path) -> bool {
    false
}

/// The path, and where it leads link by link.
pub(crate) fn links(path: &Path) -> impl Iterator<Item = PathBuf> {
    let next = |end: &PathBuf| {
        let next = fs::read_link(end).ok()?;
        Some(end.parent().unwrap_or(Path::new("")).join(next))
    };
    std::iter::successors(Some(path.to_owned()), next).take(MOST_LINKS + 1)
}
