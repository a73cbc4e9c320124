//! `tabiya lookup` as its users meet it.

use tabiya_chess::{Eval, PositionId, parse_line, to_san, to_uci};
use tabiya_store::{BestMove, NodeAnnotation, Store};

use crate::{
    build::{NAMES, built},
    sandbox::{Sandbox, assert_said},
};

/// Enters evaluations of positions behind lines, each with the move that is best there.
fn evaluate(sandbox: &Sandbox, opinions: &[(&str, Eval, Option<&str>)]) {
    let annotations = opinions.iter().map(|(line, eval, best)| {
        let position = parse_line(line).expect(line).last();
        let best = best.map(|san| {
            let (parsed, ..) = tabiya_chess::parse_san(san.as_bytes()).expect(san);
            let m = tabiya_chess::resolve(&position, parsed).expect(san);
            BestMove {
                san: to_san(&position, m),
                uci: to_uci(&position, m),
            }
        });
        NodeAnnotation {
            node: PositionId::of(&position),
            eval: (*eval).into(),
            depth: 26,
            best_move: best,
            engine: "stockfish-17".to_owned(),
        }
    });
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let url = format!("sqlite://{}", sandbox.path("tabiya.db").display());
        let store = Store::connect(&url).await.expect("the database opens");
        store.annotate_nodes(annotations.collect()).await.expect("evaluations");
        store.close().await;
    });
}

const ITALIAN: &str = "1.e4 e5 2.Nf3 Nc6 3.Bc4";

#[test]
fn a_position_is_shown() {
    let sandbox = built();
    evaluate(
        &sandbox,
        &[
            (ITALIAN, Eval::Cp(23), Some("Nf6")),
            ("1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5", Eval::Cp(31), Some("O-O")),
            ("1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6", Eval::Mate(-12), Some("d3")),
            ("1.d4 d5", Eval::Cp(-62), Some("c4")),
            ("1.d4", Eval::Mate(-9), Some("d5")),
        ],
    );
    assert_said!("lookup_italian", sandbox.tabiya(&["lookup", ITALIAN]));
    assert_said!(
        "lookup_start",
        sandbox.tabiya(&[
            "lookup",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR_w_KQkq_-",
            "--moves",
            "1"
        ])
    );
    assert_said!("lookup_busted", sandbox.tabiya(&["lookup", "d4"]));
    // Two orders of moves, and two names by them.
    let transposed = "1.e4 e5 2.Nf3 Nc6 3.Bc4 Nf6 4.d3 Bc5";
    assert_said!("lookup_transposed", sandbox.tabiya(&["lookup", transposed]));
    let isolani = "1.d4 d5 2.c4 dxc4 3.e3 e5 4.Bxc4 exd4 5.exd4";
    assert_said!("lookup_structure", sandbox.tabiya(&["lookup", isolani]));
}

#[test]
fn a_page_is_eighty_columns_wide() {
    let sandbox = built();
    let long = "Grand Master with a Name that is Longer than any Line of any Terminal in the World";
    let game = format!(
        "[White \"{long}\"]\n[Black \"\u{1b}[31m{long}\"]\n[WhiteElo \"2800\"]\n[BlackElo \"2800\"]\n[Date \"2020.01.02\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 1-0\n"
    );
    sandbox.write(
        "names2.csv",
        format!("eco,name,pgn\nC50,Italian Game: {long},1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5\nB00,{long},1.e4\n"),
    );
    sandbox.write("long.pgn", game);
    sandbox
        .tabiya(&[
            "build",
            "all",
            "--pgn",
            "long.pgn",
            "--source",
            "names2.csv",
            "--db",
            "long.db",
            "--collection",
            "x",
        ])
        .exits_with(0);
    for question in [
        "1.e4",
        "1.e4 e5 2.Nf3 Nc6 3.Bc4",
        "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5",
        "1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.c3",
    ] {
        let ran = sandbox.tabiya(&["lookup", question, "--db", "long.db"]).exits_with(0);
        assert!(ran.stdout.lines().all(|line| line.chars().count() <= 80), "{ran}");
        assert!(ran.stdout.lines().all(|line| !line.ends_with(' ')), "{ran}");
        assert!(!ran.stdout.contains('\u{1b}'), "{ran}");
        assert!(ran.stdout.contains("Grand Master"), "{ran}");
    }
}

/// Years before 1801 had no room in the counts: a game of 1750 was one without a date.
#[test]
fn games_of_centuries_ago_have_their_years() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write(
        "old.pgn",
        "[White \"Legal\"]\n[Date \"1750.??.??\"]\n\n1. e4 e5 2. Nf3 1-0\n\n\
         [White \"Anderssen\"]\n[Date \"1851.06.21\"]\n\n1. e4 e5 2. f4 1-0\n\n\
         [White \"Nobody\"]\n\n1. e4 c5 0-1\n",
    );
    let count = ["count", "--pgn", "old.pgn", "--out", "old.parquet", "--facets", "year"];
    sandbox.tabiya(&count).exits_with(0);
    for (db, from) in [
        ("games.db", ["--pgn", "old.pgn"]),
        ("parts.db", ["--counts", "old.parquet"]),
    ] {
        let names = ["build", "eco", "--source", "names.csv", "--db", db];
        sandbox.tabiya(&names).exits_with(0);
        let expand = ["build", "expand", "--min-games", "1", "--facets", "year", "--db", db];
        sandbox.tabiya(&[&expand[..], &from].concat()).exits_with(0);
        for (line, said) in [("1.e4", "3 games, 1750-1851\n"), ("1.e4 e5 2.Nf3", "1 game, 1750\n")] {
            let ran = sandbox.tabiya(&["lookup", line, "--db", db]).exits_with(0);
            assert!(ran.stdout.contains(said), "{ran}");
        }
    }
    // Lists of games come from games that were read; the latest is the first.
    let ran = sandbox.tabiya(&["lookup", "1.e4", "--db", "games.db", "--format", "json"]);
    let answer = ran.exits_with(0).json();
    assert_eq!(
        [&answer["games"]["first_year"], &answer["games"]["last_year"]],
        [1750, 1851]
    );
    let recent = answer["recent_games"].as_array().expect("a list");
    let recent: Vec<_> = recent.iter().map(|game| game["white"]["name"].as_str()).collect();
    assert_eq!(recent, [Some("Anderssen"), Some("Legal"), Some("Nobody")]);
}

#[test]
fn collections_are_told_apart() {
    let sandbox = built();
    sandbox.write("club.pgn", "[White \"X\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 h6 0-1\n");
    sandbox
        .tabiya(&[
            "build",
            "expand",
            "--pgn",
            "club.pgn",
            "--min-games",
            "1",
            "--collection",
            "club",
        ])
        .exits_with(0);
    let both = sandbox.tabiya(&["lookup", ITALIAN]).exits_with(0);
    assert!(
        both.stdout.contains("3 games") && both.stdout.contains("club 1, "),
        "{both}"
    );
    let club = sandbox
        .tabiya(&["lookup", ITALIAN, "--collection", "club"])
        .exits_with(0);
    assert!(
        club.stdout.contains("1 game\n") && club.stdout.contains("h6                1 100 %"),
        "{club}"
    );
    assert_said!(
        "lookup_unknown_collection",
        sandbox.tabiya(&["lookup", ITALIAN, "--collection", "masters"])
    );
}

#[test]
fn what_is_not_known_says_how_far_it_is() {
    let sandbox = built();
    assert_said!(
        "lookup_unknown",
        sandbox.tabiya(&["lookup", "1.e4 e5 2.Nf3 Nc6 3.Bc4 a5 4.c3"])
    );
    assert_said!("lookup_unknown_first", sandbox.tabiya(&["lookup", "1.a4 a5"]));
    assert_said!(
        "lookup_unknown_fen",
        sandbox.tabiya(&["lookup", "8/8/8/4k3/8/8/4K3/8 w - - 0 1"])
    );
    assert_said!("lookup_illegal", sandbox.tabiya(&["lookup", "1.e4 e4"]));
    assert_said!("lookup_bad_fen", sandbox.tabiya(&["lookup", "8/8/8/8/8/8/8/9 w - -"]));
    assert_said!("lookup_empty", sandbox.tabiya(&["lookup", ""]));
    sandbox.write("empty.db", "");
    assert_said!(
        "lookup_empty_database",
        sandbox.tabiya(&["lookup", "e4", "--db", "empty.db"])
    );
    assert_said!(
        "lookup_no_database",
        sandbox.tabiya(&["lookup", "e4", "--db", "gone.db"])
    );
}
