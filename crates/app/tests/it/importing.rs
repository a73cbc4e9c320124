//! Imports that are gone on with.

use std::sync::atomic::Ordering::Relaxed;

use pgn_import::{ImportOptions, IngestConfig, Policy, Watch};
use tabiya_app::import::{ImportReport, ImportRequest, Outputs, import, read_ledger};

use crate::workshop::{Workshop, game};

/// Imports the games; `stop_after` so many of them the user wants to stop.
async fn run(workshop: &Workshop, stop_after: Option<u64>) -> ImportReport {
    let options = ImportOptions {
        policy: Policy::SkipIllegal,
        block_bytes: 512,
        threads: 1,
        ..ImportOptions::default()
    };
    let stop = options.stop.clone();
    let request = ImportRequest {
        inputs: vec![workshop.path("games.pgn").display().to_string()],
        retry_rejects: None,
        config: IngestConfig::default(),
        options,
        database: Some(workshop.database()),
        outputs: Outputs {
            rejects: Some(workshop.path("rejects.jsonl")),
            ..Outputs::default()
        },
    };
    let watcher: pgn_import::Watcher = std::sync::Arc::new(move |watch: Watch<'_>| {
        if let (Watch::Games(games), Some(enough)) = (watch, stop_after)
            && games >= enough
        {
            stop.store(true, Relaxed);
        }
    });
    let outcome = import(request, Some(watcher)).await.expect("an import");
    assert!(outcome.errors.is_empty(), "{:?}", outcome.errors);
    outcome.report
}

#[tokio::test]
async fn the_ledger_of_an_import_in_two_parts_is_whole() {
    let workshop = Workshop::new();
    let bad = |number| game(number, "", "e4 e5 Ke3", "*");
    let good = |number: usize| game(number, "", "e4 e5 Nf3", "1-0");
    let middle: String = (2..40).map(good).collect();
    workshop.write("games.pgn", &format!("{}{middle}{}", bad(1), bad(40)));

    let first = run(&workshop, Some(5)).await;
    assert!(first.interrupted && first.rejects.len() == 1, "{first:?}");
    let second = run(&workshop, None).await;
    assert!(second.sources[0].resumed_at.is_some(), "{second:?}");
    assert_eq!(second.counters.pgn_games_total, 40);
    let games = |report: &ImportReport| -> Vec<u64> { report.rejects.iter().map(|reject| reject.game_index).collect() };
    assert_eq!(games(&second), [0, 39]);
    let ledger = read_ledger(&workshop.path("rejects.jsonl")).expect("a ledger");
    assert_eq!(ledger, second.rejects);
}
