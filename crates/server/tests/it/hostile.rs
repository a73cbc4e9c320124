//! Clients that mean no good, on a real socket: what they do costs themselves, and others are answered meanwhile.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use tabiya_server::{Limits, ServeOptions};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

use crate::alone;
use crate::kitchen::{Kind, Kitchen, address, call, escaped};
use crate::socket::{Running, ask, run};

/// Longer than anything here takes, on a machine with much else to do.
pub(crate) const AT_ONCE: Duration = Duration::from_secs(5);

/// Work for a single question, by a program that was not built to be fast.
const CHEAP: Duration = Duration::from_secs(1);

/// Whoever measures what this process takes is alone in it.
pub(crate) fn alone(test: &str, work: impl Future<Output = ()>) {
    alone::alone(test, || {
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build();
        runtime.expect("a runtime").block_on(work);
    });
}

/// What all threads of this process have worked so far. On a machine with much else to do an answer waits, and costs no more.
fn worked() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux");
    // Hundredths of a second for ourselves and for the system, counted from behind the name, which may be any text.
    let (_, behind) = stat.rsplit_once(')').expect("a name");
    let times = behind.split_whitespace().skip(11).take(2);
    let hundredths: u64 = times.map(|time| time.parse::<u64>().expect("a number")).sum();
    Duration::from_millis(hundredths * 10)
}

pub(crate) async fn running(limits: Limits) -> (Kitchen, Running) {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let options = ServeOptions {
        limits,
        ..ServeOptions::default()
    };
    let server = kitchen.cold_server(options).await;
    server.knowledge().reload().await.expect("a snapshot");
    let running = run(server).await;
    (kitchen, running)
}

/// A connection from an address of its own: on Linux all of 127/8 is here.
pub(crate) async fn connect_from(from: u8, to: SocketAddr) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    let from = IpAddr::V4(Ipv4Addr::new(127, 0, 0, from));
    socket.bind((from, 0).into()).expect("an address");
    socket.connect(to).await.expect("it listens")
}

/// What comes until the other side hangs up.
pub(crate) async fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let read = timeout(AT_ONCE, stream.read_to_end(&mut answer)).await;
    // A connection that is reset is one that was closed.
    let _ = read.expect("the server hangs up");
    String::from_utf8_lossy(&answer).into_owned()
}

#[track_caller]
fn assert_prompt(begun: Instant) {
    assert!(begun.elapsed() < AT_ONCE, "it took {:?}", begun.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_heads_do_not_keep_others_out() {
    let (_kitchen, running) = running(Limits {
        connections: 16,
        connections_of_one: 8,
        head: Duration::from_millis(1500),
        ..Limits::default()
    })
    .await;
    let mut slow = Vec::new();
    for _ in 0..8 {
        let mut stream = connect_from(2, running.address).await;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nx").await.expect("taken");
        slow.push(stream);
    }
    // They have had all of theirs; somebody else is answered.
    let refused = rest(&mut connect_from(2, running.address).await).await;
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused:?}");
    let begun = Instant::now();
    assert_eq!(ask(running.address, &address("e4")).await.0, 200);
    assert_prompt(begun);
    // Byte by byte is no way to stay.
    let begun = Instant::now();
    let mut last = slow.pop().expect("a connection");
    while last.write_all(b"x").await.is_ok() {
        assert_prompt(begun);
        sleep(Duration::from_millis(100)).await;
    }
    for mut stream in slow {
        rest(&mut stream).await;
    }
    let mut again = connect_from(2, running.address).await;
    let request = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    again.write_all(request.as_bytes()).await.expect("taken");
    assert!(rest(&mut again).await.starts_with("HTTP/1.1 200"));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_without_a_question_are_closed() {
    let (_kitchen, running) = running(Limits {
        head: Duration::from_millis(2000),
        ..Limits::default()
    })
    .await;
    let mut silent = TcpStream::connect(running.address).await.expect("it listens");
    assert_eq!(rest(&mut silent).await, "");
    let mut idle = TcpStream::connect(running.address).await.expect("it listens");
    idle.write_all(b"GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
        .await
        .expect("taken");
    assert!(
        rest(&mut idle).await.starts_with("HTTP/1.1 200"),
        "it may stay for a while"
    );
    running.stop().await;
}

/// What was not asked for a while counts from the next question on, not from the last answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_late_question_has_time_for_its_answer() {
    let (_kitchen, running) = running(Limits {
        head: Duration::from_millis(12_000),
        time: Duration::from_millis(11_700),
        ..Limits::default()
    })
    .await;
    let mut kept = TcpStream::connect(running.address).await.expect("it listens");
    let (first, body) = ("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n", "{\"moves\": \"e4 e5\"}");
    let length = body.len();
    let head = format!(
        "POST /node/pgn HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    kept.write_all(first.as_bytes()).await.expect("taken");
    // Each is shorter than either limit by seconds, for which a busy machine may stand still; both together are longer.
    sleep(Duration::from_millis(7500)).await;
    kept.write_all(head.as_bytes()).await.expect("taken");
    sleep(Duration::from_millis(6000)).await;
    kept.write_all(body.as_bytes()).await.expect("it still listens");
    let answers = rest(&mut kept).await;
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 2, "{answers}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_bodies_are_not_waited_for() {
    let (_kitchen, running) = running(Limits {
        time: Duration::from_millis(500),
        ..Limits::default()
    })
    .await;
    let mut slow = TcpStream::connect(running.address).await.expect("it listens");
    let head = "POST /node/pgn HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{\"moves\"";
    slow.write_all(head.as_bytes()).await.expect("taken");
    let answer = rest(&mut slow).await;
    assert!(
        answer.starts_with("HTTP/1.1 503") && answer.contains("\"timeout\""),
        "{answer}"
    );
    running.stop().await;
}

/// The first bytes of what comes.
async fn told<const BYTES: usize>(stream: &mut TcpStream) -> String {
    let mut answer = [0; BYTES];
    let read = timeout(AT_ONCE, stream.read_exact(&mut answer)).await;
    read.expect("an answer in time").expect("an answer");
    String::from_utf8_lossy(&answer).into_owned()
}

/// Each of them held one of the places of all until it was given up.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_bodies_do_not_keep_others_out() {
    let (_kitchen, running) = running(Limits {
        in_flight: 8,
        ..Limits::default()
    })
    .await;
    let to = running.address;
    let head = "POST /node/pgn HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ";
    // It is told when its body is waited for.
    let mut slow = connect_from(2, to).await;
    let request = format!("{head}100\r\nexpect: 100-continue\r\n\r\n");
    slow.write_all(request.as_bytes()).await.expect("taken");
    assert_eq!(told::<25>(&mut slow).await, "HTTP/1.1 100 Continue\r\n\r\n");
    slow.write_all(b"{\"moves\"").await.expect("taken");
    // An eighth of the places for bodies is one.
    let mut others = Vec::new();
    for _ in 0..24 {
        let mut stream = connect_from(2, to).await;
        let request = format!("{head}100\r\n\r\n{{\"moves\"");
        stream.write_all(request.as_bytes()).await.expect("taken");
        assert_eq!(told::<12>(&mut stream).await, "HTTP/1.1 503");
        others.push(stream);
    }
    let begun = Instant::now();
    let node = address("e4");
    for uri in ["/healthz", "/stats", "/openings", node.as_str()] {
        assert_eq!(ask(to, uri).await.0, 200, "{uri}");
    }
    let body = "{\"moves\": \"e4 e5\"}";
    for from in [1, 3] {
        let mut stream = connect_from(from, to).await;
        let request = format!("{head}{}\r\nconnection: close\r\n\r\n{body}", body.len());
        stream.write_all(request.as_bytes()).await.expect("taken");
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{from}: {answer}");
    }
    assert_prompt(begun);
    // Whoever is slow and does no harm is answered too.
    let end = format!("{:<91}}}", ": \"e4\"");
    slow.write_all(end.as_bytes()).await.expect("taken");
    assert_eq!(told::<12>(&mut slow).await, "HTTP/1.1 200");
    drop((slow, others));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_does_not_listen_is_not_told_everything() {
    let (_kitchen, running) = running(Limits {
        deaf: Duration::from_millis(500),
        ..Limits::default()
    })
    .await;
    let whole = {
        let mut stream = TcpStream::connect(running.address).await.expect("it listens");
        let once = "GET /openapi.json HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
        stream.write_all(once.as_bytes()).await.expect("taken");
        rest(&mut stream).await.len()
    };
    // More than the system keeps for one that does not listen.
    let asked = (128 << 20) / whole;
    let mut deaf = TcpStream::connect(running.address).await.expect("it listens");
    let questions = "GET /openapi.json HTTP/1.1\r\nhost: x\r\n\r\n".repeat(asked);
    // It stops reading when nobody takes its answers.
    let _ = timeout(Duration::from_secs(3), deaf.write_all(questions.as_bytes())).await;
    sleep(Duration::from_millis(1500)).await;
    let mut answers = Vec::new();
    let read = timeout(Duration::from_secs(20), deaf.read_to_end(&mut answers)).await;
    let _ = read.expect("the server hung up");
    assert!(answers.len() < asked * whole / 2, "{} bytes", answers.len());
    running.stop().await;
}

/// To ask and to take an answer have a time each.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_takes_an_answer_late_is_not_told_to_ask() {
    let (_kitchen, running) = running(Limits {
        head: Duration::from_secs(4),
        ..Limits::default()
    })
    .await;
    // One answer that is more than the system keeps for one that does not listen yet.
    let long = "x".repeat(15_000);
    let games: String = (0..400)
        .map(|n| format!("[White \"{n} {long}\"]\n[Black \"y\"]\n\n1. e4 e5 1-0\n\n"))
        .collect();
    let head = format!(
        "POST /games/analyze HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        games.len()
    );
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(64 << 10).expect("a small one");
    let mut late = socket.connect(running.address).await.expect("it listens");
    late.write_all(head.as_bytes()).await.expect("taken");
    late.write_all(games.as_bytes()).await.expect("taken");
    assert_eq!(told::<12>(&mut late).await, "HTTP/1.1 200");
    sleep(Duration::from_secs(6)).await;
    let mut answer = Vec::new();
    let read = timeout(Duration::from_secs(30), late.read_to_end(&mut answer)).await;
    read.expect("the answer ends it").expect("all of it");
    let (head, body) = std::str::from_utf8(&answer)
        .expect("text")
        .split_once("\r\n\r\n")
        .expect("a body");
    assert!(body.len() > 8 << 20, "{} bytes", body.len());
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let is_whole = match length {
        Some(length) => length.parse() == Ok(body.len()),
        None => body.ends_with("0\r\n\r\n"),
    };
    assert!(is_whole, "{head}: {} bytes", body.len());
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_heads_and_bodies_are_refused_before_they_are_read() {
    let (_kitchen, running) = running(Limits::default()).await;
    let long = "x".repeat(200_000);
    let many = "x: y\r\n".repeat(5_000);
    let heads = [
        format!("GET /{long} HTTP/1.1\r\nhost: x\r\n\r\n"),
        format!("GET /healthz HTTP/1.1\r\nhost: x\r\nx: {long}\r\n\r\n"),
        format!("GET /healthz HTTP/1.1\r\nhost: x\r\n{many}\r\n"),
        format!("GET /node/fen/{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(9_000)),
        "POST /node/pgn HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000000\r\n\r\n{"
            .to_owned(),
        "POST /review HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9999999999999999\r\n\r\n{"
            .to_owned(),
        "POST /node/pgn HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n".to_owned(),
        "\0\0\0\0\r\n\r\n".to_owned(),
    ];
    for head in heads {
        let begun = Instant::now();
        let mut stream = TcpStream::connect(running.address).await.expect("it listens");
        // It may hang up before it has read all of it.
        let _ = stream.write_all(head.as_bytes()).await;
        let mut answer = [0; 12];
        let read = timeout(AT_ONCE, stream.read_exact(&mut answer))
            .await
            .expect("an answer");
        let status = String::from_utf8_lossy(&answer[9..]).into_owned();
        let shown: String = head.chars().take(40).collect();
        assert!(read.is_err() || status.starts_with('4'), "{shown:?}: {status}");
        assert_prompt(begun);
    }
    // Without a length, and without an end.
    let mut endless = TcpStream::connect(running.address).await.expect("it listens");
    let head =
        "POST /node/pgn HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    endless.write_all(head.as_bytes()).await.expect("taken");
    let chunk = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
    let begun = Instant::now();
    let mut sent = 0;
    while sent < 1000 && endless.write_all(chunk.as_bytes()).await.is_ok() {
        sent += 1;
    }
    let mut answer = [0; 12];
    if timeout(AT_ONCE, endless.read_exact(&mut answer))
        .await
        .expect("an end")
        .is_ok()
    {
        assert_eq!(&answer[9..], b"413");
    }
    assert_prompt(begun);
    assert_eq!(ask(running.address, "/healthz").await.0, 200);
    running.stop().await;
}

#[test]
fn costly_questions_are_cheap_or_refused() {
    alone("hostile::costly_questions_are_cheap_or_refused", ask_costly_questions());
}

async fn ask_costly_questions() {
    // All openings there are: among a few everything is cheap.
    let kitchen = Kitchen::of_all_openings().await;
    let server = kitchen.cold_server(ServeOptions::default()).await;
    let snapshot = server.knowledge().reload().await.expect("a snapshot");
    assert!(snapshot.catalogue().openings().len() > 3_000);
    snapshot.search();
    snapshot.skeletons();
    let running = run(server).await;
    let to = running.address;
    let most = |text: &str| text.repeat(2_600 / text.len());
    let mut questions = vec![
        "/opening/eco/C50?depth=4294967295&min_games=0".to_owned(),
        "/opening/eco/C50?depth=99999999999999999999".to_owned(),
        "/opening/eco/A00-E99?depth=40".to_owned(),
        "/opening/italian-game/tree?depth=400".to_owned(),
        "/tactics?limit=4294967295&theme=%25%25%25".to_owned(),
        format!("/position?play={}", "e2e4,".repeat(1_500)),
        format!("/node/fen/{}_w_-_-", "8/".repeat(2_000)),
        format!("/node/fen/{}", "q".repeat(8_000)),
        format!("/lichess?play={}", "g1f3,g8f6,f3g1,f6g8,".repeat(390)),
    ];
    for evil in [
        "a",
        "%",
        "*",
        "(a+)+$",
        "((((((((",
        "e e e e ",
        "\u{301}",
        "'; drop table positions; --",
        "\\",
        "a b ",
    ] {
        questions.push(format!("/opening/search?q={}", escaped(&most(evil))));
        questions.push(format!("/structure/search?pawns={}", escaped(&most(evil))));
        questions.push(format!("/openings?q={}", escaped(&most(evil))));
    }
    for evil in ["not(", "any(all(", "white d4 and ", "d4 ", "!", "(", "? "] {
        questions.push(format!("/structure/search?pawns={}", escaped(&most(evil))));
    }
    let others = tokio::spawn(async move {
        let mut slowest = Duration::ZERO;
        for _ in 0..200 {
            let begun = Instant::now();
            assert_eq!(ask(to, "/healthz").await.0, 200);
            slowest = slowest.max(begun.elapsed());
            sleep(Duration::from_millis(5)).await;
        }
        slowest
    });
    for question in questions {
        let (begun, before) = (Instant::now(), worked());
        let (status, answer) = ask(to, &question).await;
        let work = worked().saturating_sub(before);
        let shown: String = question.chars().take(60).collect();
        assert!(status < 500, "{shown}: {status} {answer}");
        assert!(work < CHEAP, "{shown}: {work:?}");
        assert_prompt(begun);
    }
    let slowest = others.await.expect("all answered");
    assert!(slowest < AT_ONCE, "others waited {slowest:?}");
    // Deep JSON is a question too.
    let deep = format!("{{\"moves\": {}1{}}}", "[".repeat(30_000), "]".repeat(30_000));
    let mut stream = TcpStream::connect(to).await.expect("it listens");
    let head = format!(
        "POST /node/pgn HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{deep}",
        deep.len()
    );
    stream.write_all(head.as_bytes()).await.expect("taken");
    assert!(rest(&mut stream).await.starts_with("HTTP/1.1 4"));
    running.stop().await;
}

#[tokio::test]
async fn browsers_are_told_what_they_may_do() {
    use axum::body::Body;
    use axum::http::{Request, header};
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let server = kitchen.server().await;
    let router = server.router();
    let ask = async |uri: &str, accept: &str| {
        let request = Request::get(uri).header(header::ACCEPT, accept);
        call(&router, request.body(Body::empty()).expect("a request")).await
    };
    for uri in [
        "/healthz",
        "/openings",
        "/nowhere",
        "/docs",
        "/docs.js",
        "/metrics",
        "/openapi.json",
    ] {
        let answer = ask(uri, "*/*").await;
        assert_eq!(answer.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff", "{uri}");
    }
    let mut pages = vec!["/docs"];
    if tabiya_server::has_page() {
        pages.extend(["/", "/explorer", "/games", "/review"]);
    }
    for page in pages {
        let answer = ask(page, "text/html").await;
        let policy = answer.headers()[header::CONTENT_SECURITY_POLICY]
            .to_str()
            .expect("text");
        for rule in [
            "default-src",
            "frame-ancestors 'none'",
            "base-uri 'none'",
            "form-action 'none'",
        ] {
            assert!(policy.contains(rule), "{page}: {policy}");
        }
        for rule in policy.split(';') {
            let (name, sources) = rule.trim().split_once(' ').expect("a name, and what it allows");
            for source in sources.split(' ') {
                let is_ours = match name {
                    "style-src" => ["'self'", "'unsafe-inline'"].contains(&source),
                    "img-src" => ["'self'", "data:", "blob:"].contains(&source),
                    _ => ["'self'", "'none'"].contains(&source),
                };
                assert!(is_ours, "{page}: {name} {source}");
            }
        }
        assert_eq!(answer.headers()[header::REFERRER_POLICY], "no-referrer", "{page}");
        let body = axum::body::to_bytes(answer.into_body(), usize::MAX)
            .await
            .expect("a page");
        let text = String::from_utf8_lossy(&body);
        assert!(!text.contains("<script>"), "{page} has a script inside");
    }
}
