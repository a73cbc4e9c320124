//! Engines that never get ready, and engines that say who they are.

use std::{fs, time::Duration};

use tabiya_engine::{Answer, EngineConfig, EngineError, NotDone, Pool, PoolConfig, probe};

#[cfg(target_os = "linux")]
use crate::fixture::all_are_gone;
use crate::fixture::{Fake, all, done, is_alive, searches, unit};

fn message(err: &EngineError, path: &str) -> String {
    assert!(!err.hint().is_empty());
    err.to_string().replace(path, "PATH")
}

async fn failure(fake: &Fake) -> String {
    let path = fake.config.engine.command.display().to_string();
    let err = Pool::start(fake.config.clone()).await.unwrap_err();
    assert!(!fake.pids().into_iter().any(is_alive));
    message(&err, &path)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_such_program() {
    let err = probe(EngineConfig::new("/nowhere/stockfish")).await.unwrap_err();
    assert_eq!(message(&err, "/nowhere/stockfish"), "`PATH` cannot be started");
    let source = std::error::Error::source(&err).unwrap().to_string();
    assert!(source.contains("No such file"), "{source}");
}

#[tokio::test(flavor = "multi_thread")]
async fn not_a_program() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("stockfish");
    fs::write(&path, "this is a letter").unwrap();
    let err = Pool::start(PoolConfig::new(EngineConfig::new(&path)))
        .await
        .unwrap_err();
    assert_eq!(message(&err, &path.display().to_string()), "`PATH` cannot be started");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_ends_at_once() {
    let reason = failure(&Fake::new(&["exit"])).await;
    assert_eq!(
        reason,
        "`PATH` does not speak UCI: it ended (exit status: 3: fake-engine: a library is missing)"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_never_says_uciok() {
    let mut fake = Fake::new(&["no-uciok"]);
    fake.config.engine.start_within = Duration::from_millis(300);
    assert_eq!(
        failure(&fake).await,
        "`PATH` does not speak UCI: it did not get ready within 0.3 s"
    );
}

/// One that misbehaves before it says `uciok`, and is allowed little.
fn rude(greeting: &str) -> Fake {
    let mut fake = Fake::new(&[greeting]);
    fake.config.engine.max_output = 1 << 20;
    fake.config.engine.max_memory_mb = 100;
    fake
}

#[tokio::test(flavor = "multi_thread")]
async fn greetings_without_end() {
    let much = "`PATH` does not speak UCI: the engine wrote more than 1048576 bytes about one position";
    let long = "`PATH` does not speak UCI: the engine wrote more than 65536 bytes without ending the line";
    for (greeting, told) in [
        ("greet-flood", much),
        ("greet-options", much),
        ("greet-long-line", long),
    ] {
        assert_eq!(failure(&rude(greeting)).await, told, "{greeting}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn memory_without_end_before_the_first_position() {
    let told = failure(&rude("greet-eat")).await;
    assert!(told.contains("MB of memory, 116 MB are allowed"), "{told}");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn processes_without_end_before_the_first_position() {
    let fake = rude("greet-breed");
    let told = failure(&fake).await;
    assert!(told.contains("it started more than 32 processes"), "{told}");
    all_are_gone(&fake).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_option_that_is_not_there() {
    let mut fake = Fake::new(&["good"]);
    fake.config.engine.options = vec![("Contempt".to_owned(), "20".to_owned())];
    assert_eq!(
        failure(&fake).await,
        "`PATH` cannot be set up: the engine has no option `Contempt`; it has Threads, Hash, MultiPV, Clear Hash"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn more_hash_than_the_engine_takes() {
    let mut fake = Fake::new(&["good"]);
    fake.config.engine.hash_mb = 4096;
    assert_eq!(
        failure(&fake).await,
        "`PATH` cannot be set up: `Hash` takes a number from 1 to 1024, not `4096`"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_without_options_works() {
    let fake = Fake::new(&["no-options,good"]);
    let pool = fake.pool().await;
    done(pool.analyse(searches(1).remove(0)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_is_asked_who_it_is_and_let_go() {
    let fake = Fake::new(&["name=Stockfish 15.1"]);
    let id = probe(fake.config.engine.clone()).await.unwrap();
    assert_eq!(
        (id.name.as_str(), id.author.as_deref()),
        ("Stockfish 15.1", Some("nobody"))
    );
    assert_eq!(
        id.warning().as_deref(),
        Some("Stockfish 15.1 is old; it works, but Stockfish 16 or newer sees more in the same time")
    );
    assert!(!fake.pids().into_iter().any(is_alive));
}

#[tokio::test(flavor = "multi_thread")]
async fn when_no_engine_starts_any_more_everything_is_given_back() {
    let mut fake = Fake::new(&["good,crash", "exit"]);
    fake.config.workers = 2;
    fake.config.max_starts = 2;
    let pool = fake.pool().await;
    let answers = all(&pool, unit(4)).await;
    let given_back = |answer: &Answer| match answer {
        Answer::NotDone(NotDone::NoEngine(reason)) => reason.contains("a library is missing"),
        _ => false,
    };
    assert!(answers[1..].iter().all(given_back), "{answers:?}");
    // And so is what comes later.
    assert!(given_back(&pool.analyse(searches(1).remove(0)).await));
    pool.stop(Duration::ZERO).await;
}
