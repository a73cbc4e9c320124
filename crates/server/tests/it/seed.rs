//! The first tests anybody asked of the API, by name.

use std::time::{Duration, Instant};

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::kitchen::{Kind, Kitchen, address, get, json, post, read};

const ITALIAN: &str = "e4 e5 Nf3 Nc6 Bc4";

#[tokio::test]
async fn fen_lookup_returns_correct_node() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let node = json(&router, &address(ITALIAN)).await;
    assert_eq!(
        (&node["eco_code"], &node["opening_name"]),
        (&json!("C50"), &json!("Italian Game"))
    );
    assert_eq!(
        (&node["pgn_move"], &node["side"], &node["move_number"]),
        (&json!("Bc4"), &json!("W"), &json!(3))
    );
    assert_eq!(
        (&node["stockfish_eval"], &node["best_move"]),
        (&json!(18), &json!("Nf6"))
    );
}

#[tokio::test]
async fn fen_lookup_returns_children() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let node = json(&router, &address(ITALIAN)).await;
    let moves: Vec<&str> = list(&node["children"])
        .iter()
        .filter_map(|child| child["pgn_move"].as_str())
        .collect();
    assert_eq!(moves, ["Bc5", "Nf6"]);
}

#[tokio::test]
async fn fen_lookup_returns_transpositions() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let node = json(&router, &address("e4 e5 Nf3 Nc6 Bc4 Nf6 Nc3")).await;
    assert!(!list(&node["transpositions"]).is_empty(), "{node}");
}

#[tokio::test]
async fn eco_tree_respects_depth_param() {
    fn depth(node: &Value) -> usize {
        list(&node["children"])
            .iter()
            .map(|child| 1 + depth(child))
            .max()
            .unwrap_or(0)
    }
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    for (asked, found) in [(0, 0), (1, 1), (3, 3)] {
        let tree = json(&router, &format!("/opening/eco/C50?depth={asked}")).await;
        let roots = list(&tree["roots"]);
        assert_eq!(roots.iter().map(depth).max(), Some(found), "{tree}");
    }
}

#[tokio::test]
async fn name_search_returns_fuzzy_matches() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    for query in ["ruy", "ruy lopes", "lopez ruy"] {
        let found = json(&router, &format!("/opening/search?q={query}")).await;
        assert_eq!(found[0]["name"], "Ruy Lopez", "{query}: {found}");
    }
}

#[tokio::test]
async fn pgn_walk_returns_correct_final_node() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let (status, node) = read(post(&router, "/node/pgn", r#"{"moves": "1.e4 e5 2.Nf3 Nc6 3.Bc4"}"#).await).await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        (&node["eco_code"], &node["opening_name"]),
        (&json!("C50"), &json!("Italian Game"))
    );
}

#[tokio::test]
async fn fen_lookup_latency() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let uri = address(ITALIAN);
    let mut took = Vec::new();
    for _ in 0..100 {
        let begun = Instant::now();
        assert_eq!(get(&router, &uri).await.status(), StatusCode::OK);
        took.push(begun.elapsed());
    }
    // The other tests may have the processor for a while; not for half of the questions.
    took.sort_unstable();
    assert!(took[50] < Duration::from_millis(50), "{took:?}");
}

#[tokio::test]
async fn unknown_fen_returns_404() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    let (status, problem) = read(get(&router, &address("a3 a6 a4")).await).await;
    assert_eq!(
        (status, &problem["code"]),
        (StatusCode::NOT_FOUND, &json!("unknown-position"))
    );
}

#[tokio::test]
async fn invalid_pgn_returns_400() {
    let kitchen = Kitchen::new(Kind::Sqlite).await;
    let router = kitchen.server().await.router();
    for moves in ["1.e4 e5 2.Nf6", "hello", "1.e4 (e5"] {
        let body = json!({ "moves": moves }).to_string();
        let (status, problem) = read(post(&router, "/node/pgn", &body).await).await;
        assert_eq!(
            (status, &problem["code"]),
            (StatusCode::BAD_REQUEST, &json!("bad-line")),
            "{moves}"
        );
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}
