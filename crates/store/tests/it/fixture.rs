//! A fresh database of each kind.

use sqlx::{AssertSqlSafe, Connection, Executor, SqliteConnection};
use tabiya_store::{ProjectOptions, Store, StoreError, StoreOptions, project};
use tempfile::TempDir;

use crate::graph::{self, Graph};
use crate::server;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    SqliteMemory,
    SqliteFile,
    Postgres,
    /// Written to in memory, read from a copy in Neo4j.
    Neo4j,
}

pub(crate) struct Fixture {
    pub kind: Kind,
    pub url: String,
    first: Store,
    /// Nobody else's for as long as this lives.
    graph: Option<Graph>,
    _directory: Option<TempDir>,
}

impl Fixture {
    pub(crate) async fn new(kind: Kind) -> Fixture {
        Fixture::new_with(kind, StoreOptions::default()).await
    }

    pub(crate) async fn new_with(kind: Kind, options: StoreOptions) -> Fixture {
        let (url, directory) = match kind {
            Kind::SqliteMemory | Kind::Neo4j => ("sqlite::memory:".to_owned(), None),
            Kind::SqliteFile => {
                let directory = TempDir::new().unwrap();
                let file = directory.path().join("tabiya.db");
                (format!("sqlite://{}", file.display()), Some(directory))
            }
            Kind::Postgres => (server::new_database().await, None),
        };
        let graph = match kind {
            Kind::Neo4j => Some(graph::alone().await),
            _ => None,
        };
        Fixture {
            kind,
            graph,
            first: Store::connect_with(&url, options).await.unwrap(),
            url,
            _directory: directory,
        }
    }

    /// The store as it was first opened.
    pub(crate) fn store(&self) -> Store {
        self.first.clone()
    }

    /// The store to read from, with all that was written until now.
    pub(crate) async fn reading(&self) -> Store {
        let Some(graph) = &self.graph else {
            return self.first.clone();
        };
        project(&self.first, &graph.url, &ProjectOptions::default(), &|_, _, _| ())
            .await
            .unwrap();
        Store::connect(&graph.url).await.unwrap()
    }

    /// Another handle on the same database, with its own connections where that can be.
    pub(crate) async fn another(&self) -> Store {
        match self.kind {
            Kind::SqliteMemory | Kind::Neo4j => self.first.clone(),
            _ => Store::connect(&self.url).await.unwrap(),
        }
    }

    pub(crate) async fn reopen(&self, options: StoreOptions) -> Result<Store, StoreError> {
        assert_ne!(self.kind, Kind::SqliteMemory, "memory does not outlive its handle");
        Store::connect_with(&self.url, options).await
    }

    /// Runs SQL beside the store.
    pub(crate) async fn execute(&self, sql: &str) {
        match self.kind {
            Kind::SqliteMemory | Kind::Neo4j => panic!("nobody else can see into memory"),
            Kind::SqliteFile => {
                let mut connection = SqliteConnection::connect(&self.url).await.unwrap();
                connection.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
                connection.close().await.unwrap();
            }
            Kind::Postgres => server::execute(&self.url, sql).await,
        }
    }

    /// How many random cases are worth their time.
    pub(crate) fn rounds(&self) -> u64 {
        match self.kind {
            Kind::SqliteMemory => 40,
            Kind::SqliteFile | Kind::Postgres | Kind::Neo4j => 8,
        }
    }
}

/// Everything a store holds, for comparing two of them.
pub(crate) async fn content(store: &Store) -> Content {
    Content {
        positions: store.dump_positions().await.unwrap(),
        edges: store.dump_edges().await.unwrap(),
        repertoire_edges: store.dump_repertoire_edges().await.unwrap(),
        tactics: store.dump_tactics().await.unwrap(),
        rejects: store.rejects(None).await.unwrap(),
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Content {
    pub positions: Vec<pgn_import::Position>,
    pub edges: Vec<pgn_import::Edge>,
    pub repertoire_edges: Vec<pgn_import::RepertoireEdge>,
    pub tactics: Vec<pgn_import::Tactic>,
    pub rejects: Vec<pgn_import::Reject>,
}
