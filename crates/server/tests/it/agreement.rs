//! Memory, SQLite, PostgreSQL and Neo4j give the same answers.

use serde_json::Value;
use tabiya_server::ServeOptions;

use crate::kitchen::{Kind, Kitchen, address, json, post, read};

/// Every endpoint that can be asked by address, more than once where it matters.
pub(crate) fn questions() -> Vec<String> {
    let mut all: Vec<String> = [
        "",
        "e4 e5 Nf3 Nc6 Bc4",
        "e4 e5 Nf3 Nc6 Bc4 Bc5 b4",
        "e4 e5 Nf3 Nc6 Bc4 Nf6 Nc3",
        "d4 d5 c4 dxc4 e3 e5 Bxc4 exd4 exd4 Nf6",
    ]
    .map(address)
    .to_vec();
    let others = [
        "/node/fen/rnbqkbnr%2Fpppppppp%2F8%2F8%2F8%2F8%2FPPPPPPPP%2FRNBQKBNR%20w%20KQkq%20-%200%201",
        "/position",
        "/position?play=e2e4,e7e5,g1f3,b8c6,f1c4",
        "/position?play=e2e4,e7e5,b1c3,g8f6,g1f3,b8c6&collection=games",
        "/opening/search?q=italian&limit=3",
        "/structures",
        "/tactics",
        "/tactics?motif=fork&limit=1",
        "/tactics?source=Club night&after=5",
        "/tactics/themes",
        "/structure/isolated-queens-pawn",
        "/structure/Isolated Queen's Pawn/openings",
        "/masters?play=e2e4,e7e5,g1f3,b8c6",
        "/lichess?play=e2e4,e7e5&moves=2&topGames=1&recentGames=1&since=1991&speeds=rapid",
    ];
    all.extend(others.map(str::to_owned));
    all
}

/// Only these need all of the graph, and wait for it.
pub(crate) fn questions_about_all() -> Vec<String> {
    [
        "/opening/eco/C50?depth=4&min_games=2",
        "/opening/eco/c55?depth=1",
        "/opening/italian-game/tree?depth=3",
        "/opening/c65-ruy-lopez-berlin-defense/tree?min_games=5&collection=games",
        "/structure/search?pawns=d4 -ce / -d ~",
        "/opening/c50-italian-game",
        "/opening/italian-game",
        "/openings",
        "/stats",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Lines for POST /node/pgn: known, left on the way, and of another collection.
const LINES: [(&str, &str); 5] = [
    ("/node/pgn", "1.e4 e5 2.Nf3 Nc6 3.Bc4"),
    ("/node/pgn", ""),
    ("/node/pgn", "1. e4 e5 2. ♘f3"),
    ("/node/pgn", "1.e4 e5 2.Nf3 Nc6 3.Bc4 h6 4.h4"),
    ("/node/pgn?collection=games", "e4 e5 Nc3 Nf6 Nf3 Nc6"),
];

/// The status, and what is said.
async fn line(router: &axum::Router, uri: &str, moves: &str) -> Value {
    let body = serde_json::json!({ "moves": moves }).to_string();
    let (status, answer) = read(post(router, uri, &body).await).await;
    serde_json::json!([status.as_u16(), answer])
}

async fn answers(kind: Kind) -> Vec<(String, Value)> {
    let kitchen = Kitchen::new(kind).await;
    let server = kitchen.server().await;
    let router = server.router();
    let mut answers = Vec::new();
    for uri in questions().into_iter().chain(questions_about_all()) {
        answers.push((uri.clone(), json(&router, &uri).await));
    }
    for (uri, moves) in LINES {
        answers.push((format!("{uri} {moves}"), line(&router, uri, moves).await));
    }
    answers
}

#[tokio::test]
async fn all_databases_answer_alike() {
    let sqlite = answers(Kind::Sqlite).await;
    // A position has engines' lines, or nothing would be said about them.
    let has_lines = |answer: &Value| answer["lines"].as_array().is_some_and(|lines| !lines.is_empty());
    assert!(sqlite.iter().any(|(_, answer)| has_lines(answer)));
    for kind in [Kind::Postgres, Kind::Neo4j] {
        let others = answers(kind).await;
        assert_eq!(others.len(), sqlite.len());
        for ((uri, one), (_, other)) in sqlite.iter().zip(&others) {
            assert_eq!(one, other, "{kind:?} {uri}");
        }
    }
}

#[tokio::test]
async fn memory_answers_as_the_database_does() {
    for kind in [Kind::Sqlite, Kind::Postgres, Kind::Neo4j] {
        let kitchen = Kitchen::new(kind).await;
        let cold = kitchen.cold_server(ServeOptions::default()).await.router();
        let warm = kitchen.server().await.router();
        for uri in questions() {
            // Without the games nobody knows which of two names is the better known.
            if !uri.contains("search") {
                assert_eq!(json(&cold, &uri).await, json(&warm, &uri).await, "{uri}");
            }
        }
        for (uri, moves) in LINES {
            let (cold, warm) = (line(&cold, uri, moves).await, line(&warm, uri, moves).await);
            assert_eq!(cold, warm, "{kind:?} {uri} {moves}");
            assert_eq!(cold[0] == 404, moves.contains("h4"), "{cold}");
        }
    }
}

/// Both sides bring their knights out and back before they begin.
const SHUFFLED: [(&str, [usize; 3]); 2] = [
    ("Nf3 Nf6 Ng1 Ng8 e4 e5 Nf3 Nc6 Bc4 Bc5", [6, 6, 6]),
    ("e4 e5 Nf3 Nc6 Bc4", [6, 6, 6]),
];

#[tokio::test]
async fn what_shuffles_back_to_the_start_leads_nobody_round() {
    for kind in [Kind::Sqlite, Kind::Postgres, Kind::Neo4j] {
        let kitchen = Kitchen::empty(kind).await;
        kitchen.cook("games", &SHUFFLED).await;
        kitchen.project().await;
        let cold = kitchen.cold_server(ServeOptions::default()).await.router();
        let warm = kitchen.server().await.router();
        let positions = ["", "Nf3 Nf6 Ng1", "e4 e5 Nf3"].map(address);
        let facts = ["/position", "/position?play=g1f3,g8f6,f3g1", "/position?play=e2e4,e7e5"].map(str::to_owned);
        for uri in positions.iter().chain(&facts) {
            assert_eq!(json(&cold, uri).await, json(&warm, uri).await, "{kind:?} {uri}");
        }
        let start = json(&cold, &positions[0]).await;
        assert!(
            start["pgn_move"].is_null() && start["children"][0].is_object(),
            "{start}"
        );
    }
}

#[tokio::test]
async fn a_node_branches_where_the_answer_has_two_children() {
    for kind in [Kind::Sqlite, Kind::Postgres, Kind::Neo4j] {
        let kitchen = Kitchen::empty(kind).await;
        kitchen.cook("club", &[("e4 e5 Nf3 Nc6 d4 exd4", [2, 0, 0])]).await;
        kitchen.cook("league", &[("e4 e5 Nf3 Nc6 d4 Nxd4", [0, 0, 2])]).await;
        kitchen.project().await;
        let cold = kitchen.cold_server(ServeOptions::default()).await.router();
        let warm = kitchen.server().await.router();
        let scotch = address("e4 e5 Nf3 Nc6 d4");
        for (uri, children) in [(scotch.clone(), 2), (format!("{scotch}?collection=club"), 1)] {
            for router in [&cold, &warm] {
                let node = json(router, &uri).await;
                assert_eq!(node["children"].as_array().map(Vec::len), Some(children), "{uri}");
                assert_eq!(node["is_branching_node"], children >= 2, "{kind:?} {uri}");
            }
        }
    }
}
