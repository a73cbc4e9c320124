//! Games that are handed in and reviewed by a real engine, and games that are compared.

use std::env;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::ConnectInfo;
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use serde_json::{Value, json};
use tabiya_app::engines::EngineSettings;
use tabiya_app::review::DeskOptions;
use tabiya_server::{ServeOptions, Server};

use crate::kitchen::{Kind, Kitchen, call, get, post, read};

const SCHOLAR: &str = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0";

/// The engine that `scripts/setup test` leaves behind.
fn real_engine() -> PathBuf {
    let home = env::home_dir().expect("a home");
    let path =
        env::var_os("TABIYA_TEST_ENGINE").map_or_else(|| home.join(".cache/tabiya/stockfish/stockfish"), PathBuf::from);
    assert!(path.exists(), "{} is missing: run scripts/setup test", path.display());
    path
}

/// One engine, and one place to wait for it.
fn desk(nodes: u64) -> DeskOptions {
    DeskOptions {
        engine: EngineSettings {
            engine: Some(real_engine()),
            workers: Some(1),
            ..EngineSettings::default()
        },
        nodes,
        queue: 1,
        ..DeskOptions::default()
    }
}

async fn server(kitchen: &Kitchen, nodes: u64) -> Server {
    let reviews = desk(nodes);
    let options = ServeOptions {
        reviews,
        ..ServeOptions::default()
    };
    kitchen.cold_server(options).await
}

async fn order(router: &Router, pgn: &str) -> (StatusCode, Value) {
    read(post(router, "/review", &json!({ "pgn": pgn }).to_string()).await).await
}

/// Asks until a review has come to this.
async fn wait(router: &Router, id: &str, status: &str) -> Value {
    let begun = Instant::now();
    loop {
        let (_, state) = read(get(router, &format!("/review/{id}")).await).await;
        if state["status"] == status {
            return state;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "{state}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn text(router: &Router, uri: &str) -> (StatusCode, String) {
    let response = get(router, uri).await;
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.expect("a body");
    (status, String::from_utf8(body.to_vec()).expect("text"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_reviewed_and_can_be_had_as_json_events_and_pgn() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    let router = server(&kitchen, 3_000).await.router();
    let (status, ticket) = order(&router, SCHOLAR).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{ticket}");
    let id = ticket["id"].as_str().expect("an id");

    // All events, from whichever is the present one to the last.
    let (status, events) = text(&router, &format!("/review/{id}/events")).await;
    assert_eq!(status, StatusCode::OK);
    let names: Vec<&str> = events.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(names.last(), Some(&"done"), "{events}");
    assert_eq!(events.matches("retry: 1000").count(), 1, "{events}");
    assert!(names.contains(&"progress"), "{names:?}");

    let done = wait(&router, id, "done").await;
    let moves = done["review"]["moves"].as_array().expect("moves");
    assert_eq!(moves.len(), 7);
    assert_eq!(moves[5]["san"], "Nf6");
    assert_eq!(moves[5]["classification"], "blunder", "{}", moves[5]);
    assert_eq!(moves[6]["san"], "Qxf7#");

    let (status, pgn) = text(&router, &format!("/review/{id}/pgn")).await;
    assert_eq!(status, StatusCode::OK);
    assert!(pgn.contains("[%eval") && pgn.contains("Qxf7#"), "{pgn}");

    let delete = Request::delete(format!("/review/{id}"))
        .body(Body::empty())
        .expect("a request");
    assert_eq!(call(&router, delete).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(
        get(&router, &format!("/review/{id}")).await.status(),
        StatusCode::NOT_FOUND
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_hands_a_game_in_may_say_how_long_to_look_at_it() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    // By itself the server would take longer than anybody waits.
    let router = server(&kitchen, 2_000_000_000).await.router();
    let body = json!({ "pgn": SCHOLAR, "nodes": 2_000 }).to_string();
    let (status, ticket) = read(post(&router, "/review", &body).await).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{ticket}");
    let done = wait(&router, ticket["id"].as_str().expect("an id"), "done").await;
    assert_eq!(done["review"]["moves"].as_array().map(Vec::len), Some(7));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_is_called_off_gives_the_engine_back() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    // More than anybody would wait for.
    let router = server(&kitchen, 2_000_000_000).await.router();
    let (_, first) = order(&router, SCHOLAR).await;
    let first = first["id"].as_str().expect("an id").to_owned();
    wait(&router, &first, "working").await;
    let begun = Instant::now();
    let (_, second) = order(&router, SCHOLAR).await;
    let second = second["id"].as_str().expect("an id").to_owned();
    let (status, third) = order(&router, SCHOLAR).await;
    assert_eq!(
        (status, &third["code"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("queue-full"))
    );
    let (status, early) = read(get(&router, &format!("/review/{first}/pgn")).await).await;
    assert_eq!((status, &early["code"]), (StatusCode::CONFLICT, &json!("not-done")));

    for id in [first, second] {
        let delete = Request::delete(format!("/review/{id}"))
            .body(Body::empty())
            .expect("a request");
        assert_eq!(call(&router, delete).await.status(), StatusCode::NO_CONTENT);
    }
    // The queue is empty again at once, and the engine free as soon as it has stopped.
    let (status, third) = order(&router, SCHOLAR).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{third}");
    wait(&router, third["id"].as_str().expect("an id"), "working").await;
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

/// An order from an address, as a socket would hand it on.
async fn order_from(router: &Router, address: [u8; 4], port: u16) -> Response {
    let body = Body::from(json!({ "pgn": SCHOLAR }).to_string());
    let mut request = Request::post("/review")
        .header(header::CONTENT_TYPE, "application/json")
        .body(body)
        .expect("a request");
    request
        .extensions_mut()
        .insert(ConnectInfo(SocketAddr::from((address, port))));
    call(router, request).await
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_has_more_reviews_under_way_than_are_allowed() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    let reviews = DeskOptions {
        per_client: 2,
        queue: 16,
        ..desk(2_000_000_000)
    };
    let options = ServeOptions {
        reviews,
        ..ServeOptions::default()
    };
    let router = kitchen.cold_server(options).await.router();
    let (one, other) = ([10, 0, 0, 1], [10, 0, 0, 2]);
    let (status, first) = read(order_from(&router, one, 4001).await).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{first}");
    let (status, second) = read(order_from(&router, one, 4002).await).await;
    assert_eq!(status, StatusCode::ACCEPTED, "{second}");

    // A new connection is no new client.
    let refused = order_from(&router, one, 4003).await;
    assert_eq!(refused.headers()[header::RETRY_AFTER], "10");
    let (status, problem) = read(refused).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::TOO_MANY_REQUESTS, &json!("too-many-reviews"))
    );
    assert_eq!(problem["detail"], "you have 2 reviews under way already");
    // Others are not held up by it, and one that is called off makes room.
    assert_eq!(order_from(&router, other, 4001).await.status(), StatusCode::ACCEPTED);
    let id = second["id"].as_str().expect("an id");
    let delete = Request::delete(format!("/review/{id}"))
        .body(Body::empty())
        .expect("a request");
    assert_eq!(call(&router, delete).await.status(), StatusCode::NO_CONTENT);
    assert_eq!(order_from(&router, one, 4004).await.status(), StatusCode::ACCEPTED);
    assert_eq!(
        order_from(&router, one, 4005).await.status(),
        StatusCode::TOO_MANY_REQUESTS
    );
}

#[tokio::test]
async fn what_is_no_game_is_refused_and_no_engine_is_said() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    let router = server(&kitchen, 1_000).await.router();
    for (pgn, reason) in [
        ("", "no game"),
        ("1. e4 e5 2. Ke3 *", "half-move 3"),
        ("[White \"A\"]\n\n*", "no moves"),
    ] {
        let (status, problem) = order(&router, pgn).await;
        assert_eq!(
            (status, &problem["code"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!("not-a-game"))
        );
        let detail = problem["detail"].as_str().expect("a reason");
        assert!(detail.contains(reason), "{pgn:?}: {detail}");
    }
    let long: String = (0..151)
        .map(|turn| format!("{}. Nf3 Nf6 {}. Ng1 Ng8 ", 2 * turn + 1, 2 * turn + 2))
        .collect();
    let (status, problem) = order(&router, &format!("{long}*")).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("game-too-long"))
    );
    assert_eq!(
        problem["detail"],
        json!("the game has 604 half-moves, and 600 are the most")
    );
    for nodes in [0, 999, 1_000_001] {
        let body = json!({ "pgn": SCHOLAR, "nodes": nodes }).to_string();
        let (status, problem) = read(post(&router, "/review", &body).await).await;
        assert_eq!(
            (status, &problem["code"]),
            (StatusCode::UNPROCESSABLE_ENTITY, &json!("out-of-range"))
        );
    }
    let options = ServeOptions {
        reviews: DeskOptions {
            engine: EngineSettings {
                engine: Some("/nowhere/engine".into()),
                ..EngineSettings::default()
            },
            ..DeskOptions::default()
        },
        ..ServeOptions::default()
    };
    let router = kitchen.cold_server(options).await.router();
    let (status, problem) = order(&router, SCHOLAR).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("no-engine"))
    );
}

#[tokio::test]
async fn games_that_are_sent_are_compared_and_not_kept() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    let router = kitchen.cold_server(ServeOptions::default()).await.router();
    let send = async |body: &str| {
        let request = Request::post("/games/analyze").header(header::CONTENT_TYPE, "application/x-chess-pgn");
        read(call(&router, request.body(Body::from(body.to_owned())).expect("a request")).await).await
    };
    let (status, db) = send(&format!("{SCHOLAR}\n\n[White \"B\"]\n[Black \"A\"]\n\n1. e4 c5 0-1\n")).await;
    assert_eq!(status, StatusCode::OK, "{db}");
    assert_eq!(db["meta"]["totalGames"], 2);
    assert_eq!(db["games"][1]["moves"][1]["isNovelty"], true);
    let (status, problem) = send("hello").await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("no-games")),
        "{problem}"
    );
    let (status, problem) = read(get(&router, "/data/db.json").await).await;
    assert_eq!((status, &problem["code"]), (StatusCode::NOT_FOUND, &json!("no-games")));
}

#[tokio::test]
async fn games_that_the_server_was_given_are_shown() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    let file = kitchen.directory.path().join("ours.pgn");
    std::fs::write(&file, SCHOLAR).expect("a writable directory");
    let options = ServeOptions {
        games: vec![file.display().to_string()],
        ..ServeOptions::default()
    };
    let running = crate::socket::run(kitchen.cold_server(options).await).await;
    let begun = Instant::now();
    loop {
        let (status, db) = crate::socket::ask(running.address, "/data/db.json").await;
        if status == 200 {
            assert_eq!(db["games"][0]["white"], "A");
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{db}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    running.stop().await;
}
