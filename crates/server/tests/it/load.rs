//! Many people on the page at once, for two seconds: `tabiya-bench --only load` does so for minutes and measures.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tabiya_server::ServeOptions;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::hostile::alone;
use crate::kitchen::{Kind, Kitchen};
use crate::socket::{ask, run};

const CONNECTIONS: usize = 500;
const SECONDS: Duration = Duration::from_secs(2);
/// For one answer, on a machine with much else to do.
const PATIENCE: Duration = Duration::from_secs(60);
/// Descriptors that are needed for other things, here and in the server.
const OTHERS: u64 = 300;

/// As many connections as this process may have both ends of.
fn connections() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit {
        current: limit.maximum,
        maximum: limit.maximum,
    };
    let most = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let pairs = most.map_or(u64::MAX, |most| most.saturating_sub(OTHERS) / 2);
    CONNECTIONS.min(usize::try_from(pairs).unwrap_or(usize::MAX))
}

/// What a browser asks for while somebody goes through the pages.
fn view() -> Vec<String> {
    let mut view: Vec<String> = Vec::new();
    if tabiya_server::has_page() {
        view.push("/explorer".to_owned());
    }
    view.extend(tabiya_server::page_parts().into_iter().map(str::to_owned));
    view.extend(tabiya_server::page_parts_of_others());
    view.extend(
        [
            "/position",
            "/position?play=e2e4",
            "/position?play=e2e4,e7e5",
            "/position?play=e2e4,e7e5,g1f3",
            "/opening/search?q=i&limit=8",
            "/opening/search?q=it&limit=8",
            "/opening/search?q=ita&limit=8",
            "/openings",
            "/opening/c50-italian-game",
            "/opening/c50-italian-game/tree",
            "/data/db.json",
            "/tactics/themes",
            "/tactics?limit=20",
        ]
        .map(str::to_owned),
    );
    view
}

/// Asks on one connection until the time is over; gives how often.
async fn look(to: SocketAddr, view: Arc<Vec<String>>, first: usize, end: Instant) -> usize {
    let mut stream = BufReader::new(TcpStream::connect(to).await.expect("it listens"));
    let mut asked = 0;
    for uri in view.iter().cycle().skip(first % view.len()) {
        let accept = if uri == "/explorer" {
            "text/html"
        } else {
            "application/json"
        };
        let request = format!("GET {uri} HTTP/1.1\r\nhost: x\r\naccept: {accept}\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("it reads");
        let status = timeout(PATIENCE, answered(&mut stream))
            .await
            .expect("an answer in time");
        assert_eq!(status, "HTTP/1.1 200 OK", "{uri}");
        asked += 1;
        if Instant::now() >= end {
            break;
        }
    }
    asked
}

/// Reads one answer, and gives its first line.
async fn answered(stream: &mut BufReader<TcpStream>) -> String {
    let mut lines: Vec<String> = Vec::new();
    loop {
        let mut line = String::new();
        let read = stream.read_line(&mut line).await.expect("text");
        assert_ne!(read, 0, "it hung up after {lines:?}");
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_ascii_lowercase()),
        }
    }
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.and_then(|length| length.parse().ok()).expect("a length");
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.expect("a body");
    assert!(!body.is_empty());
    lines[0].to_ascii_uppercase()
}

#[test]
fn many_people_at_once_are_all_answered() {
    alone("load::many_people_at_once_are_all_answered", look_at_once());
}

async fn look_at_once() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let games = kitchen.directory.path().join("games-*.pgn");
    let server = kitchen
        .cold_server(ServeOptions {
            games: vec![games.display().to_string()],
            ..ServeOptions::default()
        })
        .await;
    server.knowledge().reload().await.expect("a snapshot");
    let running = run(server).await;
    let to = running.address;
    let begun = Instant::now();
    while ask(to, "/data/db.json").await.0 != 200 {
        assert!(begun.elapsed() < PATIENCE, "the games are not read");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let (view, end) = (Arc::new(view()), Instant::now() + SECONDS);
    let people: Vec<_> = (0..connections())
        .map(|first| tokio::spawn(look(to, Arc::clone(&view), first, end)))
        .collect();
    let (connections, mut asked) = (people.len(), 0);
    for one in people {
        asked += one.await.expect("all was answered");
    }
    assert!(
        connections > 100 && asked >= connections,
        "{asked} questions on {connections} connections"
    );
    running.stop().await;
}
