//! A real socket: answering, taking in new data, stopping.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use serde_json::Value;
use tabiya_server::{ServeOptions, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::kitchen::{Kind, Kitchen, address};

pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    ended: JoinHandle<()>,
}

impl Running {
    pub(crate) async fn stop(self) {
        self.stop.send(()).expect("it runs");
        let ended = tokio::time::timeout(Duration::from_secs(5), self.ended).await;
        ended.expect("nothing is under way").expect("it ended well");
    }
}

pub(crate) async fn run(server: Server) -> Running {
    let (stop, stopped) = oneshot::channel::<()>();
    let address = server.address();
    let ended = tokio::spawn(async move {
        let run = server.run(async move {
            let _ = stopped.await;
        });
        run.await.expect("it stops when it is told to");
    });
    Running { address, stop, ended }
}

/// Sends a request, reads until the server hangs up, and takes the answer for JSON.
pub(crate) async fn ask(address: SocketAddr, uri: &str) -> (u16, Value) {
    let (status, body) = hear(address, uri).await;
    (status, serde_json::from_str(&body).expect("JSON"))
}

async fn hear(address: SocketAddr, uri: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    let request = format!("GET {uri} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("it reads");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.expect("it answers");
    let answer = String::from_utf8(answer).expect("text");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .expect("a status");
    (status, body.to_owned())
}

/// One of the numbers in /metrics.
async fn number(address: SocketAddr, name: &str) -> f64 {
    let (_, told) = hear(address, "/metrics").await;
    let line = told.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.expect("a line").parse().expect("a number")
}

#[tokio::test]
async fn new_data_are_taken_in_and_the_server_stops_when_asked() {
    for kind in [Kind::Sqlite, Kind::Postgres, Kind::Neo4j] {
        let kitchen = Kitchen::new(kind).await;
        let options = ServeOptions {
            reload: Duration::from_millis(200),
            ..ServeOptions::default()
        };
        let running = run(kitchen.cold_server(options).await).await;
        let italian = address("e4 e5 Nf3 Nc6 Bc4");
        let (status, before) = ask(running.address, &italian).await;
        assert_eq!((status, &before["game_count"]), (200, &serde_json::json!(50)));

        kitchen.cook("mine", &[("e4 e5 Nf3 Nc6 Bc4 Be7 d4", [2, 0, 0])]).await;
        kitchen.project().await;
        let begun = Instant::now();
        loop {
            let (_, after) = ask(running.address, &italian).await;
            if after["game_count"] == 52 {
                break;
            }
            assert!(begun.elapsed() < Duration::from_secs(30), "{kind:?}: {after}");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let (_, mine) = ask(running.address, &format!("{italian}?collection=mine")).await;
        assert_eq!(mine["game_count"], 2);
        // It was loaded once at least before, and then what is loaded is searched through before it is counted.
        while number(running.address, "tabiya_snapshots_total").await < 2.0 {
            assert!(
                begun.elapsed() < Duration::from_secs(30),
                "{kind:?}: nothing is counted"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(number(running.address, "tabiya_nodes").await > 0.0);

        let address = running.address;
        running.stop().await;
        assert!(TcpStream::connect(address).await.is_err());
    }
}

#[tokio::test]
async fn many_ask_at_once() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let running = run(kitchen.cold_server(ServeOptions::default()).await).await;
    let asking = (0..64).map(|number| {
        let uri = address(["e4", "e4 e5", "e4 e5 Nf3", "d4"][number % 4]);
        let address = running.address;
        tokio::spawn(async move { ask(address, &uri).await.0 })
    });
    for asked in asking.collect::<Vec<_>>() {
        assert_eq!(asked.await.expect("a task"), 200);
    }
    running.stop().await;
}

#[tokio::test]
async fn a_taken_address_is_named() {
    let kitchen = Kitchen::empty(Kind::Sqlite).await;
    let first = kitchen.cold_server(ServeOptions::default()).await;
    let options = ServeOptions {
        bind: first.address(),
        ..ServeOptions::default()
    };
    let error = Server::bind(&kitchen.database, options).await.expect_err("it is taken");
    assert_eq!(error.to_string(), format!("cannot listen on {}", first.address()));
}
