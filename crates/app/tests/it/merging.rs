//! A knowledge base that is built from partial counts.

use std::sync::{Arc, atomic::AtomicBool};

use tabiya_app::{
    AppError,
    build::{
        ExpandFrom, ExpandRequest, MinGames,
        count::{Counting, GameFilter},
        parts::{PartError, write_part},
    },
};

use crate::{
    random_games::{pgn, random_games},
    workshop::{TEN_NAMES, Workshop, assert_same},
};

/// The longest of the ten names and fifteen half-moves more.
const REACH: u32 = 21;

/// With two files of different games, and a part of each.
async fn workshop(facets: &str, max_ply: u32) -> Workshop {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games = random_games(9, 400);
    // A game that appears twice is recognised within one run only.
    let (one, other): (Vec<_>, Vec<_>) = games.into_iter().partition(|game| game.text().len().is_multiple_of(2));
    for (name, games) in [("a", one), ("b", other)] {
        let file = format!("{name}.pgn");
        workshop.write(&file, &pgn(&games));
        let inputs = [workshop.path(&file).display().to_string()];
        let counting = Counting {
            filter: GameFilter::default(),
            max_ply,
            threads: 2,
            stop: Arc::new(AtomicBool::new(false)),
        };
        let out = workshop.path(&format!("{name}.parquet"));
        let facets = facets.parse().expect("facets");
        let counted = tokio::task::spawn_blocking(move || write_part(&inputs, &counting, facets, &out, None));
        counted.await.expect("no panic").expect("a part");
    }
    workshop
}

fn from_parts(workshop: &Workshop, parts: &[&str], facets: &str) -> ExpandRequest {
    let request = workshop.request(parts);
    let ExpandFrom::Pgn(parts) = request.from.clone() else {
        panic!("files are named as games are");
    };
    ExpandRequest {
        from: ExpandFrom::Counts(parts),
        min_games: MinGames::Fixed(2),
        facets: facets.parse().expect("facets"),
        ..request
    }
}

/// Lists of games come from games that were read, and a collection says where it came from.
async fn sums(workshop: &Workshop) -> Vec<String> {
    let mut dump = workshop.dump().await;
    dump.retain(|line| {
        !["game ", "node game ", "collection "]
            .iter()
            .any(|start| line.starts_with(start))
    });
    dump
}

#[tokio::test]
async fn a_build_from_parts_is_one_from_their_games() {
    for facets in ["", "year,speed"] {
        let whole = workshop(facets, REACH).await;
        let mut request = whole.request(&["a.pgn", "b.pgn"]);
        request.min_games = MinGames::Fixed(2);
        request.facets = facets.parse().expect("facets");
        let expected = whole.expand(&request).await;
        assert!(expected.nodes > 100, "{expected:?}");
        let expected_sums = sums(&whole).await;
        for parts in [["a.parquet", "b.parquet"], ["b.parquet", "a.parquet"]] {
            let merged = workshop(facets, REACH).await;
            let report = merged.expand(&from_parts(&merged, &parts, facets)).await;
            assert_eq!((report.games, report.nodes), (expected.games, expected.nodes));
            assert_eq!(report.cut_at, None);
            assert_same(&sums(&merged).await, &expected_sums);
        }
        let added = workshop(facets, REACH).await;
        added.expand(&from_parts(&added, &["b.parquet"], facets)).await;
        let mut more = from_parts(&added, &["a.parquet"], facets);
        more.add = true;
        added.expand(&more).await;
        assert_same(&sums(&added).await, &expected_sums);
    }
}

#[tokio::test]
async fn parts_of_other_games_than_asked_for_are_refused() {
    type Ask = fn(&mut ExpandRequest);
    let workshop = workshop("", REACH).await;
    let asked: [(&str, Ask); 4] = [
        ("to ply 21, from 2000 Elo", |request| {
            request.filter.min_elo = Some(2000)
        }),
        ("to ply 21, since 1999", |request| {
            request.filter.since = "1999".parse().ok()
        }),
        ("to ply 21, until 1999", |request| {
            request.filter.until = "1999".parse().ok()
        }),
        ("to ply 20", |request| request.max_ply = Some(20)),
    ];
    for (text, ask) in asked {
        let mut request = from_parts(&workshop, &["a.parquet"], "");
        ask(&mut request);
        let error = workshop.try_expand(&request).await.expect_err(text);
        assert!(
            matches!(&error, AppError::Part(PartError::OtherRules { asked, .. }) if asked == text),
            "{error}"
        );
    }
    assert!(!workshop.path("tabiya.db.counts").exists(), "nothing was begun");
    let mut request = from_parts(&workshop, &["a.parquet"], "");
    request.max_ply = Some(21);
    workshop.expand(&request).await;
}

#[tokio::test]
async fn parts_that_end_too_soon_are_said_to() {
    let workshop = workshop("", 12).await;
    let report = workshop.expand(&from_parts(&workshop, &["a.parquet"], "")).await;
    assert_eq!(report.cut_at, Some(12));
    let mut request = from_parts(&workshop, &["a.parquet"], "");
    request.depth = 6;
    assert_eq!(workshop.expand(&request).await.cut_at, None);
}

/// What was merged cannot be told apart later; that is found before anything is counted.
#[tokio::test]
async fn facets_that_another_collection_lacks_are_refused_at_once() {
    let workshop = workshop("", REACH).await;
    let mut others = from_parts(&workshop, &["a.parquet"], "");
    others.collection = "others".to_owned();
    workshop.expand(&others).await;
    let mut request = workshop.request(&["b.pgn"]);
    request.facets = "year".parse().expect("a facet");
    let error = workshop.try_expand(&request).await.expect_err("no years");
    assert!(
        error.to_string().contains("others") && error.to_string().contains("year"),
        "{error}"
    );
    assert!(
        !workshop.path("tabiya.db.counts/games.new").exists(),
        "nothing was begun"
    );
}
