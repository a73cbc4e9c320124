//! One question, and everything that can go wrong with it.

use std::{
    error::Error,
    num::NonZeroU32,
    time::{Duration, Instant},
};

use shakmaty::Chess;
use tabiya_lichess::{CancellationToken, Explorer, ExplorerConfig, ExplorerError, Fault, Url, WaitReason};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::{
    book::{after, sample},
    fixture::{explorer, hasty, watched},
    server::{Reply, Request, Server},
};

/// The honest answer.
fn honest(request: &Request) -> Reply {
    Reply::Ok(sample().answer(request.fen()))
}

/// `fault` for the first `times` requests, then honest.
async fn faulty(times: usize, fault: impl Fn(String) -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |request| {
        let answer = sample().answer(request.fen());
        if request.number < times {
            fault(answer)
        } else {
            Reply::Ok(answer)
        }
    })
    .await
}

/// The reasons of the pauses until the answer came, which is the honest one.
async fn pauses(server: &Server) -> Vec<WaitReason> {
    pauses_with(hasty(&server.base)).await
}

async fn pauses_with(config: ExplorerConfig) -> Vec<WaitReason> {
    let (explorer, waits) = watched(config);
    let answer = explorer
        .position(&Chess::default())
        .await
        .expect("an answer in the end");
    assert_eq!(answer.tally.games(), 2130);
    assert_eq!(answer.moves[0].san, "e4");
    let waits = waits.lock().expect("no test panicked here");
    waits.iter().map(|wait| wait.reason).collect()
}

/// The error of a server that always answers with this status.
async fn refusal(status: u16, header: &'static str, body: &'static str) -> ExplorerError {
    let server = Server::start(move |_| Reply::Status(status, header, body)).await;
    let mut config = hasty(&server.base);
    config.token = Some("lip_secret".parse().expect("a token"));
    let explorer = Explorer::new(config).expect("a sound configuration");
    let err = explorer.position(&Chess::default()).await.expect_err("a refusal");
    assert_eq!(server.requests().len(), 1, "status {status} is not asked again");
    let mut text = format!("{err} {err:?} {explorer:?}");
    let mut cause = err.source();
    while let Some(err) = cause {
        text += &err.to_string();
        cause = err.source();
    }
    assert!(!text.contains("secret"), "{text}");
    assert!(err.to_string().contains(server.base.as_str()), "{err}");
    err
}

#[tokio::test]
async fn asks_as_explorers_are_asked() {
    let server = Server::start(honest).await;
    let base = server
        .base
        .join("/lichess?speeds=blitz,rapid&topGames=3")
        .expect("a URL");
    let mut config = hasty(&base);
    config.token = Some("lip_secret\n".parse().expect("a token"));
    let explorer = Explorer::new(config).expect("a sound configuration");
    let answer = explorer.position(&after("e4 e5")).await.expect("an answer");
    assert_eq!(answer.average_rating, Some(2450));

    let request = &server.requests()[0];
    assert_eq!(request.path, "/lichess");
    assert_eq!(
        request.fen(),
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"
    );
    let parameter = |name: &str| request.query.get(name).map(String::as_str);
    assert_eq!(parameter("speeds"), Some("blitz,rapid"));
    assert_eq!((parameter("moves"), parameter("topGames")), (Some("218"), Some("3")));
    assert_eq!(parameter("recentGames"), Some("0"));
    assert_eq!(request.authorization(), Some("Bearer lip_secret"));
    assert!(request.headers["user-agent"].starts_with("tabiya/"));
}

#[tokio::test]
async fn without_a_token_nobody_is_named() {
    let server = Server::start(honest).await;
    explorer(&server.base)
        .position(&Chess::default())
        .await
        .expect("an answer");
    assert_eq!(server.requests()[0].authorization(), None);
}

#[tokio::test]
async fn retries_on_429() {
    let server = faulty(1, |_| Reply::Status(429, "", "")).await;
    assert_eq!(pauses(&server).await, [WaitReason::SlowDown]);
    let gap = server.gaps()[0];
    assert!(gap >= Duration::from_millis(20), "{gap:?}");
}

#[tokio::test]
async fn repeated_429_costs_the_long_pause() {
    let server = faulty(3, |_| Reply::Status(429, "", "")).await;
    assert_eq!(pauses(&server).await, [WaitReason::SlowDown; 3]);
    let gaps = server.gaps();
    assert!(gaps[0] >= Duration::from_millis(20), "{gaps:?}");
    // The long pause and the second and third backoff.
    assert!(gaps[1] >= Duration::from_millis(250 + 40), "{gaps:?}");
    assert!(gaps[2] >= Duration::from_millis(250 + 80), "{gaps:?}");
}

#[tokio::test]
async fn retry_after_is_respected() {
    let server = faulty(1, |_| Reply::Status(429, "Retry-After: 1", "")).await;
    assert_eq!(pauses(&server).await, [WaitReason::SlowDown]);
    let gap = server.gaps()[0];
    assert!(gap >= Duration::from_secs(1), "{gap:?}");

    let server = faulty(1, |_| Reply::Status(503, "Retry-After: 1", "")).await;
    assert_eq!(pauses(&server).await, [WaitReason::Status(503)]);
    let gap = server.gaps()[0];
    assert!(gap >= Duration::from_secs(1), "{gap:?}");
}

#[tokio::test]
async fn server_errors_pass() {
    for status in [500, 502, 503, 504, 408] {
        let server = faulty(2, move |_| Reply::Status(status, "", "<h1>oops</h1>")).await;
        assert_eq!(pauses(&server).await, [WaitReason::Status(status); 2]);
        let gaps = server.gaps();
        assert!(
            gaps[0] >= Duration::from_millis(20) && gaps[1] >= Duration::from_millis(40),
            "{gaps:?}"
        );
    }
}

#[tokio::test]
async fn slow_answers_are_not_waited_for() {
    let server = faulty(1, |answer| Reply::Slow(Duration::from_secs(60), answer)).await;
    let mut config = hasty(&server.base);
    config.timeout = Duration::from_millis(1500);
    assert_eq!(pauses_with(config).await, [WaitReason::TimedOut]);
}

#[tokio::test]
async fn truncated_answers_are_not_believed() {
    for fault in [Reply::Truncated, Reply::TruncatedChunks, Reply::Half] {
        let server = faulty(2, fault).await;
        assert_eq!(pauses(&server).await, [WaitReason::BrokenAnswer; 2]);
    }
}

#[tokio::test]
async fn broken_json_is_asked_for_again() {
    for text in ["", "<html>be right back</html>", "{\"white\":1,", "\0\u{1}\u{2}"] {
        let server = faulty(1, move |_| Reply::Ok(text.to_owned())).await;
        assert_eq!(pauses(&server).await, [WaitReason::BrokenAnswer], "{text:?}");
    }
}

#[tokio::test]
async fn hung_up_is_asked_again() {
    let server = faulty(1, |_| Reply::HangUp).await;
    assert_eq!(pauses(&server).await, [WaitReason::BrokenAnswer]);
}

#[tokio::test]
async fn given_up_after_a_while() {
    let server = Server::start(|_| Reply::Status(500, "", "")).await;
    let (explorer, waits) = watched(hasty(&server.base));
    let err = explorer
        .position(&Chess::default())
        .await
        .expect_err("nothing but faults");
    assert!(
        matches!(
            err,
            ExplorerError::Exhausted {
                tries: 4,
                last: Fault::Status { status: 500, .. },
                ..
            }
        ),
        "{err:?}"
    );
    assert!(err.to_string().ends_with("given up after 4 tries"), "{err}");
    assert!(!err.is_usage() && err.hint().contains("kept"));
    assert_eq!(server.requests().len(), 4);
    let tries: Vec<u32> = waits
        .lock()
        .expect("no test panicked here")
        .iter()
        .map(|wait| wait.tries)
        .collect();
    assert_eq!(tries, [1, 2, 3]);
}

#[tokio::test]
async fn nobody_there() {
    let base = {
        let server = Server::start(honest).await;
        server.base.clone()
    };
    // The port is free again once the listener's task is gone.
    let (explorer, waits) = watched(hasty(&base));
    let err = loop {
        match explorer.position(&Chess::default()).await {
            Ok(_) => tokio::task::yield_now().await,
            Err(err) => break err,
        }
    };
    assert!(
        matches!(
            err,
            ExplorerError::Exhausted {
                last: Fault::Unreachable(_),
                ..
            }
        ),
        "{err:?}"
    );
    assert_eq!(
        waits
            .lock()
            .expect("no test panicked here")
            .last()
            .map(|wait| wait.reason),
        Some(WaitReason::Unreachable)
    );
}

#[tokio::test]
async fn refusals_end_at_once_and_say_how_to_go_on() {
    let err = refusal(401, "", "{\"error\":\"No such token: lip_secret\"}").await;
    assert!(matches!(err, ExplorerError::Unauthorized { .. }), "{err:?}");
    assert!(err.to_string().ends_with(": {\"error\":\"No such token: …\"}"), "{err}");
    assert!(err.hint().contains("token") && !err.is_usage());
    let err = refusal(403, "", "").await;
    assert!(
        matches!(err, ExplorerError::Forbidden { .. }) && !err.is_usage(),
        "{err:?}"
    );
}

#[tokio::test]
async fn mistakes_of_ours_end_at_once() {
    let err = refusal(404, "", "").await;
    assert!(
        matches!(err, ExplorerError::NotFound { .. }) && err.is_usage(),
        "{err:?}"
    );
    let err = refusal(410, "", "").await;
    assert!(matches!(err, ExplorerError::Gone { .. }) && err.is_usage(), "{err:?}");
    let err = refusal(400, "", "bad ratings").await;
    assert!(
        matches!(err, ExplorerError::BadRequest { status: 400, .. }) && err.is_usage(),
        "{err:?}"
    );
    assert!(err.to_string().ends_with("(status 400): bad ratings"), "{err}");
    let err = refusal(200, "", "{\"games\":[]}").await;
    assert!(
        matches!(err, ExplorerError::NotAnAnswer { .. }) && err.is_usage(),
        "{err:?}"
    );
    assert!(
        err.source()
            .is_some_and(|cause| cause.to_string().contains("missing field"))
    );
}

#[tokio::test]
async fn redirects_are_reported_and_not_followed() {
    let err = refusal(301, "Location: http://elsewhere.example/masters", "").await;
    assert!(
        matches!(&err, ExplorerError::Moved { status: 301, to, .. } if to == "http://elsewhere.example/masters"),
        "{err:?}"
    );
    // Nor is what the server was told repeated.
    let err = refusal(302, "Location: /login?token=lip_secret", "").await;
    assert!(
        matches!(&err, ExplorerError::Moved { to, .. } if to == "/login?token=…"),
        "{err:?}"
    );
}

#[tokio::test]
async fn endless_answers_are_not_read_to_the_end() {
    let server = Server::start(|_| Reply::Endless).await;
    let mut config = hasty(&server.base);
    config.max_answer = 100_000;
    let explorer = Explorer::new(config).expect("a sound configuration");
    let err = explorer.position(&Chess::default()).await.expect_err("too much");
    assert!(matches!(err, ExplorerError::NotAnAnswer { .. }), "{err:?}");
    assert!(
        err.source()
            .is_some_and(|cause| cause.to_string() == "it has more than 100000 bytes")
    );
}

#[tokio::test]
async fn illegal_moves_are_reported_and_left_out() {
    let more = r#"{"uci":"e2e5","san":"e5","white":9,"draws":9,"black":9}"#;
    let server = Server::start(move |request| Reply::Ok(sample().answer_with(request.fen(), more))).await;
    let answer = explorer(&server.base)
        .position(&Chess::default())
        .await
        .expect("an answer");
    assert_eq!(answer.moves.len(), 5);
    assert_eq!(answer.illegal.len(), 1);
    assert_eq!(
        answer.illegal[0].to_string(),
        "e2e5 (e5): `e2e5` is not a legal move here"
    );
}

#[tokio::test]
async fn the_rate_is_kept() {
    let server = Server::start(honest).await;
    let mut config = hasty(&server.base);
    config.rate = 20.0;
    let explorer = Explorer::new(config).expect("a sound configuration");
    let begun = Instant::now();
    for _ in 0..6 {
        explorer.position(&Chess::default()).await.expect("an answer");
    }
    // Five periods of 50 ms lie between six requests. Only the lower bound is ours to keep.
    let taken = begun.elapsed();
    assert!(taken >= Duration::from_millis(245), "{taken:?}");
}

/// Twelve questions at once.
async fn crowd(server: &Server, in_flight: u32) {
    let mut config = hasty(&server.base);
    config.in_flight = NonZeroU32::new(in_flight).expect("more than none");
    let explorer = Explorer::new(config).expect("a sound configuration");
    let pos = Chess::default();
    let questions = (0..12).map(|_| explorer.position(&pos));
    for answer in futures_util::future::join_all(questions).await {
        answer.expect("an answer");
    }
    assert_eq!(server.requests().len(), 12);
}

#[tokio::test]
async fn no_more_in_flight_than_allowed() {
    let slowly = |request: &Request| Reply::Slow(Duration::from_millis(30), sample().answer(request.fen()));
    let server = Server::start(slowly).await;
    crowd(&server, 1).await;
    assert_eq!(server.most_at_once(), 1);
    let server = Server::start(slowly).await;
    crowd(&server, 3).await;
    assert!((2..=3).contains(&server.most_at_once()), "{}", server.most_at_once());
}

#[tokio::test]
async fn a_pause_is_not_sat_out_after_a_stop() {
    let server = Server::start(|_| Reply::Status(429, "Retry-After: 3600", "")).await;
    let stop = CancellationToken::new();
    let (explorer, _) = watched(hasty(&server.base));
    let at_pause = stop.clone();
    let explorer = explorer.stopped_by(stop).on_wait(move |_| at_pause.cancel());
    let err = explorer.position(&Chess::default()).await.expect_err("stopped");
    assert!(matches!(err, ExplorerError::Cancelled), "{err:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn what_is_under_way_is_waited_for() {
    let stop = CancellationToken::new();
    let on_request = stop.clone();
    let server = Server::start(move |request| {
        on_request.cancel();
        Reply::Slow(Duration::from_millis(50), sample().answer(request.fen()))
    })
    .await;
    let explorer = explorer(&server.base).stopped_by(stop);
    explorer
        .position(&Chess::default())
        .await
        .expect("the answer that was under way");
    let err = explorer.position(&Chess::default()).await.expect_err("stopped");
    assert!(matches!(err, ExplorerError::Cancelled), "{err:?}");
    assert_eq!(server.requests().len(), 1);
}

/// What is sent over `https` begins as TLS does, and a server that does not answer in kind is not listened to.
#[tokio::test]
async fn encrypted_connections_are_really_made() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let port = listener.local_addr().expect("an address").port();
    let first_bytes = tokio::spawn(async move {
        let mut first_bytes = Vec::new();
        while first_bytes.len() < 4 {
            let (mut stream, _) = listener.accept().await.expect("a connection");
            first_bytes.push(stream.read_u8().await.expect("a byte"));
            let plain = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
            stream.write_all(plain).await.expect("still there");
        }
        first_bytes
    });
    let base = Url::parse(&format!("https://127.0.0.1:{port}/masters")).expect("a URL");
    let err = explorer(&base)
        .position(&Chess::default())
        .await
        .expect_err("no TLS there");
    assert!(
        matches!(
            err,
            ExplorerError::Exhausted {
                last: Fault::Unreachable(_),
                ..
            }
        ),
        "{err:?}"
    );
    const HANDSHAKE: u8 = 22;
    assert_eq!(first_bytes.await.expect("four connections"), [HANDSHAKE; 4]);
}
