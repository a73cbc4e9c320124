//! What is particular to the queues in SQL databases: jobs come with the data they are about, and lost answers.

use sqlx::{Connection as _, PgConnection, SqliteConnection};
use tabiya_queue::{Connection, Pushed, QueueError, WorkerOptions};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Kind, Place, Seen, drain, eventually, job, options};
use crate::server;

#[tokio::test]
async fn jobs_come_with_their_data_on_postgres() {
    let place = Place::new(Kind::Postgres).await;
    let queue = place.open(options()).await;
    server::execute(&place.text, "CREATE TABLE positions (id bigint PRIMARY KEY)").await;
    let mut connection = PgConnection::connect(&place.text).await.unwrap();
    for keep in [false, true] {
        let mut transaction = connection.begin().await.unwrap();
        sqlx::query("INSERT INTO positions VALUES (1)")
            .execute(&mut *transaction)
            .await
            .unwrap();
        let pushed = queue
            .push_with(Connection::Postgres(&mut transaction), [job("a", 1), job("b", 2)])
            .await
            .unwrap();
        assert_eq!(
            pushed,
            Pushed {
                added: 2,
                already_there: 0
            }
        );
        assert_eq!(queue.status().await.unwrap().waiting, 0, "not before the commit");
        if keep {
            transaction.commit().await.unwrap();
        } else {
            transaction.rollback().await.unwrap();
        }
    }
    assert_eq!(drain(&queue).await, ["b", "a"]);

    let mut other = SqliteConnection::connect("sqlite::memory:").await.unwrap();
    let refused = queue.push_with(Connection::Sqlite(&mut other), [job("c", 1)]).await;
    assert!(
        matches!(refused, Err(QueueError::WrongConnection { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn jobs_come_with_their_data_on_sqlite() {
    let place = Place::new(Kind::Sqlite).await;
    let queue = place.open(options()).await;
    let mut connection = SqliteConnection::connect(&format!("sqlite://{}", place.text))
        .await
        .unwrap();
    sqlx::query("CREATE TABLE positions (id INTEGER PRIMARY KEY)")
        .execute(&mut connection)
        .await
        .unwrap();
    for keep in [false, true] {
        let mut transaction = connection.begin().await.unwrap();
        sqlx::query("INSERT INTO positions VALUES (1)")
            .execute(&mut *transaction)
            .await
            .unwrap();
        queue
            .push_with(Connection::Sqlite(&mut transaction), [job("a", 1), job("b", 2)])
            .await
            .unwrap();
        assert_eq!(queue.status().await.unwrap().waiting, 0, "not before the commit");
        if keep {
            transaction.commit().await.unwrap();
        } else {
            transaction.rollback().await.unwrap();
        }
    }
    assert_eq!(drain(&queue).await, ["b", "a"]);
}

/// Somebody else's migrations may be in the same database, under sqlx's usual name.
#[tokio::test]
async fn the_tables_live_beside_others() {
    let place = Place::new(Kind::Sqlite).await;
    let mut connection = SqliteConnection::connect(&format!("sqlite://{}?mode=rwc", place.text))
        .await
        .unwrap();
    sqlx::query("CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY)")
        .execute(&mut connection)
        .await
        .unwrap();
    let queue = place.open(options()).await;
    let again = place.open(options()).await;
    queue.push([job("a", 1)]).await.unwrap();
    assert_eq!(drain(&again).await, ["a"]);
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM _sqlx_migrations")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(left, 0);
}

/// The answer to a claim is lost with its connection: the job bears the worker's name, and the worker knows nothing of it.
#[tokio::test]
async fn a_claim_without_an_answer_is_no_loss() {
    let place = Place::new(Kind::Postgres).await;
    let queue = place.open(options()).await;
    queue.push([job("known", 2)]).await.unwrap();
    let stop = CancellationToken::new();
    let resume = CancellationToken::new();
    let seen = Seen::default();
    let handler = |job: tabiya_queue::Claimed<Vec<u64>>| {
        let (seen, resume) = (seen.clone(), resume.clone());
        async move {
            seen.add(format!("{} after {}", job.key, job.attempts));
            resume.cancelled().await;
            Ok(1)
        }
    };
    let drama = async {
        eventually("the first job begins", || async { seen.all().len() == 1 }).await;
        queue.push([job("stray", 1)]).await.unwrap();
        server::execute(
            &place.text,
            "UPDATE apalis.jobs SET status = 'Queued', lock_at = now(), lock_by = (SELECT id FROM apalis.workers)
             WHERE idempotency_key = 'stray'",
        )
        .await;
        assert_eq!(queue.status().await.unwrap().running, 2);
        eventually("it goes back", || async { queue.status().await.unwrap().running == 1 }).await;
        resume.cancel();
        eventually("both are done", || async { queue.status().await.unwrap().done == 2 }).await;
        stop.cancel();
    };
    let (worked, ()) = tokio::join!(queue.work(WorkerOptions::named("busy"), handler, stop.clone()), drama);
    assert_eq!(worked.unwrap().done, 2);
    assert_eq!(seen.all(), ["known after 0", "stray after 0"]);
}

/// A worker whose entry others have forgotten, because it slept for very long, enters itself again.
#[tokio::test]
async fn a_forgotten_worker_comes_back() {
    let place = Place::new(Kind::Postgres).await;
    let queue = place.open(options()).await;
    let stop = CancellationToken::new();
    let drama = async {
        eventually("the worker is there", || async {
            queue.workers().await.unwrap().len() == 1
        })
        .await;
        server::execute(&place.text, "DELETE FROM apalis.workers").await;
        queue.push([job("a", 1)]).await.unwrap();
        eventually("the job is done", || async { queue.status().await.unwrap().done == 1 }).await;
        stop.cancel();
    };
    let handler = |_| async { Ok(1) };
    let (worked, ()) = tokio::join!(
        queue.work(WorkerOptions::named("sleeper"), handler, stop.clone()),
        drama
    );
    assert_eq!(worked.unwrap().done, 1);
}
