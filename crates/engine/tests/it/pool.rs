//! The queue, stopping, calling off: nothing is lost and nobody stays behind.

use std::{fs, time::Duration};

use tabiya_engine::{Answer, Memory, NotDone, Unit};
use tokio::time::{Instant, sleep, timeout};

use crate::fixture::{AGES, Fake, all, done, is_alive, searches, unit, write_program};

#[tokio::test(flavor = "multi_thread")]
async fn every_position_is_answered_once_by_any_number_of_workers() {
    for workers in [1, 3] {
        let mut fake = Fake::new(&["slow=2"]);
        fake.config.workers = workers;
        let pool = fake.pool().await;
        let units = [7, 1, 0, 12, 3].map(|number| all(&pool, unit(number)));
        let [a, b, c, d, e] = units;
        let (a, b, c, d, e) = tokio::join!(a, b, c, d, e);
        let answers: Vec<_> = [a, b, c, d, e].concat();
        assert_eq!(answers.len(), 23);
        answers.into_iter().for_each(|answer| drop(done(answer)));
        assert!(fake.pids().len() <= workers);
        pool.stop(AGES).await;
        assert!(!fake.pids().into_iter().any(is_alive));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn engines_are_started_when_there_is_work_for_them() {
    let mut fake = Fake::new(&["good"]);
    fake.config.workers = 8;
    let pool = fake.pool().await;
    assert_eq!(fake.pids().len(), 1);
    done(pool.analyse(searches(1).remove(0)).await);
    assert!(fake.pids().len() <= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn engines_are_started_side_by_side_where_there_will_be_work_for_them() {
    let mut fake = Fake::new(&["good"]);
    fake.config.workers = 3;
    fake.config.at_once = 8;
    let pool = fake.pool().await;
    assert_eq!(fake.pids().len(), 3);
    assert!(fake.pids().into_iter().all(is_alive));
    pool.stop(AGES).await;
    assert!(!fake.pids().into_iter().any(is_alive));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_those_started_at_once_is_enough_to_begin_with() {
    let mut fake = Fake::new(&["exit", "good"]);
    fake.config.workers = 2;
    fake.config.at_once = 2;
    let pool = fake.pool().await;
    let answers = all(&pool, unit(4)).await;
    answers.into_iter().for_each(|answer| drop(done(answer)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_pool_finishes_what_is_in_flight_and_gives_back_the_rest() {
    // It is told to stop before it is through.
    let fake = Fake::new(&["slow=2000"]);
    let pool = fake.pool().await;
    let mut replies = pool.submit(unit(3));
    let mut waiting = pool.submit(unit(2));
    fake.searching(1).await;
    pool.stop(AGES).await;
    assert!(!fake.pids().into_iter().any(is_alive));
    assert!(matches!(replies.next().await, Some((0, Answer::Done(_)))));
    for index in 1..3 {
        let stopped = Answer::NotDone(NotDone::Stopped);
        assert_eq!(replies.next().await, Some((index, stopped)));
    }
    assert_eq!(replies.next().await, None);
    for index in 0..2 {
        assert_eq!(waiting.next().await, Some((index, Answer::NotDone(NotDone::Stopped))));
    }
    // Later ones are given back as well.
    let late = pool.clone().analyse(searches(1).remove(0)).await;
    assert_eq!(late, Answer::NotDone(NotDone::Stopped));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_does_not_finish_in_time_is_given_back() {
    let mut fake = Fake::new(&["until-stop"]);
    fake.config.workers = 2;
    let pool = fake.pool().await;
    let mut replies = [pool.submit(unit(2)), pool.submit(unit(2))];
    fake.searching(2).await;
    timeout(AGES, pool.stop(Duration::from_millis(50))).await.unwrap();
    assert!(!fake.pids().into_iter().any(is_alive));
    for replies in &mut replies {
        for index in 0..2 {
            assert_eq!(replies.next().await, Some((index, Answer::NotDone(NotDone::Stopped))));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_ignores_everything_is_killed() {
    for words in ["ignore-quit,good", "ignore-quit,hang"] {
        let mut fake = Fake::new(&[words]);
        fake.config.engine.grace = Duration::from_millis(200);
        let pool = fake.pool().await;
        let replies = pool.submit(unit(1));
        fake.searching(1).await;
        let began = Instant::now();
        pool.stop(Duration::ZERO).await;
        assert!(began.elapsed() < Duration::from_secs(5));
        assert_eq!(fake.pids().len(), 1);
        assert!(!is_alive(fake.pids()[0]));
        drop(replies);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_is_being_started_is_not_waited_for() {
    let fake = Fake::new(&["crash", "no-uciok,ignore-quit"]);
    let pool = fake.pool().await;
    let mut replies = pool.submit(unit(1));
    let started = async {
        while fake.pids().len() < 2 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(AGES, started).await.unwrap();
    let began = Instant::now();
    pool.stop(Duration::from_secs(20)).await;
    assert!(began.elapsed() < Duration::from_secs(5));
    assert!(!fake.pids().into_iter().any(is_alive));
    assert_eq!(replies.next().await, Some((0, Answer::NotDone(NotDone::Stopped))));
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_in_the_terminal_does_not_reach_the_engines() {
    let fake = Fake::new(&["good"]);
    let pool = fake.pool().await;
    let pid = fake.pids()[0];
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let group = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(2).unwrap();
    assert_eq!(group, pid.to_string(), "it leads a process group of its own");
    pool.stop(AGES).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_replies_calls_the_search_off() {
    let fake = Fake::new(&["until-stop,good"]);
    let pool = fake.pool().await;
    let replies = pool.submit(unit(5));
    fake.searching(1).await;
    drop(replies);
    // The same engine goes on with the next unit.
    for answer in all(&pool, unit(2)).await {
        done(answer);
    }
    assert_eq!(fake.pids().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_cannot_be_called_off_costs_the_next_position_nothing() {
    let mut fake = Fake::new(&["hang", "good"]);
    fake.config.engine.grace = Duration::from_millis(100);
    fake.config.max_tries = 1;
    let pool = fake.pool().await;
    let replies = pool.submit(unit(1));
    fake.searching(1).await;
    drop(replies);
    done(pool.analyse(searches(1).remove(0)).await);
    assert_eq!(fake.pids().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_pool_works_off_what_is_waited_for_and_quits() {
    let fake = Fake::new(&["slow=20"]);
    let pool = fake.pool().await;
    let mut replies = pool.submit(unit(4));
    drop(pool);
    for index in 0..4 {
        let (at, answer) = replies.next().await.unwrap();
        assert_eq!(at, index);
        done(answer);
    }
    gone(&fake.pids()).await;
}

#[test]
fn no_engine_survives_the_runtime() {
    let fake = Fake::new(&["ignore-quit,hang"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let pool = runtime.block_on(fake.pool());
    let _replies = pool.submit(unit(1));
    runtime.block_on(fake.searching(1));
    runtime.shutdown_timeout(Duration::from_secs(5));
    let fresh = tokio::runtime::Runtime::new().unwrap();
    fresh.block_on(gone(&fake.pids()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_wrapper_script_has_started_ends_with_it() {
    for words in ["good", "ignore-quit,hang"] {
        let mut fake = Fake::new(&[words]);
        fake.config.engine.grace = Duration::from_millis(200);
        let wrapper = fake.dir().join("wrapper");
        let children = fake.dir().join("children");
        let script = format!(
            "#!/bin/sh\nsleep 1000 & echo $! >{}\n'{}' \"$@\"\n",
            children.display(),
            fake.config.engine.command.display()
        );
        write_program(&wrapper, &script);
        fake.config.engine.command = wrapper;
        let pool = fake.pool().await;
        let replies = pool.submit(unit(1));
        fake.searching(1).await;
        let sleeper: u32 = fs::read_to_string(&children).unwrap().trim().parse().unwrap();
        assert!(is_alive(sleeper) && is_alive(fake.pids()[0]));
        pool.stop(Duration::ZERO).await;
        gone(&[sleeper, fake.pids()[0]]).await;
        drop(replies);
    }
}

/// Those that were killed and are not our own children may take a moment.
async fn gone(pids: &[u32]) {
    let left = async {
        while pids.iter().any(|pid| is_alive(*pid)) {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(Duration::from_secs(10), left).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_may_be_empty() {
    let fake = Fake::new(&["good"]);
    let pool = fake.pool().await;
    let nothing = Unit {
        searches: Vec::new(),
        memory: Memory::OfUnit,
    };
    assert_eq!(pool.submit(nothing).next().await, None);
}
