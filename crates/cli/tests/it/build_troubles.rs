//! Input that cannot be built from: told with its place and a way out, and nothing is damaged.

use std::{fs, path::Path};

use crate::{
    build::{NAMES, assert_same, built, everything},
    sandbox::{Ran, Sandbox, assert_said},
};

/// Runs a command against a knowledge base that must stay as it is.
fn spoil(sandbox: &Sandbox, args: &[&str]) -> Ran {
    let database = sandbox.path("tabiya.db").display().to_string();
    let before = everything(&database);
    let ran = sandbox.tabiya(&[&["build"], args].concat());
    assert!(ran.code == 2 || ran.code == 3, "{args:?}: {ran}");
    assert!(
        ran.stderr.starts_with("error: ") && ran.stdout.is_empty(),
        "{args:?}: {ran}"
    );
    assert_same(&everything(&database), &before);
    ran
}

#[test]
fn files_without_games_to_count() {
    let sandbox = built();
    sandbox.write("empty.pgn", "");
    sandbox.write("notes/readme.md", "no games here");
    sandbox.write(
        "chess960.pgn",
        "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n",
    );
    sandbox.write("cut.pgn.gz", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03KM");
    let expand = |pgn: &str| spoil(&sandbox, &["expand", "--pgn", pgn]);
    assert_said!("build_missing_file", expand("missing.pgn"));
    assert_said!("build_directory_without_pgn", expand("notes"));
    assert_said!("build_empty_file", expand("empty.pgn"));
    assert_said!("build_only_chess960", expand("chess960.pgn"));
    assert_said!("build_cut_short", expand("cut.pgn.gz"));
    let validate = |pgn: &str| spoil(&sandbox, &["validate", "--pgn", pgn]);
    assert_said!("build_validate_missing_file", validate("missing.pgn"));
    assert_said!("build_validate_cut_short", validate("cut.pgn.gz"));
    // What went wrong must not be in the way of what goes right.
    sandbox
        .tabiya(&["build", "expand", "--pgn", "games.pgn", "--min-games", "1"])
        .exits_with(0);
}

#[test]
fn numbers_and_words_that_cannot_be() {
    let sandbox = built();
    let expand = |more: &[&str]| spoil(&sandbox, &[&["expand", "--pgn", "games.pgn"], more].concat());
    assert_said!("build_depth_0", expand(&["--depth", "0"]));
    assert_said!("build_min_games_0", expand(&["--min-games", "0"]));
    assert_said!("build_max_nodes_0", expand(&["--max-nodes", "0"]));
    assert_said!("build_bad_since", expand(&["--since", "yesterday"]));
    assert_said!(
        "build_since_after_until",
        expand(&["--since", "2001-05", "--until", "2001-04"])
    );
    assert_said!("build_max_nodes_below_the_names", expand(&["--max-nodes", "2"]));
    assert_said!("build_bad_facets", expand(&["--facets", "year,colour"]));
    assert_said!("build_bad_collection", expand(&["--collection", "../games"]));
    assert_said!("build_own_collection", expand(&["--collection", "openings"]));
    let assign = |fen: &str, label: &str| spoil(&sandbox, &["structures", "--assign", fen, label]);
    let french = "rnbqkbnr/ppp2ppp/4p3/3p4/3PP3/8/PPP2PPP/RNBQKBNR w KQkq -";
    assert_said!("build_assign_unknown_structure", assign(french, "Porcupine"));
    assert_said!("build_assign_not_asked", assign(french, "Hedgehog"));
    assert_said!("build_assign_bad_fen", assign("8/8 w", "Hedgehog"));
    assert_said!(
        "build_explorer_bad_url",
        spoil(&sandbox, &["expand", "--explorer", "lichess"])
    );
}

/// An explorer has counted by rules of its own: what it would take no notice of is refused.
#[test]
fn counting_and_asking_are_two_things() {
    let sandbox = built();
    for flag in [
        &["--add"][..],
        &["--max-ply", "10"],
        &["--min-elo", "2000"],
        &["--since", "2020"],
        &["--until", "2020"],
        &["--facets", "year"],
        &["--threads", "1"],
        &["--state", "counts"],
    ] {
        let ran = spoil(
            &sandbox,
            &[&["expand", "--explorer", "http://127.0.0.1:1/lichess"], flag].concat(),
        );
        let ran = ran.exits_with(2);
        assert!(ran.stderr.contains("cannot be used with"), "{ran}");
    }
}

#[test]
fn a_corpus_that_says_nothing() {
    let sandbox = built();
    sandbox.write("empty.pgn", "");
    sandbox.write(
        "fischer.pgn",
        "[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
         [FEN \"nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1\"]\n\n1. e4 e5 1-0\n",
    );
    let validate = |more: &[&str]| spoil(&sandbox, &[&["validate"], more].concat());
    assert_said!("build_validate_empty", validate(&["--pgn", "empty.pgn"]));
    assert_said!("build_validate_chess960", validate(&["--pgn", "fischer.pgn"]));
    assert_said!(
        "build_validate_depth_0",
        validate(&["--pgn", "games.pgn", "--depth", "0"])
    );
}

#[test]
fn tables_and_books_that_are_none() {
    let sandbox = built();
    sandbox.write("illegal.csv", format!("{NAMES}C60,Ruy Lopez,1.e4 e5 2.Nf3 Nc6 3.Bb6\n"));
    sandbox.write("columns.csv", "code,title\nC50,Italian Game\n");
    sandbox.write("book.bin", "this is not a book");
    sandbox.write("entries.bin", "this is not a book, by any means");
    let eco = |more: &[&str]| spoil(&sandbox, &[&["eco"], more].concat());
    assert_said!("build_names_illegal_move", eco(&["--source", "illegal.csv"]));
    assert_said!("build_names_no_columns", eco(&["--source", "columns.csv"]));
    assert_said!("build_names_missing", eco(&["--source", "gone.csv"]));
    assert_said!("build_names_format", eco(&["--source", "book.bin"]));
    assert_said!(
        "build_book_garbage",
        eco(&["--source", "names.csv", "--book", "book.bin"])
    );
    assert_said!(
        "build_book_of_no_openings",
        eco(&["--source", "names.csv", "--book", "entries.bin"])
    );
    assert_said!(
        "build_book_missing",
        eco(&["--source", "names.csv", "--book", "gone.bin"])
    );
    assert_said!(
        "build_all_illegal_move",
        spoil(&sandbox, &["all", "--pgn", "games.pgn", "--source", "illegal.csv"])
    );
}

#[test]
fn phases_before_their_time() {
    let sandbox = Sandbox::with("games.pgn", crate::build::GAMES);
    sandbox.write("import.pgn", "1. e4 e5 *\n");
    let build = |args: &[&str]| sandbox.tabiya(&[&["build"], args].concat());
    assert_said!("build_audit_no_database", build(&["audit"]));
    for phase in ["structures", "transpositions"] {
        let ran = build(&[phase]).exits_with(3);
        assert!(ran.stderr.contains("there is no such database"), "{ran}");
    }
    assert!(!sandbox.path("tabiya.db").exists(), "a question makes no database");
    sandbox.tabiya(&["import", "import.pgn"]).exits_with(0);
    assert_said!("build_expand_before_eco", build(&["expand", "--pgn", "games.pgn"]));
    assert_said!("build_structures_before_eco", build(&["structures"]));
    assert_said!("build_transpositions_before_eco", build(&["transpositions"]));
    assert_said!("build_validate_before_eco", build(&["validate", "--pgn", "games.pgn"]));
    assert_eq!(build(&["audit"]).code, 1, "nothing is there");
}

#[test]
fn a_database_of_a_newer_version_is_left_alone() {
    let sandbox = built();
    let database = sandbox.path("tabiya.db");
    make_newer(&database);
    let before = fs::read(&database).expect("readable");
    assert_said!(
        "build_newer_schema",
        sandbox.tabiya(&["build", "all", "--pgn", "games.pgn", "--source", "names.csv"])
    );
    for args in [&["audit"][..], &["expand", "--pgn", "games.pgn"], &["structures"]] {
        let ran = sandbox.tabiya(&[&["build"], args].concat()).exits_with(3);
        assert!(ran.stderr.contains("newer"), "{args:?}: {ran}");
    }
    assert!(
        fs::read(&database).expect("readable") == before,
        "not a byte is changed"
    );
}

/// Lets a later version of this program have been here.
pub(crate) fn make_newer(database: &Path) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        use sqlx::Connection;
        let url = format!("sqlite://{}", database.display());
        let mut connection = sqlx::SqliteConnection::connect(&url).await.expect("it opens");
        sqlx::query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
             VALUES (9999, 'later', true, x'00', 0)",
        )
        .execute(&mut connection)
        .await
        .expect("a row");
        connection.close().await.expect("it closes");
    });
}

#[test]
fn counts_of_other_games_are_not_added() {
    let sandbox = built();
    sandbox.write("more.pgn", "[White \"X\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n");
    let add = ["expand", "--pgn", "more.pgn", "--add", "--min-elo", "2000"];
    assert_said!("build_add_by_other_rules", spoil(&sandbox, &add));
    fs::rename(sandbox.path("tabiya.db.counts"), sandbox.path("moved")).expect("writable");
    let add = ["expand", "--pgn", "more.pgn", "--add"];
    assert_said!("build_add_to_nothing", spoil(&sandbox, &add));
    fs::rename(sandbox.path("moved"), sandbox.path("tabiya.db.counts")).expect("writable");
    fs::write(sandbox.path("tabiya.db.counts/games/manifest.json"), "{").expect("writable");
    let add = ["expand", "--pgn", "more.pgn", "--add"];
    let ran = spoil(&sandbox, &add);
    assert!(ran.stderr.contains("tabiya.db.counts"), "{ran}");
}
