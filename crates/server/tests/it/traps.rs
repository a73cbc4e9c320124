//! Paths and URLs in all that clients send, with somebody who would notice if one were opened.

use std::time::Duration;

use tabiya_server::Limits;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

use crate::hostile::{rest, running};
use crate::kitchen::escaped;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_path_and_no_url_of_a_client_is_opened() {
    let (kitchen, running) = running(Limits::default()).await;
    let trap = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/games.pgn", trap.local_addr().expect("an address"));
    let secret = kitchen.directory.path().join("secret.pgn");
    std::fs::write(&secret, "[Event \"canary\"]\n\n1. e4 *\n").expect("written");
    let path = secret.display().to_string();
    let file = format!("file://{path}");
    let climbing = format!("{}{path}", "/..".repeat(12));
    let mut requests = Vec::new();
    for name in [&path, &file, &url, &climbing] {
        let escaped = escaped(name);
        for before in [
            "",
            "/assets",
            "/openings",
            "/opening",
            "/node/fen",
            "/review",
            "/structure",
            "/data",
        ] {
            requests.push(format!("GET {before}/{escaped}"));
        }
        requests.push(format!("GET {climbing}"));
        requests.push(format!("GET /position?play={escaped}&fen={escaped}"));
        requests.push(format!("GET /lichess?source={escaped}&fen={escaped}"));
        for asked in ["masters?fen", "masters?play", "masters?since", "position?collection"] {
            requests.push(format!("GET /{asked}={escaped}"));
        }
        let game = format!("[Event \\\"x\\\"]\\n[SetUp \\\"1\\\"]\\n[FEN \\\"{name}\\\"]\\n\\n1. e4 *");
        requests.push(format!("POST /review\n{{\"pgn\": \"{game}\"}}"));
        requests.push(format!("GET {url}"));
        requests.push(format!("POST /games/analyze\n{name}"));
        requests.push(format!("POST /review\n{{\"pgn\": \"{name}\"}}"));
        requests.push(format!(
            "POST /node/pgn\n{{\"moves\": \"{name}\", \"pgn\": \"{name}\", \"fen\": \"{name}\"}}"
        ));
    }
    for request in requests {
        let (head, body) = request.split_once('\n').unwrap_or((&request, ""));
        let mut stream = TcpStream::connect(running.address).await.expect("it listens");
        let whole = format!(
            "{head} HTTP/1.1\r\nhost: x\r\naccept: text/html\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(whole.as_bytes()).await.expect("taken");
        let answer = rest(&mut stream).await;
        assert!(!answer.contains("canary"), "{request}: {answer}");
        // Below /openings everything is the page, which finds out for itself that there is no such opening.
        let is_page = request.starts_with("GET /openings/") && answer.contains("<!doctype html>");
        assert!(is_page || answer.starts_with("HTTP/1.1 4"), "{request}: {answer}");
    }
    // Where a name is nothing but text, all is well, and nobody follows it either.
    for name in [&path, &file, &url, &climbing] {
        let tags = ["Event", "Site", "White", "Annotator", "GameURL", "Source", "Include"];
        let tags: String = tags.map(|tag| format!("[{tag} \"{name}\"]\n")).concat();
        let game = format!("{tags}\n1. e4 {{ {name} [%include {name}] }} e5 *\n");
        let headers = [
            "referer",
            "origin",
            "forwarded",
            "x-forwarded-host",
            "x-forwarded-for",
            "x-original-url",
            "x-rewrite-url",
            "x-sendfile",
            "content-location",
            "if-none-match",
            "cookie",
        ];
        let headers: String = headers.map(|header| format!("{header}: {name}\r\n")).concat();
        let escaped = escaped(name);
        for (head, headers, body) in [
            ("POST /games/analyze".to_owned(), "", game.as_str()),
            (format!("GET /tactics?source={escaped}"), "", ""),
            (format!("GET /tactics?motif={escaped}"), "", ""),
            (format!("GET /opening/search?q={escaped}"), "", ""),
            ("GET /healthz".to_owned(), headers.as_str(), ""),
            ("GET /openings".to_owned(), headers.as_str(), ""),
        ] {
            let mut stream = TcpStream::connect(running.address).await.expect("it listens");
            let length = body.len();
            let whole = format!(
                "{head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
            );
            stream.write_all(whole.as_bytes()).await.expect("taken");
            let answer = rest(&mut stream).await;
            assert!(!answer.contains("canary"), "{whole}: {answer}");
            assert!(answer.starts_with("HTTP/1.1 200"), "{whole}: {answer}");
        }
    }
    let opened = timeout(Duration::from_millis(300), trap.accept()).await;
    assert!(opened.is_err(), "the server went where a client sent it");
    running.stop().await;
}
