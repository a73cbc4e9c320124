//! The files that a pattern matches. What stands before its first wildcard the user has named, and links in it are followed. Below it no link to
//! a directory is: it may lead back up, and two of them for ever round.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs, io,
    path::{Component, Path, PathBuf},
};

use glob::{Pattern, PatternError};

use super::input::{entries, walk_directory};

/// Whether a name has wildcards in it.
pub(super) fn has_wildcards(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// One step down from a directory.
enum Step {
    Name(String),
    Like(Pattern),
    /// `**`: any number of directories, none among them.
    Anywhere,
}

/// A pattern, ready to be looked for.
pub(super) struct Wildcards {
    /// What stands before the first wildcard; empty where that is the first thing.
    root: PathBuf,
    steps: Vec<Step>,
    /// A slash at the end asks for directories.
    directories_only: bool,
}

/// What could not be read, and why.
pub(super) type Unreadable = (PathBuf, io::Error);

impl Wildcards {
    pub(super) fn new(name: &str) -> Result<Wildcards, PatternError> {
        // Whole, so that the place of a fault is the place in what the user wrote.
        Pattern::new(name)?;
        let mut root = PathBuf::new();
        let mut steps = Vec::new();
        let components = Path::new(name).components();
        for component in components.filter(|component| *component != Component::CurDir) {
            let part = component.as_os_str().to_str().unwrap_or_default();
            if has_wildcards(part) {
                steps.push(match part {
                    "**" => Step::Anywhere,
                    _ => Step::Like(Pattern::new(part)?),
                });
            } else if steps.is_empty() {
                root.push(component);
            } else {
                steps.push(Step::Name(part.to_owned()));
            }
        }
        Ok(Wildcards {
            root,
            steps,
            directories_only: name.ends_with(std::path::is_separator),
        })
    }

    /// Files alone, each once, in the order of their names; a directory stands for the PGN files below it.
    pub(super) fn files(&self) -> Result<BTreeSet<PathBuf>, Unreadable> {
        let mut found = BTreeSet::new();
        if self.root.as_os_str().is_empty() || self.root.is_dir() {
            self.enter(&self.root, &self.steps, &mut found)?;
        }
        Ok(found)
    }

    fn enter(&self, directory: &Path, steps: &[Step], found: &mut BTreeSet<PathBuf>) -> Result<(), Unreadable> {
        let inside = || entries(directory).map_err(|error| (directory.to_owned(), error));
        match steps {
            [] | [Step::Anywhere] => {
                walk_directory(directory, found).map_err(|error| (directory.to_owned(), error))?;
            }
            [Step::Anywhere, rest @ ..] => {
                self.enter(directory, rest, found)?;
                for (path, kind) in inside()? {
                    if kind.is_dir() {
                        self.enter(&path, steps, found)?;
                    }
                }
            }
            // Whoever may not list a directory may still open what they know the name of.
            [Step::Name(name), rest @ ..] => self.take(directory.join(name), rest, found)?,
            [Step::Like(pattern), rest @ ..] => {
                for (path, _) in inside()? {
                    // `matches_path` matches no name that is not UTF-8, and nobody would be told that such a file was passed over.
                    let matches = |name: &OsStr| pattern.matches(&name.to_string_lossy());
                    if path.file_name().is_some_and(matches) {
                        self.take(path, rest, found)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes what has been reached, or goes on from there. What is neither a file nor a directory is passed over: a pipe would be waited for, a
    /// device read for ever.
    fn take(&self, path: PathBuf, rest: &[Step], found: &mut BTreeSet<PathBuf>) -> Result<(), Unreadable> {
        let is_directory = fs::symlink_metadata(&path).is_ok_and(|meta| meta.is_dir());
        if is_directory {
            self.enter(&path, rest, found)?;
        } else if rest.is_empty() && !self.directories_only && path.is_file() {
            found.insert(path);
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// What a pattern matches below a directory that has links of every kind in it.
    struct Tree(tempfile::TempDir);

    impl Tree {
        fn new() -> Tree {
            let directory = tempfile::tempdir().expect("a directory");
            let root = directory.path();
            for file in [
                "games/a.pgn",
                "games/.b.pgn",
                "games/c.txt",
                "games/in/d.pgn",
                "games/in/in/e.md",
                "f.pgn",
            ] {
                let path = root.join(file);
                fs::create_dir_all(path.parent().expect("a directory")).expect("made");
                fs::write(path, "1. e4 *\n").expect("written");
            }
            for (to, name) in [
                (".", "games/here"),
                ("..", "games/up"),
                ("../../games", "games/in/again.pgn"),
                ("/dev/zero", "games/zero.pgn"),
                ("nowhere", "games/broken.pgn"),
                ("../f.pgn", "games/linked.pgn"),
                ("games", "named"),
            ] {
                symlink(to, root.join(name)).expect("a link");
            }
            Tree(directory)
        }

        fn matched(&self, pattern: &str) -> Vec<String> {
            let root = self.0.path();
            let pattern = root.join(pattern).to_string_lossy().into_owned();
            let files = Wildcards::new(&pattern).expect("a pattern").files().expect("readable");
            let relative = |path: PathBuf| path.strip_prefix(root).expect("below").display().to_string();
            files.into_iter().map(relative).collect()
        }
    }

    #[test]
    fn links_to_directories_are_followed_where_they_are_named_alone() {
        let tree = Tree::new();
        let flat = ["games/.b.pgn", "games/a.pgn", "games/linked.pgn"];
        assert_eq!(tree.matched("games/*.pgn"), flat);
        assert_eq!(
            tree.matched("games/**/*.pgn"),
            ["games/.b.pgn", "games/a.pgn", "games/in/d.pgn", "games/linked.pgn"]
        );
        assert_eq!(
            tree.matched("games/*"),
            [
                "games/.b.pgn",
                "games/a.pgn",
                "games/c.txt",
                "games/in/d.pgn",
                "games/linked.pgn"
            ]
        );
        assert_eq!(
            tree.matched("named/[a-c]*"),
            ["named/a.pgn", "named/c.txt"],
            "the link that the user names, and none to nothing"
        );
        assert_eq!(tree.matched("games/here/in/*"), ["games/here/in/d.pgn"]);
        for link in [
            "games/h*/a.pgn",
            "games/u*",
            "*/here/a.pgn",
            "n*/*.pgn",
            "games/zero*",
            "games/b*",
        ] {
            assert_eq!(tree.matched(link), [""; 0], "{link}");
        }
    }

    #[test]
    fn a_file_is_found_once_however_often_it_is_matched() {
        let tree = Tree::new();
        // A directory that is matched stands for its PGN files, and is gone through for what else matches.
        assert_eq!(tree.matched("games/in/**/*"), ["games/in/d.pgn", "games/in/in/e.md"]);
        assert_eq!(tree.matched("**/in/**/*.md"), ["games/in/in/e.md"]);
        assert_eq!(tree.matched("games/in/**"), ["games/in/d.pgn"]);
        assert_eq!(tree.matched("games/i*/"), ["games/in/d.pgn"]);
        assert_eq!(tree.matched("games/a*/"), [""; 0]);
        assert_eq!(tree.matched("games/i*/../c.txt"), ["games/in/../c.txt"]);
        assert_eq!(tree.matched("nowhere/*"), [""; 0]);
    }

    #[test]
    fn names_that_are_no_utf_8_are_matched_too() {
        use std::os::unix::ffi::OsStrExt as _;

        let directory = tempfile::tempdir().expect("a directory");
        let root = directory.path();
        // Latin-1; a file system that takes UTF-8 alone has no such names to be found.
        let (club, file) = (
            root.join(OsStr::from_bytes(b"caf\xe9")),
            OsStr::from_bytes(b"jos\xe9.pgn"),
        );
        if fs::create_dir(&club).is_err() {
            return;
        }
        for path in [root.join(file), club.join(file)] {
            fs::write(path, "1. e4 *\n").expect("written");
        }
        let matched = |pattern: &str| {
            let pattern = root.join(pattern).to_string_lossy().into_owned();
            let files = Wildcards::new(&pattern).expect("a pattern").files().expect("readable");
            files.into_iter().collect::<Vec<_>>()
        };
        assert_eq!(matched("*.pgn"), [root.join(file)]);
        assert_eq!(matched("c*/jos?.pgn"), [club.join(file)]);
        assert_eq!(matched("**/jos*"), [club.join(file), root.join(file)]);
        assert!(matched("*.txt").is_empty());
    }

    #[test]
    fn a_pattern_is_cut_where_its_wildcards_begin() {
        for (name, root, steps) in [
            ("*.pgn", "", 1),
            ("./games/*", "games", 1),
            ("../a/b*/c", "../a", 2),
            ("/x/**/y/*.pgn", "/x", 3),
            ("/*", "/", 1),
        ] {
            let cut = Wildcards::new(name).expect("a pattern");
            assert_eq!(
                (cut.root.as_path(), cut.steps.len()),
                (Path::new(root), steps),
                "{name}"
            );
        }
        for wrong in ["[a", "a**", "x/[a/b]", "***"] {
            assert!(Wildcards::new(wrong).is_err(), "{wrong}");
        }
    }
}
