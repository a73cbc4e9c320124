//! Jobs for many machines, on one.

use std::{
    num::NonZeroUsize,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use sqlx::{Connection as _, SqliteConnection};

use super::{
    Bench,
    engines::{fake_engine, with_engine},
    games::games,
};
use crate::{
    AppError,
    engines::EngineSettings,
    positions::{
        ArchivesRequest, PositionsError, PositionsRequest, PositionsWorked, PositionsWorker, Shard, enqueue_positions,
        progress::Paths, work_on_positions,
    },
    worker::QueueSettings,
};

fn database(bench: &Bench) -> String {
    format!("sqlite://{}", bench.path("queue.db").display())
}

fn wait_for<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Runtime::new().expect("a runtime").block_on(work)
}

fn enqueue(bench: &Bench, request: &PositionsRequest, shares: u32) -> Result<u64, AppError> {
    let queue = QueueSettings::default();
    wait_for(enqueue_positions(request, shares, &database(bench), &queue)).map(|enqueued| enqueued.jobs)
}

fn worker(bench: &Bench, engine: &Path) -> PositionsWorker {
    PositionsWorker {
        database: database(bench),
        queue: QueueSettings {
            max_attempts: 1,
            ..QueueSettings::default()
        },
        name: "here".to_owned(),
        directory: bench.path("out"),
        engine: EngineSettings {
            engine: Some(engine.to_owned()),
            workers: Some(1),
            ..EngineSettings::default()
        },
        readers: NonZeroUsize::MIN,
        download_dir: None,
        until_empty: true,
        stop: Arc::default(),
    }
}

fn work(worker: &PositionsWorker) -> Result<PositionsWorked, AppError> {
    wait_for(work_on_positions(worker))
}

#[test]
fn each_variant_and_each_share_is_a_job_of_its_own() {
    let bench = Bench::with(&games(41, 20));
    let mut request = bench.request("p.jsonl");
    request.rules.variants = vec!["standard".to_owned(), "chess960".to_owned()];
    assert_eq!(enqueue(&bench, &request, 2).expect("a queue"), 4);
    let worked = work(&worker(&bench, &fake_engine(&bench))).expect("done");
    let mut names: Vec<_> = (worked.outputs.iter())
        .filter_map(|path| path.file_name()?.to_str())
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "chess960-games-1-of-2-p.jsonl",
            "chess960-games-2-of-2-p.jsonl",
            "standard-games-1-of-2-p.jsonl",
            "standard-games-2-of-2-p.jsonl",
        ]
    );
    assert_eq!(worked.positions, 20);
    // A share of a share would be taken for a share.
    request.shard = Shard::new(1, 2);
    let refused = enqueue(&bench, &request, 2).expect_err("both");
    assert!(
        matches!(&refused, AppError::Positions(PositionsError::Rule(_))),
        "{refused}"
    );
}

#[test]
fn months_that_nobody_may_read_are_no_jobs() {
    let bench = Bench::with("");
    let mut request = bench.request("p.jsonl");
    request.inputs.clear();
    request.rules.variants = vec!["standard".to_owned(), "chess960".to_owned()];
    let archives = |months: [&str; 2]| ArchivesRequest {
        base: "https://database.lichess.org".to_owned(),
        months: months.iter().map(|month| month.parse().expect("a month")).collect(),
        blocklist: "2021-03,chess960:2023-11".parse().expect("a list"),
        download_dir: None,
        stream: false,
    };
    request.archives = Some(archives(["2021-03", "2023-11"]));
    let queue = QueueSettings::default();
    let enqueued = wait_for(enqueue_positions(&request, 2, &database(&bench), &queue)).expect("a queue");
    assert_eq!(enqueued.jobs, 2, "two shares of the standard games of 2023-11");
    let months: Vec<&str> = (enqueued.left_out_months.iter())
        .filter_map(|words| Some(words.split_once(':')?.0))
        .collect();
    assert_eq!(months, ["standard 2021-03", "chess960 2021-03", "chess960 2023-11"]);
    request.archives = Some(archives(["2021-03", "2021-03"]));
    let refused = enqueue(&bench, &request, 1).expect_err("nothing is left");
    assert!(
        matches!(&refused, AppError::Positions(PositionsError::AllBlocked { .. })),
        "{refused}"
    );
}

#[test]
fn a_machine_without_an_engine_leaves_jobs_as_they_were() {
    let bench = Bench::with(&games(42, 20));
    let mut request = bench.request("p.jsonl");
    with_engine(&mut request, &fake_engine(&bench), 1);
    enqueue(&bench, &request, 1).expect("a queue");
    // With one try only: that it is there for the other shows that none was used up.
    for _ in 0..2 {
        let error = work(&worker(&bench, Path::new("./none"))).expect_err("no engine");
        assert!(matches!(&error, AppError::Engine(_)), "{error}");
    }
    let worked = work(&worker(&bench, &fake_engine(&bench))).expect("done");
    assert_eq!((worked.jobs, worked.positions, worked.failed), (1, 20, 0));
}

#[test]
fn an_output_is_never_locked_twice() {
    let bench = Bench::with("");
    let paths = Paths::of(&bench.path("p.jsonl")).expect("a path");
    let (holders, taken) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5_000 {
                    let Ok(lock) = crate::positions::lock(&paths) else {
                        continue;
                    };
                    assert_eq!(holders.fetch_add(1, Relaxed), 0, "somebody else has it too");
                    taken.fetch_add(1, Relaxed);
                    std::thread::yield_now();
                    holders.fetch_sub(1, Relaxed);
                    drop(lock);
                }
            });
        }
    });
    assert!(taken.into_inner() > 0);
}

#[test]
fn what_another_worker_still_does_is_left_to_it() {
    let bench = Bench::with(&games(43, 20));
    enqueue(&bench, &bench.request("p.jsonl"), 1).expect("a queue");
    let output = bench.path("out/standard-games-p.jsonl");
    let lock = crate::positions::lock(&Paths::of(&output).expect("a path")).expect("a lock");
    let release = async {
        let mut queue = SqliteConnection::connect(&database(&bench)).await.expect("the queue");
        // Only of a job that was given back it is said why.
        let given_back = "SELECT EXISTS (SELECT 1 FROM Jobs WHERE last_result IS NOT NULL)";
        while !sqlx::query_scalar::<_, bool>(given_back)
            .fetch_one(&mut queue)
            .await
            .expect("an answer")
        {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        drop(lock);
    };
    let worker = worker(&bench, &fake_engine(&bench));
    let (worked, ()) = wait_for(async {
        let release = tokio::time::timeout(Duration::from_secs(120), release);
        tokio::join!(work_on_positions(&worker), async {
            release.await.expect("it is given back")
        })
    });
    let worked = worked.expect("done");
    assert_eq!((worked.jobs, worked.failed), (1, 0));
    assert!(worked.given_back >= 1, "{worked:?}");
}
