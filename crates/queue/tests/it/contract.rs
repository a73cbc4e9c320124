//! What holds for every queue: order, keys, several workers, stops, and what can be seen from outside.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::Connection as _;
use tabiya_queue::{JobFailure, Pushed, Queue, QueueError, QueueStatus, WorkerOptions};
use tokio_util::sync::CancellationToken;

use crate::fixture::{Kind, Place, Seen, drain, eventually, job, on_each, options, until_empty};

#[tokio::test]
async fn high_priorities_first_then_first_come() {
    on_each(|_, queue| async move {
        queue.push([job("b1", 5), job("a", 1), job("b2", 5)]).await.unwrap();
        queue
            .push([job("c", 2_000_000_000), job("b3", 5), job("d", -3)])
            .await
            .unwrap();
        queue.push([job("c2", i64::MAX), job("d2", i64::MIN)]).await.unwrap();
        assert_eq!(drain(&queue).await, ["c2", "c", "b1", "b2", "b3", "a", "d", "d2"]);
    })
    .await;
}

#[tokio::test]
async fn many_jobs_of_one_push_keep_their_order() {
    on_each(|_, queue| async move {
        // In an order that neither keys nor hashes give.
        let keys: Vec<String> = (0..120).map(|i| format!("{}", (i * 77) % 127)).collect();
        queue.push(keys.iter().map(|key| job(key, 1))).await.unwrap();
        assert_eq!(drain(&queue).await, keys);
    })
    .await;
}

#[tokio::test]
async fn a_key_is_there_once() {
    on_each(|_, queue| async move {
        let pushed = queue.push([job("a", 1), job("a", 2), job("b", 1)]).await.unwrap();
        assert_eq!(
            pushed,
            Pushed {
                added: 2,
                already_there: 1
            }
        );
        let pushed = queue.push([job("b", 7), job("c", 1)]).await.unwrap();
        assert_eq!(
            pushed,
            Pushed {
                added: 1,
                already_there: 1
            }
        );
        assert_eq!(drain(&queue).await, ["a", "b", "c"]);

        let pushed = queue.push([job("b", 1), job("a", 1)]).await.unwrap();
        assert_eq!(
            pushed,
            Pushed {
                added: 2,
                already_there: 0
            },
            "what is done may be done again"
        );
        assert_eq!(drain(&queue).await, ["b", "a"]);
    })
    .await;
}

#[tokio::test]
async fn a_key_that_runs_is_there() {
    on_each(|_, queue| async move {
        queue.push([job("a", 1)]).await.unwrap();
        let inner = queue.clone();
        let worked = queue
            .work(
                until_empty("one"),
                move |_| {
                    let queue = inner.clone();
                    async move {
                        let pushed = queue.push([job("a", 1)]).await.unwrap();
                        assert_eq!(
                            pushed,
                            Pushed {
                                added: 0,
                                already_there: 1
                            }
                        );
                        Ok(1)
                    }
                },
                CancellationToken::new(),
            )
            .await
            .unwrap();
        assert_eq!((worked.done, worked.failed), (1, 0));
    })
    .await;
}

#[tokio::test]
async fn names_keep_queues_apart() {
    on_each(|place, queue| async move {
        let other: Queue<Vec<u64>> = Queue::open(&place.url, &crate::server::unique("other"), options())
            .await
            .unwrap();
        queue.push([job("a", 1)]).await.unwrap();
        assert_eq!(other.status().await.unwrap(), QueueStatus::default());
        assert_eq!(drain(&other).await, [""; 0]);
        assert_eq!(drain(&queue).await, ["a"]);
    })
    .await;
}

#[tokio::test]
async fn many_workers_share_the_jobs() {
    on_each(|place, queue| async move {
        let keys: Vec<String> = (0..200).map(|i| format!("job {i}")).collect();
        queue.push(keys.iter().map(|key| job(key, 1))).await.unwrap();
        let seen = Seen::default();
        let mut queues = Vec::new();
        for _ in 0..4 {
            // Connections of its own, as another machine would have; only memory cannot be shared like that.
            queues.push(match place.kind {
                Kind::Memory => queue.clone(),
                _ => place.open(options()).await,
            });
        }
        // All begin together, or the first of them might leave nothing for the last.
        let mut workers = Vec::new();
        for (i, queue) in queues.into_iter().enumerate() {
            let seen = seen.clone();
            workers.push(tokio::spawn(async move {
                let worker = WorkerOptions {
                    concurrency: 3,
                    ..until_empty(&format!("worker {i}"))
                };
                let handler = |job: tabiya_queue::Claimed<Vec<u64>>| {
                    let seen = seen.clone();
                    async move {
                        tokio::time::sleep(Duration::from_millis(2)).await;
                        seen.add(job.key);
                        Ok(2)
                    }
                };
                queue.work(worker, handler, CancellationToken::new()).await.unwrap()
            }));
        }
        let (mut done, mut units) = (0, 0);
        for worker in workers {
            let worked = worker.await.unwrap();
            assert!(worked.done > 0, "{:?}: one of them got nothing", place.kind);
            done += worked.done;
            units += worked.units;
        }
        assert_eq!((done, units), (200, 400));
        let mut times: HashMap<String, u32> = HashMap::new();
        for key in seen.all() {
            *times.entry(key).or_default() += 1;
        }
        assert_eq!(times.len(), 200);
        assert!(times.values().all(|n| *n == 1), "{times:?}");
        let status = queue.status().await.unwrap();
        assert_eq!((status.waiting, status.running, status.done), (0, 0, 200));
        assert_eq!(queue.workers().await.unwrap(), [], "all signed off");
    })
    .await;
}

#[tokio::test]
async fn a_stop_leaves_nothing_claimed() {
    on_each(|_, queue| async move {
        queue.push((0..10).map(|i| job(&format!("{i}"), 10 - i))).await.unwrap();
        let stop = CancellationToken::new();
        let seen = Seen::default();
        let worker = WorkerOptions {
            concurrency: 2,
            ..WorkerOptions::named("stopped")
        };
        let handler = |job: tabiya_queue::Claimed<Vec<u64>>| {
            let (stop, seen) = (stop.clone(), seen.clone());
            async move {
                match job.key.as_str() {
                    "0" => {
                        // Does not listen, and is waited for.
                        stop.cancelled().await;
                        tokio::time::sleep(Duration::from_millis(300)).await;
                        seen.add("ended");
                        Ok(1)
                    }
                    "1" => {
                        seen.add("began");
                        stop.cancelled().await;
                        // An engine that is stopped looks like one that broke; this does not count either.
                        Err(JobFailure::Retry("the engine went away".to_owned()))
                    }
                    _ => panic!("a third job was claimed"),
                }
            }
        };
        let stopper = async {
            eventually("the second job begins", || async { seen.all() == ["began"] }).await;
            stop.cancel();
        };
        let (worked, ()) = tokio::join!(queue.work(worker, handler, stop.clone()), stopper);
        let worked = worked.unwrap();
        assert_eq!((worked.done, worked.postponed, worked.failed), (1, 1, 0));
        assert_eq!(seen.all(), ["began", "ended"]);
        let status = queue.status().await.unwrap();
        assert_eq!((status.waiting, status.running, status.done), (9, 0, 1));
        let first = Seen::default();
        crate::fixture::work(
            &queue,
            |job, seen| async move {
                seen.add(format!("{} after {} attempts", job.key, job.attempts));
                Ok(1)
            },
            &first,
        )
        .await;
        assert_eq!(first.all()[0], "1 after 0 attempts");
    })
    .await;
}

#[tokio::test]
async fn who_works_on_what() {
    on_each(|_, queue| async move {
        queue.push([job("a", 2), job("b", 1), job("c", 0)]).await.unwrap();
        let stop = CancellationToken::new();
        let worker = WorkerOptions {
            concurrency: 2,
            ..WorkerOptions::named("attic")
        };
        let handler = |job: tabiya_queue::Claimed<Vec<u64>>| {
            let stop = stop.clone();
            async move {
                if job.key != "a" {
                    stop.cancelled().await;
                }
                Ok(32)
            }
        };
        let looking = async {
            eventually("the worker has told of its first job", || async {
                let workers = queue.workers().await.unwrap();
                workers.iter().any(|w| w.done == 1 && w.jobs.len() == 2)
            })
            .await;
            let workers = queue.workers().await.unwrap();
            assert_eq!(workers.len(), 1, "{workers:?}");
            let attic = &workers[0];
            assert_eq!((attic.name.as_str(), attic.concurrency, attic.units), ("attic", 2, 32));
            assert!(attic.id.starts_with("attic-"), "{attic:?}");
            assert!(!attic.is_lost && attic.silent_for < Duration::from_secs(2), "{attic:?}");
            assert!(attic.rate > 0.5, "{attic:?}");
            let mut keys: Vec<&str> = attic.jobs.iter().map(|job| job.key.as_str()).collect();
            keys.sort_unstable();
            assert_eq!(keys, ["b", "c"]);
            assert!(
                attic.jobs.iter().all(|job| job.running_for < Duration::from_secs(30)),
                "{attic:?}"
            );
            let status = queue.status().await.unwrap();
            assert_eq!((status.waiting, status.running, status.done), (0, 2, 1));
            stop.cancel();
        };
        let (worked, ()) = tokio::join!(queue.work(worker, handler, stop.clone()), looking);
        assert_eq!(worked.unwrap().units, 96);
        assert_eq!(queue.workers().await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn clearing_spares_what_runs() {
    on_each(|_, queue| async move {
        queue.push([job("a", 2), job("b", 1), job("c", 0)]).await.unwrap();
        let inner = queue.clone();
        let seen = Seen::default();
        crate::fixture::work(
            &queue,
            move |job, seen| {
                let queue = inner.clone();
                async move {
                    if job.key == "b" {
                        assert_eq!(queue.clear().await.unwrap(), 2, "one done and one waiting");
                    }
                    seen.add(job.key);
                    Ok(1)
                }
            },
            &seen,
        )
        .await;
        assert_eq!(seen.all(), ["a", "b"]);
        assert_eq!(queue.status().await.unwrap().done, 1);
        assert_eq!(queue.push([job("c", 0)]).await.unwrap().added, 1);
        assert_eq!(drain(&queue).await, ["c"]);
    })
    .await;
}

/// Machines that start together find an empty database, and all of them make the tables.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_open_it_at_once() {
    for kind in [Kind::Sqlite, Kind::Postgres, Kind::Redis] {
        let place = Place::new(kind).await;
        let opening = (0..8).map(|_| {
            let url = place.url.clone();
            tokio::spawn(async move { Queue::<Vec<u64>>::open(&url, "x", options()).await })
        });
        for opened in opening.collect::<Vec<_>>() {
            opened.await.unwrap().unwrap_or_else(|e| panic!("{kind:?}: {e:?}"));
        }
    }
}

/// Everything can be done in a task of its own.
#[tokio::test]
async fn verbs_are_send() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let place = Place::new(Kind::Memory).await;
    let queue: Queue<Vec<u64>> = is_send(Queue::open(&place.url, "x", options())).await.unwrap();
    is_send(queue.push([job("a", 1)])).await.unwrap();
    let mut other = sqlx::SqliteConnection::connect("sqlite::memory:").await.unwrap();
    is_send(queue.push_with(tabiya_queue::Connection::Sqlite(&mut other), [job("b", 1)]))
        .await
        .unwrap_err();
    let handler = |_| async { Ok(1) };
    let worked = is_send(queue.work(until_empty("x"), handler, CancellationToken::new())).await;
    assert_eq!(worked.unwrap().done, 1);
    assert_eq!(is_send(queue.status()).await.unwrap().done, 1);
    assert_eq!(is_send(queue.workers()).await.unwrap(), []);
}

#[tokio::test]
async fn a_queue_that_is_not_there_is_named() {
    for url in [
        "postgres://nobody@127.0.0.1:1/chess",
        "redis://:secret@127.0.0.1:1/0",
        "/nonexistent/directory/queue.db",
    ] {
        let place = url.parse().unwrap();
        let error = Queue::<Vec<u64>>::open(&place, "x", options()).await.unwrap_err();
        let is_file = url.starts_with('/');
        let is_told_apart = match &error {
            QueueError::Unreachable { .. } => !is_file,
            QueueError::CannotOpen { .. } => is_file,
            _ => false,
        };
        assert!(is_told_apart, "{error:?}");
        let name = url.replace(":secret@", "");
        assert!(error.to_string().starts_with(&format!("{name}: ")), "{error}");
        assert!(!format!("{error:?}").contains("secret"), "{error:?}");
    }
    let unsound = tabiya_queue::QueueOptions {
        lost_after: Duration::from_millis(150),
        ..options()
    };
    let place = Place::new(Kind::Memory).await;
    let error = Queue::<Vec<u64>>::open(&place.url, "x", unsound).await.unwrap_err();
    assert!(error.is_usage(), "{error:?}");
}
