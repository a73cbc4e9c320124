//! All phases, one after the other.

use std::sync::atomic::Ordering::Relaxed;

use tabiya_app::{
    AppError, Reaction,
    build::{AnnotateRequest, EcoRequest, ExpandRequest, MinGames, Steps, build_all},
};

use crate::workshop::{TEN_NAMES, Workshop, assert_same, game};

async fn build(names: &EcoRequest, games: &ExpandRequest, engines: Option<&AnnotateRequest>) -> Result<(), AppError> {
    build_all(names, games, engines, &Steps::default()).await.map(drop)
}

/// What a later phase cannot be done with is found before an earlier one changes anything.
#[tokio::test]
async fn nothing_is_changed_by_a_build_that_cannot_be_done() {
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write("games.pgn", &game(1, "", "e4 e5 Nf3", "1-0"));
    let good = workshop.request(&["games.pgn"]);
    build(&workshop.eco_request(), &good, None).await.expect("a build");
    let before = workshop.dump().await;
    // The names that ship with the program would take the place of the ten.
    let names = EcoRequest {
        database: workshop.database(),
        ..EcoRequest::default()
    };
    let mut dates = good.clone();
    dates.filter.since = Some("2020".parse().expect("a year"));
    dates.filter.until = Some("2019-12".parse().expect("a month"));
    let requests = [
        (workshop.request(&["missing.pgn"]), "missing.pgn"),
        (
            ExpandRequest {
                depth: 0,
                ..good.clone()
            },
            "--depth 0",
        ),
        (
            ExpandRequest {
                min_games: MinGames::Fixed(0),
                ..good.clone()
            },
            "--min-games",
        ),
        (dates, "--since"),
    ];
    for (request, told) in &requests {
        let error = build(&names, request, None).await.expect_err(told);
        assert_eq!(error.reaction(), Reaction::FixInput, "{error}");
        assert!(error.to_string().contains(told), "{error}");
        assert_same(&workshop.dump().await, &before);
    }
    let mut engines = AnnotateRequest::new(workshop.database());
    engines.engine.engine = Some(workshop.path("no-such-engine"));
    let error = build(&names, &good, Some(&engines)).await.expect_err("no engine");
    assert!(matches!(error, AppError::Engine(_)), "{error}");
    assert_same(&workshop.dump().await, &before);

    // And no database is left behind where there was none.
    let elsewhere = format!("sqlite://{}", workshop.path("new.db").display());
    let names = EcoRequest {
        database: elsewhere.clone(),
        ..EcoRequest::default()
    };
    let request = ExpandRequest {
        database: elsewhere,
        ..workshop.request(&["missing.pgn"])
    };
    build(&names, &request, None).await.expect_err("no file");
    assert!(!workshop.path("new.db").exists());

    // A year and a month of it leave room.
    let mut dates = good;
    dates.filter.since = Some("2020".parse().expect("a year"));
    dates.filter.until = Some("2020-01".parse().expect("a month"));
    workshop.write("games.pgn", &game(1, "[Date \"2020.01.02\"]\n", "e4 e5 Nf3", "1-0"));
    build(&workshop.eco_request(), &dates, None).await.expect("a build");
}

#[tokio::test]
async fn a_build_that_is_to_stop_begins_no_other_phase() {
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write("games.pgn", &game(1, "", "e4 e5 Nf3", "1-0"));
    let request = workshop.request(&["games.pgn"]);
    request.stop.store(true, Relaxed);
    let error = build(&workshop.eco_request(), &request, None)
        .await
        .expect_err("stopped");
    assert!(error.is_stop(), "{error}");
    assert!(workshop.store().await.collections().await.expect("a list").len() == 1);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_may_come_through_a_pipe() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let pipe = workshop.path("pipe.pgn");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    std::thread::spawn(move || {
        let text = game(1, "", "e4 e5 Nf3", "1-0").into_bytes();
        // Whoever opens it again finds it empty, and so never waits. A reader who is gone already is one who did not want it.
        for text in [text, Vec::new()] {
            let _ = std::fs::write(&pipe, text);
        }
    });
    let request = workshop.request(&["pipe.pgn"]);
    build(&workshop.eco_request(), &request, None)
        .await
        .expect("the game is read");
    let node = workshop.node("e4 e5 Nf3").await.expect("a node");
    assert_eq!(node.game_count(), 1);
}
