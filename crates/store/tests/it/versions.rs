//! Databases of every version before this one are opened, keep what they hold and take what is new.

use std::borrow::Cow;

use sqlx::migrate::{Migrate, Migrator};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use tabiya_chess::{Eval, PositionId, SearchLimit};
use tabiya_store::{NodeAnnotation, Store};

use crate::contract::evaluations::analysis;
use crate::server;

static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");

/// The first versions of a schema, as a program of that time would have known them.
fn up_to(version: i64, all: &Migrator) -> Migrator {
    let known = all.iter().filter(|m| m.version <= version).cloned().collect();
    Migrator {
        migrations: Cow::Owned(known),
        ..Migrator::DEFAULT
    }
}

/// One node after 1.e4, as version 2 writes it.
fn content(epd: &str, now: &str) -> Vec<String> {
    let id = PositionId::from_text(epd).to_i64();
    vec![
        "INSERT INTO meta VALUES ('identity', 'position')".to_owned(),
        format!("INSERT INTO positions (id, key, ply, halfmove) VALUES ({id}, '{epd}', 1, 0)"),
        "INSERT INTO collections VALUES (1, 'masters', 'pgn', 5, 1, 15, NULL, '')".to_owned(),
        format!("INSERT INTO node_counts VALUES (1, {id}, 3, 1, 1, 0, 0, 0, 0)"),
        format!(
            "INSERT INTO nodes (id, source, named, is_branching, stub_count, created_at, updated_at)
             VALUES ({id}, 'corpus', false, false, 0, {now}, {now})"
        ),
    ]
}

const EPD: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";

async fn make_old<C>(mut connection: C, migrations: &Migrator, now: &str)
where
    C: Connection + Migrate,
    for<'c> &'c mut C: Executor<'c>,
{
    up_to(2, migrations)
        .run_direct(None, &mut connection, false)
        .await
        .unwrap();
    for sql in content(EPD, now) {
        connection.execute(AssertSqlSafe(sql)).await.unwrap();
    }
    connection.close().await.unwrap();
}

async fn opens_and_takes_evaluations(url: &str) {
    let store = Store::connect(url).await.unwrap();
    let node = PositionId::from_text(EPD);
    let old = store.node(node, None).await.unwrap().unwrap();
    assert_eq!((old.game_count(), old.evaluation), (5, None));
    store
        .annotate_nodes(vec![NodeAnnotation {
            node,
            eval: Eval::Cp(33).into(),
            depth: 20,
            best_move: None,
            engine: "Stockfish 17".to_owned(),
        }])
        .await
        .unwrap();
    let position = tabiya_chess::parse_fen(EPD).unwrap().position;
    let answer = analysis("Stockfish 17", SearchLimit::depth(20), 20, &["e7e5"]);
    store.put_analyses(vec![(position, answer)]).await.unwrap();
    store.close().await;

    let store = Store::connect(url).await.unwrap();
    let node = store.node(node, None).await.unwrap().unwrap();
    assert_eq!((node.game_count(), node.stockfish_eval()), (5, Some(33)));
    assert_eq!(store.evaluation_counts().await.unwrap().evaluations, 1);
    store.close().await;
}

#[tokio::test]
async fn sqlite_of_version_2() {
    let directory = tempfile::TempDir::new().unwrap();
    let url = format!("sqlite://{}", directory.path().join("old.db").display());
    let connection = SqliteConnection::connect(&format!("{url}?mode=rwc")).await.unwrap();
    make_old(connection, &SQLITE, "'2026-01-01T00:00:00.000Z'").await;
    opens_and_takes_evaluations(&url).await;
}

#[tokio::test]
async fn postgres_of_version_2() {
    let url = server::new_database().await;
    let connection = PgConnection::connect(&url).await.unwrap();
    make_old(connection, &POSTGRES, "now()").await;
    opens_and_takes_evaluations(&url).await;
}
