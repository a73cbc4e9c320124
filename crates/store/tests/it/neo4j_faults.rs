//! What can be wrong with a graph's server.

use std::io::{Read, Write};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use pgn_import::Storage;
use tabiya_store::{ProjectOptions, Store, StoreError, project};

use crate::book::{after, masters};
use crate::graph;
use crate::neo4j_copies::told;
use crate::rows::tactic;
use crate::servers::{self, Private};

async fn refused(url: &str) -> StoreError {
    match Store::connect(url).await {
        Ok(store) => panic!("{store:?} was opened"),
        Err(error) => {
            assert!(!error.hint().is_empty());
            let text = format!("{error} {error:?}");
            assert!(!text.contains("secret") && !text.contains("right-password"), "{text}");
            error
        }
    }
}

#[tokio::test]
async fn a_wrong_password_is_not_repeated() {
    let graph = graph::alone().await;
    let (_, place) = graph.url.rsplit_once('@').unwrap();
    let error = refused(&format!("neo4j://neo4j:secret@{place}")).await;
    assert!(matches!(error, StoreError::AccessDenied { .. }), "{error:?}");
    assert!(error.to_string().contains("neo4j://neo4j@127.0.0.1:"), "{error}");
    let error = refused(&format!("neo4j://{place}")).await;
    assert!(matches!(error, StoreError::AccessDenied { .. }), "{error:?}");
    let error = refused(&format!("{}/nowhere", graph.url)).await;
    assert!(matches!(error, StoreError::MissingDatabase { .. }), "{error:?}");
}

#[tokio::test]
async fn no_server_and_other_servers() {
    let port = |listener: &std::net::TcpListener| listener.local_addr().unwrap().port();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let free = port(&listener);
    drop(listener);
    let begun = Instant::now();
    let error = refused(&format!("neo4j://app:secret@127.0.0.1:{free}")).await;
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    assert!(error.is_transient() && begun.elapsed() < Duration::from_secs(5));

    // What answers in other words, or hangs up at once.
    for words in [&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], b"\0\0\0\0", b"+PONG\r\n", b""] {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("neo4j://app:secret@127.0.0.1:{}", port(&listener));
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut greeting = [0; 20];
            stream.read_exact(&mut greeting).unwrap();
            assert_eq!(greeting[..4], [0x60, 0x60, 0xB0, 0x17]);
            stream.write_all(words).unwrap();
        });
        let error = refused(&url).await;
        assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
        server.join().unwrap();
    }
}

#[tokio::test]
async fn bad_urls() {
    for url in ["neo4j://", "neo4j+s://app:secret@host", "neo4j://app:secret@host:port"] {
        let error = refused(url).await;
        assert!(matches!(error, StoreError::BadUrl { .. }), "{error:?}");
    }
}

/// Whatever writes is told where to write instead, and nothing is written.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_takes_nothing() {
    let graph = graph::alone().await;
    let source = Store::connect("sqlite::memory:").await.unwrap();
    source.load_counts(masters()).await.unwrap();
    project(&source, &graph.url, &ProjectOptions::default(), &|_, _, _| ())
        .await
        .unwrap();
    let mut copy = Store::connect(&graph.url).await.unwrap();
    let is_refused = |error: StoreError| {
        assert!(matches!(error, StoreError::Projection { .. }), "{error:?}");
        assert!(error.is_usage() && error.hint().contains("tabiya project"));
    };
    is_refused(copy.load_counts(masters()).await.unwrap_err());
    is_refused(copy.annotate_nodes(Vec::new()).await.unwrap_err());
    is_refused(copy.dump_positions().await.unwrap_err());
    is_refused(copy.repertoires().await.unwrap_err());
    is_refused(copy.phase("eco").await.unwrap_err());
    let error = copy.upsert_tactics(vec![tactic("1", &["a1a2"], &[], None)]).await;
    is_refused(error.unwrap_err().downcast().unwrap());
    // Nor can it be copied on.
    let on = project(&copy, &graph.url, &ProjectOptions::default(), &|_, _, _| ()).await;
    is_refused(on.unwrap_err());
    assert_eq!(copy.node(after("e4"), None).await.unwrap().unwrap().game_count(), 3);
}

/// The server is killed while a copy is made: the copy is whole in the end. Then it is killed while others read: they hear
/// of it, and get answers again when it is back. A copy that was never finished is no knowledge base.
/// The server is that of compose.yaml, which asks nobody for a password.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_goes_and_comes_back() {
    let server = tokio::task::spawn_blocking(|| Private::start("neo4j", &["open"]))
        .await
        .unwrap();
    let url = server.url.clone();
    assert!(!url.contains('@'), "{url}");
    let error = refused(&url).await;
    assert!(matches!(error, StoreError::NotProjected { .. }), "{error:?}");
    assert!(error.hint().contains("tabiya project"));

    let source = Store::connect("sqlite::memory:").await.unwrap();
    crate::contract::knowledge::everything(&source).await;
    let killed = AtomicBool::new(false);
    let watch = |_, _, _| {
        if !killed.swap(true, Relaxed) {
            script("restart", &url);
        }
    };
    let report = project(&source, &url, &ProjectOptions::default(), &watch)
        .await
        .unwrap();
    assert!(killed.load(Relaxed) && !report.stopped);

    let reading = Store::connect(&url).await.unwrap();
    // What was being written when the server went was written once.
    assert_eq!(told(&reading).await, told(&source).await);
    let node = reading.node(after("e4"), None).await.unwrap();
    assert_eq!(node, source.node(after("e4"), None).await.unwrap());
    away_while_a_run_looks(&source, &url).await;
    assert_eq!(told(&reading).await, told(&source).await);
    script("kill", &url);
    let error = reading.node(after("e4"), None).await.unwrap_err();
    assert!(error.is_transient(), "{error:?}");
    let impatient = ProjectOptions {
        patience: Duration::from_millis(100),
        ..ProjectOptions::default()
    };
    let error = project(&source, &url, &impatient, &|_, _, _| ()).await.unwrap_err();
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    script("restart", &url);
    assert_eq!(reading.node(after("e4"), None).await.unwrap(), node);
    drop(server);
}

/// A run that finds nothing to write only asks, and waits for answers as it waits to write.
async fn away_while_a_run_looks(source: &Store, url: &str) {
    let back = Mutex::new(None);
    let watch = |_, _, _| {
        back.lock().unwrap().get_or_insert_with(|| {
            script("kill", url);
            let url = url.to_owned();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(1));
                script("restart", &url);
            })
        });
    };
    let patient = ProjectOptions {
        patience: Duration::from_secs(300),
        ..ProjectOptions::default()
    };
    let report = project(source, url, &patient, &watch).await;
    let back = back.into_inner().unwrap().expect("it was told how far it is");
    back.join().unwrap();
    let report = report.unwrap();
    assert!(!report.changed() && !report.stopped, "{report:?}");
}

fn script(verb: &str, url: &str) {
    let ran = Command::new(servers::script("neo4j"))
        .arg(verb)
        .arg(url)
        .status()
        .unwrap();
    assert!(ran.success(), "test-neo4j {verb}");
}
