//! The Neo4j server the tests run on: the one in `TABIYA_TEST_NEO4J`, else a private one. Its Community edition has one
//! database, so tests take turns.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use tabiya_store::{ProjectOptions, Store, project};
use tokio::sync::{Mutex, MutexGuard};

/// An empty graph that is nobody else's.
pub(crate) struct Graph {
    pub url: String,
    _turn: MutexGuard<'static, ()>,
}

/// Waits for its turn, and empties the graph.
pub(crate) async fn alone() -> Graph {
    static TURN: Mutex<()> = Mutex::const_new(());
    let turn = TURN.lock().await;
    let url = tokio::task::spawn_blocking(url).await.unwrap().to_owned();
    // With nothing in it, all that was there goes.
    let nothing = Store::connect("sqlite::memory:").await.unwrap();
    project(&nothing, &url, &ProjectOptions::default(), &|_, _, _| ())
        .await
        .unwrap();
    Graph { url, _turn: turn }
}

/// The script waits for the end of its standard input, which is the end of this process.
fn url() -> &'static str {
    static SERVER: OnceLock<(String, Option<Child>)> = OnceLock::new();
    &SERVER.get_or_init(start).0
}

fn start() -> (String, Option<Child>) {
    if let Ok(url) = std::env::var("TABIYA_TEST_NEO4J") {
        return (url, None);
    }
    private()
}

/// A server of its own, for tests that kill it.
pub(crate) fn private() -> (String, Option<Child>) {
    let script = script();
    let mut child = Command::new(script)
        .arg("run")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|e| panic!("{script}: {e}"));
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let url = line
        .trim()
        .strip_prefix("TABIYA_TEST_NEO4J=")
        .unwrap_or_else(|| panic!("scripts/test-neo4j started no server; it says why above"));
    (url.to_owned(), Some(child))
}

pub(crate) fn script() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/test-neo4j")
}
