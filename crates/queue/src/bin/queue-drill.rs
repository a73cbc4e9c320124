//! A worker to be killed. Tests start several of these as real processes, and look afterwards whether anything is missing.
//!
//! `queue-drill QUEUE NAME MILLIS`: works at the queue `drill` until it is empty or a SIGTERM comes, as the worker NAME. A job
//! is a list of numbers and takes MILLIS; its numbers are written down at the same server, half of them before that time and
//! half of them after, so that whoever is killed in the middle leaves a job half done.

use std::time::Duration;

use redis::AsyncCommands as _;
use sqlx::Connection as _;
use tabiya_queue::{JobFailure, Queue, QueueOptions, QueueUrl, WorkerOptions};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, name, millis] = arguments.as_slice() else {
        return Err("usage: queue-drill QUEUE NAME MILLIS".into());
    };
    let place: QueueUrl = url.parse()?;
    let takes = Duration::from_millis(millis.parse()?);
    let options = QueueOptions {
        heartbeat: Duration::from_millis(200),
        lost_after: Duration::from_millis(1_500),
        retry_delay: Duration::from_millis(100),
        ..QueueOptions::default()
    };
    let queue: Queue<Vec<u64>> = Queue::open(&place, "drill", options).await?;

    let stop = CancellationToken::new();
    let mut terminate = signal(SignalKind::terminate())?;
    let on_signal = stop.clone();
    tokio::spawn(async move {
        terminate.recv().await;
        on_signal.cancel();
    });

    let worker = WorkerOptions {
        concurrency: 2,
        until_empty: true,
        ..WorkerOptions::named(name)
    };
    let handler = |job: tabiya_queue::Claimed<Vec<u64>>| {
        let (url, name) = (url.clone(), name.clone());
        async move {
            let numbers = job.payload;
            let (first, second) = numbers.split_at(numbers.len() / 2);
            let away = |e: Box<dyn std::error::Error + Send + Sync>| JobFailure::Postpone(e.to_string());
            write(&url, &name, first).await.map_err(away)?;
            tokio::time::sleep(takes).await;
            write(&url, &name, second).await.map_err(away)?;
            Ok(numbers.len() as u64)
        }
    };
    queue.work(worker, handler, stop).await?;
    Ok(())
}

/// The first one to write a number down stays; how often it was tried is counted beside it.
async fn write(url: &str, name: &str, numbers: &[u64]) -> Outcome<()> {
    if url.starts_with("redis") {
        let mut connection = redis::Client::open(url)?.get_multiplexed_async_connection().await?;
        for number in numbers {
            let _: bool = connection.hset_nx("drill-results", number, name).await?;
            let _: i64 = connection.hincr("drill-tries", number, 1).await?;
        }
        return Ok(());
    }
    let mut connection = sqlx::PgConnection::connect(url).await?;
    for number in numbers {
        sqlx::query(
            "INSERT INTO drill_results (number, worker, tries) VALUES ($1, $2, 1)
             ON CONFLICT (number) DO UPDATE SET tries = drill_results.tries + 1",
        )
        .bind(i64::try_from(*number)?)
        .bind(name)
        .execute(&mut connection)
        .await?;
    }
    connection.close().await?;
    Ok(())
}
