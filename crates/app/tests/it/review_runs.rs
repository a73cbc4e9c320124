//! Reviews as they run: on any number of workers, stopped and gone on with, refused, and side by side.

use std::{
    fs,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use tabiya_app::review::{LinesFrom, Progress, ReviewEvent, ReviewRequest, Reviewer, Rules, Trouble, review_games};
use tabiya_chess::{Class, SearchLimit};

use crate::{
    engines::{fake, real_engine},
    study::{GAMES, Study, class, find, many, opinionated, run, try_run},
};

fn with_workers(request: &ReviewRequest, workers: usize) -> ReviewRequest {
    let mut request = request.clone();
    if let LinesFrom::Engine { engine, .. } = &mut request.lines {
        engine.workers = Some(workers);
    }
    request
}

#[test]
fn workers_do_not_show() {
    let study = Study::of(&many());
    let engine = fake(study.dir.path(), "good", &["instant"]);
    let mut written = Vec::new();
    for workers in [1, 8] {
        let mut request = with_workers(&study.request(&engine), workers);
        request.outputs.json = Some(study.path("review.json"));
        request.outputs.pgn = Some(study.path("review.pgn"));
        request.outputs.csv = Some(study.path("review.csv"));
        request.outputs.record = Some(study.path("lines.jsonl"));
        request.outputs.graph = Some(study.path("graphs"));
        run(&request);
        let files = [
            "review.json",
            "review.pgn",
            "review.csv",
            "lines.jsonl",
            "graphs/game-20.svg",
        ];
        written.push(files.map(|name| study.read(name)));
        assert!(
            !study.path("review.json.journal").exists(),
            "a finished job leaves no journal"
        );
    }
    assert_eq!(written[0], written[1]);
    // And what was recorded gives the same again, but for who said it.
    let mut request = study.recorded("lines.jsonl");
    request.outputs.json = Some(study.path("again.json"));
    request.outputs.pgn = Some(study.path("again.pgn"));
    request.outputs.record = Some(study.path("again.jsonl"));
    run(&request);
    assert_eq!(study.read("again.pgn"), written[0][1]);
    assert_eq!(study.read("again.jsonl"), written[0][3]);
    let games = |text: &str| text.split_once("\"games\":").expect("games").1.to_owned();
    assert_eq!(games(&study.read("again.json")), games(&written[0][0]));
}

#[test]
fn a_real_stockfish_says_the_same_on_any_number_of_workers() {
    let pgn = "\
[White \"Legal\"]\n[Black \"Saint Brie\"]\n\n1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n\n\
[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w GBgb - 0 1\"]\n\n1. e3 e6 2. Be2 Be7 3. f3 f6 4. Qf2 Qf7 5. O-O O-O *\n";
    let study = Study::of(pgn);
    let mut written = Vec::new();
    for workers in [1, 3] {
        let mut request = with_workers(&study.request(&real_engine()), workers);
        request.rules.theory = tabiya_app::review::Theory::Off;
        request.outputs.json = Some(study.path("review.json"));
        request.outputs.record = Some(study.path("lines.jsonl"));
        if let LinesFrom::Engine { limit, .. } = &mut request.lines {
            *limit = SearchLimit::nodes(20_000);
        }
        let (outcome, games) = run(&request);
        assert_eq!(
            (outcome.summary.games, outcome.unclassified),
            (2, 0),
            "{:?}",
            outcome.failures
        );
        let legal = &games[0].review;
        assert_eq!(class(find(legal, "Bxd1")), Class::Blunder);
        assert_eq!(
            class(find(legal, "Nxe5")),
            Class::Brilliant,
            "{:?}",
            find(legal, "Nxe5")
        );
        let shuffled = &games[1].review;
        assert_eq!(shuffled.variant, "chess960");
        assert_eq!(find(shuffled, "O-O").uci, "d1g1");
        written.push([study.read("review.json"), study.read("lines.jsonl")]);
    }
    assert_eq!(written[0], written[1]);
    let mut request = study.recorded("lines.jsonl");
    request.rules.theory = tabiya_app::review::Theory::Off;
    request.outputs.record = Some(study.path("again.jsonl"));
    let (outcome, _) = run(&request);
    assert_eq!(outcome.unclassified, 0);
    assert_eq!(study.read("again.jsonl"), written[0][1]);
}

#[test]
fn an_interrupted_review_is_gone_on_with() {
    let study = Study::of(&many());
    let engine = fake(study.dir.path(), "good", &["instant"]);
    let mut whole = study.request(&engine);
    whole.outputs.json = Some(study.path("whole.json"));
    run(&whole);
    let mut request = study.request(&engine);
    request.outputs.json = Some(study.path("review.json"));
    request.outputs.pgn = Some(study.path("review.pgn"));
    let mut runs = 0;
    loop {
        runs += 1;
        request.stop = Arc::default();
        let stop = Arc::clone(&request.stop);
        let mut seen = 0;
        let outcome = try_run(&request, |_| {
            seen += 1;
            // Seven more games than the run before.
            if seen >= 7 * runs {
                stop.store(true, Ordering::Relaxed);
            }
        })
        .expect("a review");
        if !outcome.interrupted {
            break;
        }
        assert!(outcome.journal.is_some_and(|path| path.exists()));
        assert!(!study.path("review.json").exists(), "there whole or not at all");
        // What was cut short in the middle of a line is done again.
        let journal = study.path("review.json.journal");
        let mut text = fs::read(&journal).expect("a journal");
        text.extend(b"{\"reviewed\":{\"revi");
        fs::write(&journal, text).expect("writable");
        assert!(runs < 5);
    }
    assert_eq!(runs, 3);
    assert_eq!(study.read("review.json"), study.read("whole.json"));
    assert!(!study.path("review.json.journal").exists());
}

#[test]
fn a_journal_of_another_review_is_not_taken() {
    let study = Study::of(&many());
    let engine = fake(study.dir.path(), "good", &["instant"]);
    let mut request = study.request(&engine);
    request.outputs.json = Some(study.path("review.json"));
    let stop = Arc::clone(&request.stop);
    let outcome = try_run(&request, |_| stop.store(true, Ordering::Relaxed)).expect("a review");
    assert!(outcome.interrupted);
    request.stop = Arc::default();
    request.rules.theory = tabiya_app::review::Theory::Off;
    let resumed = AtomicBool::new(false);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let watch = |event: ReviewEvent<'_>| {
        if matches!(event, ReviewEvent::Resumed { .. }) {
            resumed.store(true, Ordering::Relaxed);
        }
    };
    let outcome = runtime
        .block_on(review_games(&request, &watch, |_, _| Ok(())))
        .expect("a review");
    assert!(!outcome.interrupted && !resumed.load(Ordering::Relaxed));
    assert_eq!(outcome.summary.games, 20);
}

#[test]
fn what_cannot_be_asked_is_refused_first() {
    let study = Study::of(GAMES);
    let engine = fake(study.dir.path(), "good", &["instant"]);
    let refused = |change: &dyn Fn(&mut ReviewRequest)| {
        let mut request = study.request(&engine);
        change(&mut request);
        try_run(&request, |_| panic!("nothing was to be done"))
            .expect_err("refused")
            .to_string()
    };
    let text = refused(&|request| request.rules.thresholds.okay = 0.9);
    assert!(text.contains("`okay`"), "{text}");
    let text = refused(&|request| request.rules.margin = 7.0);
    assert!(text.contains("noise margin"), "{text}");
    let text = refused(&|request| request.outputs.graph = Some(study.path("one.png")));
    assert!(text.contains("several games"), "{text}");
    let text = refused(&|request| request.outputs.json = Some(study.dir.path().to_owned()));
    assert!(text.contains("cannot write"), "{text}");
    fs::write(study.path("bad.jsonl"), "rubbish").expect("writable");
    let text = refused(&|request| request.lines = LinesFrom::File(study.path("bad.jsonl")));
    assert!(text.contains("bad.jsonl: line 1"), "{text}");
}

/// As a server would: one reviewer, several games side by side, each with its own listener and its own way to stop.
#[tokio::test(flavor = "multi_thread")]
async fn one_reviewer_serves_many() {
    fn is_send<T: Send>(future: T) -> T {
        future
    }
    let study = Study::of("*\n");
    let engine = opinionated(&study, &[("*", "slow 30")]);
    let request = study.request(&engine.program);
    let reviewer = Reviewer::open(Rules::default(), &request.lines)
        .await
        .expect("a reviewer");
    let (seen, go_on, stop) = (Mutex::new(Vec::new()), AtomicBool::new(false), AtomicBool::new(false));
    let told = |progress: Progress| seen.lock().expect("a list").push((progress.done, progress.total));
    let stop_soon = |progress: Progress| stop.store(progress.done >= 2, Ordering::Relaxed);
    let one = is_send(reviewer.review_text("1. e4 e5 *", &told, &go_on));
    let other = is_send(reviewer.review_text("1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 *", &stop_soon, &stop));
    let (one, other) = tokio::join!(one, other);
    assert_eq!(one.expect("a review").review.moves.len(), 2);
    assert!(matches!(other, Err(Trouble::Stopped)));
    assert_eq!(*seen.lock().expect("a list"), [(1, 3), (2, 3), (3, 3)]);
    let nothing = reviewer.review_text("", &|_| {}, &AtomicBool::new(false)).await;
    assert!(matches!(nothing, Err(Trouble::Unfit(_))));
    reviewer.close().await;
}
