//! A corpus walked against the graph.

use tabiya_app::build::{Steps, ValidateReport, ValidateRequest, validate};
use tabiya_store::NodeSource;

use crate::workshop::{TEN_NAMES, Workshop, epd_after, game};

const EVANS: &str = "[Opening \"Italian Game: Evans Gambit\"]\n[ECO \"C51\"]\n[Date \"1843.??.??\"]\n";

fn games(number: usize, tags: &str, line: &str) -> String {
    (0..number).map(|at| game(at, tags, line, "1-0")).collect()
}

async fn check(workshop: &Workshop, corpus: &str, add_stubs: bool) -> ValidateReport {
    workshop.write("corpus.pgn", corpus);
    let request = ValidateRequest {
        database: workshop.database(),
        inputs: vec![workshop.path("corpus.pgn").display().to_string()],
        min_count: 10,
        depth: None,
        add_stubs,
        threads: 2,
        stop: std::sync::Arc::default(),
    };
    validate(&request, &Steps::default()).await.expect("the corpus is read")
}

#[tokio::test]
async fn validator_flags_missing_named_variation() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let report = check(&workshop, &games(10, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3"), false).await;
    assert_eq!((report.games, report.corrupt, report.leaving), (10, 0, 10));
    let [missing] = report.missing.as_slice() else {
        panic!("{report:?}")
    };
    assert_eq!(
        (missing.san.as_str(), missing.ply, missing.games),
        ("b4", 7, 10),
        "the shallowest"
    );
    assert_eq!(missing.epd, epd_after("e4 e5 Nf3 Nc6 Bc4 Bc5 b4"));
    assert_eq!(missing.parent_epd, epd_after("e4 e5 Nf3 Nc6 Bc4 Bc5"));
    assert_eq!(
        (missing.opening.as_str(), missing.eco.as_str()),
        ("Italian Game: Evans Gambit", "C51")
    );
    assert_eq!(missing.example, "W0 - B, 1843.??.??");
}

#[tokio::test]
async fn validator_ignores_low_frequency_variations() {
    let workshop = Workshop::named(TEN_NAMES).await;
    for number in [5, 9] {
        let report = check(&workshop, &games(number, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4"), false).await;
        assert!(report.missing.is_empty(), "{report:?}");
        assert_eq!(report.leaving, number as u64);
    }
}

#[tokio::test]
async fn validator_no_false_positives_on_known_nodes() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let lines = [
        "e4 e5 Nf3 Nc6 Bc4 Bc5",
        "e4 e5 Nf3 Nc6 Bc4 Nf6",
        "Nf3 Nc6 e4 e5 Bc4 Bc5",
        "d4 Nf6",
    ];
    let corpus: String = lines.iter().map(|line| games(12, EVANS, line)).collect();
    let report = check(&workshop, &corpus, false).await;
    // The third goes through positions that are not there.
    let strange: Vec<&str> = report.missing.iter().map(|missing| missing.san.as_str()).collect();
    assert_eq!(strange, ["Nf3"]);
    let corpus: String = [lines[0], lines[1], lines[3]]
        .iter()
        .map(|line| games(12, EVANS, line))
        .collect();
    let report = check(&workshop, &corpus, false).await;
    assert_eq!((report.games, report.leaving), (36, 0));
    assert!(report.missing.is_empty(), "{report:?}");
}

#[tokio::test]
async fn what_has_no_name_is_not_told() {
    let workshop = Workshop::named(TEN_NAMES).await;
    for tags in ["", "[Opening \"?\"]\n[ECO \"-\"]\n"] {
        let report = check(&workshop, &games(20, tags, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4"), false).await;
        assert!(report.missing.is_empty() && report.games == 20, "{report:?}");
    }
}

#[tokio::test]
async fn corrupt_games_are_counted_and_skipped() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let mut corpus = games(9, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4");
    // These would make up the tenth.
    corpus.push_str(&games(3, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Kxb4"));
    let report = check(&workshop, &corpus, false).await;
    assert_eq!((report.games, report.corrupt), (12, 3));
    assert!(report.missing.is_empty(), "{report:?}");
    corpus.push_str(&game(100, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bb6", "1/2-1/2"));
    let report = check(&workshop, &corpus, false).await;
    assert_eq!((report.missing.len(), report.missing[0].games), (1, 10));
}

#[tokio::test]
async fn stubs_fill_what_is_missing() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let corpus = games(10, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4") + &games(11, EVANS, "d4 d5");
    assert_eq!(check(&workshop, &corpus, true).await.stubs_added, 2);
    let stub = workshop.node("e4 e5 Nf3 Nc6 Bc4 Bc5 b4").await.expect("a stub");
    assert_eq!((stub.source, stub.stub_count), (NodeSource::Validation, 10));
    assert_eq!(
        (stub.game_count(), stub.ply, stub.pgn_move.as_deref()),
        (0, 7, Some("b4"))
    );
    assert_eq!(
        stub.opening.expect("named by its parent").name,
        "Italian Game: Giuoco Piano"
    );
    let before = workshop.dump().await;
    let again = check(&workshop, &corpus, true).await;
    assert!(again.missing.is_empty() && again.stubs_added == 0, "{again:?}");
    crate::workshop::assert_same(&workshop.dump().await, &before);
}
