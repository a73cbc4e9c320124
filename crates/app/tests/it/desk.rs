//! The desk where games are handed in: what is called off leaves nothing behind, what is finished goes some day, and engines that
//! failed are tried again.

use std::{
    net::{IpAddr, Ipv4Addr},
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use tabiya_app::{
    engines::EngineSettings,
    review::{DeskOptions, Refusal, ReviewDesk, Stage},
};

use crate::engines::fake;

const GAME: &str = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0";

/// One engine.
fn options(engine: &Path) -> DeskOptions {
    DeskOptions {
        engine: EngineSettings {
            engine: Some(engine.to_owned()),
            workers: Some(1),
            ..EngineSettings::default()
        },
        nodes: 1_000,
        ..DeskOptions::default()
    }
}

fn client(number: u8) -> Option<IpAddr> {
    Some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, number)))
}

async fn order(desk: &Arc<ReviewDesk>, client: Option<IpAddr>) -> String {
    desk.submit(GAME, None, client).await.expect("it is taken")
}

/// Waits until a review is so far.
async fn until(desk: &ReviewDesk, id: &str, is: impl Fn(&Stage) -> bool) -> Stage {
    let mut stage = desk.watch(id).expect("a review");
    let reached = tokio::time::timeout(Duration::from_secs(60), stage.wait_for(|stage| is(stage))).await;
    reached.expect("not for ever").expect("a stage").clone()
}

#[tokio::test]
async fn games_that_are_called_off_wait_for_nothing() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = fake(directory.path(), "engine", &["run", "hang"]);
    let desk = Arc::new(ReviewDesk::new(options(&engine)));
    let first = order(&desk, client(1)).await;
    until(&desk, &first, |stage| matches!(stage, Stage::Working { .. })).await;

    let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
    let before = alive();
    for _ in 0..200 {
        let id = order(&desk, client(2)).await;
        assert!(desk.cancel(&id));
    }
    let begun = Instant::now();
    while alive() > before {
        assert!(begun.elapsed() < Duration::from_secs(20), "{} of {before}", alive());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // The engine has been busy all the time.
    assert!(matches!(
        *desk.watch(&first).expect("a review").borrow(),
        Stage::Working { .. }
    ));
    desk.close().await;
}

#[tokio::test]
async fn whoever_waits_moves_up_when_another_is_called_off() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = fake(directory.path(), "engine", &["run", "hang"]);
    let desk = Arc::new(ReviewDesk::new(options(&engine)));
    let first = order(&desk, client(1)).await;
    until(&desk, &first, |stage| matches!(stage, Stage::Working { .. })).await;
    let second = order(&desk, client(2)).await;
    let third = order(&desk, client(3)).await;
    let place = |id: &str| match *desk.watch(id).expect("a review").borrow() {
        Stage::Queued { position } => position,
        ref other => panic!("{other:?}"),
    };
    assert_eq!((place(&second), place(&third)), (0, 1));
    assert!(desk.cancel(&second));
    assert_eq!(place(&third), 0);
    assert!(desk.cancel(&first));
    until(&desk, &third, |stage| matches!(stage, Stage::Working { .. })).await;
    desk.close().await;
}

#[tokio::test]
async fn so_many_finished_reviews_are_kept_and_no_more() {
    let directory = tempfile::tempdir().expect("a directory");
    let engine = fake(directory.path(), "engine", &["instant"]);
    let desk = Arc::new(ReviewDesk::new(DeskOptions {
        most_kept: 3,
        most_kept_per_client: 2,
        ..options(&engine)
    }));
    let mut done = Vec::new();
    for from in [1, 1, 1, 2, 2] {
        let id = order(&desk, client(from)).await;
        until(&desk, &id, |stage| matches!(stage, Stage::Done(_))).await;
        done.push(id);
    }
    let kept: Vec<bool> = done.iter().map(|id| desk.watch(id).is_some()).collect();
    // The first was one too many of its address, the second one too many of all.
    assert_eq!(kept, [false, false, true, true, true]);
    desk.close().await;
}

#[tokio::test]
async fn finished_reviews_are_kept_for_as_long_as_is_said_and_no_longer() {
    assert_eq!(DeskOptions::default().kept, Duration::from_secs(30 * 60));
    let directory = tempfile::tempdir().expect("a directory");
    let engine = fake(directory.path(), "engine", &["instant"]);
    let kept = Duration::from_secs(1);
    let usual = Arc::new(ReviewDesk::new(options(&engine)));
    let hasty = Arc::new(ReviewDesk::new(DeskOptions {
        kept,
        ..options(&engine)
    }));
    let other = order(&usual, client(1)).await;
    until(&usual, &other, |stage| matches!(stage, Stage::Done(_))).await;

    let begun = Instant::now();
    let id = order(&hasty, client(1)).await;
    let Stage::Done(reviewed) = until(&hasty, &id, |stage| matches!(stage, Stage::Done(_))).await else {
        unreachable!("it was waited for");
    };
    let memory = Arc::downgrade(&reviewed);
    drop(reviewed);
    let finished = Instant::now();
    while hasty.watch(&id).is_some() {
        assert!(finished.elapsed() < Duration::from_secs(60), "it is still there");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // It ended after it had begun, so on no machine, however slow, is it gone before.
    let gone = begun.elapsed();
    assert!(gone >= kept, "it was kept for {gone:?} at the most");
    assert!(memory.upgrade().is_none(), "nobody finds it, and it is there");
    // It is the time alone that took it.
    assert!(usual.watch(&other).is_some());
    assert!(!hasty.cancel(&id));
    usual.close().await;
    hasty.close().await;
}

#[tokio::test]
async fn engines_that_are_all_gone_are_started_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let ledger = directory.path().join("ledger").display().to_string();
    // The first one crashes in its second search, and no other starts.
    let words = ["ledger", &ledger, "run", "good,crash", "exit"];
    let engine = fake(directory.path(), "engine", &words);
    let desk = Arc::new(ReviewDesk::new(options(&engine)));
    let id = order(&desk, client(1)).await;
    let stage = until(&desk, &id, Stage::is_last).await;
    assert!(
        matches!(&stage, Stage::Failed(reason) if reason == "the engine could not finish this review"),
        "{stage:?}"
    );

    std::fs::remove_file(&engine).expect("it was there");
    let refused = desk.submit(GAME, None, client(1)).await;
    assert!(matches!(refused, Err(Refusal::NoEngine(_))), "{refused:?}");
    fake(directory.path(), "engine", &["instant"]);
    let id = order(&desk, client(1)).await;
    until(&desk, &id, |stage| matches!(stage, Stage::Done(_))).await;
    desk.close().await;
}
