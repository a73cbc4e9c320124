//! Games that cannot be understood: fail, or skip, list and mend.

use crate::sandbox::{ONE_BAD_OF_THREE, Sandbox, assert_said};

#[test]
fn fail_fast_keeps_everything_before_the_bad_game() {
    let sandbox = Sandbox::with("three.pgn", ONE_BAD_OF_THREE);
    let args = [
        "--input",
        "three.pgn",
        "--out-edges",
        "edges.jsonl",
        "--dsn",
        "sqlite://kept.db",
        "--persist",
    ];
    assert_said!("fail_fast", sandbox.pgn_import(&args));
    let moves: Vec<_> = sandbox
        .rows("edges.jsonl")
        .iter()
        .map(|edge| edge["move_uci"].clone())
        .collect();
    assert_eq!(moves.len(), 3, "{moves:?}");
    let content = sandbox.content("kept.db");
    assert_eq!(content.edges.len(), 3, "e4 e5 Nf3, and nothing of the second game");
    assert!(!content.edges.iter().any(|edge| edge.move_uci == "c7c5"));
}

#[test]
fn skipping_is_the_default_of_tabiya_and_failing_that_of_pgn_import() {
    let sandbox = Sandbox::with("three.pgn", ONE_BAD_OF_THREE);
    sandbox.tabiya(&["import", "three.pgn", "--no-persist"]).exits_with(0);
    sandbox
        .tabiya(&["import", "three.pgn", "--no-persist", "--fail-fast"])
        .exits_with(1);
    sandbox.pgn_import(&["--input", "three.pgn"]).exits_with(1);
    sandbox
        .pgn_import(&["--input", "three.pgn", "--skip-illegal"])
        .exits_with(0);
    let both = sandbox
        .pgn_import(&["--input", "three.pgn", "--skip-illegal", "--fail-fast"])
        .exits_with(2);
    assert!(both.stderr.contains("cannot be used with"), "{both}");
}

#[test]
fn rejects_are_listed_mended_and_read_again() {
    let sandbox = Sandbox::with("three.pgn", ONE_BAD_OF_THREE);
    assert_said!(
        "skip_illegal_with_ledger",
        sandbox.tabiya(&["import", "three.pgn", "--rejects", "rejects.jsonl"])
    );
    insta::assert_snapshot!(sandbox.read("rejects.jsonl").trim_end(), @r#"{"source":"three.pgn","game_index":1,"byte_offset":36,"error_offset":66,"outcome":"truncated","ply":2,"san":"Nf6","fen":"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2","reason":"no legal move is written like this here"}"#);
    assert_eq!(sandbox.content("tabiya.db").rejects.len(), 1);

    // Mended where it stands: the ledger names places.
    sandbox.write("three.pgn", ONE_BAD_OF_THREE.replace("Nf6", "Nf3"));
    assert_said!(
        "retry_of_the_ledger",
        sandbox.tabiya(&["import", "--retry-rejects", "rejects.jsonl", "--rejects", "again.jsonl"])
    );
    assert_eq!(sandbox.read("again.jsonl"), "", "nothing is left to mend");

    let mended = Sandbox::with("three.pgn", ONE_BAD_OF_THREE.replace("Nf6", "Nf3"));
    mended.tabiya(&["import", "three.pgn"]).exits_with(0);
    let (retried, at_once) = (sandbox.content("tabiya.db"), mended.content("tabiya.db"));
    assert_eq!(retried.edges, at_once.edges);
    assert_eq!(retried.positions, at_once.positions);
}

#[test]
fn a_flood_of_warnings_is_dammed() {
    let bad = "1. e4 Kh9 *\n\n".repeat(20);
    let sandbox = Sandbox::with("bad.pgn", bad);
    let ran = sandbox.tabiya(&["import", "bad.pgn"]).exits_with(0);
    assert_eq!(
        ran.stderr
            .lines()
            .filter(|line| line.starts_with("warning: bad.pgn"))
            .count(),
        5,
        "{ran}"
    );
    assert!(ran.stderr.contains("and 15 more warnings"), "{ran}");
    let ran = sandbox.tabiya(&["import", "-v", "bad.pgn"]).exits_with(0);
    assert_eq!(
        ran.stderr
            .lines()
            .filter(|line| line.starts_with("warning: bad.pgn"))
            .count(),
        20,
        "{ran}"
    );
    let ran = sandbox.tabiya(&["import", "-q", "bad.pgn"]).exits_with(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn a_ledger_of_standard_input_is_refused_before_anything_is_done() {
    let sandbox = Sandbox::new();
    let import = sandbox.command(crate::sandbox::TABIYA, &["import", "-", "--rejects", "ledger.jsonl"]);
    sandbox.run_with_input(import, ONE_BAD_OF_THREE).exits_with(0);
    let ran = sandbox
        .tabiya(&["import", "--retry-rejects", "ledger.jsonl"])
        .exits_with(2);
    assert!(
        ran.stderr
            .starts_with("error: ledger.jsonl: games of it came through standard input")
            && ran.stderr.contains("hint: save the games as a file"),
        "{ran}"
    );
}

#[test]
fn a_ledger_that_is_none_is_refused() {
    let sandbox = Sandbox::with("ledger.jsonl", "{\"source\": 1}\n");
    assert_said!(
        "bad_ledger",
        sandbox.tabiya(&["import", "--retry-rejects", "ledger.jsonl"])
    );
    assert_said!(
        "missing_ledger",
        sandbox.tabiya(&["import", "--retry-rejects", "gone.jsonl"])
    );
    let table = sandbox
        .tabiya(&["import", "--retry-rejects", "gone.parquet"])
        .exits_with(2);
    assert!(
        table
            .stderr
            .starts_with("error: gone.parquet: no such file or directory\n"),
        "{table}"
    );
}
