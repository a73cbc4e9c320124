//! `tabiya review` as its users meet it: what it says of games, and by which rules.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::sandbox::{Ran, Sandbox, TABIYA, assert_said};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/review")
        .join(name)
}

/// The famous games and what Stockfish said of them, once.
pub(crate) fn famous() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["famous.pgn", "famous.lines.jsonl"] {
        fs::copy(fixture(name), sandbox.path(name)).expect("a fixture");
    }
    sandbox
}

pub(crate) fn review(sandbox: &Sandbox, more: &[&str]) -> Ran {
    sandbox.tabiya(&[&["review", "famous.pgn", "--lines", "famous.lines.jsonl"], more].concat())
}

/// A move of the nth game, by number and SAN.
fn class_of<'a>(report: &'a Value, game: usize, number: u64, san: &str) -> &'a str {
    let moves = report["games"][game]["moves"].as_array().expect("moves");
    let found = moves
        .iter()
        .find(|one| one["moveNumber"] == number && one["san"] == san);
    found.unwrap_or_else(|| panic!("no {number} {san}"))["classification"]
        .as_str()
        .expect("a class")
}

#[test]
fn famous_games_are_judged_as_ever() {
    let sandbox = famous();
    assert_said!("review_famous", review(&sandbox, &["--full"]).exits_with(0));
    assert_said!("review_many", review(&sandbox, &[]).exits_with(0));
}

#[test]
fn undisputed_brilliancies_and_blunders() {
    let sandbox = famous();
    let report = review(&sandbox, &["--format", "json", "--no-theory"])
        .exits_with(0)
        .json();
    for (game, number, san) in [
        (0, 5, "Nxe5"),
        (1, 9, "Qd8+"),
        (2, 13, "Rxd7"),
        (3, 11, "Qxh7+"),
        (4, 22, "Rxc3"),
        (5, 22, "Rxh3"),
    ] {
        assert_eq!(class_of(&report, game, number, san), "brilliant", "{san}");
    }
    for (game, number, san) in [
        (0, 5, "Bxd1"),
        (2, 15, "Nxd7"),
        (5, 20, "Qh5"),
        (6, 4, "h3"),
        (7, 5, "Bf5"),
        (8, 3, "Nf6"),
    ] {
        assert_eq!(class_of(&report, game, number, san), "blunder", "{san}");
    }
    for (game, number, san) in [(0, 7, "Nd5#"), (1, 11, "Bd8#"), (2, 17, "Rd8#"), (8, 4, "Qxf7#")] {
        assert_eq!(class_of(&report, game, number, san), "best", "{san}");
    }
}

#[test]
fn players_have_openings_and_turning_points() {
    let sandbox = famous();
    let pgn = sandbox.read("famous.pgn");
    let game = &pgn[pgn.rfind("[Event ").expect("a last game")..];
    // Whoever taught learns it.
    let taught = game.replace("\"Scholar\"", "\"?\"").replace("\"Pupil\"", "\"Scholar\"");
    sandbox.write("famous.pgn", format!("{game}\n{game}\n{taught}"));
    let report = review(&sandbox, &["--format", "json"]).exits_with(0).json();
    let summary = &report["summary"];
    assert_eq!(summary["turningPoints"], 3);
    assert_eq!(summary["openings"].as_array().map(Vec::len), Some(1));
    let opening = &summary["openings"][0];
    assert_eq!(opening["name"], "King's Pawn Game: Wayward Queen Attack");
    assert_eq!((&opening["games"], &opening["won"]), (&3.into(), &3.into()));
    assert_eq!(opening["leftTheoryPly"], 4.0);
    let scholar = &summary["players"][0];
    assert_eq!((&scholar["name"], &scholar["games"]), (&"Scholar".into(), &3.into()));
    let row = |place: usize| {
        let opening = &scholar["openings"][place];
        ["color", "games", "won", "drawn", "lost"].map(|key| opening[key].clone())
    };
    let values = |color: &str, numbers: [u64; 4]| -> [Value; 5] {
        let [games, won, drawn, lost] = numbers.map(Value::from);
        [color.into(), games, won, drawn, lost]
    };
    assert_eq!(row(0), values("white", [2, 2, 0, 0]));
    assert_eq!(row(1), values("black", [1, 0, 0, 1]));
    let accuracy = |place: usize| scholar["openings"][place]["accuracy"].as_f64().expect("judged");
    assert!(accuracy(0) > accuracy(1), "{scholar}");
    // He turned a game once, with Black in the third.
    let points = scholar["turningPoints"].as_array().expect("a list");
    assert_eq!(points.len(), 1);
    assert_eq!((&points[0]["game"], &points[0]["san"]), (&3.into(), &"Nf6".into()));
    assert_eq!(points[0]["moveColor"], "black");
    assert_eq!(summary["players"][1]["turningPoints"].as_array().map(Vec::len), Some(2));
}

#[test]
fn standard_input_colours_and_rules() {
    let sandbox = famous();
    let pgn = sandbox.read("famous.pgn");
    let first = pgn.split("\n\n[").next().expect("a game").to_owned();
    let args = ["review", "-", "--lines", "famous.lines.jsonl", "--color", "always"];
    let ran = sandbox
        .run_with_input(sandbox.command(TABIYA, &args), first.clone())
        .exits_with(0);
    assert!(ran.stdout.contains("\u{1b}[1;31mblunder"), "{ran}");
    let args = ["review", "-", "--lines", "famous.lines.jsonl", "--rules", "lichess"];
    let ran = sandbox
        .run_with_input(sandbox.command(TABIYA, &args), first)
        .exits_with(0);
    assert_said!("review_lichess", ran);
}

#[test]
fn thresholds_come_from_the_file() {
    let sandbox = famous();
    sandbox.write(
        "tabiya.toml",
        "[review]\ntheory = \"off\"\n\n[review.thresholds]\nmistake = 0.9\nlichess_blunder = 0.4\n",
    );
    let report = review(&sandbox, &["--format", "json"]).exits_with(0).json();
    assert_eq!(report["thresholds"]["mistake"], 0.9);
    assert_eq!(report["theory"], "off");
    assert_eq!(class_of(&report, 7, 5, "Bf5"), "mistake");
    // A mate in one that is allowed, and one that is missed.
    assert_eq!(class_of(&report, 8, 3, "Nf6"), "blunder");
    sandbox.write(
        "tabiya.toml",
        "[review.thresholds]\nmate_allowed_blunder = 0\nmate_allowed_mistake = 0\nlichess_mate_mistake = -1000\n",
    );
    let report = review(&sandbox, &["--format", "json"]).exits_with(0).json();
    assert_eq!(report["thresholds"]["mateAllowedBlunder"], 0);
    assert_eq!(class_of(&report, 8, 3, "Nf6"), "inaccuracy");
    let args = ["--format", "json", "--rules", "lichess"];
    let report = review(&sandbox, &args).exits_with(0).json();
    assert_eq!(class_of(&report, 8, 3, "Nf6"), "mistake");
    sandbox.write("tabiya.toml", "[review.thresholds]\nmate_lost_okay = 900\n");
    assert_said!("review_crossed_mates", review(&sandbox, &[]).exits_with(2));
    sandbox.write("tabiya.toml", "[review.thresholds]\nmistake = 0.1\n");
    assert_said!("review_crossed_thresholds", review(&sandbox, &[]).exits_with(2));
    sandbox.write("tabiya.toml", "[review.thresholds]\nmistakes = 0.1\n");
    assert_said!("review_unknown_threshold", review(&sandbox, &[]).exits_with(2));
    sandbox.write("tabiya.toml", "[review]\nrules = \"stockfish\"\n");
    assert_said!("review_unknown_rules", review(&sandbox, &[]).exits_with(2));
}
