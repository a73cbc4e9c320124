//! How much a queue holds up work that takes no time at all.

use std::time::{Duration, Instant};

use sqlx::PgPool;
use tabiya_queue::{Job, JobFailure, WorkerOptions};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Kind, Numbers, Place, options, until_empty};
use crate::server;

const BATCH: u64 = 32;

/// The queue must not be what an engine waits for. This is asserted where builds are not optimised and machines are shared,
/// so the bound is far below what is printed.
const POSITIONS_A_SECOND: f64 = 2_000.0;

async fn fill(queue: &Numbers, jobs: u64) {
    let jobs = (0..jobs).map(|i| Job {
        key: format!("batch {i}"),
        priority: i64::try_from(i % 7).unwrap(),
        payload: (i * BATCH..(i + 1) * BATCH).collect(),
    });
    queue.push(jobs).await.unwrap();
}

fn crew(name: &str) -> WorkerOptions {
    WorkerOptions {
        concurrency: 4,
        ..until_empty(name)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instant_work_is_claimed_and_written_on_postgres() {
    let place = Place::new(Kind::Postgres).await;
    let queue = place.open(options()).await;
    server::execute(
        &place.text,
        "CREATE TABLE evaluations (position bigint PRIMARY KEY, cp int NOT NULL)",
    )
    .await;
    fill(&queue, 600).await;
    let pool = PgPool::connect(&place.text).await.unwrap();
    let start = Instant::now();
    let handler = |job: tabiya_queue::Claimed<Vec<u64>>| {
        let pool = pool.clone();
        async move {
            let ids: Vec<i64> = job.payload.iter().map(|id| i64::try_from(*id).unwrap()).collect();
            sqlx::query("INSERT INTO evaluations SELECT unnest($1::bigint[]), 13 ON CONFLICT (position) DO NOTHING")
                .bind(ids)
                .execute(&pool)
                .await
                .map_err(|e| JobFailure::Retry(e.to_string()))?;
            Ok(job.payload.len() as u64)
        }
    };
    let (one, two) = tokio::join!(
        queue.work(crew("one"), handler, CancellationToken::new()),
        queue.work(crew("two"), handler, CancellationToken::new()),
    );
    report(
        "PostgreSQL, written",
        one.unwrap().units + two.unwrap().units,
        start.elapsed(),
        600 * BATCH,
    );
    let written: i64 = sqlx::query_scalar("SELECT count(*) FROM evaluations")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(u64::try_from(written).unwrap(), 600 * BATCH);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instant_work_is_claimed_everywhere() {
    for kind in [Kind::Memory, Kind::Sqlite, Kind::Redis] {
        let place = Place::new(kind).await;
        let queue = place.open(options()).await;
        fill(&queue, 600).await;
        let start = Instant::now();
        let handler = |job: tabiya_queue::Claimed<Vec<u64>>| async move { Ok(job.payload.len() as u64) };
        let worked = queue
            .work(crew("one"), handler, CancellationToken::new())
            .await
            .unwrap();
        report(&format!("{kind:?}"), worked.units, start.elapsed(), 600 * BATCH);
    }
}

fn report(what: &str, units: u64, took: Duration, expected: u64) {
    assert_eq!(units, expected, "{what}");
    let rate = units as f64 / took.as_secs_f64();
    eprintln!("{what}: {rate:.0} positions a second in batches of {BATCH}");
    assert!(rate > POSITIONS_A_SECOND, "{what}: {rate:.0} positions a second");
}
