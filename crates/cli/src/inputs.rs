//! What a command reads, none of which it may write over: a slip of the keyboard would put the table in the place of the database, or the report
//! in that of the games.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

use pgn_import::{Input, expand_inputs};
use tabiya_app::{database_file, is_special};

use crate::{failure::Failure, telling::Written, terminal::is_dash};

/// The files that a command reads, and its database.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    named: Vec<String>,
    files: Vec<PathBuf>,
    databases: Vec<PathBuf>,
}

impl Inputs {
    /// Files, directories, globs or `-`, as the user names them.
    #[must_use]
    pub(crate) fn named(mut self, named: &[String]) -> Inputs {
        self.named.extend_from_slice(named);
        self
    }

    #[must_use]
    pub(crate) fn files<P: AsRef<Path>>(mut self, files: impl IntoIterator<Item = P>) -> Inputs {
        self.files
            .extend(files.into_iter().map(|file| file.as_ref().to_owned()));
        self
    }

    /// What is no database in a file cannot be written over.
    #[must_use]
    pub(crate) fn database(mut self, url: &str) -> Inputs {
        self.databases.extend(database_file(url));
        self
    }

    /// Refuses outputs that are inputs, by whatever name.
    pub(crate) fn refuse_outputs(&self, written: &[Written<'_>]) -> Result<(), Failure> {
        // What is special, such as a device, is written to and not replaced.
        let written = written
            .iter()
            .filter_map(|(option, path)| path.map(|path| (*option, path)))
            .filter(|(_, path)| !is_dash(path) && !is_special(path));
        let outputs: Vec<(&str, &Path)> = written.collect();
        for (option, path) in &outputs {
            if let Some(what) = self.database_at(path) {
                return Err(refused(option, path, what));
            }
        }
        // Only what is there can be read; so most commands never look for their inputs twice.
        if !outputs.iter().any(|(_, path)| path.is_file()) {
            return Ok(());
        }
        let read = self.read();
        for (option, path) in outputs {
            if read.iter().any(|file| is_same(file, path)) {
                return Err(refused(option, path, "what this command reads"));
            }
        }
        Ok(())
    }

    fn database_at(&self, path: &Path) -> Option<&'static str> {
        self.databases.iter().find_map(|database| {
            let beside = |ending: &str| {
                let mut name = OsString::from(database);
                name.push(ending);
                PathBuf::from(name)
            };
            if is_same(database, path) {
                return Some("the database of this command");
            }
            ["-wal", "-shm", "-journal"]
                .iter()
                .any(|ending| is_same(&beside(ending), path))
                .then_some("a part of this command's database")
        })
    }

    /// Every file that is read. What cannot be found is told of by whoever wants to read it.
    fn read(&self) -> Vec<PathBuf> {
        let mut read = self.files.clone();
        for name in &self.named {
            let inputs = expand_inputs(&[name]).unwrap_or_default();
            read.extend(inputs.into_iter().map(|input| match input {
                Input::Path(path) => path,
                // Where a shell has put a file into it, that is the file.
                Input::Stdin => PathBuf::from("/dev/stdin"),
            }));
        }
        read
    }
}

fn refused(option: &str, path: &Path, what: &str) -> Failure {
    Failure::usage(format!("{option}: `{}` is {what}", path.display())).hint("name another file")
}

/// Whether two names are those of one file, or of a place where there will be one.
fn is_same(one: &Path, other: &Path) -> bool {
    match (identity(one), identity(other)) {
        (None, None) => place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other)),
        (one, other) => one == other,
    }
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
    Some((found.dev(), found.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().filter(|path| path.is_file())
}

/// No system follows more links than these.
const MOST_LINKS: usize = 40;

/// Where a file that is not there would be made.
fn place(path: &Path) -> Option<PathBuf> {
    let mut end = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = fs::read_link(&end) else { break };
        end = end.parent()?.join(next);
    }
    let end = std::path::absolute(end).ok()?;
    let directory = end.parent()?;
    let directory = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    Some(directory.join(end.file_name()?))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Whether a command that reads the games and the database of this directory may write that file.
    fn may_write(directory: &Path, output: &str) -> bool {
        let at = |name: &str| directory.join(name).display().to_string();
        let inputs = Inputs::default()
            .named(&[at("games"), at("lone*.pgn"), at("missing.pgn")])
            .files([directory.join("lines.jsonl")])
            .database(&at("a.db"))
            .database(&format!("sqlite://{}", at("new.db")))
            .database("postgres://host/chess");
        let path = directory.join(output);
        inputs
            .refuse_outputs(&[("--report", None), ("--output", Some(&path))])
            .is_ok()
    }

    #[test]
    fn what_is_read_is_not_written_by_any_name() {
        let home = tempfile::tempdir().expect("a directory");
        let root = home.path();
        fs::create_dir_all(root.join("games/in")).expect("made");
        for file in [
            "games/in/a.pgn",
            "games/b.md",
            "lone.pgn",
            "lines.jsonl",
            "a.db",
            "other.txt",
        ] {
            fs::write(root.join(file), file).expect("written");
        }
        symlink("games/in/a.pgn", root.join("link")).expect("linked");
        symlink("games", root.join("linked")).expect("linked");
        symlink("new.db", root.join("dangling")).expect("linked");
        fs::hard_link(root.join("a.db"), root.join("hard")).expect("linked");
        for input in [
            "games/in/a.pgn",
            "games/../lone.pgn",
            "linked/in/a.pgn",
            "link",
            "lines.jsonl",
            "a.db",
            "a.db-wal",
            "a.db-shm",
            "hard",
            "new.db",
            "games/../new.db",
            "dangling",
            "new.db-wal",
        ] {
            assert!(!may_write(root, input), "{input}");
        }
        // An input that is not there is told of by whoever wants to read it.
        for other in [
            "games/b.md",
            "other.txt",
            "games",
            "/dev/null",
            "missing.pgn",
            "report.json",
        ] {
            assert!(may_write(root, other), "{other}");
        }
    }
}
