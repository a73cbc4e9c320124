//! Everything an engine can do wrong: it is replaced, its position tried again, and given up with a reason.

use std::time::{Duration, Instant};

use tabiya_chess::SearchLimit;
use tabiya_engine::Answer;

#[cfg(target_os = "linux")]
use crate::fixture::all_are_gone;
use crate::fixture::{Fake, all, done, fen, is_alive, quarantined, search, searches, unit};

/// The engine fails once and its replacement answers; then it fails always, and the position is given up with the reason.
async fn check(deed: &str, reason: &str) {
    check_with(deed, reason, tune).await;
}

async fn check_with(deed: &str, reason: &str, tune: impl Fn(&mut Fake)) {
    let mut once = Fake::new(&[deed, "good"]);
    tune(&mut once);
    let pool = once.pool().await;
    for answer in all(&pool, unit(3)).await {
        done(answer);
    }
    assert_eq!(once.pids().len(), 2, "{deed}: replaced once");
    assert!(!is_alive(once.pids()[0]), "{deed}: the broken one is gone");
    pool.stop(Duration::ZERO).await;

    let mut always = Fake::new(&[deed]);
    tune(&mut always);
    let pool = always.pool().await;
    let (tries, why) = quarantined(pool.analyse(searches(1).remove(0)).await);
    assert_eq!(tries, 3, "{deed}");
    assert!(why.contains(reason), "{deed}: {why}");
    pool.stop(Duration::ZERO).await;
    assert!(!always.pids().into_iter().any(is_alive), "{deed}: all are gone");
}

fn tune(fake: &mut Fake) {
    let engine = &mut fake.config.engine;
    engine.grace = Duration::from_millis(500);
    engine.max_output = 1 << 20;
    engine.max_memory_mb = 100;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn memory_without_end() {
    check("eat", "MB of memory, 116 MB are allowed").await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn processes_without_end() {
    check("breed", "it started more than 32 processes").await;
    let mut fake = Fake::new(&["breed"]);
    tune(&mut fake);
    fake.config.max_tries = 1;
    let pool = fake.pool().await;
    quarantined(pool.analyse(searches(1).remove(0)).await);
    pool.stop(Duration::ZERO).await;
    all_are_gone(&fake).await;
}

/// Whether anybody is left whom the fake engine of this number has started by way of others.
#[cfg(target_os = "linux")]
fn anybody_left_of(engine: u32) -> bool {
    let name = format!("600.{engine}");
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok())
        .any(|words| words.split(|byte| *byte == 0).any(|word| word == name.as_bytes()))
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn processes_whose_parents_are_gone() {
    for deed in ["orphans", "runaways"] {
        check(deed, "it started more than 32 processes").await;
        let mut fake = Fake::new(&[deed]);
        tune(&mut fake);
        fake.config.max_tries = 1;
        let pool = fake.pool().await;
        quarantined(pool.analyse(searches(1).remove(0)).await);
        pool.stop(Duration::ZERO).await;
        let begun = Instant::now();
        while fake.pids().into_iter().any(anybody_left_of) {
            assert!(
                begun.elapsed() < Duration::from_secs(5),
                "{deed}: some outlived the engine"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn crash() {
    check(
        "crash",
        "the engine ended in the middle of the search (exit status: 134: fake-engine: assertion failed)",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hang() {
    let impatient = |fake: &mut Fake| {
        tune(fake);
        // Those who are well must not be taken for silent where a machine has much else to do.
        fake.config.engine.patience = Duration::from_secs(2);
    };
    check_with("hang", "the engine said nothing for 2 s", impatient).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_does_not_get_ready_again() {
    // Ready for its first position, and never for a second.
    let mut fake = Fake::new(&["deaf,good"]);
    fake.config.engine.start_within = Duration::from_secs(5);
    fake.config.max_tries = 1;
    let pool = fake.pool().await;
    let [first, second] = <[Answer; 2]>::try_from(all(&pool, unit(2)).await).unwrap();
    done(first);
    let (_, reason) = quarantined(second);
    assert_eq!(reason, "the engine was not ready for the next position within 5 s");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_without_end() {
    check(
        "long-line",
        "the engine wrote more than 65536 bytes without ending the line",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_without_end() {
    check("flood", "the engine wrote more than 1048576 bytes about one position").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn garbage() {
    check(
        "garbage",
        "the engine wrote nonsense: `Segmentation fault? No, just talking.`",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_text() {
    check("binary", "the engine wrote nonsense: `\u{fffd}\u{fffd}").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn info_that_is_none() {
    check("bad-info", "the engine wrote nonsense: `many` is no depth").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_illegal_best_move() {
    check(
        "illegal-best",
        "the engine gave an illegal move: bestmove `a1h8` is not a legal move here",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_illegal_move_in_a_line() {
    check(
        "illegal-pv",
        "the engine gave an illegal move: `a1h8` is not a legal move here",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_move_where_there_are_moves() {
    check(
        "no-best",
        "the engine gave an illegal move: bestmove `(none)` is not a move in UCI notation",
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_without_a_line() {
    check("no-info", "without a line that says why").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_time_limit_is_held_to_with_some_grace() {
    let mut fake = Fake::new(&["until-stop"]);
    fake.config.engine.grace = Duration::from_millis(200);
    fake.config.max_tries = 1;
    let pool = fake.pool().await;
    let mut timed = searches(1).remove(0);
    timed.limit = SearchLimit::millis(100);
    let began = Instant::now();
    let (_, reason) = quarantined(pool.analyse(timed).await);
    assert!(reason.contains("the engine was not done after 0.3 s"), "{reason}");
    assert!(began.elapsed() < Duration::from_secs(5));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_search_takes_longer_than_the_longest() {
    // An engine that keeps talking is never silent; it ends all the same.
    let mut fake = Fake::new(&["flood"]);
    fake.config.engine.longest = Duration::from_millis(300);
    fake.config.engine.max_output = u64::MAX;
    fake.config.max_tries = 1;
    let pool = fake.pool().await;
    let (_, reason) = quarantined(pool.analyse(searches(1).remove(0)).await);
    assert!(reason.contains("the engine was not done after 0.3 s"), "{reason}");
}

#[tokio::test(flavor = "multi_thread")]
async fn too_little_to_think_is_not_the_engine_s_fault() {
    let fake = Fake::new(&["partial,twice"]);
    let pool = fake.pool().await;
    let mut two = unit(2);
    two.searches.iter_mut().for_each(|search| search.multipv = 2);
    for answer in all(&pool, two).await {
        let (tries, reason) = quarantined(answer);
        assert_eq!(tries, 1);
        assert!(
            reason.contains("finished no depth with all 2 lines within `nodes 10000`"),
            "{reason}"
        );
    }
    assert_eq!(fake.pids().len(), 1, "the engine stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_machine_may_be_less_busy_the_next_time() {
    let fake = Fake::new(&["partial,partial,good"]);
    let pool = fake.pool().await;
    let mut timed = searches(1).remove(0);
    (timed.multipv, timed.limit) = (2, SearchLimit::millis(10));
    done(pool.analyse(timed).await);
    assert_eq!(fake.pids().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn small_talk_is_passed_over() {
    let fake = Fake::new(&["banner,chatter"]);
    let pool = fake.pool().await;
    done(pool.analyse(searches(1).remove(0)).await);
    assert_eq!(fake.pids().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_bad_position_does_not_spoil_its_unit() {
    // Every engine crashes in its second search: the first position is answered, the others each on a fresh engine.
    let fake = Fake::new(&["good,crash"]);
    let pool = fake.pool().await;
    for answer in all(&pool, unit(4)).await {
        done(answer);
    }
    assert_eq!(fake.pids().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_engine_should_see_is_not_shown_to_one() {
    let fake = Fake::new(&["crash"]);
    let pool = fake.pool().await;
    let mate = search(fen("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1"));
    let analysis = done(pool.analyse(mate).await);
    assert_eq!((analysis.engine.as_str(), analysis.depth()), ("Fake 1.0", 0));
    let mut endless = searches(1).remove(0);
    endless.limit = SearchLimit::default();
    assert_eq!(quarantined(pool.analyse(endless).await).0, 0);
    assert_eq!(fake.pids().len(), 1, "nothing crashed");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_is_not_replaced_in_haste() {
    let mut fake = Fake::new(&["crash", "crash", "good"]);
    fake.config.first_backoff = Duration::from_millis(100);
    let pool = fake.pool().await;
    let began = Instant::now();
    assert!(matches!(pool.analyse(searches(1).remove(0)).await, Answer::Done(_)));
    assert!(began.elapsed() >= Duration::from_millis(300), "100 ms, then 200 ms");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_that_knows_no_chess960_is_not_asked_about_it() {
    let fake = Fake::new(&["good"]);
    let pool = fake.pool().await;
    let shuffled = "r3k1r1/pppppppp/8/8/8/8/PPPPPPPP/RK4R1 w GAga - 0 1";
    let start = tabiya_chess::parse_fen_with_mode(shuffled, shakmaty::CastlingMode::Chess960).unwrap();
    let (tries, reason) = quarantined(pool.analyse(search(start.position)).await);
    assert_eq!(tries, 1);
    assert!(reason.contains("Chess960"), "{reason}");
    // It is as well as before.
    done(pool.analyse(searches(1).remove(0)).await);
}
