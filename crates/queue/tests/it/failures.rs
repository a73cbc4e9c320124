//! Jobs that fail: how often they are tried, what counts, and what is left of them.

use std::time::Duration;

use tabiya_queue::{FailedJob, JobFailure, Pushed, Queue, QueueOptions};

use crate::fixture::{Seen, drain, job, on_each, on_each_shared, on_each_with, options, work};

#[tokio::test]
async fn a_failure_is_tried_again_until_it_is_enough() {
    on_each(|_, queue| async move {
        queue
            .push([job("bad", 2), job("good", 1), job("late bloomer", 3)])
            .await
            .unwrap();
        let seen = Seen::default();
        let worked = work(
            &queue,
            |job, seen| async move {
                seen.add(format!("{} {}", job.key, job.attempts));
                match (job.key.as_str(), job.attempts) {
                    ("bad", n) => Err(JobFailure::Retry(format!("no luck {n}"))),
                    ("late bloomer", 0 | 1) => Err(JobFailure::Retry("not yet".to_owned())),
                    _ => Ok(1),
                }
            },
            &seen,
        )
        .await;
        let mut seen = seen.all();
        seen.sort();
        assert_eq!(
            seen,
            [
                "bad 0",
                "bad 1",
                "bad 2",
                "good 0",
                "late bloomer 0",
                "late bloomer 1",
                "late bloomer 2"
            ]
        );
        assert_eq!((worked.done, worked.failed), (2, 5));
        let status = queue.status().await.unwrap();
        assert_eq!(
            (status.waiting, status.running, status.done, status.failed),
            (0, 0, 2, 1)
        );
        let bad = FailedJob {
            key: "bad".to_owned(),
            attempts: 3,
            reason: "no luck 2".to_owned(),
        };
        assert_eq!(status.failures, [bad]);

        assert_eq!(queue.retry_failed().await.unwrap(), 1);
        assert_eq!(drain(&queue).await, ["bad"]);
        assert_eq!(queue.status().await.unwrap().failed, 0);
    })
    .await;
}

#[tokio::test]
async fn giving_up_is_for_good() {
    on_each(|_, queue| async move {
        queue.push([job("hopeless", 1)]).await.unwrap();
        let seen = Seen::default();
        work(
            &queue,
            |job, seen| async move {
                seen.add(job.key);
                Err(JobFailure::GiveUp("it's \"illegal\"; 'no'".to_owned()))
            },
            &seen,
        )
        .await;
        assert_eq!(seen.all(), ["hopeless"]);
        let status = queue.status().await.unwrap();
        assert_eq!((status.waiting, status.failed), (0, 1));
        assert_eq!(status.failures[0].reason, "it's \"illegal\"; 'no'");
        assert_eq!(status.failures[0].attempts, 1);

        let pushed = queue.push([job("hopeless", 1)]).await.unwrap();
        assert_eq!(
            pushed,
            Pushed {
                added: 1,
                already_there: 0
            },
            "somebody asked for it again"
        );
        assert_eq!(drain(&queue).await, ["hopeless"]);
        assert_eq!(queue.status().await.unwrap().failed, 0);
    })
    .await;
}

/// PostgreSQL has no place for a NUL in a text, and whoever took such a job would end with it.
#[tokio::test]
async fn reasons_may_have_any_character() {
    on_each(|_, queue| async move {
        queue.push([job("odd\0key", 1)]).await.unwrap();
        work(
            &queue,
            |_, _| async { Err(JobFailure::GiveUp("a\0b".to_owned())) },
            &Seen::default(),
        )
        .await;
        let status = queue.status().await.unwrap();
        assert_eq!((status.waiting, status.failed), (0, 1));
        assert_eq!(status.failures[0].key, "odd\u{FFFD}key");
        assert_eq!(status.failures[0].reason, "a\u{FFFD}b");
    })
    .await;
}

#[tokio::test]
async fn postponing_does_not_count() {
    on_each(|place, queue| async move {
        queue.push([job("patient", 1)]).await.unwrap();
        let seen = Seen::default();
        let worked = work(
            &queue,
            |job, seen| async move {
                seen.add(format!("{}", job.attempts));
                if seen.all().len() < 5 {
                    return Err(JobFailure::Postpone("the database is away".to_owned()));
                }
                Ok(1)
            },
            &seen,
        )
        .await;
        assert_eq!(seen.all(), ["0"; 5], "{:?}", place.kind);
        assert_eq!((worked.done, worked.postponed, worked.failed), (1, 4, 0));
    })
    .await;
}

#[tokio::test]
async fn a_panic_is_a_failure_of_its_job_alone() {
    on_each(|_, queue| async move {
        queue.push([job("bomb", 2), job("bystander", 1)]).await.unwrap();
        let seen = Seen::default();
        work(
            &queue,
            |job, seen| async move {
                assert_ne!(job.key, "bomb", "it went off");
                seen.add(job.key);
                Ok(1)
            },
            &seen,
        )
        .await;
        assert_eq!(seen.all(), ["bystander"]);
        let status = queue.status().await.unwrap();
        assert_eq!(status.failed, 1);
        let reason = &status.failures[0].reason;
        assert!(
            reason.starts_with("the handler panicked") && reason.contains("it went off"),
            "{reason}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_payload_of_another_kind_is_given_up() {
    on_each_shared(|place, _| async move {
        let name = &crate::server::unique("mixed");
        let words: Queue<String> = Queue::open(&place.url, name, options()).await.unwrap();
        let word = tabiya_queue::Job {
            key: "word".to_owned(),
            priority: 1,
            payload: "not a list".to_owned(),
        };
        words.push([word]).await.unwrap();
        let numbers = Queue::open(&place.url, name, options()).await.unwrap();
        numbers.push([job("numbers", 0)]).await.unwrap();
        assert_eq!(drain(&numbers).await, ["numbers"]);
        let status = numbers.status().await.unwrap();
        assert_eq!((status.done, status.failed), (1, 1));
        assert!(status.failures[0].reason.contains("payload"), "{status:?}");
    })
    .await;
}

#[tokio::test]
async fn failures_wait_a_little() {
    let patient = QueueOptions {
        retry_delay: Duration::from_secs(1),
        ..options()
    };
    on_each_with(patient, |_, queue| async move {
        queue.push([job("bad", 2), job("good", 1)]).await.unwrap();
        let seen = Seen::default();
        work(
            &queue,
            |job, seen| async move {
                seen.add(format!("{} {}", job.key, job.attempts));
                match (job.key.as_str(), job.attempts) {
                    ("bad", 0) => Err(JobFailure::Retry("at first".to_owned())),
                    _ => Ok(1),
                }
            },
            &seen,
        )
        .await;
        // The one of lower priority is not kept waiting by one that has just failed.
        assert_eq!(seen.all(), ["bad 0", "good 0", "bad 1"]);
    })
    .await;
}
