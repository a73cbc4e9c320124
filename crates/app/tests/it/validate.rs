//! A corpus walked against the graph.

use tabiya_app::{
    Reaction,
    build::{MinGames, Steps, ValidateReport, ValidateRequest, build_all, validate},
};
use tabiya_chess::PositionId;
use tabiya_store::{Graph, GraphEdge, GraphNode, NodeSource, Stub};

use crate::{
    book::after,
    workshop::{TEN_NAMES, Workshop, assert_same, epd_after, game},
};

const EVANS: &str = "[Opening \"Italian Game: Evans Gambit\"]\n[ECO \"C51\"]\n[Date \"1843.??.??\"]\n";

fn games(number: usize, tags: &str, line: &str) -> String {
    (0..number).map(|at| game(at, tags, line, "1-0")).collect()
}

fn asking(workshop: &Workshop, corpus: &str) -> ValidateRequest {
    workshop.write("corpus.pgn", corpus);
    ValidateRequest {
        database: workshop.database(),
        inputs: vec![workshop.path("corpus.pgn").display().to_string()],
        min_count: 10,
        depth: None,
        add_stubs: false,
        threads: 2,
        stop: std::sync::Arc::default(),
    }
}

async fn check(workshop: &Workshop, corpus: &str, add_stubs: bool) -> ValidateReport {
    let request = ValidateRequest {
        add_stubs,
        ..asking(workshop, corpus)
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
    assert_same(&workshop.dump().await, &before);
}

#[tokio::test]
async fn stubs_are_added_once() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let corpus = games(12, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3 Ba5");
    assert_eq!(check(&workshop, &corpus, true).await.stubs_added, 1);
    let before = workshop.dump().await;
    let again = check(&workshop, &corpus, true).await;
    assert!(again.missing.is_empty() && again.stubs_added == 0, "{again:?}");
    assert_same(&workshop.dump().await, &before);
    assert!(workshop.node("e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4").await.is_none());
}

/// What leads to a stub is its own, whatever a later build leaves out.
#[tokio::test]
async fn a_stub_outlives_a_higher_threshold() {
    let workshop = Workshop::named(TEN_NAMES).await;
    workshop.write("a.pgn", &games(4, "", "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6"));
    workshop.write("rare.pgn", &game(100, "", "e4 e5 Nf3 Nc6 Bc4 Bc5 d3 d6", "1-0"));
    let mut request = workshop.request(&["a.pgn", "rare.pgn"]);
    let build = |request| {
        let names = workshop.eco_request();
        async move { build_all(&names, &request, None, &Steps::default()).await }
    };
    build(request.clone()).await.expect("a build");
    let corpus = games(10, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 d3 d6 a4");
    assert_eq!(check(&workshop, &corpus, true).await.stubs_added, 1);

    request.min_games = MinGames::Fixed(3);
    let built = build(request).await.expect("a build");
    let failed: Vec<_> = built.audit.checks.iter().filter(|check| !check.passed).collect();
    assert!(failed.is_empty(), "{failed:?}");
    let stub = workshop
        .node("e4 e5 Nf3 Nc6 Bc4 Bc5 d3 d6 a4")
        .await
        .expect("still there");
    assert_eq!((stub.stub_count, stub.ply), (10, 9));
    assert_eq!(stub.opening.expect("a name").name, "Italian Game: Giuoco Piano");
    let on_the_way = workshop.node("e4 e5 Nf3 Nc6 Bc4 Bc5 d3").await.expect("a node");
    assert_eq!(
        (on_the_way.source, on_the_way.game_count()),
        (NodeSource::Validation, 0)
    );
}

/// A run that was killed behind its stubs has left them without names.
#[tokio::test]
async fn a_second_run_names_the_stubs_of_the_first() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let line = ["d4", "d4 Nf6", "d4 Nf6 c4"];
    let nodes = line.iter().zip(1..).map(|(line, ply)| GraphNode {
        id: PositionId::of(&after(line)),
        epd: epd_after(line),
        ply,
        halfmove: if ply == 2 { 1 } else { 0 },
    });
    let stub = Stub {
        line: Graph {
            nodes: nodes.collect(),
            edges: vec![GraphEdge {
                parent: PositionId::of(&after("d4 Nf6")),
                child: PositionId::of(&after("d4 Nf6 c4")),
                uci: "c2c4".to_owned(),
                san: "c4".to_owned(),
            }],
        },
        node: PositionId::of(&after("d4 Nf6 c4")),
        count: 12,
    };
    workshop.store().await.add_stubs(vec![stub]).await.expect("a stub");
    assert!(workshop.node("d4 Nf6 c4").await.expect("a node").opening.is_none());
    let report = check(&workshop, &games(12, EVANS, "d4 Nf6 c4 e6"), true).await;
    assert_eq!((report.stubs_added, report.missing.len()), (0, 0));
    let named = workshop.node("d4 Nf6 c4").await.expect("a node");
    assert_eq!(named.opening.expect("a name").name, "Indian Defense");
}

#[tokio::test]
async fn a_line_that_comes_back_to_a_name_is_followed_again() {
    let workshop = Workshop::named(
        "eco,name,pgn\n\
         B00,King's Pawn,1.e4\n\
         C44,King's Knight Opening: Normal Variation,1.e4 e5 2.Nf3 Nc6\n",
    )
    .await;
    let request = ValidateRequest {
        depth: Some(1),
        ..asking(&workshop, &games(10, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5"))
    };
    let report = validate(&request, &Steps::default()).await.expect("a report");
    let missing: Vec<&str> = report.missing.iter().map(|missing| missing.san.as_str()).collect();
    assert_eq!(missing, ["Bc4"], "1...e5 and 2.Nf3 are beyond the depth, and known");
    // Where nothing is named near by, nothing is told.
    let request = ValidateRequest {
        depth: Some(1),
        ..asking(&workshop, &games(10, EVANS, "e4 e5 Bc4"))
    };
    let report = validate(&request, &Steps::default()).await.expect("a report");
    assert_eq!((report.leaving, report.missing.len()), (0, 0));
}

#[tokio::test]
async fn a_game_counts_once_however_often_it_is_given() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let mut request = asking(&workshop, &games(6, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4"));
    workshop.write("again.pgn", &games(6, EVANS, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4"));
    request.inputs.push(request.inputs[0].clone());
    request.inputs.push(workshop.path("again.pgn").display().to_string());
    request.min_count = 6;
    let report = validate(&request, &Steps::default()).await.expect("a report");
    assert_eq!((report.leaving, report.missing[0].games), (6, 6));
    // Files may be given twice and be read once, or be read twice; another file is read in any case.
    assert!(report.duplicates >= 6, "{report:?}");
    request.min_count = 7;
    let report = validate(&request, &Steps::default()).await.expect("a report");
    assert!(report.missing.is_empty(), "{report:?}");
}

/// Its date is the one it is counted by, whatever comes first.
#[tokio::test]
async fn a_game_is_of_the_day_it_is_counted_by() {
    let workshop = Workshop::named(TEN_NAMES).await;
    for (tags, day) in [
        ("[Date \"2013.01.31\"]\n[UTCDate \"2013.02.01\"]\n", "2013.01.31"),
        ("[UTCDate \"2013.02.01\"]\n[Date \"2013.01.31\"]\n", "2013.01.31"),
        ("[UTCDate \"2013.02.01\"]\n[Date \"????.??.??\"]\n", "2013.02.01"),
        ("[Date \"?\"]\n[UTCDate \"2013.02.01\"]\n", "2013.02.01"),
    ] {
        let tags = format!("[Opening \"Italian Game: Evans Gambit\"]\n{tags}");
        let report = check(&workshop, &games(10, &tags, "e4 e5 Nf3 Nc6 Bc4 Bc5 b4"), false).await;
        assert_eq!(report.missing[0].example, format!("W0 - B, {day}"));
    }
}

#[tokio::test]
async fn the_commonest_name_is_told() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let line = "e4 e5 Nf3 Nc6 Bc4 Bc5 b4";
    let mut corpus = game(1, "[Opening \"Odd\"]\n", line, "1-0");
    for number in 2..12 {
        let name = if number % 2 == 0 { "Evans" } else { "Captain's" };
        corpus += &game(number, &format!("[Opening \"{name}\"]\n"), line, "1-0");
    }
    let report = check(&workshop, &corpus, false).await;
    assert_eq!(
        (report.missing[0].opening.as_str(), report.missing[0].games),
        ("Captain's", 11)
    );
    assert_eq!(report.missing[0].example, "W1 - B, ");
}

#[tokio::test]
async fn a_corpus_that_says_nothing_is_an_error() {
    let workshop = Workshop::named(TEN_NAMES).await;
    let fischer = "[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
                   [FEN \"nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1\"]\n";
    for (corpus, reason) in [
        (String::new(), "there are none"),
        (games(3, fischer, "e4 e5"), "3 of another variant"),
        (games(2, EVANS, "e4 Ke7"), "2 with a move that cannot be played"),
    ] {
        let error = validate(&asking(&workshop, &corpus), &Steps::default())
            .await
            .expect_err(reason);
        assert_eq!(error.reaction(), Reaction::FixInput, "{error}");
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!error.hints().is_empty());
    }
    let mut request = asking(&workshop, &games(1, EVANS, "e4"));
    request.depth = Some(0);
    let error = validate(&request, &Steps::default()).await.expect_err("no depth");
    assert!(error.to_string().contains("--depth 0"), "{error}");
    assert_eq!(error.reaction(), Reaction::FixInput);
}
