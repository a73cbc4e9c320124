//! `tabiya positions` and its verbs over files that were taken before, and Python as their reader.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    blitz_games::games,
    positions::GAMES,
    sandbox::{Sandbox, TABIYA, assert_said},
};

#[test]
fn files_of_positions_are_handled() {
    let sandbox = Sandbox::with("games.pgn", GAMES.repeat(3));
    let tabiya = |args: &[&str]| sandbox.tabiya(&[&["positions"], args].concat()).exits_with(0);
    tabiya(&[
        "--input",
        "games.pgn",
        "--no-engine",
        "--use-evals",
        "--per-game",
        "9",
        "-q",
        "-o",
        "a.parquet",
    ]);
    assert_said!("positions_inspect", tabiya(&["inspect", "a.parquet"]));
    assert_said!("positions_decode", tabiya(&["decode", "--limit", "2", "a.parquet"]));
    tabiya(&["convert", "a.parquet", "-o", "a.binpack"]);
    tabiya(&["merge", "a.parquet", "a.binpack", "-o", "b.jsonl.zst"]);
    assert_said!(
        "positions_dedupe",
        tabiya(&["dedupe", "b.jsonl.zst", "-o", "c.parquet"])
    );
    assert_said!(
        "positions_dedupe_with",
        tabiya(&["dedupe", "b.jsonl.zst", "--with", "c.parquet", "-o", "d.parquet"])
    );
    tabiya(&["shuffle", "b.jsonl.zst", "--seed", "3", "-o", "e.txt"]);
    let sorted = |name: &str| {
        let mut lines: Vec<String> = sandbox.read(name).lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    tabiya(&["convert", "b.jsonl.zst", "-o", "b.txt"]);
    assert_eq!(sorted("e.txt"), sorted("b.txt"));
    assert_eq!(sorted("e.txt").len(), 12);
    let manifest: serde_json::Value = serde_json::from_str(&sandbox.read("e.txt.manifest.json")).expect("JSON");
    assert_eq!(
        (&manifest["verb"], &manifest["seed"], &manifest["counts"]["written"]),
        (&"shuffle".into(), &3.into(), &12.into())
    );
}

#[cfg(unix)]
#[test]
fn nothing_but_positions_goes_to_standard_output() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    let take = |output: &'static str| {
        [
            "positions",
            "--input",
            "games.pgn",
            "--no-engine",
            "--format",
            "jsonl",
            "--output",
            output,
        ]
    };
    sandbox.tabiya(&take("p.jsonl")).exits_with(0);
    let expected = sandbox.read("p.jsonl");
    std::os::unix::fs::symlink("/dev/stdout", sandbox.path("link")).expect("a link");
    #[rustfmt::skip]
    let tools = ["convert", "merge", "shuffle", "dedupe"].map(|tool| {
        ["positions", tool, "p.jsonl", "--format", "jsonl", "--output", "/dev/stdout"]
    });
    let takes = ["/dev/stdout", "/dev/fd/1", "link"].map(take);
    for args in takes
        .iter()
        .map(|args| &args[..])
        .chain(tools.iter().map(|args| &args[..]))
    {
        let piped = sandbox.tabiya(args).exits_with(0);
        assert_eq!(piped.stdout, expected, "{args:?}: {piped}");
        // The shell's file is added to, not replaced, and nothing lies beside it or in /dev.
        sandbox.write("out/file", "before\n");
        let append = || fs::File::options().append(true).open(sandbox.path("out/file"));
        let status = sandbox.command(TABIYA, args).stdout(append().expect("a file")).status();
        assert!(status.expect("the program runs").success(), "{args:?}");
        append().expect("a file").write_all(b"after\n").expect("written");
        assert_eq!(
            sandbox.read("out/file"),
            format!("before\n{expected}after\n"),
            "{args:?}"
        );
        assert_eq!(
            fs::read_dir(sandbox.path("out")).expect("readable").count(),
            1,
            "{args:?}"
        );
        assert!(!Path::new("/dev/stdout.manifest.json").exists(), "{args:?}");
    }
    // Elsewhere there is room for a summary.
    let ran = sandbox.tabiya(&take("/dev/null")).exits_with(0);
    assert!(ran.stdout.contains("written"), "{ran}");
}

#[cfg(unix)]
#[test]
fn what_comes_through_a_pipe_is_lost_to_no_verb() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    #[rustfmt::skip]
    let take = [
        "positions", "--input", "games.pgn", "--no-engine", "--use-evals", "--per-game", "9", "-q", "-o", "p.txt",
    ];
    sandbox.tabiya(&take).exits_with(0);
    let positions = sandbox.read("p.txt");
    let tool = |tool: &str| {
        sandbox.write("out.txt", "of before\n");
        let args = ["positions", tool, "/dev/stdin", "--from", "text", "-o", "out.txt"];
        sandbox.run_with_input(sandbox.command(TABIYA, &args), positions.as_str())
    };
    for twice in ["dedupe", "shuffle"] {
        let ran = tool(twice).exits_with(2);
        assert_eq!(
            ran.stderr,
            "error: `/dev/stdin` is read twice, which a pipe or a device cannot be\nhint: write it to a file first\n"
        );
        assert_eq!(sandbox.read("out.txt"), "of before\n");
    }
    for once in ["convert", "merge"] {
        tool(once).exits_with(0);
        assert_eq!(sandbox.read("out.txt"), positions);
    }
}

/// Elsewhere an open file that is opened again goes on where the first stands.
#[cfg(target_os = "linux")]
#[test]
fn a_file_on_standard_input_is_read_as_often_as_any() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    #[rustfmt::skip]
    let take = [
        "positions", "--input", "games.pgn", "--no-engine", "--use-evals", "--per-game", "9", "-q", "-o", "p.txt",
    ];
    sandbox.tabiya(&take).exits_with(0);
    for tool in ["dedupe", "shuffle"] {
        let of = |input: &str| {
            let mut command = sandbox.command(TABIYA, &["positions", tool, input, "--from", "text", "-o", "out.txt"]);
            command.stdin(std::fs::File::open(sandbox.path("p.txt")).expect("readable"));
            let ran = command.output().expect("the program runs");
            assert!(ran.status.success(), "{ran:?}");
            sandbox.read("out.txt")
        };
        assert_eq!(of("/dev/stdin"), of("p.txt"), "{tool}");
    }
}

#[test]
fn damage_to_a_binpack_is_told_once_and_in_our_words() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    #[rustfmt::skip]
    let take = [
        "positions", "--input", "games.pgn", "--no-engine", "--use-evals", "-q", "-o", "p.binpack",
    ];
    sandbox.tabiya(&take).exits_with(0);
    // A chunk of one position, which says that five moves follow.
    let mut chunk = fs::read(sandbox.path("p.binpack")).expect("written");
    chunk.truncate(42);
    chunk[4] = 34;
    chunk[41] = 5;
    sandbox.write("p.binpack", chunk);
    let ran = sandbox.tabiya(&["positions", "decode", "p.binpack"]).exits_with(2);
    assert_eq!(ran.stdout.lines().count(), 1, "{ran}");
    assert!(
        ran.stderr.starts_with("error: ") && ran.stderr.contains("a chunk is damaged"),
        "{ran}"
    );
    assert!(!ran.stderr.contains("panicked"), "{ran}");
}

fn python() -> PathBuf {
    let home = std::env::home_dir().expect("a home");
    std::env::var_os("TABIYA_PYTHON").map_or_else(|| home.join(".cache/tabiya/venv/bin/python3"), PathBuf::from)
}

/// The snippet of docs/positions.md, over a file, as lines of `FEN<tab>score<tab>result<tab>move`.
fn by_python(path: &Path) -> Vec<String> {
    let page =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/positions.md")).expect("the page");
    let (_, code) = page.split_once("```python\n").expect("a snippet");
    let (code, _) = code.split_once("```").expect("its end");
    let program = format!("{code}\nimport sys\nfor row in positions(sys.argv[1]):\n    print(*row, sep='\\t')\n");
    let python = python();
    let output = Command::new(&python).args(["-c", &program]).arg(path).output();
    let output = output.unwrap_or_else(|error| panic!("{}: {error}; run scripts/setup test", python.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout)
        .expect("text")
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn pyarrow_reads_every_form_by_the_documented_snippet() {
    let sandbox = Sandbox::with("games.pgn", games(2, 400));
    let mut expected: Option<Vec<String>> = None;
    for form in ["text", "packed", "compact"] {
        let output = format!("{form}.parquet");
        #[rustfmt::skip]
        let args = [
            "positions", "--input", "games.pgn", "--no-engine", "--min-ply", "0", "--per-game", "3", "--fen-format", form,
            "--batch-size", "100", "-q", "-o", &output,
        ];
        sandbox.tabiya(&args).exits_with(0);
        let rows = by_python(&sandbox.path(&output));
        assert_eq!(rows.len(), 1_200);
        assert!(rows[0].contains("\tNone\t"), "{}", rows[0]);
        assert_eq!(expected.get_or_insert_with(|| rows.clone()), &rows, "{form}");
    }
}

#[test]
fn polars_and_duckdb_open_the_same_file() {
    let sandbox = Sandbox::with("games.pgn", games(3, 200));
    #[rustfmt::skip]
    let args = [
        "positions", "--input", "games.pgn", "--no-engine", "--per-game", "2", "--batch-size", "100", "-q", "-o", "p.parquet",
    ];
    sandbox.tabiya(&args).exits_with(0);
    sandbox
        .tabiya(&["positions", "convert", "p.parquet", "-o", "p.jsonl", "-q"])
        .exits_with(0);
    // Every column but the position, whose bytes only their own decoder reads, against the same rows as lines.
    let script = r#"
import sys, json, duckdb, polars
columns = ["score", "ply", "elo_avg", "result", "depth", "move", "game_id"]
path, lines = sys.argv[1], [json.loads(line) for line in open(sys.argv[2])]
expected = [tuple(line[name] for name in columns) for line in lines]
frame = polars.read_parquet(path)
assert frame.schema["fen"] == polars.Binary, frame.schema
assert frame.select(columns).rows() == expected
won = polars.scan_parquet(path).filter(polars.col("result") == 1).select(polars.len()).collect().item()
assert won == sum(line["result"] == 1 for line in lines)
table = duckdb.sql(f"SELECT score, ply, elo_avg, result, depth, move, game_id FROM '{path}'")
assert table.fetchall() == expected
print(len(expected), duckdb.sql(f"SELECT count(DISTINCT fen) > 100 FROM '{path}'").fetchall())
"#;
    let python = python();
    let output = Command::new(&python)
        .args(["-c", script])
        .args([sandbox.path("p.parquet"), sandbox.path("p.jsonl")])
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}; run scripts/setup test", python.display()));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert_eq!(printed.trim(), "400 [(True,)]");
}
