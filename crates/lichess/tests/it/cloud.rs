//! One question to the cloud, and everything that can go wrong with it.

use std::{error::Error, num::NonZeroU32, time::Duration};

use shakmaty::Chess;
use tabiya_chess::{Eval, SearchLimit, parse_fen};
use tabiya_lichess::{CloudConfig, CloudError, CloudEval, Fault, Url};
use tokio::{
    net::TcpListener,
    time::{Instant, advance, pause, resume},
};

use crate::{
    book::after,
    server::{Reply, Server},
};

const ANSWER: &str = r#"{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","knodes":15000,"depth":42,
    "pvs":[{"moves":"e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 e1h1","cp":21},{"moves":"d2d4 d7d5","cp":17}]}"#;

/// Longer than whatever happens between two questions. Nobody sits it out: see [`pass`].
const REST: Duration = Duration::from_secs(60);

/// Fast, and with pauses of a known length.
fn hasty(base: &Url) -> CloudConfig {
    CloudConfig {
        rate: 10_000.0,
        timeout: Duration::from_secs(20),
        slow_down: REST,
        rest: REST,
        ..CloudConfig::new(base.clone())
    }
}

/// So much time passes at once.
async fn pass(time: Duration) {
    pause();
    advance(time).await;
    resume();
}

fn cloud(server: &Server) -> CloudEval {
    CloudEval::new(hasty(&server.base)).expect("a sound configuration")
}

/// Whether nothing was wrong: the cloud just was not asked, or asked to be left alone.
fn is_busy(error: &CloudError) -> bool {
    matches!(error, CloudError::Busy { .. })
}

/// `reply` to the first `times` requests, then the honest answer.
async fn faulty(times: usize, reply: impl Fn() -> Reply + Send + Sync + 'static) -> Server {
    Server::start(move |request| match request.number < times {
        true => reply(),
        false => Reply::Ok(ANSWER.to_owned()),
    })
    .await
}

/// The error of one question to a server that always answers like this.
async fn error(reply: impl Fn() -> Reply + Send + Sync + 'static) -> CloudError {
    let server = faulty(usize::MAX, reply).await;
    let mut config = hasty(&server.base);
    config.token = Some("lip_secret".parse().expect("a token"));
    let cloud = CloudEval::new(config).expect("a sound configuration");
    let err = cloud.ask(&Chess::default(), 1).await.expect_err("no answer");
    assert_eq!(server.requests().len(), 1, "nothing is asked again");
    let mut text = format!("{err} {err:?} {cloud:?}");
    let mut cause = err.source();
    while let Some(err) = cause {
        text += &err.to_string();
        cause = err.source();
    }
    assert!(!text.contains("secret"), "{text}");
    assert!(is_busy(&err) || err.to_string().contains(server.base.as_str()), "{err}");
    err
}

#[tokio::test]
async fn asks_as_lichess_is_asked() {
    let server = faulty(0, || Reply::HangUp).await;
    let mut config = hasty(&server.base.join("/").expect("a URL"));
    config.token = Some("lip_secret\n".parse().expect("a token"));
    let cloud = CloudEval::new(config).expect("a sound configuration");
    let found = cloud
        .ask(&Chess::default(), 2)
        .await
        .expect("an answer")
        .expect("a hit");
    assert_eq!((found.engine.as_str(), found.nodes), ("lichess-cloud", 15_000_000));
    assert_eq!((found.limit, found.multipv), (SearchLimit::depth(42), 2));
    let lines: Vec<_> = found
        .lines
        .iter()
        .map(|line| (line.index, line.eval, line.depth))
        .collect();
    assert_eq!(lines, [(1, Eval::Cp(21), 42), (2, Eval::Cp(17), 42)]);
    let castled = found.lines[0].moves.last().map(ToString::to_string);
    assert_eq!(castled.as_deref(), Some("e1g1"));

    let request = &server.requests()[0];
    assert_eq!(request.path, "/api/cloud-eval");
    assert_eq!(
        request.fen(),
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    );
    assert_eq!(request.query["multiPv"], "2");
    assert_eq!(request.authorization(), Some("Bearer lip_secret"));
}

#[tokio::test]
async fn a_miss_is_no_error() {
    let body = r#"{"error":"No cloud evaluation available for that position"}"#;
    let server = faulty(9, move || Reply::Status(404, "", body)).await;
    let cloud = cloud(&server);
    for _ in 0..9 {
        assert_eq!(cloud.ask(&Chess::default(), 1).await.expect("a miss"), None);
    }
    assert!(cloud.ask(&Chess::default(), 1).await.expect("an answer").is_some());
    assert_eq!(server.requests()[0].authorization(), None);
}

#[tokio::test]
async fn a_finished_game_is_not_asked_about() {
    let server = faulty(0, || Reply::HangUp).await;
    let mate = after("f3 e5 g4 Qh4");
    assert_eq!(cloud(&server).ask(&mate, 1).await.expect("no question"), None);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn after_429_everyone_leaves_it_alone_and_nobody_waits() {
    let server = faulty(1, || Reply::Status(429, "", "")).await;
    let cloud = cloud(&server);
    let refused = async || {
        let err = cloud.ask(&Chess::default(), 1).await.expect_err("a pause");
        assert!(is_busy(&err) && !err.is_usage(), "{err:?}");
    };
    refused().await;
    // Only whoever waits makes this clock go on.
    pause();
    let begun = Instant::now();
    for _ in 0..4 {
        refused().await;
    }
    assert_eq!(begun.elapsed(), Duration::ZERO);
    resume();
    assert_eq!(server.requests().len(), 1, "one was sent, four were not");
    pass(REST).await;
    assert!(cloud.ask(&Chess::default(), 1).await.expect("an answer").is_some());
}

#[tokio::test]
async fn retry_after_is_respected() {
    for status in [429, 503] {
        let server = faulty(1, move || Reply::Status(status, "Retry-After: 200", "")).await;
        let cloud = cloud(&server);
        cloud.ask(&Chess::default(), 1).await.expect_err("a refusal");
        pass(Duration::from_secs(100)).await;
        let err = cloud.ask(&Chess::default(), 1).await.expect_err("a pause");
        assert!(is_busy(&err), "{err:?}");
        pass(Duration::from_secs(100)).await;
        assert!(cloud.ask(&Chess::default(), 1).await.expect("an answer").is_some());
    }
}

#[tokio::test]
async fn faults_are_named_and_the_next_question_is_asked() {
    for status in [500, 502, 503, 504, 408] {
        let err = error(move || Reply::Status(status, "", "oops")).await;
        let named =
            matches!(&err, CloudError::Failed { source: Fault::Status { status: named, .. }, .. } if *named == status);
        assert!(named, "{err:?}");
    }
    for reply in [Reply::Truncated, Reply::TruncatedChunks] {
        let err = error(move || reply(ANSWER.to_owned())).await;
        assert!(
            matches!(
                err,
                CloudError::Failed {
                    source: Fault::BrokenOff(_),
                    ..
                }
            ),
            "{err:?}"
        );
    }
    let server = faulty(2, || Reply::HangUp).await;
    let cloud = cloud(&server);
    for _ in 0..2 {
        cloud.ask(&Chess::default(), 1).await.expect_err("hung up");
    }
    assert!(cloud.ask(&Chess::default(), 1).await.expect("an answer").is_some());
}

#[tokio::test]
async fn garbage_is_no_answer() {
    let other = ANSWER.replace("/pppppppp/8/", "/pppp1ppp/4p3/");
    let illegal = ANSWER.replace("e2e4", "e2e5");
    let texts = [
        "",
        "<html>be right back</html>",
        "\0\u{1}",
        "{}",
        "[]",
        r#"{"depth":1,"pvs":[]}"#,
        &other,
        &illegal,
    ];
    for text in texts.map(str::to_owned) {
        let shown = text.clone();
        let err = error(move || Reply::Ok(text.clone())).await;
        assert!(matches!(err, CloudError::NotAnAnswer { .. }), "{shown}: {err:?}");
    }
    let err = error(|| Reply::Half(ANSWER.to_owned())).await;
    assert!(matches!(err, CloudError::NotAnAnswer { .. }), "{err:?}");
    let err = error(|| Reply::Endless).await;
    assert!(matches!(err, CloudError::NotAnAnswer { .. }), "{err:?}");
}

#[tokio::test]
async fn refusals_are_named() {
    for status in [400, 401, 403, 410] {
        let err = error(move || Reply::Status(status, "", "no such token: lip_secret")).await;
        assert!(
            matches!(err, CloudError::Refused { status: named, .. } if named == status),
            "{err:?}"
        );
        assert!(err.is_usage() && !err.hint().is_empty());
    }
    let err = error(|| Reply::Status(302, "Location: http://elsewhere/", "")).await;
    assert!(
        matches!(&err, CloudError::Moved { to, .. } if to == "http://elsewhere/"),
        "{err:?}"
    );
}

#[tokio::test]
async fn slow_answers_are_not_waited_for() {
    let server = faulty(1, || Reply::Slow(Duration::from_secs(60), ANSWER.to_owned())).await;
    let mut config = hasty(&server.base);
    config.timeout = Duration::from_millis(300);
    let cloud = CloudEval::new(config).expect("a sound configuration");
    let err = cloud.ask(&Chess::default(), 1).await.expect_err("too slow");
    assert!(
        matches!(
            err,
            CloudError::Failed {
                source: Fault::TimedOut,
                ..
            }
        ),
        "{err:?}"
    );
}

#[tokio::test]
async fn nobody_there() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = Url::parse(&format!("http://{}/", listener.local_addr().expect("an address"))).expect("a URL");
    drop(listener);
    let cloud = CloudEval::new(hasty(&base)).expect("a sound configuration");
    let err = cloud.ask(&Chess::default(), 1).await.expect_err("nobody there");
    assert!(
        matches!(
            err,
            CloudError::Failed {
                source: Fault::Unreachable(_),
                ..
            }
        ),
        "{err:?}"
    );
}

#[tokio::test]
async fn a_cloud_that_keeps_failing_is_left_alone() {
    let server = faulty(4, || Reply::Status(500, "", "")).await;
    let mut config = hasty(&server.base);
    config.max_failures = NonZeroU32::new(3).expect("three");
    let cloud = CloudEval::new(config).expect("a sound configuration");
    let ask = || async { cloud.ask(&Chess::default(), 1).await };
    for _ in 0..3 {
        assert!(!is_busy(&ask().await.expect_err("a fault")));
    }
    for _ in 0..10 {
        assert!(is_busy(&ask().await.expect_err("a rest")));
    }
    assert_eq!(server.requests().len(), 3);
    // One tries again after the rest, and fails; the next rest is twice as long.
    pass(REST).await;
    assert!(!is_busy(&ask().await.expect_err("a fault")));
    pass(REST).await;
    assert!(is_busy(&ask().await.expect_err("a longer rest")));
    pass(REST).await;
    assert!(ask().await.expect("an answer").is_some());
    assert_eq!(server.requests().len(), 5);
}

#[tokio::test]
async fn whoever_cannot_have_a_place_soon_goes_to_the_engine() {
    let server = faulty(0, || Reply::HangUp).await;
    let mut config = hasty(&server.base);
    config.rate = 0.01;
    config.patience = Duration::from_millis(50);
    let cloud = CloudEval::new(config).expect("a sound configuration");
    assert!(cloud.ask(&Chess::default(), 1).await.expect("an answer").is_some());
    let err = cloud.ask(&Chess::default(), 1).await.expect_err("the rate");
    assert!(is_busy(&err), "{err:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn the_mover_does_not_turn_the_evaluation() {
    let fen = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";
    let server = Server::start(move |_| {
        // The en-passant square that nobody can use is no other position.
        let fen = fen.replace("KQkq -", "KQkq e3");
        Reply::Ok(format!(
            r#"{{"fen":"{fen}","knodes":1,"depth":20,"pvs":[{{"moves":"e7e5","cp":45}},{{"moves":"f7f6","mate":7}}]}}"#
        ))
    })
    .await;
    let pos = parse_fen(fen).expect(fen).position;
    let found = cloud(&server).ask(&pos, 2).await.expect("an answer").expect("a hit");
    let evals: Vec<Eval> = found.lines.iter().map(|line| line.eval).collect();
    assert_eq!(evals, [Eval::Cp(45), Eval::Mate(7)]);
}
