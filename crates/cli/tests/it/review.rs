//! `tabiya review` as its users meet it.

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use pgn_import::{Game, Source, read_trees};
use serde_json::Value;

use crate::{
    engines::Opinionated,
    sandbox::{Ran, Sandbox, TABIYA, assert_said},
};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/review")
        .join(name)
}

/// The famous games and what Stockfish said of them, once.
fn famous() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["famous.pgn", "famous.lines.jsonl"] {
        fs::copy(fixture(name), sandbox.path(name)).expect("a fixture");
    }
    sandbox
}

fn review(sandbox: &Sandbox, more: &[&str]) -> Ran {
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

fn games(pgn: &str) -> Vec<Game> {
    let source = Source::from_reader("test".to_owned(), Box::new(Cursor::new(pgn.to_owned())), None, 0);
    let mut games = Vec::new();
    read_trees(source.expect("a source"), |game| games.push(game)).expect("whole");
    games
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

#[test]
fn what_cannot_be_reviewed_is_said() {
    let sandbox = famous();
    sandbox.write("empty.pgn", "");
    sandbox.write("garbage.pgn", "\u{1}\u{2} nothing of chess \u{3}");
    sandbox.write("illegal.pgn", "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Ke4 *\n");
    sandbox.write("nothing.jsonl", "");
    sandbox.write("rubbish.jsonl", "{\"fen\": 1}\n");
    fs::create_dir(sandbox.path("directory")).expect("a directory");
    let review = |name: &str, lines: &str| sandbox.tabiya(&["review", name, "--lines", lines]);
    let lines = "famous.lines.jsonl";
    assert_said!("review_empty", review("empty.pgn", lines).exits_with(2));
    assert_said!("review_garbage", review("garbage.pgn", lines).exits_with(2));
    assert_said!("review_illegal", review("illegal.pgn", lines).exits_with(2));
    assert_said!("review_missing", review("missing.pgn", lines).exits_with(2));
    assert_said!("review_directory", review("directory", lines).exits_with(2));
    assert_said!("review_no_lines", review("famous.pgn", "nothing.jsonl").exits_with(2));
    assert_said!(
        "review_rubbish_lines",
        review("famous.pgn", "rubbish.jsonl").exits_with(2)
    );
    assert_said!(
        "review_missing_lines",
        review("famous.pgn", "missing.jsonl").exits_with(2)
    );
    let no_engine = sandbox.tabiya(&["review", "famous.pgn", "--engine", "no-such-engine"]);
    assert_said!("review_no_engine", no_engine.exits_with(2));
    let both = sandbox.tabiya(&["review", "famous.pgn", "--nodes", "5", "--depth", "5"]);
    assert!(both.exits_with(2).stderr.contains("cannot be used with"));
}

/// A kilobyte of what a stranger's file may hold: results, brackets and quotes among it, so that a reader finds games there.
fn noise() -> Vec<u8> {
    let words = [
        "*",
        "1-0",
        "[x \"",
        "]",
        "{",
        "}",
        "\u{1}\u{7f}",
        "zQ+/9",
        "lorem",
        "\n\n",
        "0-1",
        "ß%",
    ];
    let mut random = 20_261_116_u32;
    let mut noise = Vec::new();
    while noise.len() < 1_000 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        noise.extend_from_slice(words[(random >> 16) as usize % words.len()].as_bytes());
        noise.push(if random & 0x80_0000 == 0 { b' ' } else { b'\n' });
    }
    noise
}

#[test]
fn rubbish_is_no_game() {
    let sandbox = famous();
    sandbox.write("noise.pgn", noise());
    sandbox.write("result.pgn", "*\n");
    let review = |args: &[&str]| sandbox.tabiya(&[&["review", "--lines", "famous.lines.jsonl"], args].concat());
    for name in ["noise.pgn", "result.pgn"] {
        let ran = review(&[name]).exits_with(2);
        assert_eq!(ran.stdout, "", "{ran}");
        let error = format!("error: there are no games in {name}\n");
        assert!(ran.stderr.contains(&error), "{ran}");
        let quiet = review(&[name, "-q"]).exits_with(2);
        assert!(quiet.stderr.starts_with(&error), "{quiet}");
    }
    let game = "[White \"A\"]\n[Black \"B\"]\n\n1. a3 a6 2. a4 *\n\n";
    sandbox.write(
        "mixed.pgn",
        [game.as_bytes(), &noise(), b"\n\n", game.as_bytes()].concat(),
    );
    assert_said!("review_mixed", review(&["mixed.pgn", "noise.pgn"]).exits_with(0));
}

#[test]
fn a_game_without_lines_is_not_judged() {
    let sandbox = famous();
    sandbox.write("other.pgn", "[White \"A\"]\n[Black \"B\"]\n\n1. a3 a6 2. a4 *\n");
    let args = ["review", "other.pgn", "--lines", "famous.lines.jsonl"];
    assert_said!("review_too_little_known", sandbox.tabiya(&args).exits_with(0));
    sandbox.write("none.pgn", "[White \"A\"]\n[Black \"B\"]\n\n*\n");
    let args = ["review", "none.pgn", "--lines", "famous.lines.jsonl"];
    assert_said!("review_no_moves", sandbox.tabiya(&args).exits_with(0));
}

#[cfg(unix)]
#[test]
fn an_interrupted_review_goes_on() {
    let sandbox = famous();
    let engine = Opinionated::new(sandbox.directory(), &[("*", "slow 20")]);
    let program = engine.program.display().to_string();
    let args = [
        "review",
        "famous.pgn",
        "--engine",
        &program,
        "--workers",
        "1",
        "--report",
        "review.json",
    ];
    let mut running = sandbox
        .command(TABIYA, &args)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let journal = sandbox.path("review.json.journal");
    let begun = Instant::now();
    // A game is in it.
    while fs::read_to_string(&journal).map_or(0, |text| text.lines().count()) < 2 {
        assert!(begun.elapsed() < Duration::from_secs(120), "nothing was reviewed");
        std::thread::sleep(Duration::from_millis(20));
    }
    let killed = Command::new("kill").args(["-INT", &running.id().to_string()]).status();
    assert!(killed.expect("kill").success());
    let status = running.wait().expect("an end");
    assert_eq!(status.code(), Some(130));
    assert!(journal.exists() && !sandbox.path("review.json").exists());
    engine.think(&[("*", "cp 0")]);
    let ran = sandbox.tabiya(&args).exits_with(0);
    assert!(ran.stderr.contains("note: going on behind "), "{ran}");
    let report: Value = serde_json::from_str(&sandbox.read("review.json")).expect("JSON");
    assert_eq!(report["games"].as_array().map(Vec::len), Some(9));
    assert!(!journal.exists());
}

#[test]
fn json_is_json_where_nothing_could_be_reviewed() {
    let sandbox = Sandbox::with("illegal.pgn", "1. e4 e5 2. Ke4 *\n");
    sandbox.write("empty.pgn", "");
    let line = r#"{"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "source": "x", "lines": [{"depth": 1, "index": 1, "cp": 9, "moves": ["e2e4"]}]}"#;
    sandbox.write("lines.jsonl", line);
    for file in ["illegal.pgn", "empty.pgn"] {
        let ran = sandbox.tabiya(&["review", file, "--lines", "lines.jsonl", "--format", "json"]);
        assert_eq!(ran.code, 2, "{ran}");
        let document = ran.json();
        assert_eq!(document["games"], serde_json::json!([]), "{ran}");
        assert_eq!(document["summary"]["games"], 0, "{ran}");
    }
}
