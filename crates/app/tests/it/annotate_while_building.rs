//! Engines, labels and checks at work while games are counted and an explorer is asked, all on one database.

use std::sync::{Arc, atomic::AtomicBool};

use tabiya_app::build::{
    AnnotateRequest, CrawlRequest, Effort, ExpandRequest, Steps, ValidateRequest, annotate, audit, expand, structures,
    validate,
};
use tabiya_store::Store;

use crate::{
    annotate::asking,
    book::Book,
    crawl::{crawl, request, serving},
    engines::Opinionated,
    postgres,
    workshop::{TEN_NAMES, Workshop, game},
};

/// So many games of a few lines, and in each a move of its own in the end.
fn games(number: usize) -> String {
    let lines = [
        "e4 e5 Nf3 Nc6 Bc4 Bc5",
        "e4 e5 Nf3 Nc6 Bc4 Nf6",
        "d4 Nf6 c4 e6",
        "e4 c5 Nf3 d6",
    ];
    let last = ["a3", "h3", "d3", "b3", "Nc3"];
    (0..number)
        .map(|number| {
            let line = format!("{} {}", lines[number % 4], last[number / 4 % 5]);
            game(number, "[Opening \"Some Line\"]\n", &line, "1-0")
        })
        .collect()
}

async fn everything_at_once(database: String) {
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write("first.pgn", &games(40));
    workshop.write("second.pgn", &games(1_000));
    let names = tabiya_app::build::EcoRequest {
        database: database.clone(),
        ..workshop.eco_request()
    };
    tabiya_app::build::eco(&names, &Steps::default()).await.expect("names");
    let counting = |file: &str, collection: &str| ExpandRequest {
        database: database.clone(),
        collection: collection.to_owned(),
        state: Some(workshop.path("counts")),
        ..workshop.request(&[file])
    };
    expand(&counting("first.pgn", "games"), &Steps::default())
        .await
        .expect("games");

    // Longer than anybody follows them: where a line ends, this explorer knows no games.
    let book = Book::new(&[
        ("e4 e5 Nf3 Nc6 Bc4 Bc5 O-O Nf6 d3 d6 c3", [300, 200, 100]),
        ("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7", [200, 300, 100]),
        ("d4 Nf6 c4 e6 Nf3 d5 g3 Be7", [100, 150, 60]),
        ("c4 Nf6 d4 e6 Nf3 d5 g3 Be7", [20, 30, 10]),
    ]);
    let server = serving(book).await;
    let asked = CrawlRequest {
        database: database.clone(),
        ..request(&workshop, &server, 2, 1)
    };
    let engine = Opinionated::new(workshop.directory(), &[("*", "slow 10")]);
    let thought = AnnotateRequest {
        database: database.clone(),
        effort: Effort::Nodes(1_000),
        batch: 2,
        ..asking(&workshop, &engine.program)
    };
    let checked = ValidateRequest {
        database: database.clone(),
        inputs: vec![workshop.path("second.pgn").display().to_string()],
        min_count: 3,
        depth: None,
        add_stubs: false,
        threads: 1,
        stop: Arc::new(AtomicBool::new(false)),
    };
    let steps = Steps::default();
    let more = counting("second.pgn", "more");
    let (counted, crawled, annotated, labelled, validated) = tokio::join!(
        expand(&more, &steps),
        crawl(&asked),
        annotate(&thought, |_| {}),
        async {
            // Again and again, so that some of it falls into each of the others' writes.
            for _ in 0..3 {
                structures(&database, &steps).await?;
            }
            structures(&database, &steps).await
        },
        validate(&checked, &steps),
    );
    counted.expect("games are counted");
    crawled.expect("an explorer is asked");
    let annotated = annotated.expect("positions are evaluated");
    assert!(annotated.done.searched > 5, "{annotated:?}");
    labelled.expect("structures are named");
    assert_eq!(validated.expect("lines are checked").games, 1_000);

    // What the others added meanwhile is found by the next run.
    annotate(&thought, |_| {}).await.expect("the rest");
    structures(&database, &steps).await.expect("the rest");
    let audited = audit(&database, &steps).await.expect("an audit");
    let failed: Vec<_> = audited.checks.iter().filter(|check| !check.passed).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let store = Store::connect(&database).await.expect("a database");
    let coverage = store.evaluation_coverage().await.expect("coverage");
    assert_eq!(coverage.branching, coverage.branching_evaluated);
    assert_eq!(coverage.terminal, coverage.terminal_evaluated);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everything_at_once_on_sqlite() {
    let directory = tempfile::tempdir().expect("a directory");
    everything_at_once(format!("sqlite://{}", directory.path().join("busy.db").display())).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn everything_at_once_on_postgres() {
    let database = tokio::task::spawn_blocking(postgres::new_database).await;
    everything_at_once(database.expect("a database")).await;
}
