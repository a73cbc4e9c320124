//! The Neo4j server the tests run on. Its Community edition has one database, so tests take turns.

use tabiya_store::{ProjectOptions, Store, project};
use tokio::sync::{Mutex, MutexGuard};

use crate::servers;

/// An empty graph that is nobody else's.
pub(crate) struct Graph {
    pub url: String,
    _turn: MutexGuard<'static, ()>,
}

/// Waits for its turn, and empties the graph.
pub(crate) async fn alone() -> Graph {
    static TURN: Mutex<()> = Mutex::const_new(());
    let turn = TURN.lock().await;
    let url = tokio::task::spawn_blocking(|| servers::shared("neo4j"))
        .await
        .unwrap()
        .to_owned();
    // With nothing in it, all that was there goes.
    let nothing = Store::connect("sqlite::memory:").await.unwrap();
    project(&nothing, &url, &ProjectOptions::default(), &|_, _, _| ())
        .await
        .unwrap();
    Graph { url, _turn: turn }
}
