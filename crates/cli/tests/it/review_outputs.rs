//! What `tabiya review` writes: reports, annotated games, tables and graphs.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    process::Command,
};

use pgn_import::{Game, Source, read_trees};
use serde_json::Value;

use crate::{
    review::{famous, review},
    sandbox::{TABIYA, assert_said},
};

fn games(pgn: &str) -> Vec<Game> {
    let source = Source::from_reader("test".to_owned(), Box::new(Cursor::new(pgn.to_owned())), None, 0);
    let mut games = Vec::new();
    read_trees(source.expect("a source"), |game| games.push(game)).expect("whole");
    games
}

#[test]
fn what_is_written_to_standard_output_is_alone_there() {
    let sandbox = famous();
    let files = [
        ("--report", "report.json"),
        ("--pgn", "annotated.pgn"),
        ("--csv", "moves.csv"),
        ("--record", "record.jsonl"),
    ];
    for (option, file) in files {
        review(&sandbox, &[option, file]).exits_with(0);
        for place in ["-", "/dev/stdout"] {
            let ran = review(&sandbox, &[option, place]).exits_with(0);
            assert!(ran.stdout == sandbox.read(file), "{option} {place}: {ran}");
        }
    }
    assert!(!sandbox.path("-").exists());
    let twice = review(&sandbox, &["--report", "-", "--format", "json"]).exits_with(0);
    assert_eq!(twice.stdout, sandbox.read("report.json"), "one document");
    let two = review(&sandbox, &["--pgn", "-", "--csv", "-"]).exits_with(2);
    assert!(two.stderr.contains("--pgn and --csv"), "{two}");
}

#[test]
fn a_report_that_finds_no_room_says_nothing_of_databases() {
    let sandbox = famous();
    let arguments = [
        "review",
        "famous.pgn",
        "--lines",
        "famous.lines.jsonl",
        "--format",
        "json",
    ];
    let full = fs::File::options().write(true).open("/dev/full");
    let mut command = sandbox.command(TABIYA, &arguments);
    let output = command.stdout(full.expect("there is a full device")).output();
    let output = output.expect("the program runs");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("error: cannot write to standard output"), "{said}");
    assert!(
        said.contains("\nhint: the disk is full") && !said.contains("database"),
        "{said}"
    );
}

#[test]
fn the_report_is_what_the_schema_says() {
    let sandbox = famous();
    let mut pgn = sandbox.read("famous.pgn");
    pgn.push_str("\n[White \"Nobody\"]\n\n1. e4 e4 *\n\n[White \"Nobody\"]\n\n*\n");
    sandbox.write("famous.pgn", pgn);
    for (rules, file) in [("wintr", "wintr.json"), ("lichess", "lichess.json")] {
        review(&sandbox, &["--rules", rules, "--report", file, "--quiet"]).exits_with(0);
    }
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/review.schema.json");
    let python = std::env::var_os("TABIYA_PYTHON").map_or_else(
        || {
            std::env::home_dir()
                .expect("a home")
                .join(".cache/tabiya/venv/bin/python3")
        },
        PathBuf::from,
    );
    let program = "import json, sys, jsonschema\n\
        schema = json.load(open(sys.argv[1]))\n\
        jsonschema.Draft202012Validator.check_schema(schema)\n\
        for name in sys.argv[2:]:\n    jsonschema.Draft202012Validator(schema).validate(json.load(open(name)))\n";
    let ran = Command::new(&python)
        .args(["-c", program])
        .arg(schema)
        .args([sandbox.path("wintr.json"), sandbox.path("lichess.json")])
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; run scripts/setup test", python.display()));
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    // What the schema cannot say: a report with something else in it would not pass.
    let report: Value = serde_json::from_str(&sandbox.read("wintr.json")).expect("JSON");
    assert_eq!(report["games"].as_array().map(Vec::len), Some(10));
    assert_eq!(report["failures"][0]["ply"], 2);
    assert_eq!(report["summary"]["failed"], 1);
}

#[test]
fn annotated_games_are_read_back() {
    let sandbox = famous();
    review(&sandbox, &["--pgn", "out/annotated.pgn", "--no-theory", "--quiet"]).exits_with(0);
    let text = sandbox.read("out/annotated.pgn");
    for sign in ["[%eval 0.", "$4", "$3", "Blunder: ", "Brilliant: ", "; better is "] {
        assert!(text.contains(sign), "{sign}");
    }
    let (written, original) = (games(&text), games(&sandbox.read("famous.pgn")));
    assert_eq!(written.len(), original.len());
    for (written, original) in written.iter().zip(&original) {
        assert!(written.faults.is_empty(), "{:?}", written.faults);
        let line = |game: &Game| {
            game.main_line()
                .map(|node| game.node(node).san.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (line(written), &written.tags, written.result),
            (line(original), &original.tags, original.result)
        );
        assert!(
            written.moves().count() > written.main_line().count(),
            "better lines are there"
        );
    }
    // Read and written again it is the same to the byte.
    let again: Vec<String> = written.iter().map(ToString::to_string).collect();
    assert_eq!(again.join("\n"), text);
    // And reviewed again it has the same verdicts.
    sandbox.write("annotated.pgn", &text);
    let once = review(&sandbox, &["--format", "json"]).exits_with(0).json();
    let args = [
        "review",
        "annotated.pgn",
        "--lines",
        "famous.lines.jsonl",
        "--format",
        "json",
    ];
    let twice = sandbox.tabiya(&args).exits_with(0).json();
    for (one, other) in once["games"]
        .as_array()
        .expect("games")
        .iter()
        .zip(twice["games"].as_array().expect("games"))
    {
        assert_eq!(one["moves"], other["moves"]);
    }
}

#[test]
fn tables_and_graphs() {
    let sandbox = famous();
    review(&sandbox, &["--csv", "moves.csv", "--graph", "graphs", "--quiet"]).exits_with(0);
    let mut table = csv::Reader::from_path(sandbox.path("moves.csv")).expect("a table");
    let header: Vec<String> = table.headers().expect("a header").iter().map(str::to_owned).collect();
    assert_eq!(header[..6], ["file", "game", "white", "black", "ply", "move_number"]);
    let rows: Vec<csv::StringRecord> = table.records().map(|row| row.expect("a row")).collect();
    let moves: usize = games(&sandbox.read("famous.pgn"))
        .iter()
        .map(|game| game.main_line().count())
        .sum();
    assert_eq!(rows.len(), moves);
    assert!(rows.iter().all(|row| !row[12].is_empty()), "all are judged");
    let svg = sandbox.read("graphs/game-1.svg");
    assert!(svg.starts_with("<svg ") && svg.contains("5.Nxe5 brilliant") && svg.trim_end().ends_with("</svg>"));

    sandbox.write(
        "one.pgn",
        sandbox.read("famous.pgn").split("\n\n[").next().expect("a game"),
    );
    let args = [
        "review",
        "one.pgn",
        "--lines",
        "famous.lines.jsonl",
        "--quiet",
        "--graph",
    ];
    sandbox.tabiya(&[&args[..], &["one.png"]].concat()).exits_with(0);
    let png = fs::read(sandbox.path("one.png")).expect("a picture");
    assert!(png.starts_with(b"\x89PNG\r\n") && png.len() > 1_000);
    assert_said!(
        "review_one_graph_for_many",
        review(&sandbox, &["--graph", "many.png"]).exits_with(2)
    );
    // Games that come over a pipe are counted when they come.
    let ran = review(&sandbox, &["--graph", "one.jpg"]).exits_with(2);
    assert!(
        ran.stderr
            .starts_with("error: one.jpg: graphs are drawn as SVG or PNG\nhint: name it .svg"),
        "{ran}"
    );
    let args_for_pipe = ["review", "-", "--lines", "famous.lines.jsonl", "--graph", "many.svg"];
    let ran = sandbox.run_with_input(sandbox.command(TABIYA, &args_for_pipe), sandbox.read("famous.pgn"));
    assert!(ran.exits_with(2).stderr.contains("several games"));
    // Of many games a directory has one each, under its number, whether those before could be reviewed or not.
    let pgn = sandbox.read("famous.pgn");
    sandbox.write(
        "famous.pgn",
        pgn.replacen("\n\n[", "\n\n[White \"Nobody\"]\n\n1. e4 e4 *\n\n[", 1),
    );
    let args_for_many = [
        "--lines",
        "famous.lines.jsonl",
        "--quiet",
        "--graph",
        "pictures",
        "--graph-format",
        "png",
    ];
    sandbox
        .tabiya(&[&["review", "famous.pgn"], &args_for_many[..]].concat())
        .exits_with(0);
    let mut names: Vec<String> = fs::read_dir(sandbox.path("pictures"))
        .expect("a directory")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let expected: Vec<String> = ["1", "10", "3", "4", "5", "6", "7", "8", "9"]
        .iter()
        .map(|n| format!("game-{n}.png"))
        .collect();
    assert_eq!(names, expected);
    assert!(fs::read(sandbox.path("pictures/game-1.png")).is_ok_and(|picture| picture == png));
    // Pictures do not depend on the day.
    sandbox.tabiya(&[&args[..], &["again.png"]].concat()).exits_with(0);
    assert_eq!(fs::read(sandbox.path("again.png")).expect("a picture"), png);
}
