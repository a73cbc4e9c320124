//! A collection that grows.

use tabiya_app::build::{MinGames, Steps, structures, transpositions};

use crate::{
    random_games::{pgn, random_games},
    workshop::{TEN_NAMES, Workshop, assert_same},
};

/// Counts these files one after the other, each list in a run of its own.
async fn built(runs: &[&[&str]], facets: &str) -> (Workshop, Vec<String>) {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games = random_games(7, 450);
    workshop.write("a.pgn", &pgn(&games[..150]));
    // Some games are in both.
    workshop.write("b.pgn", &pgn(&games[120..300]));
    workshop.write("c.pgn", &pgn(&games[300..]));
    for (at, files) in runs.iter().enumerate() {
        let mut request = workshop.request(files);
        request.add = at > 0;
        // What falls below it in one run must be there for the next.
        request.min_games = MinGames::Fixed(3);
        request.facets = facets.parse().expect("facets");
        workshop.expand(&request).await;
        // What was labelled and linked in one run must not linger in the next.
        structures(&workshop.database(), &Steps::default())
            .await
            .expect("labels");
        transpositions(&workshop.database(), &Steps::default())
            .await
            .expect("links");
    }
    let dump = workshop.dump().await;
    (workshop, dump)
}

#[tokio::test]
async fn adding_equals_counting_at_once() {
    let (workshop, at_once) = built(&[&["a.pgn", "b.pgn", "c.pgn"]], "year").await;
    let graph = workshop.graph().await;
    assert!(graph.nodes.len() > 100, "{}", graph.nodes.len());
    let splits: [&[&[&str]]; 3] = [
        &[&["a.pgn"], &["b.pgn", "c.pgn"]],
        &[&["a.pgn", "b.pgn"], &["c.pgn"]],
        &[&["a.pgn"], &["b.pgn"], &["c.pgn"]],
    ];
    for split in splits {
        let (_, added) = built(split, "year").await;
        assert_same(&added, &at_once);
    }
}

#[tokio::test]
async fn the_order_of_files_does_not_matter() {
    let (_, mut one) = built(&[&["a.pgn", "b.pgn", "c.pgn"]], "").await;
    let (_, mut other) = built(&[&["c.pgn"], &["b.pgn"], &["a.pgn"]], "").await;
    // Of games that are equally strong or equally recent those that were counted first are listed first.
    for dump in [&mut one, &mut other] {
        dump.retain(|line| !line.starts_with("game ") && !line.starts_with("node game "));
    }
    assert_same(&one, &other);
}

#[tokio::test]
async fn without_add_a_collection_is_replaced() {
    let (workshop, _) = built(&[&["a.pgn", "b.pgn"]], "").await;
    let mut request = workshop.request(&["c.pgn"]);
    request.min_games = MinGames::Fixed(3);
    workshop.expand(&request).await;
    structures(&workshop.database(), &Steps::default())
        .await
        .expect("labels");
    transpositions(&workshop.database(), &Steps::default())
        .await
        .expect("links");
    let (_, alone) = built(&[&["c.pgn"]], "").await;
    assert_same(&workshop.dump().await, &alone);
}

#[tokio::test]
async fn counts_by_other_rules_are_not_added_up() {
    let (workshop, before) = built(&[&["a.pgn"]], "").await;
    let mut request = workshop.request(&["b.pgn"]);
    request.add = true;
    request.filter.min_elo = Some(2000);
    let error = workshop.try_expand(&request).await.expect_err("other games");
    assert!(error.to_string().contains("from 2000 Elo"), "{error}");
    assert!(!error.hints().is_empty());
    assert_same(&workshop.dump().await, &before);
}
