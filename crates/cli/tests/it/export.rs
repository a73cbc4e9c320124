//! `tabiya export` as its users meet it.

use std::fs;

use shakmaty::{Chess, Position as _};
use tabiya_chess::PolyglotBook;

use crate::{
    build::built,
    corpus::Dice,
    sandbox::{Ran, Sandbox, assert_said},
};

/// Every format with an output for it.
pub(crate) const EVERYWHERE: [(&str, &str); 8] = [
    ("json", "openings"),
    ("pgn", "games"),
    ("pgn", "all.pgn"),
    ("polyglot", "books"),
    ("polyglot", "book.bin"),
    ("csv", "nodes.csv"),
    ("parquet", "parquet"),
    ("jsonl", "lines"),
];

fn export(sandbox: &Sandbox, format: &str, output: &str, more: &[&str]) -> Ran {
    sandbox.tabiya(&[&["export", "--format", format, "--output", output], more].concat())
}

#[test]
fn nothing_is_said_behind_data_on_standard_output() {
    let sandbox = built();
    export(&sandbox, "csv", "nodes.csv", &[]).exits_with(0);
    let piped = export(&sandbox, "csv", "/dev/stdout", &[]).exits_with(0);
    assert_eq!(piped.stdout, sandbox.read("nodes.csv"));

    sandbox.write("game.pgn", "[White \"a\"]\n[Black \"b\"]\n\n1. e4 e5 1-0\n");
    let piped = sandbox
        .tabiya(&["analyze", "game.pgn", "--output", "/dev/stdout"])
        .exits_with(0);
    // One document and nothing behind it.
    assert_eq!(piped.json()["meta"]["totalGames"], 1);
}

#[test]
fn exports_are_told() {
    let sandbox = built();
    assert_said!("export_json", export(&sandbox, "json", "openings/", &[]));
    assert_said!("export_pgn", export(&sandbox, "pgn", "all.pgn", &[]));
    assert_said!(
        "export_polyglot",
        export(&sandbox, "polyglot", "books", &["--eco", "c50-c59"])
    );
    assert_said!(
        "export_csv",
        export(&sandbox, "csv", "nodes.csv", &["--max-depth", "3"])
    );
    assert_said!(
        "export_parquet",
        export(&sandbox, "parquet", "tables", &["--min-games", "2"])
    );
    assert_eq!(
        fs::read_dir(sandbox.path("books")).expect("a directory").count(),
        2,
        "the Italian game and the index"
    );
    let ran = export(
        &sandbox,
        "jsonl",
        "lines",
        &["--report-format", "json", "--report", "report.json"],
    )
    .exits_with(0);
    assert_eq!(ran.stderr, "");
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&sandbox.read("report.json")).expect("JSON"),
        ran.json()
    );
    assert_eq!(
        (
            ran.json()["status"].as_str(),
            ran.json()["files"].as_array().map(Vec::len)
        ),
        (Some("done"), Some(4))
    );
    let ran = export(&sandbox, "jsonl", "lines", &["-q"]).exits_with(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}

#[test]
fn a_file_may_say_what_to_export() {
    let sandbox = built();
    sandbox.write("tabiya.toml", "[export]\neco = \"C50-C59\"\nmax_depth = 2\n");
    let ran = export(&sandbox, "pgn", "italian.pgn", &["--report-format", "json"]).exits_with(0);
    assert_eq!(ran.json()["files"][0]["id"], "italian-game", "{ran}");
    assert_eq!(ran.json()["max_depth"], 2);
    // The command line wins.
    let ran = export(&sandbox, "pgn", "all.pgn", &["--report-format", "json", "--eco", "ALL"]).exits_with(0);
    assert!(ran.json()["entries"].as_u64() > Some(15), "{ran}");
    sandbox.write("tabiya.toml", "[export]\neco = \"C9\"\n");
    assert_said!("export_bad_eco_in_a_file", export(&sandbox, "pgn", "italian.pgn", &[]));
}

#[test]
fn what_cannot_be_exported_says_why() {
    let sandbox = built();
    assert_said!("export_unknown_eco", export(&sandbox, "json", "out", &["--eco", "E60"]));
    assert_said!("export_no_eco", export(&sandbox, "json", "out", &["--eco", "F00"]));
    assert_said!(
        "export_eco_backwards",
        export(&sandbox, "json", "out", &["--eco", "C99-C50"])
    );
    assert_said!(
        "export_too_many_games",
        export(&sandbox, "csv", "out.csv", &["--min-games", "99"])
    );
    assert_said!(
        "export_unknown_collection",
        export(&sandbox, "csv", "out.csv", &["--collection", "club"])
    );
    assert_said!(
        "export_unknown_repertoire",
        export(&sandbox, "json", "out", &["--repertoire", "Italian"])
    );
    assert_said!("export_one_file", export(&sandbox, "json", "out.json", &[]));
    assert_said!(
        "export_tables_to_a_file",
        export(&sandbox, "parquet", "out.parquet", &[])
    );
    assert_said!("export_below_a_file", export(&sandbox, "json", "games.pgn/out", &[]));
    sandbox.write("mine/notes.txt", "mine");
    assert_said!("export_to_a_foreign_directory", export(&sandbox, "json", "mine", &[]));
    export(&sandbox, "json", "openings", &[]).exits_with(0);
    assert_said!("export_another_format", export(&sandbox, "pgn", "openings", &[]));
    sandbox.write("openings/ruy-lopez.json", "mine");
    let left = ["out", "out.csv", "out.json", "out.parquet"].map(|name| sandbox.path(name).exists());
    assert_eq!(left, [false; 4], "nothing is left behind");
    assert_eq!(sandbox.read("mine/notes.txt"), "mine");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let sandbox = built();
    assert_said!("export_full_disk", export(&sandbox, "csv", "/dev/full", &[]));
}

#[test]
fn a_database_without_openings_has_nothing_to_export() {
    let sandbox = Sandbox::with("games.pgn", "1. e4 e5 *\n");
    for (format, output) in EVERYWHERE {
        let ran = export(&sandbox, format, output, &[]).exits_with(3);
        assert!(ran.stderr.contains("there is no such database"), "{ran}");
    }
    assert_eq!(
        fs::read_dir(sandbox.directory()).expect("readable").count(),
        1,
        "nothing was made"
    );
    sandbox.tabiya(&["import", "games.pgn"]).exits_with(0);
    for (format, output) in EVERYWHERE {
        let ran = export(&sandbox, format, output, &[]).exits_with(2);
        assert!(ran.stderr.contains("the database has no openings yet"), "{ran}");
        assert!(!sandbox.path(output).exists(), "{output}");
    }
    assert_said!("export_no_openings", export(&sandbox, "json", "out", &[]));
}

/// Random games that all begin alike.
fn games_after(first: &str, number: usize) -> String {
    let mut dice = Dice(5);
    let mut text = String::new();
    for game in 0..number {
        let mut position = Chess::default();
        text.push_str(&format!("[White \"W{game}\"]\n\n{first} "));
        let (san, ..) = tabiya_chess::parse_san(first.as_bytes()).expect(first);
        position.play_unchecked(tabiya_chess::resolve(&position, san).expect(first));
        for _ in 0..16 {
            let moves = position.legal_moves();
            let Some(m) = moves.get(dice.below(moves.len().max(1) as u64) as usize) else {
                break;
            };
            text.push_str(&tabiya_chess::to_san(&position, *m));
            text.push(' ');
            position.play_unchecked(*m);
        }
        text.push_str("1-0\n\n");
    }
    text
}

/// Enough games for a tree of more than 5 MB.
#[test]
fn a_file_that_would_be_too_large_is_cut_and_says_so() {
    let sandbox = built();
    sandbox.write("many.pgn", games_after("e4", 2500));
    let expand = ["build", "expand", "--pgn", "many.pgn", "--min-games", "1"];
    sandbox.tabiya(&expand).exits_with(0);
    let args = ["--max-depth", "25", "--eco", "B00"];
    let ran = export(&sandbox, "json", "openings", &args).exits_with(0);
    let (_, note) = ran
        .stderr
        .split_once("note: kings-pawn-game.json: cut to ")
        .expect("a note");
    let (depth, rest) = note.split_once(" half-moves ").expect("a depth");
    assert!(rest.starts_with("to stay under 5 MB"), "{ran}");
    let size = fs::metadata(sandbox.path("openings/kings-pawn-game.json"))
        .expect("a file")
        .len();
    assert!((1_000_000..=5_000_000).contains(&size), "{size}");
    let index: serde_json::Value = serde_json::from_str(&sandbox.read("openings/index.json")).expect("JSON");
    let file = &index["files"][0];
    assert_eq!(
        (file["depth_cut"].as_bool(), file["depth"].to_string()),
        (Some(true), depth.to_owned())
    );
    // Who asks for no more than fits is told nothing.
    let args = ["--max-depth", depth, "--eco", "B00"];
    let ran = export(&sandbox, "json", "openings", &args).exits_with(0);
    assert!(!ran.stderr.contains("cut"), "{ran}");
    let again = fs::metadata(sandbox.path("openings/kings-pawn-game.json"))
        .expect("a file")
        .len();
    assert_eq!(again, size);
}

const REPERTOIRE: &str = "\
1. e4 e5 (1... c5 2. Nf3 d6 (2... Nc6 3. Bb5)) 2. Nf3 Nc6 (2... d6 3. d4) 3. Bc4 Bc5 (3... Nf6 4. d3 Bc5 5. O-O) 4. O-O Nf6 5. d3 *
";

#[test]
fn a_repertoire_goes_out_in_every_format() {
    let sandbox = built();
    sandbox.write("repertoire.pgn", REPERTOIRE);
    let import = ["import", "repertoire.pgn", "--owner", "andy", "--repertoire"];
    sandbox.tabiya(&[&import[..], &["My Italian"]].concat()).exits_with(0);
    let edges = 20;
    for (format, output) in EVERYWHERE {
        let ran = export(
            &sandbox,
            format,
            output,
            &["--repertoire", "My Italian", "--report-format", "json"],
        );
        let report = ran.exits_with(0).json();
        assert!(report["entries"].as_u64() >= Some(edges), "{format} {output}: {report}");
    }
    // JSON: every line to its end, by the games of the knowledge base, without a limit of depth.
    let json: serde_json::Value = serde_json::from_str(&sandbox.read("openings/my-italian.json")).expect("JSON");
    assert_eq!(
        (&json["name"], &json["color"], &json["eco"]),
        (&"My Italian".into(), &"white".into(), &"".into())
    );
    assert_eq!(json["rootResponses"], serde_json::json!(["e4"]));
    assert_eq!(json["moves"][0]["engineResponses"], serde_json::json!(["e5", "c5"]));
    assert_eq!(json["moves"][0]["commentary"], "King's Pawn Game");
    // PGN: the same edges when it is imported again.
    for pgn in ["all.pgn", "games/my-italian.pgn"] {
        let database = format!("{}.db", pgn.replace('/', "-"));
        sandbox
            .tabiya(&[
                "import",
                pgn,
                "--owner",
                "andy",
                "--repertoire",
                "My Italian",
                "--db",
                &database,
                "--fail-fast",
            ])
            .exits_with(0);
        assert_eq!(
            sandbox.content(&database).repertoire,
            sandbox.content("tabiya.db").repertoire,
            "{pgn}"
        );
    }
    // Polyglot: one entry a move.
    for book in ["book.bin", "books/my-italian.bin"] {
        let book = PolyglotBook::from_bytes(&fs::read(sandbox.path(book)).expect("a book")).expect("whole entries");
        assert_eq!(book.len() as u64, edges);
        let first = book.moves(&Chess::default()).moves;
        assert_eq!((first.len(), first[0].weight), (1, 3), "as often as it was played");
    }
    // Tables: the repertoire's positions and moves, and nothing else.
    let positions = sandbox.rows("lines/nodes.jsonl").len();
    assert_eq!(sandbox.rows("lines/edges.jsonl").len() as u64, edges);
    assert_eq!(sandbox.read("nodes.csv").lines().count(), positions + 1);
    assert_eq!(positions, 20, "two lines meet");

    let ran = export(
        &sandbox,
        "pgn",
        "bob.pgn",
        &["--repertoire", "My Italian", "--owner", "bob"],
    )
    .exits_with(2);
    assert!(ran.stderr.contains("there are: \"My Italian\" of \"andy\""), "{ran}");
}
