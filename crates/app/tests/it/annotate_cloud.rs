//! The cloud is asked first where that is wanted, and an engine answers whatever the cloud does not.

use std::{sync::atomic::Ordering::Relaxed, time::Duration};

use tabiya_app::build::{AnnotateReport, explorer::CloudConfig};

use crate::{
    annotate::{asking, openings, run, to_depth},
    engines::Opinionated,
    server::{Reply, Server},
    workshop::{Workshop, epd_after},
};

/// Five positions to evaluate.
const LINES: [(&str, [u64; 3]); 3] = [
    ("e4 e5", [300, 100, 100]),
    ("e4 c5", [200, 100, 100]),
    ("d4", [50, 50, 50]),
];

/// What the cloud says of the initial position.
fn answer(depth: u8) -> String {
    format!(
        r#"{{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","knodes":9000,"depth":{depth},"pvs":[
            {{"moves":"d2d4 d7d5","cp":31}},{{"moves":"e2e4 e7e5","cp":30}},{{"moves":"g1f3 d7d5","cp":25}}]}}"#
    )
}

/// Evaluates to depth 12 with a cloud that does what `script` says.
async fn with_cloud(script: impl Fn(&str) -> Reply + Send + Sync + 'static) -> (Workshop, Server, AnnotateReport) {
    let workshop = openings(&LINES).await;
    let engine = Opinionated::new(workshop.directory(), &[("*", "cp 7")]);
    let server = Server::start(move |request| script(request.fen())).await;
    let mut request = asking(&workshop, &engine.program);
    request.effort = to_depth(12);
    request.cloud = Some(CloudConfig {
        rate: 10_000.0,
        ..CloudConfig::new(server.base.clone())
    });
    let report = run(&request).await;
    assert_eq!((report.done.quarantined, report.done.not_done), (0, 0), "{report:?}");
    (workshop, server, report)
}

fn is_initial(fen: &str) -> bool {
    fen.starts_with(&epd_after(""))
}

#[tokio::test]
async fn the_cloud_answers_what_it_knows_and_an_engine_the_rest() {
    let (workshop, server, report) = with_cloud(|fen| match is_initial(fen) {
        true => Reply::Ok(answer(40)),
        false => Reply::Status(404, "", r#"{"error":"none"}"#),
    })
    .await;
    assert_eq!((report.done.from_cloud, report.done.searched), (1, 4), "{report:?}");
    assert_eq!(server.fens().len(), 5);
    let root = workshop.node("").await.expect("a node");
    let shown = root.evaluation.as_ref().expect("an evaluation");
    assert_eq!(
        (shown.engine.as_str(), shown.depth, shown.eval.cp),
        ("lichess-cloud", 40, 31)
    );
    assert_eq!(root.best_move().map(|best| best.san.as_str()), Some("d4"));
    let other = workshop
        .node("e4 c5")
        .await
        .expect("a node")
        .evaluation
        .expect("an evaluation");
    assert!(other.engine.starts_with("Fake"), "{other:?}");
}

#[tokio::test]
async fn an_answer_that_is_not_deep_enough_is_no_answer() {
    let (_, _, report) = with_cloud(|fen| match is_initial(fen) {
        true => Reply::Ok(answer(11)),
        false => Reply::Status(404, "", ""),
    })
    .await;
    assert_eq!((report.done.from_cloud, report.done.searched), (0, 5), "{report:?}");
}

#[tokio::test]
async fn a_cloud_that_wants_to_be_left_alone_is_and_engines_do_not_wait() {
    let (_, server, report) = with_cloud(|_| Reply::Status(429, "", "")).await;
    assert_eq!((report.done.from_cloud, report.done.searched), (0, 5), "{report:?}");
    assert_eq!(server.fens().len(), 1, "one refusal is enough");
}

#[tokio::test]
async fn a_slow_cloud_is_left_when_the_user_wants_to_stop() {
    const FIRST: &str = "a3 a4 b3 b4 c3 c4 d3 d4 e3 e4 f3 f4 g3 g4 h3 h4 Na3 Nc3 Nf3 Nh3";
    let lines: Vec<(&str, [u64; 3])> = FIRST.split(' ').map(|line| (line, [1, 0, 0])).collect();
    let workshop = openings(&lines).await;
    let engine = Opinionated::new(workshop.directory(), &[("*", "cp 7")]);
    let mut request = asking(&workshop, &engine.program);
    request.effort = to_depth(12);
    let stop = request.stop.clone();
    let server = Server::start(move |_| {
        stop.store(true, Relaxed);
        Reply::Slow(Duration::from_secs(20), answer(40))
    })
    .await;
    // Whoever did not leave it would wait for its answer.
    request.cloud = Some(CloudConfig {
        rate: 10_000.0,
        timeout: Duration::from_secs(60),
        ..CloudConfig::new(server.base.clone())
    });
    let report = run(&request).await;
    assert!(report.interrupted, "{report:?}");
    assert_eq!((report.done.from_cloud, report.done.not_done), (0, 21), "{report:?}");
    // One question of each of the batches that were begun.
    assert!(server.fens().len() <= 2, "{:?}", server.fens());
}

#[tokio::test]
async fn a_cloud_that_breaks_costs_nothing_but_its_answers() {
    for reply in [
        || Reply::HangUp,
        || Reply::Status(500, "", ""),
        || Reply::Truncated(answer(40)),
        || Reply::Ok("[]".to_owned()),
    ] {
        let (_, _, report) = with_cloud(move |_| reply()).await;
        assert_eq!((report.done.from_cloud, report.done.searched), (0, 5), "{report:?}");
    }
}
