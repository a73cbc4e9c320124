//! What can be wrong with a file.

use std::time::Duration;

use pgn_import::{Journal, Storage};
use sqlx::{AssertSqlSafe, Connection, Executor, SqliteConnection};
use tabiya_store::{Store, StoreError, StoreOptions};
use tempfile::TempDir;

use crate::book::{LINES, graph, masters, openings};
use crate::rows::{Line, at, job, position};

async fn refused(url: &str) -> StoreError {
    match Store::connect(url).await {
        Ok(store) => panic!("{store:?} was opened"),
        Err(error) => {
            assert!(!error.hint().is_empty());
            error
        }
    }
}

#[tokio::test]
async fn bad_urls() {
    for url in ["", "games.pgn", "mysql://x/y", "sqlite:", "sqlite://x.db?mode=odd"] {
        let error = refused(url).await;
        assert!(matches!(error, StoreError::BadUrl { .. }), "{url}: {error:?}");
        assert!(error.is_usage());
    }
}

#[tokio::test]
async fn a_directory_and_a_missing_directory() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().display();
    let error = refused(&format!("sqlite://{path}")).await;
    assert!(error.to_string().contains("is a directory"), "{error}");
    let error = refused(&format!("{path}/none/x.db")).await;
    assert!(error.to_string().contains("no directory"), "{error}");
    let error = refused(&format!("sqlite://{path}/none.db?mode=rw")).await;
    assert!(matches!(error, StoreError::CannotOpen { .. }), "{error:?}");
}

#[tokio::test]
async fn a_file_that_is_no_database() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("x.db");
    let text = "[Event \"?\"]\n\n1. e4 e5 *\n".repeat(500);
    std::fs::write(&file, &text).unwrap();
    let error = refused(file.to_str().unwrap()).await;
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error:?}");
    assert!(error.to_string().contains("x.db"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text, "left as it was");
}

/// SQLite does not look whether a file changes of which it was told that it does not.
#[tokio::test]
async fn a_file_that_was_not_to_change_is_not_read_when_it_did() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("x.db");
    let url = format!("sqlite://{}", file.display());
    let owner = Store::connect(&url).await.unwrap();
    owner.load_counts(masters()).await.unwrap();
    owner.close().await;

    let unchanging = format!("{url}?immutable=1");
    let reader = Store::connect(&unchanging).await.unwrap();
    let before = reader.knowledge_graph(None).await.unwrap();
    assert_eq!(reader.dump_positions().await.unwrap().len(), before.nodes.len());

    let owner = Store::connect(&url).await.unwrap();
    owner.load_openings(&openings(), graph(&LINES)).await.unwrap();
    owner.close().await;
    let error = reader.knowledge_graph(None).await.unwrap_err();
    assert!(matches!(error, StoreError::Changed { .. }), "{error:?}");
    let error = reader.dump_positions().await.unwrap_err();
    assert!(matches!(error, StoreError::Changed { .. }), "{error:?}");

    // As it is put in the place of another: the same length, the same time.
    let reader = Store::connect(&unchanging).await.unwrap();
    assert_eq!(reader.openings().await.unwrap().len(), openings().len());
    let times = std::fs::metadata(&file).unwrap().modified().unwrap();
    let copy = directory.path().join("y.db");
    std::fs::copy(&file, &copy).unwrap();
    std::fs::File::options()
        .write(true)
        .open(&copy)
        .unwrap()
        .set_modified(times)
        .unwrap();
    std::fs::rename(&copy, &file).unwrap();
    let error = reader.openings().await.unwrap_err();
    assert!(matches!(error, StoreError::Changed { .. }), "{error:?}");
}

#[tokio::test]
async fn a_read_only_database_can_be_read() {
    let directory = TempDir::new().unwrap();
    let file = directory.path().join("x.db");
    let url = format!("sqlite://{}", file.display());
    let mut store = Store::connect(&url).await.unwrap();
    let batch = Line::from_start(&[0, 1]).batch(None);
    store.commit(&job("a"), batch, &at(1)).await.unwrap();
    store.settle().await.unwrap();
    let positions = store.dump_positions().await.unwrap();
    store.close().await;

    let mut store = Store::connect(&format!("{url}?mode=ro")).await.unwrap();
    assert_eq!(store.dump_positions().await.unwrap(), positions);
    let error = store.upsert_positions(vec![position(9, 9, 9)]).await.unwrap_err();
    let error: &StoreError = error.downcast_ref().unwrap();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
}

#[tokio::test]
async fn a_schema_from_the_future() {
    let directory = TempDir::new().unwrap();
    let url = format!("sqlite://{}", directory.path().join("x.db").display());
    Store::connect(&url).await.unwrap().close().await;
    execute(
        &url,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'future', true, x'00', 0)",
    )
    .await;
    let error = refused(&url).await;
    assert!(
        matches!(error, StoreError::NewerSchema { found: 9999, .. }),
        "{error:?}"
    );
}

/// As if the file had been written before there was a knowledge base.
#[tokio::test]
async fn a_file_of_the_first_schema_is_brought_up_to_date() {
    let directory = TempDir::new().unwrap();
    let url = format!("sqlite://{}", directory.path().join("x.db").display());
    let mut store = Store::connect(&url).await.unwrap();
    let batch = Line::from_start(&[0, 1]).batch(None);
    store.commit(&job("a"), batch, &at(1)).await.unwrap();
    let positions = store.dump_positions().await.unwrap();
    store.close().await;
    let later = include_str!("../../migrations/sqlite/0002_knowledge.sql");
    let tables = later
        .lines()
        .filter_map(|line| line.strip_prefix("CREATE TABLE ")?.split(' ').next());
    for table in tables {
        execute(&url, &format!("DROP TABLE {table}")).await;
    }
    // What the fourth added went with the tables.
    execute(&url, "DELETE FROM _sqlx_migrations WHERE version IN (2, 4)").await;

    let store = Store::connect(&url).await.unwrap();
    assert_eq!(store.dump_positions().await.unwrap(), positions);
    store.load_counts(masters()).await.unwrap();
    assert_eq!(store.collections().await.unwrap().len(), 1);
}

/// As if its knowledge base had been built before nodes had plies of their own.
#[tokio::test]
async fn nodes_of_before_get_the_plies_of_their_positions() {
    let directory = TempDir::new().unwrap();
    let url = format!("sqlite://{}", directory.path().join("x.db").display());
    let store = Store::connect(&url).await.unwrap();
    store.load_counts(masters()).await.unwrap();
    let dump = store.dump_knowledge().await.unwrap();
    store.close().await;
    execute(
        &url,
        "ALTER TABLE nodes DROP COLUMN ply; ALTER TABLE nodes DROP COLUMN halfmove;
         DELETE FROM _sqlx_migrations WHERE version = 4",
    )
    .await;
    let store = Store::connect(&url).await.unwrap();
    assert_eq!(store.dump_knowledge().await.unwrap(), dump);
}

#[tokio::test]
async fn a_schema_that_was_tampered_with() {
    let directory = TempDir::new().unwrap();
    let url = format!("sqlite://{}", directory.path().join("x.db").display());
    Store::connect(&url).await.unwrap().close().await;
    execute(&url, "UPDATE _sqlx_migrations SET checksum = x'00'").await;
    let error = refused(&url).await;
    assert!(matches!(error, StoreError::Migration { .. }), "{error:?}");
}

async fn execute(url: &str, sql: &str) {
    let mut connection = SqliteConnection::connect(url).await.unwrap();
    connection.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
    connection.close().await.unwrap();
}

/// Another process's write is waited for, but not for ever.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_file() {
    let directory = TempDir::new().unwrap();
    let url = format!("sqlite://{}", directory.path().join("x.db").display());
    let mut patient = Store::connect(&url).await.unwrap();
    let mut hasty = Store::connect_with(
        &url,
        StoreOptions {
            busy_timeout: Duration::from_millis(50),
            ..StoreOptions::default()
        },
    )
    .await
    .unwrap();
    let mut other = SqliteConnection::connect(&url).await.unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();

    let error = hasty.upsert_positions(vec![position(0, 0, 0)]).await.unwrap_err();
    let error: &StoreError = error.downcast_ref().unwrap();
    assert!(matches!(error, StoreError::Busy { .. }), "{error:?}");
    assert!(error.is_transient());
    // Reading does not wait.
    assert_eq!(hasty.dump_positions().await.unwrap(), []);

    let waiting = tokio::spawn(async move { patient.upsert_positions(vec![position(0, 0, 0)]).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!waiting.is_finished());
    other.execute("COMMIT").await.unwrap();
    waiting.await.unwrap().unwrap();
    assert_eq!(hasty.dump_positions().await.unwrap().len(), 1);
}
