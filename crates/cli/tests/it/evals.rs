//! `tabiya evals import`.

use std::{collections::HashMap, io::Write as _};

use shakmaty::{Chess, Position as _, san::San};
use tabiya_chess::{Eval, Question, SearchLimit};
use tabiya_store::Store;

use crate::sandbox::{Sandbox, assert_said};

/// The start twice over, a position in which `e1h1` castles, and two lines that are none.
const ARCHIVE: &str = r#"{"fen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -","evals":[{"pvs":[{"cp":21,"line":"e2e4 e7e5"}],"knodes":9000,"depth":40},{"pvs":[{"cp":20,"line":"e2e4"},{"cp":18,"line":"d2d4"}],"knodes":500,"depth":30},{"pvs":[{"cp":50,"line":"e2e4"}],"knodes":1,"depth":12}]}
rubbish
{"fen":"r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -","evals":[{"pvs":[{"cp":10,"line":"e1h1 g8f6 d2d3"}],"knodes":700,"depth":33}]}
{"fen":"r1bqk1nr/pppp1ppp/2n5/2b1p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq -","evals":[{"pvs":[{"cp":10,"line":"e1e5"}],"knodes":700,"depth":99}]}
"#;

const GAMES: &str = "[Event \"x\"]\n\n1. e4 {[%eval 0.32,18]} e5 {[%eval 0.3]} 2. Nf3 {[%clk 0:01:00]} (2. Ke2 {[%eval -1.5,20]}) 1-0\n\n\
    [Event \"y\"]\n\n1. e4 {[%eval 0.28,24]} e4 1-0\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with("evals.jsonl", ARCHIVE);
    std::fs::write(sandbox.path("games.pgn"), GAMES).expect("a file");
    sandbox
}

fn after(line: &str) -> Chess {
    let mut pos = Chess::default();
    for san in line.split_whitespace() {
        let san: San = san.parse().expect(san);
        pos.play_unchecked(san.to_move(&pos).expect("a legal move"));
    }
    pos
}

/// The best stored answer to a question: who gave it, the evaluation, and the moves.
fn answer(sandbox: &Sandbox, pos: &Chess, depth: u8, multipv: u8) -> Option<(String, Eval, String)> {
    let question = Question {
        limit: SearchLimit::depth(depth),
        multipv,
        engine: None,
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let found = runtime.block_on(async {
        let url = format!("sqlite://{}", sandbox.path("tabiya.db").display());
        let store = Store::connect(&url).await.expect("the database opens");
        let found = store.find_analysis(pos, &question).await.expect("an answer");
        store.close().await;
        found
    })?;
    let best = found.best().expect("a line");
    let moves: Vec<String> = best.moves.iter().map(ToString::to_string).collect();
    Some((found.engine.clone(), best.eval, moves.join(" ")))
}

fn counts(sandbox: &Sandbox) -> HashMap<String, u64> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let url = format!("sqlite://{}", sandbox.path("tabiya.db").display());
        let store = Store::connect(&url).await.expect("the database opens");
        let counts = store.evaluation_counts().await.expect("counts");
        store.close().await;
        counts.by_engine.into_iter().collect()
    })
}

#[test]
fn what_others_evaluated_is_there_to_be_asked_for() {
    let sandbox = sandbox();
    let args = ["evals", "import", "evals.jsonl", "games.pgn"];
    assert_said!("evals_import", sandbox.tabiya(&args).exits_with(0));

    let cloud = "lichess-cloud".to_owned();
    let start = Chess::default();
    let moves = "e2e4 e7e5".to_owned();
    assert_eq!(
        answer(&sandbox, &start, 40, 1),
        Some((cloud.clone(), Eval::Cp(21), moves))
    );
    let two = answer(&sandbox, &start, 30, 2).expect("two lines");
    assert_eq!((two.1, two.2.as_str()), (Eval::Cp(20), "e2e4"));
    assert_eq!(answer(&sandbox, &start, 31, 2), None);
    let italian = after("e4 e5 Nf3 Nc6 Bc4 Bc5");
    let castled = answer(&sandbox, &italian, 33, 1).expect("an answer");
    assert_eq!((castled.0, castled.2.as_str()), (cloud, "e1g1 g8f6 d2d3"));

    let comment = "pgn-comment".to_owned();
    let e4 = answer(&sandbox, &after("e4"), 18, 0).expect("an answer");
    assert_eq!((e4.0, e4.1), (comment, Eval::Cp(28)), "the deepest");
    let king = answer(&sandbox, &after("e4 e5 Ke2"), 20, 0).expect("an answer");
    assert_eq!(king.1, Eval::Cp(-150), "variations count");
    assert_eq!(
        answer(&sandbox, &after("e4 e5"), 1, 0),
        None,
        "no depth serves no depth"
    );
    let all = HashMap::from([("lichess-cloud".to_owned(), 3), ("pgn-comment".to_owned(), 4)]);
    assert_eq!(counts(&sandbox), all);

    let again = sandbox
        .tabiya(&[&args[..], &["--format", "json"]].concat())
        .exits_with(0);
    assert_eq!(
        (again.json()["evaluations"].as_u64(), again.json()["new"].as_u64()),
        (Some(7), Some(0))
    );
    assert_eq!(counts(&sandbox), all);
}

#[test]
fn the_report_names_everything() {
    let sandbox = sandbox();
    let args = [
        "evals",
        "import",
        "evals.jsonl",
        "games.pgn",
        "--report",
        "out/report.json",
        "-q",
    ];
    let ran = sandbox.tabiya(&args).exits_with(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    let report: serde_json::Value = serde_json::from_str(&sandbox.read("out/report.json")).expect("JSON");
    assert_eq!(report["status"], "done");
    assert_eq!(
        (report["positions"].as_u64(), report["bad"].as_u64()),
        (Some(6), Some(3))
    );
    let places = |file: usize| {
        let problems = report["files"][file]["problems"].as_array().expect("a list");
        problems
            .iter()
            .map(|problem| problem["place"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(places(0), ["line 2", "line 4"]);
    assert_eq!(places(1).len(), 1);
    assert_eq!(report["files"][1]["kind"], "pgn");
}

#[test]
fn compressed_and_from_standard_input() {
    let sandbox = Sandbox::new();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(ARCHIVE.as_bytes()).expect("memory");
    let packed = [
        ("a.zst", zstd::encode_all(ARCHIVE.as_bytes(), 1).expect("memory")),
        ("b.gz", gzip.finish().expect("memory")),
        ("c.pgn.zst", zstd::encode_all(GAMES.as_bytes(), 1).expect("memory")),
    ];
    for (name, bytes) in packed {
        std::fs::write(sandbox.path(name), bytes).expect("a file");
    }
    let ran = sandbox
        .tabiya(&["evals", "import", "a.zst", "b.gz", "c.pgn.zst", "--format", "json"])
        .exits_with(0);
    assert_eq!(
        (ran.json()["positions"].as_u64(), ran.json()["new"].as_u64()),
        (Some(8), Some(7))
    );
    let command = sandbox.command(
        env!("CARGO_BIN_EXE_tabiya"),
        &["evals", "import", "-", "--format", "json"],
    );
    let ran = sandbox.run_with_input(command, ARCHIVE).exits_with(0);
    assert_eq!(ran.json()["evaluations"].as_u64(), Some(3));
}

#[test]
fn depth_limit_and_knowledge_narrow_it() {
    let sandbox = sandbox();
    let import = |more: &[&str]| {
        let args = [
            &["evals", "import", "evals.jsonl", "games.pgn", "--format", "json"],
            more,
        ]
        .concat();
        sandbox.tabiya(&args).exits_with(0).json()
    };
    let figures = |report: &serde_json::Value| (report["positions"].as_u64(), report["passed_over"].as_u64());
    assert_eq!(figures(&import(&["--min-depth", "33"])), (Some(2), Some(4)));
    let limited = import(&["--limit", "1"]);
    assert_eq!(
        (limited["positions"].as_u64(), limited["limit_reached"].as_bool()),
        (Some(1), Some(true))
    );

    assert_said!(
        "evals_known_only_before_build",
        sandbox.tabiya(&["evals", "import", "evals.jsonl", "--known-only"])
    );
    sandbox.tabiya(&["build", "eco"]).exits_with(0);
    // Even 2.Ke2 has a name.
    let known = import(&["--known-only"]);
    assert_eq!(figures(&known), (Some(6), Some(0)));
    std::fs::write(
        sandbox.path("odd.pgn"),
        "1. e4 {[%eval 0.3]} h5 {[%eval 0.9]} 2. h4 {[%eval 0.5]} h6 1-0",
    )
    .expect("a file");
    let odd = sandbox
        .tabiya(&["evals", "import", "odd.pgn", "--known-only", "--format", "json"])
        .exits_with(0);
    assert_eq!(odd.json()["passed_over"].as_u64(), Some(1), "{odd}");
}

#[test]
fn settings_may_stand_in_a_file() {
    let sandbox = sandbox();
    std::fs::write(
        sandbox.path("tabiya.toml"),
        "db = \"other.db\"\n[evals]\nmin_depth = 33\n",
    )
    .expect("a file");
    let ran = sandbox
        .tabiya(&["evals", "import", "evals.jsonl", "--format", "json"])
        .exits_with(0);
    assert_eq!(ran.json()["positions"].as_u64(), Some(2));
    assert!(sandbox.path("other.db").exists() && !sandbox.path("tabiya.db").exists());
    let ran = sandbox.tabiya(&[
        "evals",
        "import",
        "evals.jsonl",
        "--format",
        "json",
        "--min-depth",
        "34",
    ]);
    assert_eq!(
        ran.exits_with(0).json()["positions"].as_u64(),
        Some(1),
        "the command line wins"
    );
}

#[test]
fn what_cannot_be_read_is_said() {
    let sandbox = Sandbox::with("empty.jsonl", "");
    let archive = |number: usize| ARCHIVE.replace("9000", &number.to_string());
    let whole = (0..5000).map(archive).collect::<String>();
    let whole = zstd::encode_all(whole.as_bytes(), 1).expect("memory");
    std::fs::write(sandbox.path("cut.jsonl.zst"), &whole[..whole.len() / 2]).expect("a file");
    std::fs::write(sandbox.path("garbage.jsonl"), "\u{1}\u{2}\n\u{3}").expect("a file");
    std::fs::write(sandbox.path("plain.pgn"), "1. e4 e5 *\n").expect("a file");
    std::fs::create_dir(sandbox.path("directory")).expect("a directory");
    let import = |name: &str| sandbox.tabiya(&["evals", "import", name]);
    assert_said!("evals_empty_file", import("empty.jsonl").exits_with(2));
    assert_said!("evals_garbage", import("garbage.jsonl").exits_with(2));
    assert_said!("evals_directory", import("directory").exits_with(2));
    assert_said!("evals_missing_file", import("missing.jsonl").exits_with(2));
    assert_said!("evals_plain_pgn", import("plain.pgn").exits_with(0));
    assert_said!(
        "evals_bad_database",
        sandbox
            .tabiya(&["evals", "import", "plain.pgn", "--db", "postgres://127.0.0.1:1/x"])
            .exits_with(3)
    );
    let cut = import("cut.jsonl.zst").exits_with(2);
    assert!(
        cut.stderr.contains("error: cut.jsonl.zst: broke off behind line "),
        "{cut}"
    );
    assert!(
        cut.stderr.contains("hint: everything before this place is kept"),
        "{cut}"
    );
}
