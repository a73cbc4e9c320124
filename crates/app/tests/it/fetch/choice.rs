//! Which games are asked for: all of them once, those of two players or of some days, and later what is new.

use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
};

use tabiya_app::fetch::{FetchRequest, Site};

use super::{JANUARY, game, lichess, numbers, request, run};
use crate::server::{Reply, Server};

#[tokio::test]
async fn all_games_come_once_and_later_only_what_is_new() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("games/ann.pgn");
    let newest = Arc::new(AtomicUsize::new(5));
    let there = Arc::clone(&newest);
    let server = Server::start(move |request| Reply::Ok(lichess(request, there.load(SeqCst) as u32))).await;
    let request = request(&server, Site::Lichess, &output);
    let first = run(&request).await.expect("games");
    assert_eq!((first.new, first.known, first.interrupted), (5, 0, false));
    assert_eq!(numbers(&output), [1, 2, 3, 4, 5]);
    newest.store(7, SeqCst);
    let second = run(&request).await.expect("games");
    assert_eq!(
        (second.new, second.known),
        (2, 1),
        "the newest game's second is asked for again"
    );
    assert_eq!(numbers(&output), [1, 2, 3, 4, 5, 6, 7]);
    let asked = server.requests();
    assert_eq!((asked[0].path.as_str(), asked.len()), ("/api/games/user/Ann", 3));
    assert_eq!(asked[0].headers["accept"], "application/x-chess-pgn");
    assert_eq!(asked[0].query.get("since"), None);
    assert_eq!(
        asked[1].query["since"],
        ((JANUARY + 4 * 86_400 + 36_000) * 1000).to_string()
    );
    // What had not ended by then, and begun before.
    assert_eq!(
        (asked[2].query.get("since"), &asked[2].query["until"]),
        (None, &asked[1].query["since"])
    );
    assert_eq!(asked[2].query["perfType"], "correspondence");
    assert_eq!(server.most_at_once(), 1);
}

#[tokio::test]
async fn a_game_of_correspondence_is_found_when_it_ends() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let has_ended = Arc::new(AtomicBool::new(false));
    let ended = Arc::clone(&has_ended);
    // The second of five games takes weeks.
    let server = Server::start(move |request| {
        let slow = game(Site::Lichess, 2);
        match (request.query.contains_key("perfType"), ended.load(SeqCst)) {
            (true, true) => Reply::Ok(slow),
            (true, false) => Reply::Ok(String::new()),
            (false, _) => Reply::Ok(lichess(request, 5).replace(&slow, "")),
        }
    })
    .await;
    let request = request(&server, Site::Lichess, &output);
    run(&request).await.expect("games");
    assert_eq!(numbers(&output), [1, 3, 4, 5]);
    let nothing = run(&request).await.expect("games");
    assert_eq!(nothing.new, 0);
    has_ended.store(true, SeqCst);
    for new in [1, 0] {
        let report = run(&request).await.expect("games");
        assert_eq!(report.new, new);
        assert_eq!(numbers(&output), [1, 3, 4, 5, 2]);
    }
    // It is old: what is asked for next time begins where it did before.
    let asked = server.requests();
    assert_eq!(asked[5].query["since"], asked[1].query["since"]);
}

#[tokio::test]
async fn two_players_days_and_the_newest() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = Server::start(|request| Reply::Ok(lichess(request, 9))).await;
    let base = request(&server, Site::Lichess, &dir.path().join("a.pgn"));
    let against = FetchRequest {
        against: Some("even".to_owned()),
        ..base.clone()
    };
    run(&against).await.expect("games");
    assert_eq!(numbers(&base.output), [2, 4, 6, 8]);
    let days = FetchRequest {
        since: Some("2024-01-03".parse().expect("a day")),
        until: Some("2024-01-05".parse().expect("a day")),
        output: dir.path().join("b.pgn"),
        ..base.clone()
    };
    run(&days).await.expect("games");
    assert_eq!(numbers(&days.output), [3, 4, 5]);
    let newest = FetchRequest {
        max: Some(2),
        output: dir.path().join("c.pgn"),
        ..base.clone()
    };
    run(&newest).await.expect("games");
    assert_eq!(numbers(&newest.output), [9, 8]);
    // Older games than before: all of them are asked for, and what is there is recognised.
    let all = FetchRequest {
        output: days.output.clone(),
        ..base
    };
    let report = run(&all).await.expect("games");
    assert_eq!((report.new, report.known), (6, 3));
}

#[tokio::test]
async fn months_that_are_whole_are_not_asked_for_again() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let refused = AtomicBool::new(false);
    let server = Server::start(move |request| match request.path.as_str() {
        "/pub/player/ann/games/archives" => {
            let month = |number| format!("\"https://api.chess.com/pub/player/ann/games/2024/{number:02}\"");
            Reply::Ok(format!("{{\"archives\":[{},{},{}]}}", month(1), month(2), month(3)))
        }
        path => {
            let month: u32 = path
                .split('/')
                .nth(6)
                .and_then(|part| part.parse().ok())
                .expect("a month");
            if month == 2 && !refused.swap(true, SeqCst) {
                return Reply::Status(429, "Retry-After: 0", "");
            }
            let mut games = String::new();
            for number in month * 2 - 1..=month * 2 {
                let text = game(Site::ChessCom, number).replace("2024.01", &format!("2024.{month:02}"));
                let _ = write!(games, "{text}");
            }
            Reply::Ok(games)
        }
    })
    .await;
    let request = request(&server, Site::ChessCom, &output);
    assert_eq!(run(&request).await.expect("games").new, 6);
    assert_eq!(numbers(&output), [1, 2, 3, 4, 5, 6]);
    let again = run(&request).await.expect("games");
    assert_eq!((again.new, again.known), (0, 2));
    let paths: Vec<String> = server.requests().into_iter().map(|one| one.path).collect();
    let months: Vec<&str> = paths
        .iter()
        .filter_map(|path| path.strip_prefix("/pub/player/ann/games/2024/"))
        .collect();
    assert_eq!(months, ["01/pgn", "02/pgn", "02/pgn", "03/pgn", "03/pgn"]);
    let between = FetchRequest {
        against: Some("ODD".to_owned()),
        since: Some("2024-02-01".parse().expect("a day")),
        output: dir.path().join("pair.pgn"),
        ..request.clone()
    };
    let report = run(&between).await.expect("games");
    assert_eq!((report.new, report.passed_over), (2, 2));
    assert_eq!(numbers(&between.output), [3, 5]);
    let newest = FetchRequest {
        max: Some(3),
        output: dir.path().join("newest.pgn"),
        ..request
    };
    run(&newest).await.expect("games");
    assert_eq!(numbers(&newest.output), [6, 5, 4]);
}
