//! What an import can be given to read.

use std::io::Write as _;

use crate::sandbox::{ONE_BAD_OF_THREE, Sandbox, TABIYA, assert_said};

const GAME: &str = "[Event \"one\"]\n\n1. e4 e5 *\n";

#[test]
fn an_empty_file_is_no_error_but_a_hint() {
    let sandbox = Sandbox::with("empty.pgn", "");
    assert_said!("empty_file", sandbox.tabiya(&["import", "empty.pgn"]));
}

#[test]
fn a_directory_is_read_in_the_order_of_names() {
    let sandbox = Sandbox::with("games/b.pgn", GAME);
    sandbox.write("games/a.pgn", "1. d4 d5 2. c4 *\n");
    sandbox.write("games/deeper/c.txt", GAME);
    sandbox.write("games/notes.md", "1. Nc3 *\n");
    assert_said!("directory", sandbox.tabiya(&["import", "games"]));
}

#[test]
fn a_directory_without_pgn_is_named() {
    let sandbox = Sandbox::with("games/notes.md", "nothing");
    assert_said!("directory_without_pgn", sandbox.tabiya(&["import", "games"]));
    assert!(
        !sandbox.path("tabiya.db").exists(),
        "a bad request leaves nothing behind"
    );
}

#[test]
fn a_missing_file_is_named_before_anything_is_done() {
    let sandbox = Sandbox::with("there.pgn", GAME);
    assert_said!("missing_file", sandbox.tabiya(&["import", "there.pgn", "gone.pgn"]));
    assert!(
        !sandbox.path("tabiya.db").exists(),
        "a bad request leaves nothing behind"
    );
}

#[test]
fn garbage_is_rejected_and_nothing_breaks() {
    let garbage: Vec<u8> = (0..4000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let sandbox = Sandbox::with("garbage.bin", &garbage);
    sandbox.write("good.pgn", GAME);
    let ran = sandbox.tabiya(&["import", "garbage.bin", "good.pgn"]).exits_with(0);
    assert!(
        ran.stderr.contains("could not be taken whole") || ran.stderr.contains("no games in garbage.bin"),
        "{ran}"
    );
    assert_eq!(
        sandbox.content("tabiya.db").edges.len(),
        2,
        "its neighbour is read all the same"
    );
}

#[test]
fn globs_and_both_ways_to_name_an_input() {
    let sandbox = Sandbox::with("x1.pgn", GAME);
    sandbox.write("x2.pgn", "1. d4 *");
    sandbox.write("y.pgn", "1. c4 *");
    sandbox.tabiya(&["import", "x*.pgn", "--input", "y.pgn"]).exits_with(0);
    assert_eq!(sandbox.content("tabiya.db").edges.len(), 4);
    let ran = sandbox.tabiya(&["import", "z*.pgn"]).exits_with(2);
    assert!(ran.stderr.contains("z*.pgn"), "{ran}");
}

#[test]
fn standard_input_is_an_input() {
    let sandbox = Sandbox::new();
    let command = sandbox.command(TABIYA, &["import", "-", "--db", "in.db"]);
    assert_said!("standard_input", sandbox.run_with_input(command, GAME));
    assert_eq!(sandbox.content("in.db").edges.len(), 2);
}

#[test]
fn compressed_files_are_read_whatever_they_are_called() {
    let sandbox = Sandbox::new();
    let bytes = GAME.as_bytes();
    sandbox.write("a.pgn.zst", zstd::encode_all(bytes, 3).expect("zstd"));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(bytes).expect("gzip");
    sandbox.write("b.pgn.gz", gzip.finish().expect("gzip"));
    let mut bzip2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    bzip2.write_all(bytes).expect("bzip2");
    let bzip2 = bzip2.finish().expect("bzip2");
    sandbox.write("c.pgn.bz2", &bzip2);
    sandbox.write("d.pgn", &bzip2);
    for name in ["a.pgn.zst", "b.pgn.gz", "c.pgn.bz2", "d.pgn"] {
        let database = format!("{name}.db");
        let ran = sandbox.tabiya(&["import", name, "--db", &database]).exits_with(0);
        assert_eq!(sandbox.content(&database).edges.len(), 2, "{ran}");
    }
}

/// Not one game of rubbish: a word about the packing, and a way out.
#[test]
fn what_is_packed_otherwise_is_named_with_a_way_out() {
    let packed: [(&str, &[u8], &str, &str); 4] = [
        (
            "a.pgn.xz",
            b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4\x46",
            "xz",
            "xz -dc FILE | tabiya … -",
        ),
        (
            "a.zip",
            b"PK\x03\x04\x14\0\0\0\x08\0",
            "zip",
            "unzip -p FILE | tabiya … -",
        ),
        (
            "a.7z",
            b"7z\xbc\xaf\x27\x1c\0\x04",
            "7-Zip",
            "7z e -so FILE | tabiya … -",
        ),
        ("a.rar", b"Rar!\x1a\x07\x01\0", "RAR", "unrar p -inul FILE | tabiya … -"),
    ];
    let sandbox = crate::build::built();
    let first = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let line = "{\"depth\": 1, \"index\": 1, \"cp\": 20, \"moves\": [\"e2e4\"]}";
    sandbox.write(
        "lines.jsonl",
        format!("{{\"fen\": \"{first}\", \"source\": \"x\", \"lines\": [{line}]}}\n"),
    );
    for (file, bytes, name, way) in packed {
        sandbox.write(file, bytes);
        #[rustfmt::skip]
        let verbs: [&[&str]; 8] = [
            &["import", file],
            // What the file before it left is thrown away.
            &["positions", "--input", file, "--no-engine", "--format", "jsonl", "--output", "p.jsonl", "--restart"],
            &["count", "--pgn", file, "--out", "c.jsonl"],
            &["analyze", file, "--output", "db.json"],
            &["review", file, "--lines", "lines.jsonl"],
            &["evals", "import", file],
            &["build", "expand", "--pgn", file],
            &["build", "validate", "--pgn", file],
        ];
        for verb in verbs {
            let ran = sandbox.tabiya(verb).exits_with(2);
            let error = format!("packed with {name}, which is not read here");
            for word in [file, &error, way, "hint: "] {
                assert!(ran.stderr.contains(word), "{verb:?}: no {word:?}: {ran}");
            }
        }
        for output in ["p.jsonl", "c.jsonl", "db.json"] {
            assert!(!sandbox.path(output).exists(), "{file}: {output}");
        }
        let stdin = sandbox.run_with_input(sandbox.command(TABIYA, &["import", "-"]), bytes);
        assert!(stdin.exits_with(2).stderr.contains(way));
    }
    // Beside others it is left out, and the reason says what to do.
    sandbox.write("one.pgn", GAME);
    let ran = sandbox.tabiya(&["analyze", "one.pgn", "a.pgn.xz"]).exits_with(0);
    assert!(
        ran.stderr.contains("a.pgn.xz is left out") && ran.stderr.contains("xz -dc FILE"),
        "{ran}"
    );
}

#[test]
fn files_shorter_than_a_packing_is_told_by_are_text() {
    for text in ["", "1", "*", "1. e4", "Rar!", "PK", "7z"] {
        let sandbox = Sandbox::with("short.pgn", text);
        let ran = sandbox.tabiya(&["import", "short.pgn"]).exits_with(0);
        assert!(!ran.stderr.contains("packed"), "{text}: {ran}");
        let edges = sandbox.content("tabiya.db").edges.len();
        assert_eq!(edges, usize::from(text == "1. e4"), "{text}: {ran}");
    }
}

#[test]
fn an_archive_that_was_cut_gives_what_is_before_the_cut() {
    // More than one block of the compressor, so that something can be read at all.
    let games = crate::corpus::games(7, 2000);
    let whole = zstd::encode_all(games.as_bytes(), 3).expect("zstd");
    let sandbox = Sandbox::with("cut.pgn.zst", &whole[..whole.len() * 3 / 4]);
    let ran = sandbox
        .tabiya(&["import", "--max-depth", "3", "cut.pgn.zst"])
        .exits_with(2);
    assert!(
        ran.stderr.contains("cut.pgn.zst") && ran.stderr.contains("whole games"),
        "{ran}"
    );
    assert!(sandbox.content("tabiya.db").edges.len() > 100, "{ran}");
}

#[test]
fn all_inputs_are_counted_and_summed_up() {
    let sandbox = Sandbox::with("a.pgn", GAME);
    sandbox.write("b.pgn", ONE_BAD_OF_THREE);
    sandbox.write(
        "c.pgn",
        "[FEN \"7k/5Q2/6K1/8/8/8/8/8 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. Qg7# *\n",
    );
    assert_said!(
        "several_inputs",
        sandbox.tabiya(&[
            "import",
            "a.pgn",
            "b.pgn",
            "c.pgn",
            "--owner",
            "andy",
            "--repertoire",
            "Mixed"
        ])
    );
}

#[test]
fn what_was_left_out_is_explained() {
    let sandbox = Sandbox::with("white.pgn", GAME);
    assert_said!(
        "side_leaves_nothing",
        sandbox.tabiya(&["import", "--side", "black", "white.pgn"])
    );
    sandbox.write(
        "960.pgn",
        "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"nrbkqbrn/pppppppp/8/8/8/8/PPPPPPPP/NRBKQBRN w KQkq - 0 1\"]\n\n1. e4 *\n",
    );
    let ran = sandbox.tabiya(&["import", "960.pgn"]).exits_with(0);
    assert!(ran.stderr.contains("--include-chess960"), "{ran}");
    sandbox.write(
        "fen.pgn",
        "[SetUp \"1\"]\n[FEN \"7k/5Q2/6K1/8/8/8/8/8 w - - 0 1\"]\n\n1. Qg7# *\n",
    );
    let ran = sandbox
        .tabiya(&["import", "--no-tactic-from-fen", "fen.pgn"])
        .exits_with(0);
    assert!(ran.stderr.contains("--include-fen-in-trie"), "{ran}");
}
