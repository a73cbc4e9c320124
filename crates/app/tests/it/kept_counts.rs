//! The directory of counts: what else may lie there, and who may use it.

use std::{
    fs::{self, File},
    sync::atomic::Ordering::Relaxed,
};

use tabiya_app::{
    AppError,
    build::{ExpandRequest, Step, Steps, expand},
};
use tabiya_chess::{FacetKinds, PositionId, Stats, epd};
use tabiya_counts::{CountError, State};
use tabiya_store::{Collection, CollectionSource, CrawlAnswer, GraphNode};

use crate::{
    book::after,
    workshop::{TEN_NAMES, Workshop, assert_same, game},
};

const COUNTS: &str = "tabiya.db.counts";

async fn workshop() -> Workshop {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games = |from: usize, line: &str| (from..from + 5).map(|n| game(n, "", line, "1-0")).collect::<String>();
    workshop.write("a.pgn", &games(0, "e4 e5 Nf3"));
    workshop.write("b.pgn", &games(10, "d4 d5 c4"));
    workshop.write("c.pgn", &games(20, "c4 c5"));
    workshop
}

fn adding(workshop: &Workshop, file: &str) -> ExpandRequest {
    ExpandRequest {
        add: true,
        ..workshop.request(&[file])
    }
}

/// Interrupted as soon as the counts are in their place.
async fn interrupted(request: &ExpandRequest) {
    let stop = request.stop.clone();
    let steps = Steps::new(move |step| stop.store(step == Step::Sort, Relaxed), None);
    let error = expand(request, &steps).await.expect_err("stopped");
    assert!(error.is_stop(), "{error}");
}

#[tokio::test]
async fn a_build_goes_on_behind_files_that_add_nothing() {
    let workshop = workshop().await;
    workshop.write("empty.pgn", "");
    // The head of a gzip file, and nothing behind it.
    fs::write(workshop.path("cut.pgn.gz"), b"\x1f\x8b\x08\0\0\0\0\0\0\xff").expect("written");
    let files = |last| workshop.request(&["empty.pgn", "a.pgn", "a.pgn", "b.pgn", last]);
    let error = workshop
        .try_expand(&files("cut.pgn.gz"))
        .await
        .expect_err("a stump of a file");
    assert!(matches!(error, AppError::CountingCutShort { .. }), "{error}");
    let whole = workshop.expand(&files("c.pgn")).await;
    let known: Vec<bool> = whole.files.iter().map(|file| file.known).collect();
    assert_eq!(known, [false, true, true, true, false], "{whole:?}");
    assert_eq!(whole.games, 15);
}

#[tokio::test]
async fn counts_that_were_replaced_do_not_look_finished() {
    let workshop = workshop().await;
    let a = workshop.request(&["a.pgn"]);
    workshop.expand(&a).await;
    let expected = workshop.dump().await;
    for other in [workshop.request(&["b.pgn"]), adding(&workshop, "b.pgn")] {
        assert!(workshop.expand(&a).await.skipped);
        interrupted(&other).await;
        let again = workshop.expand(&a).await;
        assert!(!again.skipped && again.games == 5, "{again:?}");
        assert_same(&workshop.dump().await, &expected);
        let more = workshop.expand(&adding(&workshop, "c.pgn")).await;
        assert_eq!(more.games, 10, "of a and c");
        workshop.expand(&a).await;
    }
}

#[tokio::test]
async fn nothing_is_added_to_counts_that_are_gone() {
    let workshop = workshop().await;
    workshop.expand(&workshop.request(&["a.pgn"])).await;
    let before = workshop.dump().await;
    fs::rename(workshop.path(COUNTS), workshop.path("elsewhere")).expect("moved");
    let mut request = adding(&workshop, "b.pgn");
    let error = workshop.try_expand(&request).await.expect_err("nothing to add to");
    assert!(matches!(&error, AppError::CountsMissing { games: 5, .. }), "{error}");
    assert!(
        error.to_string().contains(COUNTS) && error.hints()[0].contains("--state"),
        "{error}"
    );
    assert!(!workshop.path(COUNTS).exists(), "the counts may be moved back");
    assert_same(&workshop.dump().await, &before);
    request.state = Some(workshop.path("elsewhere"));
    assert_eq!(workshop.expand(&request).await.games, 10);
}

#[tokio::test]
async fn what_an_explorer_said_is_neither_added_to_nor_replaced() {
    let workshop = workshop().await;
    let start = after("");
    let crawled = Collection {
        name: "games".to_owned(),
        source: CollectionSource::Explorer,
        games: 0,
        min_games: 1,
        depth: 15,
        max_ply: None,
        facets: FacetKinds::default(),
    };
    let answer = CrawlAnswer {
        node: GraphNode {
            id: PositionId::of(&start),
            epd: epd(&start),
            ply: 0,
            halfmove: 0,
        },
        depth: 0,
        stats: Stats {
            draws: 7,
            ..Stats::default()
        },
        edges: Vec::new(),
        flagged: None,
    };
    let store = workshop.store().await;
    store.commit_answer(&crawled, answer).await.expect("an answer");
    let before = workshop.dump().await;
    // Nor is it replaced: it may have taken days to ask for.
    for request in [adding(&workshop, "a.pgn"), workshop.request(&["a.pgn"])] {
        let error = workshop.try_expand(&request).await.expect_err("other counts");
        assert!(error.to_string().contains("choose another name"), "{error}");
        assert_same(&workshop.dump().await, &before);
    }
    let elsewhere = ExpandRequest {
        collection: "mine".to_owned(),
        ..workshop.request(&["a.pgn"])
    };
    workshop.expand(&elsewhere).await;
    let answers = store.crawled("games").await.expect("answers");
    assert_eq!(answers.len(), 1, "{answers:?}");
}

#[tokio::test]
async fn a_file_that_adds_nothing_is_an_error() {
    let workshop = workshop().await;
    workshop.expand(&workshop.request(&["a.pgn"])).await;
    let before = workshop.dump().await;
    workshop.write("empty.pgn", "");
    workshop.write("unfinished.pgn", "1. e4 e5 *\n");
    for (file, why) in [
        ("empty.pgn", "there are none"),
        ("unfinished.pgn", "1 without a result"),
    ] {
        // The same again: it is not known because of the first attempt.
        for _ in 0..2 {
            let error = workshop.try_expand(&adding(&workshop, file)).await.expect_err(file);
            assert!(error.to_string().ends_with(why), "{error}");
        }
    }
    assert_same(&workshop.dump().await, &before);
    let mut request = adding(&workshop, "empty.pgn");
    request.from = workshop.request(&["empty.pgn", "b.pgn"]).from;
    assert_eq!(workshop.expand(&request).await.games, 10);
}

#[tokio::test]
async fn a_second_attempt_at_a_file_without_games_says_the_same() {
    let workshop = workshop().await;
    workshop.write("empty.pgn", "");
    let request = workshop.request(&["empty.pgn"]);
    for _ in 0..2 {
        let error = workshop.try_expand(&request).await.expect_err("no games");
        assert!(error.to_string().ends_with("there are none"), "{error}");
    }
}

#[tokio::test]
async fn what_is_no_pgn_is_asked_about() {
    let workshop = workshop().await;
    let noise: String = (0..4_000u32)
        .map(|at| char::from((33 + at.wrapping_mul(2_654_435_761) % 90) as u8))
        .collect();
    workshop.write("noise.pgn", &noise);
    workshop.write("unfinished.pgn", "1. e4 e5 *\n");
    for (file, asked) in [("noise.pgn", true), ("unfinished.pgn", false)] {
        let error = workshop
            .try_expand(&workshop.request(&[file]))
            .await
            .expect_err("no games");
        assert_eq!(error.hints()[0].contains("is it PGN?"), asked, "{file}: {error}");
    }
}

/// Told to count without `--add`, a build that passed for done would leave the counts as they were.
#[tokio::test]
async fn counts_of_an_older_version_are_counted_again_from_the_same_files() {
    let workshop = workshop().await;
    let a = workshop.request(&["a.pgn"]);
    workshop.expand(&a).await;
    let expected = workshop.dump().await;
    let (now, before) = (State::VERSION, State::VERSION - 1);
    let manifest = workshop.path(COUNTS).join("games/manifest.json");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    let older = text.replace(&format!("\"version\":{now}"), &format!("\"version\":{before}"));
    assert_ne!(older, text);
    fs::write(&manifest, older).expect("written");
    let store = workshop.store().await;
    let done = store.phase("expand:games").await.expect("readable").expect("a record");
    let input = done
        .input
        .replace(&format!("counts {now}"), &format!("counts {before}"));
    let recorded = store.record_phase("expand:games", &input, &done.figures).await;
    recorded.expect("a record");

    let error = workshop
        .try_expand(&adding(&workshop, "b.pgn"))
        .await
        .expect_err("counts of another version");
    assert!(matches!(&error, AppError::Count(CountError::Older { .. })), "{error}");
    assert!(error.hints()[0].contains("without --add"), "{error}");
    let again = workshop.expand(&a).await;
    assert!(!again.skipped && again.games == 5, "{again:?}");
    assert_same(&workshop.dump().await, &expected);
    assert_eq!(workshop.expand(&adding(&workshop, "b.pgn")).await.games, 10);
}

#[tokio::test]
async fn one_build_at_a_time() {
    let workshop = workshop().await;
    workshop.expand(&workshop.request(&["a.pgn"])).await;
    let lock = File::open(workshop.path(COUNTS).join(".lock")).expect("a lock");
    lock.lock().expect("free");
    let request = adding(&workshop, "b.pgn");
    let error = workshop.try_expand(&request).await.expect_err("in use");
    assert!(
        error.to_string().contains("another build is using") && error.to_string().contains(COUNTS),
        "{error}"
    );
    assert!(
        workshop.expand(&workshop.request(&["a.pgn"])).await.skipped,
        "what is done is done"
    );
    // Closing it would not do: a program that another test is just starting may have a copy.
    lock.unlock().expect("held");
    assert_eq!(workshop.expand(&request).await.games, 10);
}

#[tokio::test]
async fn what_is_not_counts_is_left_alone() {
    let workshop = workshop().await;
    let mut others = workshop.request(&["a.pgn"]);
    others.collection = "others".to_owned();
    workshop.expand(&others).await;
    let counts = workshop.path(COUNTS);
    fs::write(counts.join(".DS_Store"), "x").expect("written");
    fs::write(counts.join("notes"), "x").expect("written");
    for name in ["empty", "foreign", "with.dots"] {
        fs::create_dir(counts.join(name)).expect("a directory");
    }
    fs::write(counts.join("foreign/manifest.json"), r#"{"name": "an app"}"#).expect("written");
    // As a kill between two renames leaves it.
    fs::rename(counts.join("others"), counts.join("others.old")).expect("moved");
    let report = workshop.expand(&workshop.request(&["b.pgn"])).await;
    assert_eq!((report.games, report.all_games), (5, 10));
    assert!(counts.join("others").is_dir() && !counts.join("others.old").exists());
    for name in [".DS_Store", "notes", "empty", "foreign/manifest.json", "with.dots"] {
        assert!(counts.join(name).exists(), "{name}");
    }

    // What is ours and cannot be read is no stranger, and is found before anything is counted.
    let before = workshop.dump().await;
    fs::write(counts.join("others/manifest.json"), "{").expect("written");
    let error = workshop
        .try_expand(&workshop.request(&["c.pgn"]))
        .await
        .expect_err("damaged");
    assert!(error.to_string().contains("others"), "{error}");
    assert!(!counts.join("games.new").exists(), "nothing was begun");
    assert_same(&workshop.dump().await, &before);
}

#[tokio::test]
async fn two_collections_that_cannot_be_read_do_not_lock_each_other_up() {
    let workshop = workshop().await;
    let of = |name: &str, file: &str| ExpandRequest {
        collection: name.to_owned(),
        ..workshop.request(&[file])
    };
    let counts = workshop.path(COUNTS);
    for name in ["one", "two"] {
        workshop.expand(&of(name, "a.pgn")).await;
    }
    for name in ["one", "two"] {
        fs::write(counts.join(name).join("infos"), "").expect("written");
    }
    let error = workshop
        .try_expand(&of("one", "b.pgn"))
        .await
        .expect_err("two is damaged");
    let two = counts.join("two");
    assert!(
        matches!(&error, AppError::OtherCounts { collection, dir, .. } if collection == "two" && *dir == two),
        "{error:?}"
    );
    let hints = error.hints().join("\n");
    assert!(
        hints.contains("--collection two") && hints.contains(&two.display().to_string()),
        "{hints}"
    );
    // As the hint says.
    fs::remove_dir_all(&two).expect("removed");
    let error = workshop.try_expand(&of("one", "b.pgn")).await.expect_err("two is gone");
    assert!(
        matches!(error, AppError::OthersToCount { games: 5, .. }),
        "it is counted all the same: {error:?}"
    );
    let both = workshop.expand(&of("two", "b.pgn")).await;
    assert_eq!((both.games, both.all_games), (5, 10));
}
