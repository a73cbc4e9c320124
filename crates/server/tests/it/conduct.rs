//! Limits, tags, compression, foreign pages, keys.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Method, Request, StatusCode, header};
use serde_json::json;
use tabiya_server::{ApiKey, Limits, ServeOptions, Server};

use crate::kitchen::{Kind, Kitchen, address, call, get, post, read};

pub(crate) async fn server(options: ServeOptions) -> (Kitchen, Server) {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let server = kitchen.cold_server(options).await;
    server.knowledge().reload().await.expect("a snapshot");
    (kitchen, server)
}

fn limits(limits: Limits) -> ServeOptions {
    ServeOptions {
        limits,
        ..ServeOptions::default()
    }
}

/// How large the numbers are that the program counts with is nobody else's business.
#[tokio::test]
async fn numbers_that_are_too_large_are_out_of_range() {
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    for (asked, status) in [
        ("/opening/eco/C50?depth=15", 200),
        ("/opening/eco/C50?depth=16", 422),
        ("/opening/eco/C50?depth=70000", 422),
        ("/opening/eco/C50?depth=-1", 422),
        ("/opening/eco/C50?min_games=99999999999999999999999", 422),
        ("/opening/italian-game/tree?depth=-0", 422),
        ("/lichess?moves=-5", 422),
        ("/lichess?topGames=99999999999999999999999", 422),
        ("/tactics?limit=-1", 422),
        ("/opening/eco/C50?depth=1.5", 400),
        ("/opening/eco/C50?depth=-", 400),
        ("/opening/eco/C50?depth=", 400),
        ("/opening/eco/C50?depth=x&min_games=-1", 400),
        ("/opening/eco/C50?depth=1&depth=-1", 400),
    ] {
        let (told, problem) = read(get(&router, asked).await).await;
        assert_eq!(told.as_u16(), status, "{asked}: {problem}");
        if status == 422 {
            assert_eq!(problem["code"], "out-of-range", "{asked}: {problem}");
        }
    }
}

#[tokio::test]
async fn too_long_and_too_large_is_refused() {
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    let (status, problem) = read(get(&router, &format!("/node/fen/{}", "x".repeat(9000))).await).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::URI_TOO_LONG, &json!("uri-too-long"))
    );
    let body = format!("{{\"moves\": \"{}\"}}", "e4 ".repeat(30_000));
    let (status, problem) = read(post(&router, "/node/pgn", &body).await).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::PAYLOAD_TOO_LARGE, &json!("body-too-large"))
    );
    assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("one game")));
    // So much that nobody takes it; said of a game, the way out is not that of many.
    let body = format!("{{\"moves\": \"{}\"}}", "e4 ".repeat(3_000_000));
    let (status, problem) = read(post(&router, "/node/pgn", &body).await).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(
        problem["hint"].as_str().is_some_and(|hint| hint.contains("one game")),
        "{problem}"
    );
    let games = "[Event \"x\"]\n\n1. e4 *\n\n".repeat(400_000);
    let (status, problem) = read(post(&router, "/games/analyze", &games).await).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::PAYLOAD_TOO_LARGE, &json!("body-too-large"))
    );
    assert!(
        problem["hint"]
            .as_str()
            .is_some_and(|hint| hint.contains("tabiya analyze"))
    );
    let untyped = Request::post("/node/pgn").body(Body::from("{}")).unwrap();
    let (status, problem) = read(call(&router, untyped).await).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::UNSUPPORTED_MEDIA_TYPE, &json!("not-json"))
    );
    let (status, problem) = read(post(&router, "/stats", "{}").await).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::METHOD_NOT_ALLOWED, &json!("no-such-method"))
    );
}

#[tokio::test]
async fn who_asks_too_often_waits() {
    let (_kitchen, server) = server(limits(Limits {
        rate: NonZeroU32::new(3),
        ..Limits::default()
    }))
    .await;
    let router = server.router();
    let begun = Instant::now();
    let mut answered = 0;
    let refused = loop {
        let answer = get(&router, "/healthz").await;
        if answer.status() != StatusCode::OK {
            break answer;
        }
        answered += 1;
        // On a machine with much else to do some of the three may be there again.
        let again = begun.elapsed().as_nanos() * 3 / 1_000_000_000;
        assert!(answered <= 3 + again, "{answered} within {:?}", begun.elapsed());
    };
    assert!(answered >= 3, "{answered}");
    assert_eq!(refused.headers()[header::RETRY_AFTER], "1");
    let (status, problem) = read(refused).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::TOO_MANY_REQUESTS, &json!("too-many-requests"))
    );
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(get(&router, "/healthz").await.status(), StatusCode::OK);
}

#[tokio::test]
async fn who_asks_too_often_costs_nobody_else() {
    let (_kitchen, server) = server(limits(Limits {
        rate: NonZeroU32::new(1),
        ..Limits::default()
    }))
    .await;
    let router = server.router();
    let asked = async |client: &str, port: u16| {
        let mut request = Request::get("/healthz").body(Body::empty()).unwrap();
        let from = SocketAddr::new(client.parse().unwrap(), port);
        request.extensions_mut().insert(ConnectInfo(from));
        call(&router, request).await.status()
    };
    // A new connection is no new client, and of IPv6 the last half of an address is anybody's to choose.
    for (client, itself, other) in [
        ("192.0.2.1", "192.0.2.1", "192.0.2.2"),
        ("2001:db8::1", "2001:db8::2", "2001:db8:0:1::1"),
    ] {
        assert_eq!(asked(client, 4000).await, StatusCode::OK);
        let mut is_refused = false;
        for port in 4001..4050 {
            is_refused |= asked(itself, port).await == StatusCode::TOO_MANY_REQUESTS;
        }
        assert!(is_refused, "{client} and {itself}");
        assert_eq!(asked(other, 4001).await, StatusCode::OK, "{other}");
    }
}

#[tokio::test]
async fn what_needs_all_of_the_graph_waits_for_it_and_not_for_ever() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let options = limits(Limits {
        time: Duration::from_millis(400),
        ..Limits::default()
    });
    let cold = kitchen.cold_server(options.clone()).await;
    let (status, problem) = read(get(&cold.router(), "/opening/eco/C50").await).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::SERVICE_UNAVAILABLE, &json!("loading"))
    );

    let waits = kitchen.cold_server(ServeOptions::default()).await;
    let knowledge = waits.knowledge().clone();
    let loading = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        knowledge.reload().await.map(drop)
    });
    assert_eq!(get(&waits.router(), "/opening/eco/C50").await.status(), StatusCode::OK);
    loading.await.expect("a task").expect("a snapshot");
}

#[tokio::test]
async fn a_busy_server_says_so() {
    let (_kitchen, server) = server(limits(Limits {
        in_flight: 0,
        ..Limits::default()
    }))
    .await;
    let router = server.router();
    let body = json!({ "moves": "e4" }).to_string();
    for answer in [
        get(&router, "/stats").await,
        get(&router, "/nowhere").await,
        post(&router, "/node/pgn", &body).await,
    ] {
        let (status, problem) = read(answer).await;
        assert_eq!(
            (status, &problem["code"]),
            (StatusCode::SERVICE_UNAVAILABLE, &json!("busy"))
        );
    }
    assert_eq!(get(&router, "/healthz").await.status(), StatusCode::OK, "it is alive");
}

#[tokio::test]
async fn a_large_tree_is_cut_where_it_is_deepest() {
    let (_kitchen, server) = server(limits(Limits {
        tree_nodes: 5,
        ..Limits::default()
    }))
    .await;
    let (_, tree) = read(get(&server.router(), "/opening/eco/C50").await).await;
    assert_eq!((&tree["nodes"], &tree["truncated"]), (&json!(5), &json!(true)));
    assert_eq!(tree["roots"][0]["children"].as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn pages_of_others_ask_only_where_they_may() {
    let origin = "https://chess.example";
    let ask = |origin: &str| {
        let request = Request::get("/healthz").header(header::ORIGIN, origin);
        request.body(Body::empty()).unwrap()
    };
    let (_kitchen, closed) = server(ServeOptions::default()).await;
    let answer = call(&closed.router(), ask(origin)).await;
    assert!(!answer.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));

    let (_kitchen, open) = server(ServeOptions {
        cors: vec![origin.to_owned()],
        ..ServeOptions::default()
    })
    .await;
    let answer = call(&open.router(), ask(origin)).await;
    assert_eq!(answer.headers()[header::ACCESS_CONTROL_ALLOW_ORIGIN], origin);
    let stranger = call(&open.router(), ask("https://other.example")).await;
    assert!(!stranger.headers().contains_key(header::ACCESS_CONTROL_ALLOW_ORIGIN));
    let preflight = Request::builder()
        .method(Method::OPTIONS)
        .uri("/node/pgn")
        .header(header::ORIGIN, origin)
        .header(header::ACCESS_CONTROL_REQUEST_METHOD, "POST");
    let answer = call(&open.router(), preflight.body(Body::empty()).unwrap()).await;
    assert_eq!(
        answer.headers()[header::ACCESS_CONTROL_ALLOW_METHODS],
        "GET,POST,DELETE"
    );
}

#[tokio::test]
async fn an_origin_with_a_path_is_refused() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    for origin in [
        "https://chess.example/",
        "chess.example",
        "https://chess.example/page",
        "a b",
    ] {
        let options = ServeOptions {
            bind: ([127, 0, 0, 1], 0).into(),
            cors: vec![origin.to_owned()],
            ..ServeOptions::default()
        };
        let error = Server::bind(&kitchen.database, options).await.expect_err(origin);
        assert_eq!(error.to_string(), format!("{origin:?} is not an origin"));
    }
}

#[tokio::test]
async fn orders_need_the_key() {
    let order = |key: Option<&str>| {
        let request = Request::post("/reload");
        let request = match key {
            Some(key) => request.header(header::AUTHORIZATION, format!("Bearer {key}")),
            None => request,
        };
        request.body(Body::empty()).unwrap()
    };
    let (_kitchen, without) = server(ServeOptions::default()).await;
    assert_eq!(
        call(&without.router(), order(Some("secret"))).await.status(),
        StatusCode::FORBIDDEN
    );

    let (_kitchen, with) = server(ServeOptions {
        api_key: ApiKey::new(" secret\n"),
        ..ServeOptions::default()
    })
    .await;
    for (key, status) in [
        (None, StatusCode::UNAUTHORIZED),
        (Some("secre"), StatusCode::UNAUTHORIZED),
        (Some("secret2"), StatusCode::UNAUTHORIZED),
        (Some("secret"), StatusCode::ACCEPTED),
    ] {
        let answer = call(&with.router(), order(key)).await;
        assert_eq!(answer.status(), status, "{key:?}");
        let way = answer.headers().get(header::WWW_AUTHENTICATE);
        let is_told = way.is_some_and(|way| way == "Bearer");
        assert_eq!(is_told, status == StatusCode::UNAUTHORIZED, "{key:?}");
    }
    // The name of the scheme is written in any case, the key is not.
    for (given, status) in [
        ("bearer secret", StatusCode::ACCEPTED),
        ("BEARER  secret ", StatusCode::ACCEPTED),
        ("bearer Secret", StatusCode::UNAUTHORIZED),
        ("basic secret", StatusCode::UNAUTHORIZED),
        ("secret", StatusCode::UNAUTHORIZED),
    ] {
        let request = Request::post("/reload").header(header::AUTHORIZATION, given);
        let answer = call(&with.router(), request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status(), status, "{given}");
    }
}

#[tokio::test]
async fn what_is_answered_is_counted() {
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    get(&router, &address("e4")).await;
    get(&router, &address("a4 a5")).await;
    get(&router, "/nowhere").await;
    let answer = get(&router, "/metrics").await;
    let text = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    let text = String::from_utf8(text.to_vec()).unwrap();
    for line in [
        "tabiya_http_requests_total{route=\"/node/fen/{*fen}\",status=\"2xx\"} 1",
        "tabiya_http_requests_total{route=\"/node/fen/{*fen}\",status=\"4xx\"} 1",
        "tabiya_http_requests_total{route=\"none\",status=\"4xx\"} 1",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

/// Alerts on what nobody says are never raised.
#[tokio::test]
async fn what_operations_watch_is_told() {
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    get(&router, "/position").await;
    let answer = get(&router, "/metrics").await;
    let text = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    let text = String::from_utf8(text.to_vec()).unwrap();
    let page = include_str!("../../../../docs/operations.md");
    let (_, section) = page.split_once("## Metrics and alerts").expect("a section");
    let (section, _) = section.split_once("\n## ").expect("another behind it");
    let is_name = |c: char| c.is_ascii_lowercase() || c == '_';
    let mut watched: Vec<&str> = section.split(|c| !is_name(c)).collect();
    watched.retain(|name| name.starts_with("tabiya_"));
    assert!(watched.len() >= 4, "{watched:?}");
    for name in watched {
        let is_told = text
            .lines()
            .any(|line| line.starts_with(&format!("{name}{{")) || line.starts_with(&format!("{name} ")));
        assert!(is_told, "{name} is not in\n{text}");
    }
    // The threshold of an alert is told apart from what is below it.
    assert!(
        text.contains("tabiya_http_seconds_bucket{route=\"/position\",le=\"0.05\"} "),
        "{text}"
    );
}

/// What the page says of limits holds for whoever changes none.
#[test]
fn limits_are_those_of_the_page() {
    let page = include_str!("../../../../docs/threat-model.md");
    let (_, rest) = page.split_once("- **Everything has a limit**").expect("a paragraph");
    let (told, _) = rest.split_once("\n- **").expect("another behind it");
    let told = told.split_whitespace().collect::<Vec<_>>().join(" ");
    let options = ServeOptions::default();
    let (limits, reviews) = (options.limits, options.reviews);
    assert_eq!(limits.rate, None);
    assert_eq!(limits.connections_of_one * 2, limits.connections);
    assert_eq!((reviews.queue, reviews.per_client), (16, 2));
    for words in [
        format!("{} kB of body", limits.body >> 10),
        format!("{} kB of address", limits.uri >> 10),
        format!("{} s an answer", limits.time.as_secs()),
        format!("{},000 nodes a tree", limits.tree_nodes / 1000),
        format!("{} requests at a time", limits.in_flight),
        format!(
            "{},{:03} connections of which one client has half",
            limits.connections / 1000,
            limits.connections % 1000
        ),
        format!("{} s to ask", limits.head.as_secs()),
        format!("{} s to take an answer", limits.deaf.as_secs()),
        "sixteen reviews in the queue, two of a client".to_owned(),
        format!("{} half-moves a game", reviews.plies),
        format!("{} finished ones kept", reviews.most_kept),
        format!("{} of a client;", reviews.most_kept_per_client),
    ] {
        assert!(told.contains(&words), "the page does not say `{words}`");
    }
}
