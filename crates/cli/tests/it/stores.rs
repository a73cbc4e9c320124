//! The stores that a promise is tested on.

use std::path::PathBuf;

use crate::{postgres, sandbox::Sandbox};

/// Makes new, empty databases of one kind.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    pub(crate) fn new_database(self, sandbox: &Sandbox, name: &str) -> String {
        match self {
            Kind::Sqlite => {
                let path: PathBuf = sandbox.path(name);
                format!("sqlite://{}.db", path.display())
            }
            Kind::Postgres => postgres::new_database(),
        }
    }
}

#[test]
fn the_same_import_leaves_the_same_in_every_store() {
    let sandbox = Sandbox::with("games.pgn", crate::corpus::games(3, 60));
    let content = [Kind::Sqlite, Kind::Postgres].map(|kind| {
        let url = kind.new_database(&sandbox, "same");
        sandbox
            .tabiya(&["import", "games.pgn", "--repertoire", "R", "--db", &url])
            .exits_with(0);
        crate::sandbox::Content::of(&url)
    });
    assert!(content[0].edges.len() > 1000 && !content[0].rejects.is_empty() && !content[0].tactics.is_empty());
    content[0].equals(&content[1]);
}
