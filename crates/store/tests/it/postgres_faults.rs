//! What can be wrong with a server.

use std::time::Duration;

use pgn_import::{Journal, Storage};
use sqlx::{Connection, Executor, PgConnection};
use tabiya_store::{Counts, Store, StoreError};

use crate::rows::{Line, at, job, position};
use crate::server;

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
async fn a_wrong_password_is_not_repeated() {
    let with = |password: &str| server::url().replace("postgres@", &format!("tabiya_password:{password}@"));
    let error = refused(&with("sesame")).await;
    assert!(matches!(error, StoreError::AccessDenied { .. }), "{error:?}");
    let text = format!("{error} {error:?}");
    assert!(text.contains("tabiya_password@127.0.0.1"), "{text}");
    assert!(!text.contains("sesame"), "{text}");
    // The right one gets in, though it may not create tables there.
    let error = refused(&with("right")).await;
    assert!(matches!(error, StoreError::AccessDenied { .. }), "{error:?}");
    assert!(!format!("{error:?}").contains("password authentication"), "{error:?}");
}

#[tokio::test]
async fn a_missing_database() {
    let error = refused(&server::database("nowhere")).await;
    assert!(matches!(error, StoreError::MissingDatabase { .. }), "{error:?}");
}

#[tokio::test]
async fn no_server() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let start = std::time::Instant::now();
    let error = refused(&format!("postgres://app:secret@127.0.0.1:{port}/chess")).await;
    assert!(matches!(error, StoreError::Unreachable { .. }), "{error:?}");
    assert!(error.is_transient());
    assert!(start.elapsed() < Duration::from_secs(5));
    let text = format!("{error} {error:?}");
    assert!(text.contains(&format!("postgres://app@127.0.0.1:{port}/chess")));
    assert!(!text.contains("secret"));
}

#[tokio::test]
async fn bad_urls() {
    for url in ["postgres://app:secret@host:port/x", "postgres://app:secret@[::/x"] {
        let error = refused(url).await;
        assert!(matches!(error, StoreError::BadUrl { .. }), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}

#[tokio::test]
async fn a_schema_from_the_future() {
    let url = server::new_database().await;
    Store::connect(&url).await.unwrap().close().await;
    server::execute(
        &url,
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (9999, 'future', true, '\\x00', 0)",
    )
    .await;
    let error = refused(&url).await;
    assert!(
        matches!(error, StoreError::NewerSchema { found: 9999, .. }),
        "{error:?}"
    );
}

#[tokio::test]
async fn a_read_only_server_can_be_read() {
    let url = server::new_database().await;
    let mut store = Store::connect(&url).await.unwrap();
    store.upsert_positions(vec![position(0, 0, 0)]).await.unwrap();
    store.settle().await.unwrap();
    let name = url.rsplit_once('/').unwrap().1;
    server::execute(
        &url,
        &format!("ALTER DATABASE {name} SET default_transaction_read_only = on"),
    )
    .await;
    let mut store = Store::connect(&url).await.unwrap();
    assert_eq!(store.dump_positions().await.unwrap().len(), 1);
    let error = store.upsert_positions(vec![position(1, 0, 0)]).await.unwrap_err();
    let error: &StoreError = error.downcast_ref().unwrap();
    assert!(matches!(error, StoreError::ReadOnly { .. }), "{error:?}");
}

/// The server ends the session after the positions were written and before the edges are: nothing stays, and the next
/// try goes through.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_connection_lost_in_the_middle_of_a_commit() {
    let url = server::new_database().await;
    let mut store = Store::connect(&url).await.unwrap();
    let mut other = PgConnection::connect(&url).await.unwrap();
    let mut blocking = other.begin().await.unwrap();
    blocking
        .execute("LOCK TABLE edges IN ACCESS EXCLUSIVE MODE")
        .await
        .unwrap();

    let mut writer = store.clone();
    let batch = Line::from_start(&[0, 1, 2]).batch(None);
    let again = batch.clone();
    let commit = tokio::spawn(async move { writer.commit(&job("a"), batch, &at(1)).await });
    let mut killer = PgConnection::connect(&url).await.unwrap();
    let begun = std::time::Instant::now();
    loop {
        let killed: i64 = sqlx::query_scalar(
            "SELECT count(*) FILTER (WHERE pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        .fetch_one(&mut killer)
        .await
        .unwrap();
        if killed > 0 {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "it waits for no lock");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let error = commit.await.unwrap().unwrap_err();
    let error: &StoreError = error.downcast_ref().unwrap();
    assert!(matches!(error, StoreError::ConnectionLost { .. }), "{error:?}");
    blocking.rollback().await.unwrap();

    assert_eq!(store.counts().await.unwrap(), Counts::default());
    assert_eq!(store.checkpoint(&job("a")).await.unwrap(), None);
    store.commit(&job("a"), again, &at(1)).await.unwrap();
    assert_eq!(store.counts().await.unwrap().edges, 2);
}
