//! Workers that vanish, in one process. What real processes do when they are killed is in `drill`.

use std::time::{Duration, Instant};

use tabiya_queue::{QueueOptions, WorkerOptions};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Numbers, Seen, eventually, job, on_each_shared_with, on_each_with, options, work};

/// Whoever is silent for so long is lost.
fn hasty() -> QueueOptions {
    QueueOptions {
        lost_after: Duration::from_secs(1),
        ..options()
    }
}

/// A worker that gets a job and is never heard of again.
async fn vanish_with_a_job(queue: &Numbers) {
    let working = queue.clone();
    let known: Vec<String> = queue.workers().await.unwrap().into_iter().map(|w| w.id).collect();
    let worker = tokio::spawn(async move {
        let stop = CancellationToken::new();
        let handler = |_| std::future::pending();
        working.work(WorkerOptions::named("gone"), handler, stop).await
    });
    eventually("it has a job", || async {
        let workers = queue.workers().await.unwrap();
        workers.iter().any(|w| !known.contains(&w.id) && w.jobs.len() == 1)
    })
    .await;
    worker.abort();
    assert!(worker.await.unwrap_err().is_cancelled());
}

#[tokio::test]
async fn a_lost_workers_job_goes_to_another() {
    on_each_with(hasty(), |place, queue| async move {
        queue.push([job("orphan", 1)]).await.unwrap();
        vanish_with_a_job(&queue).await;
        let start = Instant::now();
        let seen = Seen::default();
        let worked = work(
            &queue,
            |job, seen| async move {
                seen.add(format!("{} after {}", job.key, job.attempts));
                Ok(1)
            },
            &seen,
        )
        .await;
        assert_eq!(seen.all(), ["orphan after 1"]);
        assert_eq!(worked.done, 1);
        // Not before its time, as far as a clock of whole seconds allows to say.
        let least = match place.kind {
            crate::fixture::Kind::Sqlite | crate::fixture::Kind::Memory => Duration::ZERO,
            _ => Duration::from_millis(800),
        };
        assert!(start.elapsed() >= least, "{:?}: {:?}", place.kind, start.elapsed());
        let workers = queue.workers().await.unwrap();
        assert_eq!(workers.len(), 1, "{workers:?}");
        assert!(workers[0].is_lost && workers[0].jobs.is_empty(), "{workers:?}");
    })
    .await;
}

#[tokio::test]
async fn a_job_that_kills_its_workers_is_given_up() {
    on_each_with(hasty(), |place, queue| async move {
        queue.push([job("poison", 1)]).await.unwrap();
        for _ in 0..3 {
            vanish_with_a_job(&queue).await;
        }
        let seen = Seen::default();
        let worked = work(
            &queue,
            |_, seen| async move {
                seen.add("survived");
                Ok(1)
            },
            &seen,
        )
        .await;
        assert_eq!((worked.done, seen.all().len()), (0, 0), "{:?}", place.kind);
        let status = queue.status().await.unwrap();
        assert_eq!((status.waiting, status.running, status.failed), (0, 0, 1));
        assert_eq!(status.failures[0].reason, "its worker was lost");
        assert_eq!(status.failures[0].attempts, 3);
    })
    .await;
}

#[tokio::test]
async fn one_that_ends_too_late_changes_nothing() {
    on_each_shared_with(hasty(), |place, queue| async move {
        queue.push([job("slow", 1)]).await.unwrap();
        // A worker that is alive, but whose heartbeats are so rare that others take it for lost.
        let rare = QueueOptions {
            heartbeat: Duration::from_secs(60),
            lost_after: Duration::from_secs(120),
            ..options()
        };
        let quiet = place.open(rare).await;
        let resume = CancellationToken::new();
        let waiting = resume.clone();
        let late = tokio::spawn(async move {
            let handler = |_| {
                let resume = waiting.clone();
                async move {
                    resume.cancelled().await;
                    Ok(1)
                }
            };
            let stop = waiting.clone();
            quiet.work(WorkerOptions::named("quiet"), handler, stop).await.unwrap()
        });
        eventually("it has the job", || async {
            queue.status().await.unwrap().running == 1
        })
        .await;
        let seen = Seen::default();
        let worked = work(
            &queue,
            |job, seen| async move {
                seen.add(job.key);
                Ok(1)
            },
            &seen,
        )
        .await;
        assert_eq!(worked.done, 1);
        resume.cancel();
        let late = late.await.unwrap();
        assert_eq!((late.done, late.late), (0, 1));
        let status = queue.status().await.unwrap();
        assert_eq!((status.waiting, status.running, status.done), (0, 0, 1));
    })
    .await;
}
