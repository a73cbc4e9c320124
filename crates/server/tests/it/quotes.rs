//! Text that would be more than text in a statement put together from what clients send.

use axum::Router;
use serde_json::{Value, json};
use tabiya_server::ServeOptions;

use crate::kitchen::{Kind, Kitchen, address, escaped, get, json as answer, read};

/// Ends a string, a statement, a list, in SQL or in Cypher, and goes on.
const EVIL: [&str; 7] = [
    "'\";--",
    "') OR 1=1 --",
    "'; DROP TABLE tactics; --",
    "\" OR \"\"=\"",
    "$1 {now} {range} %s ?1",
    "\\' }) DETACH DELETE n //",
    "\0'",
];

/// A name that is nobody's, and harmless.
const NOBODY: &str = "nobody";

/// Where names go in, as part of an address that ends with them.
fn places() -> Vec<String> {
    let mut places: Vec<String> = [
        "/tactics?source=",
        "/tactics?motif=",
        "/tactics?motif=fork&source=",
        "/tactics?after=",
        "/position?collection=",
        "/position?play=",
        "/masters?play=",
        "/masters?fen=",
        "/masters?since=",
        "/masters?variant=",
        "/lichess?speeds=",
        "/lichess?ratings=",
    ]
    .map(str::to_owned)
    .to_vec();
    places.push(format!("{}?collection=", address("e4")));
    places
}

/// Those that are answered from memory alone.
const IN_MEMORY: [&str; 4] = [
    "/opening/",
    "/structure/",
    "/opening/eco/C50?collection=",
    "/opening/c50-italian-game/tree?collection=",
];

/// What is said of a name, but for the name.
async fn said(router: &Router, place: &str, name: &str) -> Value {
    let (status, answer) = read(get(router, &format!("{place}{}", escaped(name))).await).await;
    json!([status.as_u16(), answer["code"], answer["tactics"], answer["next"]])
}

async fn nobody_is_found(router: &Router, places: &[String], kind: Kind) {
    for place in places {
        let expected = said(router, place, NOBODY).await;
        let is_nothing = expected[0] == 200 && expected[2] == json!([]);
        assert!(
            is_nothing || expected[0] == 400 || expected[0] == 404,
            "{kind:?} {place}: {expected}"
        );
        for evil in EVIL {
            assert_eq!(said(router, place, evil).await, expected, "{kind:?} {place}{evil}");
        }
    }
}

#[tokio::test]
async fn quotes_are_text_in_every_database() {
    let mut searches = Vec::new();
    for kind in [Kind::Sqlite, Kind::Postgres, Kind::Neo4j] {
        let kitchen = Kitchen::new(kind).await;
        let cold = kitchen.cold_server(ServeOptions::default()).await.router();
        let warm = kitchen.server().await.router();
        let there = ["/stats", "/tactics", "/tactics/themes", "/structures", "/openings"];
        let italian = address("e4 e5 Nf3 Nc6 Bc4");
        let mut before = Vec::new();
        for uri in there.into_iter().chain([italian.as_str()]) {
            before.push((uri, answer(&warm, uri).await));
        }
        nobody_is_found(&cold, &places(), kind).await;
        nobody_is_found(&warm, &places(), kind).await;
        nobody_is_found(&warm, &IN_MEMORY.map(str::to_owned), kind).await;
        // Some of it is like a name; everywhere like the same.
        let mut found = Vec::new();
        for evil in EVIL {
            found.push(answer(&warm, &format!("/opening/search?q={}", escaped(evil))).await);
        }
        searches.push(found);
        // Nothing is gone, in the database either.
        let again = kitchen.server().await.router();
        for (uri, before) in before {
            assert_eq!(answer(&again, uri).await, before, "{kind:?} {uri}");
        }
    }
    assert_eq!(searches[0], searches[1]);
    assert_eq!(searches[0], searches[2]);
}
