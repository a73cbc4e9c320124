//! Databases and disks that will not do what they are asked.

use std::fs;

use crate::sandbox::{Sandbox, assert_said};

const GAME: &str = "1. e4 e5 *\n";

#[test]
fn a_bad_database_url_is_a_usage_error() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    assert_said!(
        "bad_scheme",
        sandbox.tabiya(&["import", "game.pgn", "--db", "mysql://me:secret@host/chess"])
    );
    let ran = sandbox.tabiya(&["import", "game.pgn", "--db", "chess"]).exits_with(2);
    assert!(ran.stderr.contains("hint:"), "{ran}");
}

#[test]
fn a_server_that_is_not_there_is_named_without_its_password() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    let ran = sandbox.tabiya(&["import", "game.pgn", "--db", "postgres://me:secret@127.0.0.1:1/chess"]);
    assert!(!ran.to_string().contains("secret"), "{ran}");
    assert_said!("no_server", ran);
}

#[test]
fn a_copy_takes_no_games_and_blames_none() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    let ran = sandbox.tabiya(&["import", "game.pgn", "--db", "neo4j://me:secret@127.0.0.1:1"]);
    assert!(!ran.to_string().contains("secret"), "{ran}");
    assert_said!("import_to_a_copy", ran);
}

#[test]
fn what_is_no_database_is_left_alone() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    sandbox.write(
        "diary.db",
        "Dear diary, today I lost with the King's Gambit. ".repeat(50),
    );
    let before = sandbox.read("diary.db");
    assert_said!(
        "not_a_database",
        sandbox.tabiya(&["import", "game.pgn", "--db", "diary.db"])
    );
    assert_eq!(sandbox.read("diary.db"), before);
}

#[test]
fn a_database_that_may_not_be_written_to() {
    // Root may write to any file, so the database is made read-only by its URL.
    let sandbox = Sandbox::with("game.pgn", GAME);
    sandbox.tabiya(&["import", "game.pgn", "--db", "ro.db"]).exits_with(0);
    sandbox.write("other.pgn", "1. d4 *\n");
    let ran = sandbox.tabiya(&["import", "other.pgn", "--db", "sqlite://ro.db?mode=ro"]);
    assert_said!("read_only", ran);
    assert_eq!(sandbox.content("ro.db").edges.len(), 2);
}

#[test]
fn a_database_in_no_directory() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    let ran = sandbox
        .tabiya(&["import", "game.pgn", "--db", "no/such/place/x.db"])
        .exits_with(3);
    assert!(ran.stderr.starts_with("error: no/such/place/x.db"), "{ran}");
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_the_work() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    sandbox.write("file", "");
    for flag in ["--out-edges", "--rejects", "--report", "--metrics-out"] {
        let ran = sandbox
            .tabiya(&["import", "game.pgn", flag, "file/x.jsonl"])
            .exits_with(3);
        assert!(
            ran.stderr.starts_with("error: cannot ") && ran.stdout.is_empty(),
            "{flag}: {ran}"
        );
        assert!(!sandbox.path("tabiya.db").exists(), "{flag}: nothing was begun");
    }
    assert_said!(
        "unwritable_output",
        sandbox.tabiya(&["import", "game.pgn", "--out-edges", "file/edges.jsonl"])
    );
    assert_said!(
        "unknown_extension",
        sandbox.tabiya(&["import", "game.pgn", "--out-edges", "edges.csv"])
    );
}

#[test]
fn a_failed_output_leaves_the_old_one_and_no_rubbish() {
    let sandbox = Sandbox::with("three.pgn", crate::sandbox::ONE_BAD_OF_THREE);
    sandbox.write("out/edges.jsonl", "old\n");
    sandbox
        .tabiya(&["import", "gone.pgn", "--out-edges", "out/edges.jsonl"])
        .exits_with(2);
    assert_eq!(sandbox.read("out/edges.jsonl"), "old\n");
    sandbox
        .tabiya(&["import", "three.pgn", "--out-edges", "out/edges.jsonl"])
        .exits_with(0);
    assert_eq!(
        fs::read_dir(sandbox.path("out")).expect("readable").count(),
        1,
        "no temporary file stays"
    );
}

#[test]
fn dedupe_is_fixed_for_a_database() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    sandbox.tabiya(&["import", "game.pgn"]).exits_with(0);
    assert_said!(
        "other_identity",
        sandbox.tabiya(&["import", "game.pgn", "--no-dedupe-transpositions"])
    );
}

#[test]
fn a_full_disk_for_standard_output() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    for arguments in [&["completions", "bash"][..], &["man"], &["name", "1.e4"]] {
        let mut command = sandbox.command(crate::sandbox::TABIYA, arguments);
        let full = fs::File::options()
            .write(true)
            .open("/dev/full")
            .expect("there is a full device");
        let output = command.stdout(full).output().expect("the program runs");
        assert_eq!(output.status.code(), Some(3), "{arguments:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.starts_with("error: cannot write to standard output"), "{said}");
        assert!(said.contains("\nhint: the disk is full"), "{arguments:?}: {said}");
    }
}

#[test]
fn what_cannot_be_written_is_not_said_to_be_unreadable() {
    let sandbox = Sandbox::with("game.pgn", GAME);
    for (arguments, hint) in [
        (
            &["man", "game.pgn"][..],
            "hint: a part of the path is a file where a directory is needed",
        ),
        (
            &["man", "game.pgn/x"],
            "hint: a part of the path is a file where a directory is needed",
        ),
        // Nothing can be made there, not even by root.
        (
            &["count", "--pgn", "game.pgn", "--out", "/proc/x.parquet"],
            "hint: check that you may write to this file and its directory",
        ),
        (
            &["man", "/proc/x"],
            "hint: check that you may write to this file and its directory",
        ),
    ] {
        let ran = sandbox.tabiya(arguments).exits_with(3);
        assert!(ran.stderr.lines().any(|line| line == hint), "{arguments:?}: {ran}");
        assert_eq!(ran.stderr.matches("hint:").count(), 1, "{arguments:?}: {ran}");
    }
}

#[test]
fn what_files_contain_does_not_command_the_terminal() {
    let pgn =
        "[White \"a\u{1b}[31mb\"]\n[Black \"c\u{7}\"]\n\n1. e4 \u{1b}[2Jx *\n\n[White \"d\u{1b}[0m\"]\n\n1. d4 *\n";
    let sandbox = Sandbox::with("escapes.pgn", pgn);
    sandbox.write(
        "lines.jsonl",
        "{\"fen\": \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\", \"source\": \"x\", \"lines\": [{\"depth\": 1, \"index\": 1, \"cp\": 20, \"moves\": [\"e2e4\"]}]}\n",
    );
    for arguments in [
        ["import", "escapes.pgn"].as_slice(),
        &["review", "escapes.pgn", "--lines", "lines.jsonl"],
        &["analyze", "escapes.pgn"],
        &[
            "positions",
            "--input",
            "escapes.pgn",
            "--no-engine",
            "--output",
            "p.parquet",
        ],
    ] {
        let ran = sandbox.tabiya(arguments);
        assert!(!ran.stdout.contains(['\u{1b}', '\u{7}']), "{arguments:?}: {ran}");
        assert!(!ran.stderr.contains(['\u{1b}', '\u{7}']), "{arguments:?}: {ran}");
    }
}

#[test]
fn a_cause_does_not_command_a_terminal() {
    let failing = "\u{1b}]0;title\u{7}gone";
    let sandbox = Sandbox::new();
    let ran = sandbox.tabiya(&["review", "x.pgn", "--lines", failing]);
    assert!(!ran.stderr.contains(['\u{1b}', '\u{7}']), "{:?}", ran.stderr);
}

#[test]
fn who_wants_errors_only_gets_their_hints_and_no_others() {
    let sandbox = Sandbox::new();
    let ran = sandbox.tabiya(&["repertoire", "list", "-q"]);
    assert!(ran.stderr.contains("hint: ") && !ran.stderr.contains("note: "), "{ran}");
    sandbox.write("game.pgn", "1. e4 e5 *\n");
    sandbox.tabiya(&["import", "game.pgn", "-q"]).exits_with(0);
    let ran = sandbox.tabiya(&["repertoire", "list", "-q"]).exits_with(0);
    assert_eq!(ran.stderr, "", "there are none, and that is no error");
}

/// A file that is no database has no host and no port.
#[test]
fn a_queue_in_a_damaged_file() {
    let sandbox = Sandbox::with(
        "garbage.db",
        "this is no database, however long it may be, and it goes on".repeat(40),
    );
    let ran = sandbox
        .tabiya(&["workers", "--db", "garbage.db", "--queue", "garbage.db"])
        .exits_with(3);
    assert!(!ran.stderr.contains("port") && !ran.stderr.contains("server"), "{ran}");
    assert!(ran.stderr.contains("hint: check"), "{ran}");
}

#[test]
fn an_empty_file_is_asked_whether_it_is_pgn() {
    let sandbox = Sandbox::with("empty.pgn", "");
    for args in [
        &["count", "--pgn", "empty.pgn", "--out", "o.parquet"][..],
        &["build", "all", "--pgn", "empty.pgn"],
    ] {
        let ran = sandbox.tabiya(args).exits_with(2);
        assert!(ran.stderr.contains("hint: is it PGN?"), "{ran}");
    }
}
