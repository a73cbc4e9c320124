//! Imports.

use std::{cell::RefCell, collections::HashMap, process::Command};

use super::{Victim, as_left, kill_and_go_on};
use crate::{
    corpus::games,
    crash::soak,
    sandbox::{Content, Sandbox, TABIYA},
    stores::Kind,
};

struct Import {
    sandbox: Sandbox,
    kind: Kind,
    databases: RefCell<HashMap<String, String>>,
}

impl Import {
    fn database(&self, place: &str) -> String {
        self.databases.borrow()[place].clone()
    }
}

impl Victim for Import {
    type Left = Content;

    fn begin(&self, place: &str) {
        let database = self.kind.new_database(&self.sandbox, place);
        self.databases.borrow_mut().insert(place.to_owned(), database);
    }

    /// Small batches, so that there is much to be killed in.
    fn command(&self, place: &str) -> Command {
        #[rustfmt::skip]
        let args = [
            "import", "games.pgn", "--db", &self.database(place), "--repertoire", "R", "--batch-bytes", "4096", "-q",
        ];
        self.sandbox.command(TABIYA, &args)
    }

    fn left(&self, place: &str) -> Content {
        Content::of(&self.database(place))
    }

    fn assert_same(&self, left: &Content, expected: &Content) {
        assert!(!expected.rejects.is_empty() && !expected.tactics.is_empty() && !expected.repertoire.is_empty());
        left.equals(expected);
    }

    fn is_begun(&self, place: &str, expected: &Content) -> bool {
        let edges = match self.kind {
            Kind::Postgres => self.left(place).edges.len(),
            Kind::Sqlite => as_left(&self.sandbox.path(&format!("{place}.db")))
                .map_or(0, |(_directory, copy)| Content::of(&copy).edges.len()),
        };
        edges > 0 && edges < expected.edges.len()
    }
}

fn import(kind: Kind, seed: u64) {
    let number = if soak() { 3000 } else { 500 };
    let victim = Import {
        sandbox: Sandbox::with("games.pgn", games(seed, number)),
        kind,
        databases: RefCell::default(),
    };
    kill_and_go_on(&victim, seed);
}

#[test]
fn an_import_into_sqlite_soak() {
    import(Kind::Sqlite, 1);
}

#[test]
fn an_import_into_postgres_soak() {
    import(Kind::Postgres, 2);
}
