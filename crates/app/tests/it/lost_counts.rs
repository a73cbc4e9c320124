//! Counts that are not where they were, or not what they were.

use std::fs;

use tabiya_app::{
    AppError, Reaction,
    build::{EcoRequest, ExpandRequest, MinGames, Steps, build_all},
};

use crate::workshop::{TEN_NAMES, Workshop, assert_same};

const COUNTS: &str = "tabiya.db.counts";

/// Two collections that only together have two games of most of their moves.
async fn workshop() -> Workshop {
    let workshop = Workshop::named(TEN_NAMES).await;
    let two = "1. h3 a6 2. g3 b6 3. a3 h6 1-0\n\n";
    workshop.write("one.pgn", &format!("[White \"A\"]\n\n{two}[White \"B\"]\n\n{two}"));
    workshop.write("two.pgn", "[White \"C\"]\n\n1. g3 b6 2. h3 a6 3. a3 h6 1-0\n");
    workshop.write("more.pgn", "[White \"D\"]\n\n1. e4 e5 1-0\n");
    workshop
}

fn of(workshop: &Workshop, collection: &str, file: &str) -> ExpandRequest {
    ExpandRequest {
        collection: collection.to_owned(),
        min_games: MinGames::Fixed(2),
        ..workshop.request(&[file])
    }
}

async fn counted(workshop: &Workshop) {
    for collection in ["one", "two"] {
        let file = format!("{collection}.pgn");
        workshop.expand(&of(workshop, collection, &file)).await;
    }
}

fn is_refused(error: &AppError, gone: &[&str]) {
    assert!(
        matches!(error, AppError::OtherCountsMissing { collections, .. } if collections == gone),
        "{error:?}"
    );
    assert_eq!(error.reaction(), Reaction::FixInput);
    let text = error.to_string();
    assert!(text.contains(COUNTS) && text.contains(gone[0]), "{text}");
    assert!(error.hints()[0].contains("--state"), "{:?}", error.hints());
}

#[tokio::test]
async fn no_graph_is_made_without_the_counts_of_another_collection() {
    let workshop = workshop().await;
    counted(&workshop).await;
    let before = workshop.dump().await;
    // As where --state was forgotten, or the database was copied without its counts.
    fs::rename(workshop.path(COUNTS), workshop.path("elsewhere")).expect("moved");
    let of = |collection, file| of(&workshop, collection, file);
    let adding = ExpandRequest {
        add: true,
        ..of("three", "more.pgn")
    };
    let replacing = of("one", "more.pgn");
    let done = of("one", "one.pgn");
    let others: [(_, &[&str]); 3] = [(&replacing, &["two"]), (&done, &["two"]), (&adding, &["one", "two"])];
    for (request, gone) in others {
        is_refused(&workshop.try_expand(request).await.expect_err("no counts"), gone);
    }
    // The names that ship with the program would take the place of the ten.
    let names = EcoRequest {
        database: workshop.database(),
        ..EcoRequest::default()
    };
    let error = build_all(&names, &replacing, None, &Steps::default()).await;
    is_refused(&error.expect_err("no counts"), &["two"]);
    assert!(!workshop.path(COUNTS).exists(), "the counts may be moved back");
    assert_same(&workshop.dump().await, &before);

    let found = ExpandRequest {
        state: Some(workshop.path("elsewhere")),
        ..replacing
    };
    assert_eq!(workshop.expand(&found).await.all_games, 2);
}

#[tokio::test]
async fn collections_that_have_lost_their_counts_are_counted_anew_in_any_order() {
    let fresh = workshop().await;
    counted(&fresh).await;
    let expected = fresh.dump().await;
    for [first, second] in [["one", "two"], ["two", "one"]] {
        let workshop = workshop().await;
        counted(&workshop).await;
        fs::remove_dir_all(workshop.path(COUNTS)).expect("removed");
        let of = |collection: &str| of(&workshop, collection, &format!("{collection}.pgn"));
        let error = workshop.try_expand(&of(first)).await.expect_err("no counts");
        is_refused(&error, &[second]);
        assert!(
            error.hints()[1].contains("make an empty directory"),
            "{:?}",
            error.hints()
        );

        // As the hint says.
        fs::create_dir(workshop.path(COUNTS)).expect("a directory");
        let error = workshop.try_expand(&of(first)).await.expect_err("one is left");
        assert!(
            matches!(&error, AppError::OthersToCount { collection, others, .. } if collection == first && others == &[second]),
            "{error:?}"
        );
        let told = format!("--collection {second}");
        assert!(error.hints()[0].contains(&told), "{:?}", error.hints());
        assert_same(&workshop.dump().await, &expected);
        // It is counted: the other one's turn.
        let error = workshop.try_expand(&of(first)).await.expect_err("one is left");
        is_refused(&error, &[second]);
        assert!(error.hints()[1].contains(&told), "{:?}", error.hints());

        let whole = workshop.expand(&of(second)).await;
        assert_eq!((whole.all_games, whole.skipped), (3, false));
        assert_same(&workshop.dump().await, &expected);
    }
}

/// Other games than before, so that the graph shows whose counts it is made of.
#[tokio::test]
async fn what_is_counted_anew_equals_a_new_database() {
    let workshop = workshop().await;
    counted(&workshop).await;
    fs::remove_dir_all(workshop.path(COUNTS)).expect("removed");
    fs::create_dir(workshop.path(COUNTS)).expect("a directory");
    let one = of(&workshop, "one", "more.pgn");
    let two = of(&workshop, "two", "two.pgn");
    workshop.try_expand(&one).await.expect_err("two is left");
    workshop.expand(&two).await;

    let fresh = self::workshop().await;
    for (collection, file) in [("one", "more.pgn"), ("two", "two.pgn")] {
        fresh.expand(&of(&fresh, collection, file)).await;
    }
    assert_same(&workshop.dump().await, &fresh.dump().await);
}

#[tokio::test]
async fn what_cannot_be_added_to_is_not_done() {
    let workshop = workshop().await;
    let one = of(&workshop, "one", "one.pgn");
    workshop.expand(&one).await;
    let expected = workshop.dump().await;
    let counts = workshop.path(COUNTS).join("one");
    let more = ExpandRequest {
        add: true,
        ..of(&workshop, "one", "more.pgn")
    };
    for file in [
        "departures",
        "header-ends",
        "headers",
        "identities",
        "infos",
        "manifest.json",
        "pieces",
    ] {
        for is_gone in [true, false] {
            assert!(workshop.expand(&one).await.skipped, "{file}");
            if is_gone {
                fs::remove_file(counts.join(file)).expect(file);
            } else {
                fs::write(counts.join(file), "").expect(file);
            }
            if file != "manifest.json" {
                let error = workshop.try_expand(&more).await.expect_err(file);
                assert!(error.hints()[0].contains("without --add"), "{file}: {error}");
            }
            // As the hint says.
            let again = workshop.expand(&one).await;
            assert!(!again.skipped && again.games == 2, "{file}: {again:?}");
            assert_same(&workshop.dump().await, &expected);
        }
    }
    assert_eq!(workshop.expand(&more).await.games, 3);
}

#[tokio::test]
async fn damage_that_only_another_build_finds_is_not_done_either() {
    let workshop = workshop().await;
    counted(&workshop).await;
    let departures = workshop.path(COUNTS).join("one/departures");
    let length = fs::metadata(&departures).expect("a file").len();
    fs::write(&departures, vec![0xff; length as usize]).expect("written");
    let one = of(&workshop, "one", "one.pgn");
    let more = ExpandRequest {
        add: true,
        ..of(&workshop, "two", "more.pgn")
    };
    let error = workshop.try_expand(&more).await.expect_err("damaged");
    assert!(error.hints()[0].contains("without --add"), "{error}");
    let again = workshop.expand(&one).await;
    assert!(!again.skipped && again.all_games == 4, "{again:?}");
}
