//! Repertoires listed, written back as PGN, and read again.

use tabiya_chess::{PolyglotBook, parse_fen_by_rights, to_uci};

use crate::{
    example::EXAMPLE,
    sandbox::{Sandbox, TABIYA, assert_said},
};

/// Move orders that meet, a variation at the first move, and a root of its own.
const TRANSPOSING: &str = "\
1. d4 (1. Nf3 d5 2. d4 e6) 1... d5 2. Nf3 e6 (2... Nf6 3. c4 c6) 3. c4 *

1. c4 e6 2. d4 d5 3. Nf3 *
";

#[test]
fn repertoires_are_listed() {
    let sandbox = Sandbox::with("a.pgn", EXAMPLE);
    sandbox.write("b.pgn", TRANSPOSING);
    sandbox
        .tabiya(&["import", "a.pgn", "--repertoire", "Italian", "--owner", "andy"])
        .exits_with(0);
    sandbox
        .tabiya(&["import", "b.pgn", "--repertoire", "Queen's Gambit"])
        .exits_with(0);
    assert_said!("repertoire_list", sandbox.tabiya(&["repertoire", "list"]));
    let json = sandbox
        .tabiya(&["repertoire", "list", "--format", "json"])
        .exits_with(0)
        .json();
    assert_eq!(
        json[0],
        serde_json::json!({"owner": "andy", "repertoire": "Italian", "edges": 10})
    );
}

#[test]
fn a_repertoire_is_written_as_pgn() {
    let sandbox = Sandbox::with("a.pgn", EXAMPLE);
    sandbox
        .tabiya(&["import", "a.pgn", "--repertoire", "Italian", "--owner", "andy"])
        .exits_with(0);
    assert_said!(
        "repertoire_export",
        sandbox.tabiya(&["repertoire", "export", "Italian", "--owner", "andy"])
    );
    assert_said!(
        "repertoire_unknown",
        sandbox.tabiya(&["repertoire", "export", "Spanish"])
    );
    assert_said!(
        "repertoire_of_nobody",
        sandbox.tabiya(&["repertoire", "export", "Italian", "--owner", "bob"])
    );
}

#[test]
fn what_is_exported_gives_the_same_edges_again() {
    let sandbox = Sandbox::with("mixed.pgn", [TRANSPOSING, EXAMPLE].join("\n"));
    sandbox.write("random.pgn", crate::corpus::games(11, 40));
    for input in ["mixed.pgn", "random.pgn"] {
        let (first, second) = (format!("{input}.1.db"), format!("{input}.2.db"));
        let import = ["import", "--repertoire", "R", "--include-fen-in-trie", "--db"];
        sandbox.tabiya(&[&import[..], &[&first, input]].concat()).exits_with(0);
        sandbox
            .tabiya(&["repertoire", "export", "R", "--db", &first, "-o", "out.pgn"])
            .exits_with(0);
        let command = sandbox.command(TABIYA, &[&import[..], &[&second, "out.pgn", "--fail-fast"]].concat());
        sandbox.run(command).exits_with(0);
        let keys = |database: &str| {
            let content = sandbox.content(database);
            let edges = content
                .edges
                .into_iter()
                .map(|edge| (edge.id, edge.parent_id, edge.child_id, edge.move_san));
            (edges.collect::<Vec<_>>(), content.repertoire, content.positions)
        };
        let (one, two) = (keys(&first), keys(&second));
        assert_eq!(one.0.len(), two.0.len(), "{input}");
        assert!(one == two, "{input}");
    }
}

/// Kings and rooks off their squares, both ways to castle for both sides, and a root in the middle of a game.
const SHUFFLED: &str = "\
[FEN \"nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1\"]
[Variant \"Chess960\"]

1. e4 e5 2. Qe3 Qe6 3. Be2 Be7 4. O-O (4. b3 b6 5. Bb2 Bb7 6. O-O-O O-O-O) 4... O-O *

[FEN \"4k3/8/8/8/8/8/4P3/1R1K2R1 w KQ - 3 30\"]
[Variant \"Chess960\"]

30. O-O-O *
";

#[test]
fn castling_of_chess960_is_exported_and_read_again() {
    let sandbox = Sandbox::with("shuffled.pgn", SHUFFLED);
    let import = [
        "import",
        "--repertoire",
        "F",
        "--include-chess960",
        "--fail-fast",
        "--db",
    ];
    let edges = |database: &str, input: &str| {
        sandbox
            .tabiya(&[&import[..], &[database, input]].concat())
            .exits_with(0);
        let edges = sandbox.content(database).edges.into_iter();
        edges.map(|edge| (edge.id, edge.child_id)).collect::<Vec<_>>()
    };
    let first = edges("first.db", "shuffled.pgn");
    assert_eq!(first.len(), 15);
    let export = ["repertoire", "export", "F", "--db", "first.db", "-o", "out.pgn"];
    sandbox.tabiya(&export).exits_with(0);
    assert_eq!(sandbox.read("out.pgn").matches("[Variant \"Chess960\"]").count(), 2);
    assert_eq!(edges("second.db", "out.pgn"), first);

    let export = |format: &str, output: &str| {
        let args = ["export", "--db", "first.db", "--repertoire", "F", "--format", format];
        sandbox
            .tabiya(&[&args[..], &["--output", output]].concat())
            .exits_with(0);
    };
    export("pgn", "whole.pgn");
    assert_eq!(edges("third.db", "whole.pgn"), first);
    export("polyglot", "book.bin");
    let book = std::fs::read(sandbox.path("book.bin")).expect("a book");
    let book = PolyglotBook::from_bytes(&book).expect("whole entries");
    let middle = "4k3/8/8/8/8/8/4P3/1R1K2R1 w KQ - 3 30";
    let middle = parse_fen_by_rights(middle).expect("a position").position;
    let found = book.moves(&middle).moves;
    assert_eq!(found.len(), 1);
    // The king takes its rook.
    assert_eq!(to_uci(&middle, found[0].m), "d1b1");
}

#[test]
fn a_question_creates_no_database() {
    let sandbox = Sandbox::new();
    assert_said!("repertoire_without_database", sandbox.tabiya(&["repertoire", "list"]));
    sandbox
        .tabiya(&["repertoire", "export", "X", "--db", "sqlite://gone.db"])
        .exits_with(3);
    assert_eq!(std::fs::read_dir(sandbox.directory()).expect("readable").count(), 0);
}

#[test]
fn an_empty_database_has_no_repertoires() {
    let sandbox = Sandbox::with("a.pgn", EXAMPLE);
    sandbox.tabiya(&["import", "a.pgn"]).exits_with(0);
    assert_said!("repertoire_list_empty", sandbox.tabiya(&["repertoire", "list"]));
    assert_said!(
        "repertoire_export_empty",
        sandbox.tabiya(&["repertoire", "export", "X"])
    );
}

#[test]
fn colours_of_others_do_not_pass_as_ours() {
    let sandbox = Sandbox::with("game.pgn", "1. e4 e5 *\n");
    let label = "\u{1b}[1;31mRed\u{1b}[0m";
    sandbox
        .tabiya(&["import", "game.pgn", "--repertoire", label, "-q"])
        .exits_with(0);
    let listed = sandbox
        .tabiya(&["repertoire", "list", "--color", "always"])
        .exits_with(0);
    assert!(
        listed.stdout.contains("Red") && !listed.stdout.contains('\u{1b}'),
        "{listed:?}"
    );
}
