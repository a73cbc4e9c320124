//! The minimal example of the specification, word for word.

use serde_json::json;

use crate::sandbox::Sandbox;

/// The PGN as printed there.
pub(crate) const EXAMPLE: &str = r#"[Event "Study"]
[Site "Local"]
[Date "2025.10.08"]
[Round "-"]
[White "White"]
[Black "Black"]

1. e4 e5 2. Nf3 Nc6 (2... Nf6 3. Nxe5) 3. Bc4 Bc5 4. c3 Nf6 *

[Event "Tactic"]
[Site "Local"]
[Date "2025.10.08"]
[Round "-"]
[White "White"]
[Black "Black"]
[SetUp "1"]
[FEN "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 4 6"]

6. Nxe5 Nxe5 7. d4 Nxc4 8. dxc5 *
"#;

#[test]
fn the_minimal_example() {
    let sandbox = Sandbox::with("example.pgn", EXAMPLE);
    #[rustfmt::skip]
    let args = [
        "--input", "example.pgn", "--owner", "user_andy", "--repertoire", "Italian + Scandinavian", "--side", "white",
        "--out-positions", "out/positions.jsonl", "--out-edges", "out/edges.jsonl",
        "--out-tactics", "out/tactics.jsonl", "--out-repertoire", "out/repertoire.jsonl",
    ];
    let ran = sandbox.pgn_import(&args).exits_with(0);
    assert_eq!(ran.stderr, "");

    let edges = sandbox.rows("out/edges.jsonl");
    let mut moves: Vec<_> = edges
        .iter()
        .map(|edge| edge["move_uci"].as_str().expect("text"))
        .collect();
    moves.sort_unstable();
    let expected = [
        "b8c6", "c2c3", "e2e4", "e7e5", "f1c4", "f3e5", "f8c5", "g1f3", "g8f6", "g8f6",
    ];
    assert_eq!(moves, expected, "eight moves of the main line and two of the variation");
    assert_eq!(sandbox.rows("out/positions.jsonl").len(), 11);

    let tactics = sandbox.rows("out/tactics.jsonl");
    assert_eq!(tactics.len(), 1);
    assert_eq!(
        tactics[0]["fen"],
        "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQ1RK1 w kq - 4 6"
    );
    assert_eq!(tactics[0]["pv_uci"], json!(["f3e5", "c6e5", "d2d4", "e5c4", "d4c5"]));

    let repertoire = sandbox.rows("out/repertoire.jsonl");
    assert_eq!(repertoire.len(), 10, "the tactic's moves are no part of it");
    assert_eq!(repertoire[0]["repertoire_key"], "Italian + Scandinavian");
    assert_eq!(repertoire[0]["owner"], "user_andy");
}

#[test]
fn importing_it_twice_changes_nothing() {
    let sandbox = Sandbox::with("example.pgn", EXAMPLE);
    sandbox.tabiya(&["import", "example.pgn"]).exits_with(0);
    let once = sandbox.content("tabiya.db");
    let again = sandbox
        .tabiya(&["import", "example.pgn", "--format", "json"])
        .exits_with(0)
        .json();
    assert_eq!(again["counters"]["edges_inserted"], 0);
    assert_eq!(again["counters"]["positions_inserted"], 0);
    sandbox.content("tabiya.db").equals(&once);
}

#[test]
fn its_configuration_file_works_as_it_is() {
    // As printed there, but for the server.
    let config = r#"# pgn-import.toml
owner = "user_andy"
repertoire = "Italian + Scandinavian"
side = "white"
max_depth = 60
accept_variations = true
tactic_from_fen = true
tactic_from_comments = false
dedupe_transpositions = true
skip_illegal = false

[persistence]
dsn = "sqlite://chess.db"
persist = true

[output]
positions = "./out/positions.jsonl"
edges     = "./out/edges.jsonl"
tactics   = "./out/tactics.jsonl"
"#;
    let sandbox = Sandbox::with("pgn-import.toml", config);
    sandbox.write("data/lines.pgn", EXAMPLE);
    sandbox
        .pgn_import(&["--config", "./pgn-import.toml", "--input", "./data/lines.pgn"])
        .exits_with(0);
    assert_eq!(sandbox.rows("out/edges.jsonl").len(), 10);
    assert_eq!(sandbox.rows("out/tactics.jsonl").len(), 1);
    let content = sandbox.content("chess.db");
    assert_eq!(
        (content.edges.len(), content.repertoire.len(), content.tactics.len()),
        (10, 10, 1)
    );
    assert_eq!(content.repertoire[0].owner, "user_andy");
}
