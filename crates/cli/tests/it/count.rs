//! `tabiya count`: partial counts.

use std::fs;

use crate::sandbox::{Sandbox, assert_said};

/// Three games that count, one of them twice; one without a result, one that cannot be played.
const GAMES: &str = "\
[White \"A\"]\n[Date \"1999.01.01\"]\n[WhiteElo \"2400\"]\n[BlackElo \"2600\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O 1-0\n\n\
[White \"B\"]\n[Date \"2001.01.01\"]\n\n1. e4 c5 1/2-1/2\n\n\
[White \"B\"]\n[Date \"2001.01.01\"]\n\n1. e4 c5 1/2-1/2\n\n\
[White \"C\"]\n\n1. d4 d5 0-1\n\n\
[White \"D\"]\n\n1. d4 d5 *\n\n\
[White \"E\"]\n\n1. d4 d6 2. Ke5 1-0\n";

#[test]
fn a_part_is_written_and_summed_up() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    assert_said!(
        "count",
        sandbox.tabiya(&["count", "--pgn", "games.pgn", "--out", "part.jsonl"])
    );
    let rows = sandbox.rows("part.jsonl");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let e4 = rows
        .iter()
        .find(|row| row["epd"] == start && row["uci"] == "e2e4")
        .expect("a row");
    assert_eq!(
        e4.to_string(),
        serde_json::json!({
            "epd": start, "uci": "e2e4", "year": 0, "band": 0, "speed": "unknown",
            "games": 2, "white": 1, "draws": 1, "black": 0, "rating_sum": 2500, "rated": 1,
            "first_year": 1999, "last_year": 2001,
            "rules": "{\"version\":1,\"max_ply\":51,\"min_elo\":null,\"since\":null,\"until\":null,\"facets\":\"\"}",
        })
        .to_string()
    );
    assert!(
        rows.iter().any(|row| row["uci"] == "e1g1"),
        "castling is the king's move"
    );
    let names: Vec<String> = fs::read_dir(sandbox.directory())
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 2, "nothing is left behind: {names:?}");
}

#[test]
fn a_day_that_no_month_has_is_refused() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    for day in ["2014-02-30", "2014-13", "2023.02.29"] {
        for option in ["--since", "--until"] {
            let count = ["count", "--pgn", "games.pgn", "--out", "part.jsonl", option, day];
            let expand = ["build", "expand", "--pgn", "games.pgn", option, day];
            let counted = sandbox.tabiya(&count).exits_with(2);
            let expanded = sandbox.tabiya(&expand).exits_with(2);
            for ran in [counted, expanded] {
                assert!(
                    ran.stderr.contains(option) && ran.stderr.contains("hint: ") == ran.stderr.contains("error: --"),
                    "{ran}"
                );
                assert_eq!(ran.stderr.contains("that month has 28 days"), day != "2014-13", "{ran}");
            }
        }
    }
    assert!(!sandbox.path("part.jsonl").exists() && !sandbox.path("tabiya.db").exists());
    // Parts of dates stay dates, and so does a leap day.
    for day in ["1998", "1998-12", "1996-02-29"] {
        let count = ["count", "--pgn", "games.pgn", "--out", "part.jsonl", "--since", day];
        sandbox.tabiya(&count).exits_with(0);
    }
}

#[test]
fn options_decide_what_counts() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    let report = |options: &[&str]| {
        let args = [
            &[
                "count",
                "--pgn",
                "games.pgn",
                "--out",
                "parts/new/part.parquet",
                "--format",
                "json",
            ],
            options,
        ];
        sandbox.tabiya(&args.concat()).exits_with(0).json()
    };
    let all = report(&[]);
    assert_eq!(
        [
            &all["games"],
            &all["counted"],
            &all["duplicates"],
            &all["left_out"]["broken"]
        ],
        [6, 3, 1, 1]
    );
    // Each move leads to a position of its own, and each of the three games ends in one of its own.
    assert_eq!([&all["positions"], &all["moves"], &all["rows"]], [11, 10, 13]);
    assert_eq!(report(&["--max-ply", "1"])["positions"], 3);
    assert_eq!(report(&["--min-elo", "2400"])["counted"], 1);
    assert_eq!(report(&["--since", "2000", "--until", "2001-06"])["counted"], 1);
    // Games of two years play e4, and leave the position after it by different moves.
    assert_eq!(report(&["--facets", "year"])["rows"], 14);
    assert_eq!(report(&["--threads", "1", "--facets", "year,rating,speed"])["rows"], 14);
}

#[test]
fn several_files_are_listed() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    sandbox.write("more.pgn", "[White \"F\"]\n\n1. c4 1-0\n");
    assert_said!(
        "count_several",
        sandbox.tabiya(&[
            "count",
            "--pgn",
            "games.pgn",
            "more.pgn",
            "games.pgn",
            "--out",
            "part.parquet"
        ])
    );
}

#[test]
fn what_cannot_be_counted_is_an_error_and_writes_nothing() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    sandbox.write("empty.pgn", "");
    sandbox.write("unfinished.pgn", "1. e4 e5 *\n");
    sandbox.write("file", "");
    let count = |pgn: &str, out: &str| sandbox.tabiya(&["count", "--pgn", pgn, "--out", out]);
    assert_said!("count_missing_file", count("missing.pgn", "part.parquet"));
    assert_said!("count_no_games", count("empty.pgn", "part.parquet"));
    assert_said!("count_only_unfinished", count("unfinished.pgn", "part.parquet"));
    assert_said!("count_to_csv", count("games.pgn", "part.csv"));
    assert_said!("count_below_a_file", count("games.pgn", "file/part.parquet"));
    assert_said!(
        "count_by_colour",
        sandbox.tabiya(&[
            "count",
            "--pgn",
            "games.pgn",
            "--out",
            "part.parquet",
            "--facets",
            "colour"
        ])
    );
    assert!(!sandbox.path("part.parquet").exists());
}

#[test]
fn a_part_that_is_no_parquet_is_not_called_damaged_alone() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    sandbox.tabiya(&["build", "eco"]).exits_with(0);
    sandbox
        .tabiya(&["count", "--pgn", "games.pgn", "--out", "part.jsonl.zst"])
        .exits_with(0);
    let ran = sandbox.tabiya(&["build", "expand", "--counts", "part.jsonl.zst"]);
    assert!(ran.stderr.contains("hint: only Parquet is read back"), "{ran}");
    ran.exits_with(2);
}
