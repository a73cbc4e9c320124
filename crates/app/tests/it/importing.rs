//! Imports that are gone on with.

use std::sync::atomic::Ordering::Relaxed;

use pgn_import::{ImportOptions, IngestConfig, Policy, Watch};
use tabiya_app::AppError;
use tabiya_app::explore::{KnowledgeBase, TacticFilter};
use tabiya_app::import::{ImportOutcome, ImportReport, ImportRequest, Outputs, import, read_ledger};

use crate::workshop::{Workshop, game};

/// Imports a file, and writes its ledger.
fn request(workshop: &Workshop, file: &str) -> ImportRequest {
    ImportRequest {
        inputs: vec![workshop.path(file).display().to_string()],
        retry_rejects: None,
        config: IngestConfig::default(),
        options: ImportOptions {
            policy: Policy::SkipIllegal,
            block_bytes: 512,
            threads: 1,
            ..ImportOptions::default()
        },
        database: Some(workshop.database()),
        outputs: Outputs {
            rejects: Some(workshop.path("rejects.jsonl")),
            ..Outputs::default()
        },
    }
}

/// Imports the games; `stop_after` so many of them the user wants to stop.
async fn run(workshop: &Workshop, stop_after: Option<u64>) -> ImportReport {
    let request = request(workshop, "games.pgn");
    let stop = request.options.stop.clone();
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

/// Imports again what the ledger names, which is written anew.
async fn retry(workshop: &Workshop) -> ImportOutcome {
    let request = ImportRequest {
        inputs: Vec::new(),
        retry_rejects: Some(workshop.path("rejects.jsonl")),
        ..request(workshop, "")
    };
    import(request, None).await.expect("an import")
}

#[tokio::test]
async fn a_retry_of_one_game_leaves_the_others_to_the_import_that_goes_on() {
    let workshop = Workshop::new();
    let bad = |number| game(number, "", "e4 e5 Ke3", "*");
    let good = |number: usize| game(number, "", "e4 e5 Nf3", "1-0");
    let rest: String = (4..40).map(good).collect();
    workshop.write(
        "games.pgn",
        &format!("{}{}{}{rest}{}", bad(1), good(2), bad(3), bad(40)),
    );
    let numbers = || -> Vec<u64> {
        let ledger = read_ledger(&workshop.path("rejects.jsonl")).expect("a ledger");
        ledger.iter().map(|reject| reject.game_index).collect()
    };

    let first = run(&workshop, Some(5)).await;
    assert!(first.interrupted, "{first:?}");
    assert_eq!(numbers(), [0, 2]);
    // The user keeps the one line that is to be tried.
    let ledger = std::fs::read_to_string(workshop.path("rejects.jsonl")).expect("a ledger");
    workshop.write("rejects.jsonl", ledger.lines().next().expect("a line"));
    let outcome = retry(&workshop).await;
    assert!(outcome.errors.is_empty(), "{outcome:?}");
    assert_eq!(numbers(), [0]);

    let second = run(&workshop, None).await;
    assert!(second.sources[0].resumed_at.is_some(), "{second:?}");
    assert_eq!(numbers(), [0, 2, 39]);
}

#[tokio::test]
async fn a_retry_that_fails_loses_nothing_of_its_ledger() {
    let workshop = Workshop::new();
    let bad = |number| game(number, "", "e4 e5 Ke3", "*");
    workshop.write("a.pgn", &bad(1));
    workshop.write("b.pgn", &format!("{}{}", bad(2), bad(3)));
    let both = ImportRequest {
        inputs: vec![workshop.path("").display().to_string()],
        ..request(&workshop, "")
    };
    let outcome = import(both, None).await.expect("an import");
    assert_eq!(outcome.report.rejects.len(), 3, "{outcome:?}");
    let ledger = || read_ledger(&workshop.path("rejects.jsonl")).expect("a ledger");
    let before = ledger();

    // The first source is gone, so nothing was tried of the second either.
    let (here, away) = (workshop.path("a.pgn"), workshop.path("away.pgn"));
    std::fs::rename(&here, &away).expect("renamed");
    let outcome = retry(&workshop).await;
    assert_eq!(outcome.errors.len(), 1, "{outcome:?}");
    assert_eq!(ledger(), before);

    // Of what a run was stopped at, the same holds, in the database too.
    std::fs::rename(&away, &here).expect("renamed");
    let stopped = ImportRequest {
        inputs: Vec::new(),
        retry_rejects: Some(workshop.path("rejects.jsonl")),
        ..request(&workshop, "")
    };
    stopped.options.stop.store(true, Relaxed);
    let outcome = import(stopped, None).await.expect("an import");
    assert!(outcome.report.interrupted && outcome.errors.is_empty(), "{outcome:?}");
    assert_eq!(ledger(), before);
    let store = tabiya_store::Store::connect(&workshop.database())
        .await
        .expect("a database");
    assert_eq!(store.rejects(None).await.expect("rejects"), before);
    store.close().await;
}

#[tokio::test]
async fn the_ledger_of_a_file_that_breaks_off_has_the_games_before() {
    let workshop = Workshop::new();
    let bad = game(1, "", "e4 e5 Ke3", "*");
    // Numbers that do not repeat, so that the packed file is long enough to be cut.
    let good: String = (2..4000).map(|number| game(number, "", "e4 e5 Nf3", "1-0")).collect();
    let packed = zstd::encode_all(format!("{bad}{good}").as_bytes(), 1).expect("packed");
    std::fs::write(workshop.path("games.pgn.zst"), &packed[..packed.len() - 40]).expect("written");
    // The second run goes on behind the bad game.
    for run in 1..=2 {
        let outcome = import(request(&workshop, "games.pgn.zst"), None)
            .await
            .expect("an import");
        assert_eq!(
            (outcome.errors.len(), outcome.report.rejects.len()),
            (1, 1),
            "run {run}"
        );
        let ledger = read_ledger(&workshop.path("rejects.jsonl")).expect("a ledger");
        assert_eq!(ledger, outcome.report.rejects, "run {run}");
    }
}

#[tokio::test]
async fn a_ledger_is_read_in_every_format_it_is_written_in() {
    let workshop = Workshop::new();
    let bad = |number| game(number, "", "e4 e5 Ke3", "*");
    workshop.write("games.pgn", &format!("{}{}", bad(1), bad(2)));
    for name in ["a.jsonl", "a.jsonl.zst", "a.jsonl.gz", "a.parquet"] {
        let mut asked = request(&workshop, "games.pgn");
        asked.outputs.rejects = Some(workshop.path(name));
        let outcome = import(asked, None).await.expect("an import");
        assert_eq!(outcome.report.rejects.len(), 2, "{name}");
        let ledger = read_ledger(&workshop.path(name)).expect(name);
        assert_eq!(ledger, outcome.report.rejects, "{name}");
    }
    workshop.write("b.parquet", "no table");
    let error = read_ledger(&workshop.path("b.parquet")).expect_err("no ledger");
    assert!(matches!(error, AppError::Ledger { .. }), "{error:?}");
}

#[tokio::test]
async fn two_tables_are_not_written_to_one_file() {
    let workshop = Workshop::new();
    workshop.write("games.pgn", &game(1, "", "e4 e5", "*"));
    workshop.write("there.jsonl", "");
    for (one, other) in [
        ("x.jsonl", "x.jsonl"),
        ("x.jsonl", "./x.jsonl"),
        ("there.jsonl", "./there.jsonl"),
    ] {
        let mut asked = request(&workshop, "games.pgn");
        asked.outputs.positions = Some(workshop.path(one));
        asked.outputs.edges = Some(workshop.path(other));
        let error = import(asked, None).await.expect_err(other);
        assert!(matches!(error, AppError::OneOutput { .. }), "{error:?}");
    }
    assert!(!workshop.path("x.jsonl").exists());
}

#[tokio::test]
async fn themes_of_tactics_are_those_of_the_snapshot() {
    let [here, there] = [Workshop::new(), Workshop::new()];
    let add = async |workshop: &Workshop, event: &str, start: &str, moves: &str| {
        let file = format!("{event}.pgn");
        workshop.write(
            &file,
            &format!("[Event \"{event}\"]\n[FEN \"{start}\"]\n\n{moves} 1-0\n\n"),
        );
        let outcome = import(request(workshop, &file), None).await.expect("an import");
        assert_eq!(outcome.report.counters.tactics_extracted_fen, 1);
    };
    let [a_file, b_file] = [
        "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
        "6k1/5ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1",
    ];
    add(&here, "first", a_file, "1. Ra8#").await;
    add(&there, "elsewhere", a_file, "1. Ra8#").await;
    let open = async |workshop: &Workshop| KnowledgeBase::open(&workshop.database()).await.expect("a database");
    let (knowledge, other) = (open(&here).await, open(&there).await);
    let sources = async |knowledge: &KnowledgeBase| {
        let themes = knowledge.tactic_themes().await.expect("themes");
        themes
            .sources
            .iter()
            .map(|(source, _)| source.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(sources(&knowledge).await, ["first"]);
    assert_eq!(sources(&other).await, ["elsewhere"]);
    add(&here, "second", b_file, "1. Rb8#").await;
    // Counted a moment ago, they are not counted anew.
    assert_eq!(sources(&knowledge).await, ["first"]);
    knowledge.reload().await.expect("a snapshot");
    assert_eq!(sources(&knowledge).await, ["first", "second"]);
    let filter = TacticFilter {
        tag: None,
        source: Some("second"),
    };
    assert_eq!(knowledge.tactics(filter, None, 9).await.expect("tactics").len(), 1);
    for knowledge in [knowledge, other] {
        knowledge.close().await;
    }
}
