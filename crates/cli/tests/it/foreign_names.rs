//! Names that strangers have chosen, of files, players and openings, where they are shown.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _};

use crate::{
    build::NAMES,
    sandbox::{Sandbox, TABIYA},
};

#[test]
fn names_of_files_do_not_command_the_terminal() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    let evil = "a\u{1b}]0;owned\u{7}\u{1b}[2J\r\u{9b}31m.pgn";
    let game = "[Event \"x\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n";
    sandbox.write(evil, format!("{game}1. e4 Kz9 1-0\n"));
    let packed = format!("{evil}.zst");
    sandbox.write(&packed, [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xff, 0xff]);
    let gone = format!("gone{evil}");
    let lines = format!("lines{evil}");
    for verb in [
        &["import", evil, &packed][..],
        &["import", evil, "--report", "r.json", "-vv"],
        &["import", &gone],
        &["import", evil, "--config", &gone],
        &["analyze", evil],
        &["analyze", &gone],
        &["review", evil, "--lines", &lines],
        &["positions", "--input", evil, "--no-engine", "--output", "p.jsonl"],
        &[
            "positions",
            "--input",
            evil,
            "--no-engine",
            "--output",
            &format!("{evil}/p.jsonl"),
        ],
        &["build", "all", "--pgn", evil, "--source", "names.csv", "-v"],
        &["build", "eco", "--source", &gone],
        &["build", "validate", "--pgn", evil, "--min-count", "1"],
        &["count", "--pgn", evil, "--out", "c.jsonl"],
        &["evals", "import", evil],
        &["export", "--format", "csv", "--output", evil],
        &["export", "--format", "json", "--output", &format!("names.csv/{evil}")],
        &["lookup", evil],
        &["name", evil],
        &["structure", evil],
        &["lookup", "e4", "--db", evil],
        &["serve", "--db", &gone],
        &["repertoire", "export", evil],
        &["doctor", "--engine", &gone],
        &["doctor", "--db", &gone],
        &["no-such-verb", evil],
        &[evil],
    ] {
        let ran = sandbox.tabiya(verb);
        let foul = |text: &str| text.chars().any(|letter| letter.is_control() && letter != '\n');
        assert!(!foul(&ran.stdout) && !foul(&ran.stderr), "{verb:?}: {ran:?}");
        assert!(!ran.stderr.contains("panicked"), "{verb:?}: {ran}");
        // What clap does not understand no verb has ever seen.
        let is_no_verb = ["no-such-verb", evil].contains(&verb[0]);
        assert_eq!(ran.stderr.contains("Usage: "), is_no_verb, "{verb:?}: {ran}");
    }
}

/// What goes to `-` is for a program, byte by byte, unless a terminal stands there.
#[test]
fn what_is_written_to_standard_output_does_not_command_a_terminal() {
    let evil = "a\u{1b}[2J\u{9b}31m";
    let sandbox = Sandbox::with("names.csv", format!("eco,name,pgn\nA00,An {evil},1.a3\n"));
    let game = format!("[White \"{evil}\"]\n[Black \"b\"]\n[Result \"1-0\"]\n\n1. a3 e5 1-0\n");
    sandbox.write("game.pgn", &game);
    let file = format!("{evil}.pgn");
    sandbox.write(&file, format!("{game}\n1. e4 Kz9 1-0\n"));
    let first = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    sandbox.write(
        "lines.jsonl",
        format!("{{\"fen\": \"{first}\", \"source\": \"x\", \"lines\": [{{\"depth\": 1, \"index\": 1, \"cp\": 20, \"moves\": [\"e2e4\"]}}]}}\n"),
    );
    sandbox
        .tabiya(&["build", "eco", "--source", "names.csv", "-q"])
        .exits_with(0);
    let is_wild = |letter: char| letter.is_control() && !matches!(letter, '\n' | '\r' | '\t');
    for place in ["-", "/dev/stdout"] {
        #[rustfmt::skip]
        let verbs: [&[&str]; 4] = [
            &["export", "--format", "csv", "-q", "--output", place],
            &["review", "game.pgn", "--lines", "lines.jsonl", "-q", "--pgn", place],
            &["review", "game.pgn", "--lines", "lines.jsonl", "-q", "--csv", place],
            &["import", &file, "--no-persist", "-q", "--rejects", place],
        ];
        for verb in verbs {
            let piped = sandbox.tabiya(verb).exits_with(0).stdout;
            assert!(piped.contains('\u{9b}'), "{verb:?} has nothing to tame: {piped:?}");
            let words: Vec<String> = [&[TABIYA], verb]
                .concat()
                .iter()
                .map(|word| format!("'{word}'"))
                .collect();
            let command = format!("{} 2>errors", words.join(" "));
            // A terminal of its own.
            let seen = sandbox.run(sandbox.command("script", &["-qec", &command, "/dev/null"]));
            assert_eq!(seen.code, 0, "{verb:?}: {seen:?} {}", sandbox.read("errors"));
            assert!(!seen.stdout.contains(is_wild), "{verb:?}: {seen:?}");
            assert!(seen.stdout.contains("[2J"), "{verb:?}: {seen:?}");
            assert!(seen.stdout.contains("\\u009b31m"), "{verb:?}: {seen:?}");
        }
    }
}

#[test]
fn files_whose_names_are_no_utf_8_are_read_by_pattern_and_by_directory() {
    let sandbox = Sandbox::new();
    let name = OsStr::from_bytes(b"jos\xe9.pgn");
    fs::create_dir(sandbox.path("club")).expect("made");
    fs::write(sandbox.path("club").join(name), "1. e4 e5 *\n").expect("a file system that takes any name");
    for (named, database) in [("club/*.pgn", "pattern.db"), ("club", "directory.db")] {
        sandbox.tabiya(&["import", named, "--db", database]).exits_with(0);
        assert_eq!(sandbox.content(database).edges.len(), 2, "{named}");
    }
    let mut command = sandbox.command(TABIYA, &["import"]);
    command.arg(name);
    let ran = sandbox.run(command).exits_with(2);
    assert!(
        ran.stderr.contains("error: invalid UTF-8")
            && ran.stderr.contains("hint: ")
            && ran
                .stderr
                .contains("the directory that holds it is named, or a pattern such as '*.pgn'"),
        "{ran}"
    );
}

#[test]
fn names_are_no_formulas_in_tables() {
    let names = "eco,name,pgn\nA00,=cmd|' /C calc'!A0,1.a3\nA00,+1: @SUM(A1),1.a4\n";
    let sandbox = Sandbox::with("names.csv", names);
    let game = "[White \"=HYPERLINK(1)\"]\n[Black \"@me\"]\n[Result \"1-0\"]\n[ECO \"-A00\"]\n[Opening \"=1+1\"]\n\n1. a4 e5 2. b4 1-0\n\n";
    sandbox.write("games.pgn", game.repeat(3));
    let build = [
        "build",
        "all",
        "--pgn",
        "games.pgn",
        "--source",
        "names.csv",
        "--min-games",
        "1",
        "--depth",
        "1",
        "-q",
    ];
    sandbox.tabiya(&build).exits_with(0);
    let first = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    sandbox.write(
        "lines.jsonl",
        format!("{{\"fen\": \"{first}\", \"source\": \"x\", \"lines\": [{{\"depth\": 1, \"index\": 1, \"cp\": 20, \"moves\": [\"e2e4\"]}}]}}\n"),
    );
    sandbox
        .tabiya(&["export", "--format", "csv", "--output", "nodes.csv"])
        .exits_with(0);
    let reviewed = sandbox.tabiya(&["review", "games.pgn", "--lines", "lines.jsonl", "--csv", "moves.csv"]);
    let validate = [
        "build",
        "validate",
        "--pgn",
        "games.pgn",
        "--min-count",
        "1",
        "--depth",
        "3",
        "--format",
        "csv",
    ];
    let validated = sandbox.tabiya(&validate).exits_with(0);
    let mut tables = vec![("nodes.csv", sandbox.read("nodes.csv")), ("validate", validated.stdout)];
    if fs::exists(sandbox.path("moves.csv")).unwrap_or(false) {
        tables.push(("moves.csv", sandbox.read("moves.csv")));
    }
    assert_eq!(tables.len(), 3, "{reviewed}");
    for (name, table) in tables {
        let mut escaped = 0;
        for record in csv::Reader::from_reader(table.as_bytes()).records() {
            for cell in record.expect("a table").iter() {
                let is_number = cell.parse::<f64>().is_ok() || cell == "-";
                assert!(is_number || !cell.starts_with(['=', '+', '-', '@']), "{name}: {cell:?}");
                escaped += u32::from(cell.starts_with('\''));
            }
        }
        assert!(escaped > 0, "{name} has none of the names:\n{table}");
    }
}
