//! Answers that are no games, break off or refuse, and an interrupt among them.

use std::{
    sync::{Arc, Mutex, atomic::Ordering::SeqCst},
    time::Duration,
};

use tabiya_app::{
    AppError,
    fetch::{FetchEvent, Site, fetch},
};
use tabiya_lichess::GamesError;

use super::{lichess, numbers, request, run};
use crate::server::{Reply, Server};

#[tokio::test]
async fn what_is_no_game_is_written_nowhere() {
    let dir = tempfile::tempdir().expect("a directory");
    let page = "<!doctype html>\n<html><body>Please log in</body></html>";
    let server = Server::start(move |request| match request.path.as_str() {
        "/pub/player/ann/games/archives" => {
            Reply::Ok("{\"archives\":[\"https://api.chess.com/pub/player/ann/games/2024/01\"]}".to_owned())
        }
        "/api/games/user/Ann" if request.query.contains_key("vs") => Reply::Endless,
        _ => Reply::Ok(page.to_owned()),
    })
    .await;
    let file = dir.path().join("there.pgn");
    let mine = "[Event \"mine\"]\n\n1. d4 *";
    std::fs::write(&file, mine).expect("a file");
    for (site, against, place) in [
        (Site::Lichess, None, "/api/games/user/Ann?"),
        (Site::Lichess, Some("bob"), "/api/games/user/Ann?vs=bob"),
        (Site::ChessCom, None, "/pub/player/ann/games/2024/01/pgn"),
    ] {
        for output in [dir.path().join("new.pgn"), file.clone()] {
            let mut request = request(&server, site, &output);
            request.against = against.map(str::to_owned);
            let error = run(&request).await.expect_err("no games");
            assert!(
                matches!(&error, AppError::Games(GamesError::NotAnAnswer { url, .. }) if url.contains(place)),
                "{error:?}"
            );
        }
    }
    let mut names: Vec<_> = std::fs::read_dir(dir.path())
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["there.pgn"]);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), mine);
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_gone_on_with() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let server = Server::start(|request| {
        let all = lichess(request, 9);
        match request.number {
            0 => Reply::Truncated(all),
            1 => Reply::Status(429, "", ""),
            2 => Reply::TruncatedChunks(all),
            3 => Reply::Status(502, "", ""),
            _ => Reply::Ok(all),
        }
    })
    .await;
    let request = request(&server, Site::Lichess, &output);
    let waits = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&waits);
    let tell = Arc::new(move |event: FetchEvent<'_>| {
        if let FetchEvent::Waiting(wait) = event {
            seen.lock().expect("sound").push(wait.to_string());
        }
    });
    let report = fetch(&request, tell).await.expect("games");
    assert_eq!(report.new, 9);
    assert_eq!(numbers(&output), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let since: Vec<Option<String>> = server
        .requests()
        .iter()
        .map(|one| one.query.get("since").cloned())
        .collect();
    assert!(
        since[0].is_none() && since[1].is_some() && since[2] == since[1] && since[3] > since[2],
        "{since:?}"
    );
    assert_eq!(waits.lock().expect("sound").len(), 4);
    assert!(server.gaps()[1] >= Duration::from_millis(80), "a refusal is waited out");
}

#[tokio::test]
async fn refusals_end_it_at_once_and_no_one_hears_the_token() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = Server::start(|request| match request.path.as_str() {
        "/api/games/user/Ann" => Reply::Status(404, "", "{}"),
        "/api/games/user/Bob" => Reply::Status(401, "", "no such token: secret"),
        "/api/games/user/Eve" => Reply::Status(302, "Location: http://elsewhere/", ""),
        _ => Reply::Ok("[]".to_owned()),
    })
    .await;
    let mut request = request(&server, Site::Lichess, &dir.path().join("a.pgn"));
    request.config.token = Some("secret".parse().expect("a token"));
    let mut refused = Vec::new();
    for player in ["Ann", "Bob", "Eve"] {
        request.player = player.to_owned();
        let error = run(&request).await.expect_err("refused");
        assert!(
            !format!("{error} {error:?} {request:?}").contains("secret"),
            "{error:?}"
        );
        refused.push(matches!(
            (player, &error),
            ("Ann", AppError::Games(GamesError::NoSuchPlayer { .. }))
                | ("Bob", AppError::Games(GamesError::Refused { status: 401, .. }))
                | ("Eve", AppError::Games(GamesError::Moved { .. }))
        ));
    }
    assert_eq!(refused, [true; 3]);
    request.site = Site::ChessCom;
    let error = run(&request).await.expect_err("no list");
    assert!(
        matches!(error, AppError::Games(GamesError::NotAnAnswer { .. })),
        "{error:?}"
    );
    let heard: Vec<_> = server.requests();
    assert_eq!(heard.len(), 4);
    assert!(heard.iter().all(|one| one.authorization() == Some("Bearer secret")));
}

#[tokio::test]
async fn an_interrupt_keeps_what_came() {
    let dir = tempfile::tempdir().expect("a directory");
    let server = Server::start(|request| match request.number {
        0 => Reply::Truncated(lichess(request, 9)),
        1 => Reply::Slow(Duration::from_secs(30), String::new()),
        _ => Reply::Ok(lichess(request, 9)),
    })
    .await;
    let request = request(&server, Site::Lichess, &dir.path().join("a.pgn"));
    let stop = Arc::clone(&request.stop);
    let tell = Arc::new(move |event: FetchEvent<'_>| {
        if let FetchEvent::Waiting(_) = event {
            stop.store(true, SeqCst);
        }
    });
    let report = fetch(&request, tell).await.expect("no failure");
    assert!(report.interrupted && report.new > 1, "{report:?}");
    request.stop.store(false, SeqCst);
    let rest = run(&request).await.expect("games");
    assert_eq!(rest.new + report.new, 9);
    assert_eq!(numbers(&request.output), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}
