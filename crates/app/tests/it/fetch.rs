//! Players' games, from a server in this process that speaks as the sites do, and misbehaves on script.

use std::{
    fmt::Write as _,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use tabiya_app::{
    AppError,
    fetch::{FetchEvent, FetchReport, FetchRequest, Site, fetch},
};
use tabiya_lichess::GamesError;

use crate::server::{Reply, Request, Server};

/// Game `number` of the player, on that day of January 2024.
fn game(site: Site, number: u32) -> String {
    let address = match site {
        Site::Lichess => format!("[Site \"https://lichess.org/g{number}\"]"),
        Site::ChessCom => format!("[Site \"Chess.com\"]\n[Link \"https://www.chess.com/game/live/{number}\"]"),
    };
    let opponent = if number.is_multiple_of(2) { "Even" } else { "Odd" };
    format!(
        "[Event \"x\"]\n{address}\n[White \"Ann\"]\n[Black \"{opponent}\"]\n[UTCDate \"2024.01.{number:02}\"]\n\
         [UTCTime \"10:00:00\"]\n[Result \"1-0\"]\n\n1. e4 {{ number {number} }} e5 1-0\n\n\n"
    )
}

const JANUARY: u64 = 1_704_067_200;

/// Lichess's answer: games by age, chosen by `since`, `until`, `vs` and `max`.
fn lichess(request: &Request, newest: u32) -> String {
    let number = |name: &str| {
        request
            .query
            .get(name)
            .map(|text| text.parse::<u64>().expect("a number"))
    };
    let created = |game: u32| (JANUARY + u64::from(game - 1) * 86_400 + 36_000) * 1000;
    if request.query.contains_key("perfType") {
        return String::new();
    }
    let mut games: Vec<u32> = (1..=newest)
        .filter(|game| number("since").is_none_or(|since| since <= created(*game)))
        .filter(|game| number("until").is_none_or(|until| created(*game) <= until))
        .filter(|game| match request.query.get("vs").map(String::as_str) {
            Some("even") => game.is_multiple_of(2),
            Some(_) => !game.is_multiple_of(2),
            None => true,
        })
        .collect();
    if request.query["sort"] == "dateDesc" {
        games.reverse();
    }
    games.truncate(number("max").unwrap_or(u64::MAX) as usize);
    games.into_iter().map(|number| game(Site::Lichess, number)).collect()
}

fn request(server: &Server, site: Site, output: &Path) -> FetchRequest {
    let mut config = FetchRequest::config(server.base.join("/").expect("a URL"));
    config.politeness.first_backoff = Duration::from_millis(5);
    config.politeness.long_pause = Duration::from_millis(80);
    config.politeness.jitter = false;
    config.politeness.max_tries = 4.try_into().expect("four");
    FetchRequest {
        site,
        player: "Ann".to_owned(),
        against: None,
        since: None,
        until: None,
        max: None,
        output: output.to_owned(),
        config,
        stop: Arc::default(),
    }
}

async fn run(request: &FetchRequest) -> Result<FetchReport, AppError> {
    fetch(request, Arc::new(|_| {})).await
}

/// The numbers of the games in a file, in its order. Every one is whole.
fn numbers(path: &Path) -> Vec<u32> {
    let text = std::fs::read_to_string(path).expect("a file");
    let numbers = text.lines().filter_map(|line| line.strip_prefix("1. e4 { number "));
    numbers
        .map(|line| {
            line.strip_suffix(" } e5 1-0")
                .expect("whole")
                .parse()
                .expect("a number")
        })
        .collect()
}

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

#[tokio::test]
async fn a_game_that_was_cut_by_a_kill_is_written_anew() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let server = Server::start(|request| Reply::Ok(lichess(request, 3))).await;
    let request = request(&server, Site::Lichess, &output);
    run(&request).await.expect("games");
    let whole = std::fs::read_to_string(&output).expect("a file");
    let cut = whole.rfind("{ number 3").expect("the last game");
    std::fs::write(&output, &whole[..cut]).expect("a file");
    // It had not been noted either.
    let note = dir.path().join("ann.pgn.fetch.json");
    std::fs::write(&note, "{\"version\":1,\"fetched\":[]}").expect("a file");
    let report = run(&request).await.expect("games");
    assert_eq!((report.new, report.known), (1, 2));
    assert_eq!(numbers(&output), [1, 2, 3]);
}

/// Wherever a kill has cut the last game: in its tags, in its moves, before the blank line.
#[tokio::test]
async fn no_stump_stays_and_none_is_glued_to_the_next_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let server = Server::start(|request| Reply::Ok(lichess(request, 3))).await;
    let request = request(&server, Site::Lichess, &output);
    run(&request).await.expect("games");
    let whole = std::fs::read_to_string(&output).expect("a file");
    let last = whole.rfind("[Event").expect("the last game");
    let note = dir.path().join("ann.pgn.fetch.json");
    for cut in last..whole.len() {
        std::fs::write(&output, &whole[..cut]).expect("a file");
        std::fs::write(&note, "{\"version\":1,\"fetched\":[]}").expect("a file");
        run(&request).await.expect("games");
        let again = std::fs::read_to_string(&output).expect("a file");
        // A game that lacks nothing but the blank line is there.
        let is_there = cut >= whole.trim_end().len();
        let expected = if is_there { &whole[..cut] } else { whole.as_str() };
        assert_eq!(again, expected, "cut at {:?}", &whole[last..cut]);
    }
}

#[tokio::test]
async fn a_stranger_s_unfinished_game_is_never_cut() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let mine = format!(
        "{}[Event \"mine\"]\n[Site \"https://lichess.org/mine\"]\n\n1. d4 d5 2. c4",
        game(Site::Lichess, 1)
    );
    std::fs::write(&output, &mine).expect("a file");
    let newest = Arc::new(AtomicUsize::new(1));
    let there = Arc::clone(&newest);
    let server = Server::start(move |request| Reply::Ok(lichess(request, there.load(SeqCst) as u32))).await;
    let request = request(&server, Site::Lichess, &output);
    // Nothing new, twice: a note is there by now, and still nothing of ours.
    for _ in 0..2 {
        run(&request).await.expect("games");
        assert_eq!(std::fs::read_to_string(&output).expect("a file"), mine);
    }
    newest.store(2, SeqCst);
    for _ in 0..2 {
        run(&request).await.expect("games");
        let text = std::fs::read_to_string(&output).expect("a file");
        assert_eq!(text, format!("{mine}\n\n{}\n\n", game(Site::Lichess, 2).trim_end()));
    }
}

#[tokio::test]
async fn what_a_stranger_wrote_stays() {
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let mine = "[Site \"https://lichess.org/mine\"]\n\n1. d4 d5 2. c4";
    std::fs::write(&output, mine).expect("a file");
    let server = Server::start(|request| Reply::Ok(lichess(request, 1))).await;
    run(&request(&server, Site::Lichess, &output)).await.expect("games");
    let text = std::fs::read_to_string(&output).expect("a file");
    assert!(text.starts_with(&format!("{mine}\n\n[Event \"x\"]")), "{text}");
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_is_not_added_to() {
    let dir = tempfile::tempdir().expect("a directory");
    let pipe = dir.path().join("pipe.pgn");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let server = Server::start(|request| Reply::Ok(lichess(request, 1))).await;
    for output in [&*pipe, Path::new("/dev/null"), Path::new("-")] {
        let error = run(&request(&server, Site::Lichess, output))
            .await
            .expect_err("no file");
        assert!(matches!(&error, AppError::OutOfRange(_)), "{error}");
        assert!(error.to_string().contains("has to be a file"), "{error}");
    }
    assert!(server.requests().is_empty() && !Path::new("-").exists());
}

#[cfg(unix)]
#[tokio::test]
async fn the_note_is_a_file_like_any_other() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().expect("a directory");
    let output = dir.path().join("ann.pgn");
    let server = Server::start(|request| Reply::Ok(lichess(request, 3))).await;
    run(&request(&server, Site::Lichess, &output)).await.expect("games");
    let mode = |name: &str| {
        let meta = std::fs::metadata(dir.path().join(name)).expect("there");
        meta.permissions().mode()
    };
    assert_eq!(mode("ann.pgn.fetch.json"), mode("ann.pgn"));
    // It may lie elsewhere.
    std::fs::rename(dir.path().join("ann.pgn.fetch.json"), dir.path().join("note")).expect("moved");
    std::os::unix::fs::symlink("note", dir.path().join("ann.pgn.fetch.json")).expect("a link");
    run(&request(&server, Site::Lichess, &output)).await.expect("games");
    let link = std::fs::symlink_metadata(dir.path().join("ann.pgn.fetch.json")).expect("there");
    assert!(link.is_symlink());
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
