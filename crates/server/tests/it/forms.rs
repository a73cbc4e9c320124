//! The form in which an answer comes: once, packed, kept, as the page or as data.

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use tabiya_server::ServeOptions;

use crate::conduct::server;
use crate::kitchen::{Kind, Kitchen, address, call, get, json as json_of, read};

#[tokio::test]
async fn an_answer_is_not_sent_twice() {
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    let uri = address("e4");
    let first = get(&router, &uri).await;
    let tag = first.headers()[header::ETAG].clone();
    assert_eq!(first.headers()[header::CACHE_CONTROL], "public, max-age=60");
    for known in [tag.to_str().unwrap(), "\"other\", W/\"x\" , *", "*"] {
        let request = Request::get(&uri)
            .header(header::IF_NONE_MATCH, known)
            .body(Body::empty())
            .unwrap();
        let again = call(&router, request).await;
        let expected = if known.starts_with('"') {
            StatusCode::OK
        } else {
            StatusCode::NOT_MODIFIED
        };
        assert_eq!(again.status(), expected, "{known}");
    }
    let other = Request::get(address("d4"))
        .header(header::IF_NONE_MATCH, tag)
        .body(Body::empty())
        .unwrap();
    assert_eq!(call(&router, other).await.status(), StatusCode::OK);
}

/// What is sent is no question that a cache could have heard before.
#[tokio::test]
async fn answers_to_what_is_sent_are_for_its_sender_alone() {
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    for (uri, body) in [
        ("/node/pgn", "{\"moves\": \"1.e4\"}"),
        ("/games/analyze", "[White \"x\"]\n\n1. e4 e5 *\n"),
    ] {
        for known in ["*", "W/\"x\""] {
            let request = Request::post(uri)
                .header(header::CONTENT_TYPE, "application/json")
                .header(header::IF_NONE_MATCH, known);
            let answer = call(&router, request.body(Body::from(body)).unwrap()).await;
            assert_eq!(answer.headers()[header::CACHE_CONTROL], "no-store", "{uri}");
            assert!(!answer.headers().contains_key(header::ETAG), "{uri}");
            let (status, answer) = read(answer).await;
            assert!(
                status == StatusCode::OK && answer.is_object(),
                "{uri} {known}: {answer}"
            );
        }
    }
}

/// Whoever keeps the answer keeps these headers with it, old or new.
#[tokio::test]
async fn what_is_not_sent_again_varies_as_what_was_sent() {
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    for uri in [&address("e4"), "/openings", "/structures", "/stats", "/tactics/themes"] {
        for coding in ["gzip", "br", "identity"] {
            let ask = async |known: &str| {
                let request = Request::get(uri)
                    .header(header::ACCEPT_ENCODING, coding)
                    .header(header::IF_NONE_MATCH, known);
                let answer = call(&router, request.body(Body::empty()).unwrap()).await;
                let vary: Vec<_> = answer.headers().get_all(header::VARY).iter().cloned().collect();
                (answer.status(), vary)
            };
            let (sent, known) = (ask("W/\"x\"").await, ask("*").await);
            assert_eq!((sent.0, known.0), (StatusCode::OK, StatusCode::NOT_MODIFIED), "{uri}");
            assert_eq!(known.1, sent.1, "{uri} {coding}");
            assert!(known.1.iter().any(|vary| vary.to_str().unwrap().contains("encoding")));
        }
    }
}

/// Addresses of the page and of the API at once, and of neither.
#[tokio::test]
async fn browsers_get_the_page_and_programs_the_answer() {
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let program = "application/json, text/html;q=0.1";
    for (uri, accept, status, is_page) in [
        ("/openings", browser, 200, true),
        ("/openings", program, 200, false),
        ("/openings", "*/*", 200, false),
        ("/games/", browser, 200, true),
        ("/openings/", browser, 200, true),
        ("/nowhere", browser, 404, true),
        ("/nowhere", program, 404, false),
        ("/nowhere", "*/*", 404, false),
        ("/stats", browser, 200, false),
        ("/opening/nothing", browser, 404, false),
        ("/games/analyze", browser, 405, false),
    ] {
        let request = Request::get(uri).header(header::ACCEPT, accept);
        let answer = call(&router, request.body(Body::empty()).unwrap()).await;
        let is_html = answer.headers()[header::CONTENT_TYPE] == "text/html; charset=utf-8";
        // Where the page was not built there is none, and everybody is a program.
        if tabiya_server::has_page() || !is_page {
            assert_eq!((answer.status().as_u16(), is_html), (status, is_page), "{uri} {accept}");
        }
        let varies = |vary: &header::HeaderValue| vary.to_str().unwrap().contains("accept");
        let can_be_either = !uri.contains("nothing") && status != 405;
        assert!(
            !can_be_either || answer.headers().get_all(header::VARY).iter().any(varies),
            "{uri}"
        );
    }
}

#[tokio::test]
async fn answers_are_compressed_as_asked() {
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    for (asked, given) in [
        ("gzip", Some("gzip")),
        ("br", Some("br")),
        ("zstd", Some("zstd")),
        ("identity", None),
    ] {
        let request = Request::get("/structures")
            .header(header::ACCEPT_ENCODING, asked)
            .body(Body::empty())
            .unwrap();
        let answer = call(&router, request).await;
        let encoding = answer
            .headers()
            .get(header::CONTENT_ENCODING)
            .map(|value| value.to_str().unwrap());
        assert_eq!(encoding, given);
        let vary: Vec<&str> = (answer.headers().get_all(header::VARY).iter())
            .map(|value| value.to_str().unwrap())
            .collect();
        assert_eq!(vary, ["accept, accept-encoding"]);
    }
}

/// Each time anew would take longer than all else about them.
#[tokio::test]
async fn what_is_kept_is_packed_once() {
    use axum::body::HttpBody as _;
    let (_kitchen, server) = server(ServeOptions::default()).await;
    let router = server.router();
    let ask = async |coding: &str| {
        let request = Request::get("/openings").header(header::ACCEPT_ENCODING, coding);
        let answer = call(&router, request.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let vary: Vec<_> = answer.headers().get_all(header::VARY).iter().collect();
        assert_eq!(vary, ["accept, accept-encoding"], "{coding}");
        answer
    };
    let plain = ask("identity").await;
    let tag = plain.headers()[header::ETAG].clone();
    let plain = axum::body::to_bytes(plain.into_body(), usize::MAX).await.unwrap();
    for coding in ["gzip", "gzip, deflate, br, zstd", "br, GZIP;q=0.5"] {
        let packed = ask(coding).await;
        assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip", "{coding}");
        assert_eq!(packed.headers()[header::ETAG], tag);
        // Of what is packed on its way nobody knows the length.
        assert!(packed.body().size_hint().exact().is_some(), "{coding}");
        let packed = axum::body::to_bytes(packed.into_body(), usize::MAX).await.unwrap();
        let mut unpacked = Vec::new();
        let mut reader = flate2::read::GzDecoder::new(&packed[..]);
        std::io::Read::read_to_end(&mut reader, &mut unpacked).unwrap();
        assert!(unpacked == plain && packed.len() < plain.len() / 2, "{coding}");
    }
    for (coding, given) in [("br", Some("br")), ("gzip;q=0, zstd", Some("zstd")), ("identity", None)] {
        let answer = ask(coding).await;
        let encoding = answer.headers().get(header::CONTENT_ENCODING);
        assert_eq!(encoding.map(|value| value.to_str().unwrap()), given, "{coding}");
    }
}

#[tokio::test]
async fn what_is_kept_goes_with_its_snapshot() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let server = kitchen.server().await;
    let router = server.router();
    let first = json_of(&router, "/openings").await;
    assert_eq!(json_of(&router, "/openings").await, first);
    let kept = get(&router, "/openings").await;
    assert_eq!(kept.headers()[header::CONTENT_TYPE], "application/json");
    assert!(kept.headers().contains_key(header::ETAG) && kept.headers().contains_key(header::CACHE_CONTROL));

    kitchen.cook("mine", &[("e4 e5 Nf3 Nc6 Bc4 Be7 d4", [2, 0, 0])]).await;
    assert_eq!(json_of(&router, "/openings").await, first, "until it is loaded");
    server.knowledge().reload().await.expect("a snapshot");
    let games = |answer: &serde_json::Value| answer["games"].as_u64().expect("a number");
    assert_eq!(games(&json_of(&router, "/openings").await), games(&first) + 2);
}
