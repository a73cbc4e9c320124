//! Builds, and additions to them.

use std::{
    cell::RefCell,
    collections::{BTreeMap, HashMap},
    fs,
    path::PathBuf,
    process::Command,
};

use super::{Victim, as_left, kill_and_go_on};
use crate::{
    build::{NAMES, assert_same, knowledge},
    build_crash::games,
    crash::soak,
    sandbox::{Sandbox, TABIYA},
};

struct Build {
    sandbox: Sandbox,
    /// To what is there, or all of it.
    is_addition: bool,
    /// What was counted before a run, by place.
    before: RefCell<HashMap<String, BTreeMap<PathBuf, u64>>>,
}

impl Build {
    fn new(is_addition: bool) -> Build {
        let sandbox = Sandbox::with("names.csv", NAMES);
        let number = if soak() { 2000 } else { 500 };
        for (seed, name) in [(21, "a.pgn"), (22, "b.pgn"), (23, "c.pgn")] {
            sandbox.write(name, games(seed, number));
        }
        Build {
            sandbox,
            is_addition,
            before: RefCell::default(),
        }
    }

    fn database(&self, place: &str) -> String {
        format!("sqlite://{}", self.sandbox.path(place).join("a.db").display())
    }

    /// The files of counts, and how long they are.
    fn counted(&self, place: &str) -> BTreeMap<PathBuf, u64> {
        let mut found = BTreeMap::new();
        let mut open = vec![self.sandbox.path(place)];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                let path = entry.path();
                match entry.metadata() {
                    Ok(meta) if meta.is_dir() => open.push(path),
                    Ok(meta) if path.to_string_lossy().contains("a.db.counts") => {
                        found.insert(path, meta.len());
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn build(&self, place: &str, what: &[&str]) -> Command {
        let database = self.database(place);
        let how = ["--min-games", "2", "--threads", "2", "--db", &database, "-q"];
        self.sandbox.command(TABIYA, &[&["build"], what, &how].concat())
    }
}

impl Victim for Build {
    type Left = Vec<String>;

    fn begin(&self, place: &str) {
        // A directory: the counts lie beside the database.
        self.sandbox.write(&format!("{place}/.keep"), "");
        if self.is_addition {
            let base = self.build(place, &["all", "--pgn", "a.pgn", "--source", "names.csv"]);
            self.sandbox.run(base).exits_with(0);
        }
        let before = self.counted(place);
        self.before.borrow_mut().insert(place.to_owned(), before);
    }

    fn command(&self, place: &str) -> Command {
        match self.is_addition {
            true => self.build(place, &["expand", "--pgn", "b.pgn", "c.pgn", "--add"]),
            false => self.build(
                place,
                &["all", "--pgn", "a.pgn", "b.pgn", "c.pgn", "--source", "names.csv"],
            ),
        }
    }

    fn left(&self, place: &str) -> Vec<String> {
        knowledge(&self.database(place))
    }

    fn assert_same(&self, left: &Vec<String>, expected: &Vec<String>) {
        assert!(expected.len() > 2000, "{}", expected.len());
        assert_same(left, expected);
    }

    /// Something was counted, and not everything was loaded.
    fn is_begun(&self, place: &str, expected: &Vec<String>) -> bool {
        let database = self.sandbox.path(place).join("a.db");
        let is_counted = self.counted(place) != self.before.borrow()[place];
        is_counted && as_left(&database).is_some_and(|(_directory, copy)| knowledge(&copy) != *expected)
    }
}

#[test]
fn a_build_soak() {
    kill_and_go_on(&Build::new(false), 31);
}

#[test]
fn an_addition_soak() {
    kill_and_go_on(&Build::new(true), 32);
}
