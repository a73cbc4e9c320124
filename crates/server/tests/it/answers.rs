//! What every endpoint answers, word for word.

use axum::http::StatusCode;
use futures_util::FutureExt as _;
use serde_json::Value;
use tabiya_app::explore::Asked;

use crate::agreement::{questions, questions_about_all};
use crate::kitchen::{Kind, Kitchen, NAMES, address, get, json, post, read};

#[tokio::test]
async fn every_answer_is_as_it_was() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let mut all = questions();
    all.extend(questions_about_all());
    all.extend(["/healthz", "/readyz"].map(str::to_owned));
    for uri in all {
        let answer = json(&router, &uri).await;
        insta::assert_snapshot!(name(&uri), serde_json::to_string_pretty(&answer).expect("JSON"));
    }
}

#[tokio::test]
async fn every_problem_is_as_it_was() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let unknown = address("e4 e5 Nf3 Nc6 Bc4 h5");
    let mut told = String::new();
    for uri in [
        unknown.as_str(),
        "/node/fen/hello",
        "/node/fen/8/8/8/8/8/8/8/8_w_-_-",
        "/node/fen/%FF",
        "/position?play=e2e5",
        "/position?collection=mine",
        "/position?play=e2e4,e7e5,g1f3,b8c6,f1c4,h7h5,a2a4",
        "/opening/eco/Z00",
        "/opening/eco/E99",
        "/opening/eco/C50?depth=16",
        "/opening/eco/C50?depth=-1",
        "/opening/nothing",
        "/opening/00000000-0000-0000-0000-000000000000",
        "/opening/search",
        "/opening/search?q=",
        "/opening/search?q=a&limit=0",
        "/opening/nothing/tree",
        "/opening/italian-game/tree?depth=41",
        "/opening/italian-game/tree?collection=mine",
        "/masters?play=e2e5",
        "/masters?fen=hello",
        "/lichess?variant=crazyhouse",
        "/lichess?speeds=slow",
        "/lichess?moves=many",
        "/tactics?limit=101",
        "/tactics?after=first",
        "/structure/blob",
        "/structure/blob/openings",
        "/structure/search?pawns=d4",
        "/nowhere",
    ] {
        told.push_str(&tell(uri, read(get(&router, uri).await).await));
    }
    for body in [
        "",
        "{",
        "[]",
        r#"{"moves": 5}"#,
        r#"{"moves": "1.e4 e5 2.Ke3"}"#,
        r#"{"moves": "1.e4 e5 2.♔f3"}"#,
        r#"{"moves": "1.e4 e5 2.?f3"}"#,
        r#"{"moves": "1.e4 e5 2.Nf3 Nc6 3.Bc4 h5 4.a4 a5"}"#,
    ] {
        told.push_str(&tell(
            &format!("/node/pgn {body}"),
            read(post(&router, "/node/pgn", body).await).await,
        ));
    }
    insta::assert_snapshot!(told);
}

fn tell(asked: &str, (status, problem): (StatusCode, Value)) -> String {
    assert_eq!(problem["status"], status.as_u16());
    format!("{asked}\n{}\n\n", serde_json::to_string_pretty(&problem).expect("JSON"))
}

/// An address as a file can be called.
fn name(uri: &str) -> String {
    let plain = |ch: char| if ch.is_ascii_alphanumeric() { ch } else { '-' };
    let name: String = uri.trim_matches('/').chars().map(plain).collect();
    name.split('-')
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

/// The next state may come while the database is asked for the games of a position.
#[tokio::test]
async fn one_answer_is_about_one_state() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let server = kitchen.server().await;
    let knowledge = server.knowledge();
    let asked = Asked::line("e4 e5 Nf3 Nc6 Bc4 Bc5").expect("a line");
    // It waits for the games, unless the database has them ready at once, which it does now and then.
    let waiting = (0..1_000).find_map(|_| {
        let mut facts = Box::pin(knowledge.facts(&asked, None));
        (&mut facts).now_or_never().is_none().then_some(facts)
    });
    let facts = waiting.expect("an answer that waits for the games");
    kitchen.name(&NAMES.replace("Giuoco Piano", "Quiet Game")).await;
    knowledge.reload().await.expect("a snapshot");
    let before = facts.await.expect("an answer").expect("a position");
    let after = knowledge
        .facts(&asked, None)
        .await
        .expect("an answer")
        .expect("a position");
    for (facts, called) in [(before, "Giuoco Piano"), (after, "Quiet Game")] {
        let by_position = facts.node.opening.expect("a name");
        assert!(format!("{by_position:?}").contains(called), "{by_position:?}");
        assert_eq!(facts.path_name, Some(by_position));
    }
}
