//! Files made to hurt whoever reads them.

use std::{fs, os::unix::fs::symlink, process::Command, time::Instant};

use crate::{
    build::NAMES,
    sandbox::{Ran, Sandbox, TABIYA},
};

/// The program with no more memory than this, so that what would take more fails.
fn with_little_memory(sandbox: &Sandbox, megabytes: u32, args: &[&str]) -> Ran {
    let limited = format!("ulimit -v {}; exec \"$@\"", megabytes * 1024);
    let mut command = sandbox.command("bash", &["-c", &limited, "bash", TABIYA]);
    command.args(args);
    sandbox.run(command)
}

#[track_caller]
fn assert_sane(ran: &Ran, what: &str) {
    assert!(matches!(ran.code, 0..=3), "{what}: {ran}");
    assert!(!ran.stderr.contains("panicked"), "{what}: {ran}");
}

/// So many megabytes, packed into a thousandth of it.
fn bomb(megabytes: u32, begin: &str, again: &str, packed: &mut dyn std::io::Write) {
    packed.write_all(begin.as_bytes()).expect("memory");
    let block = again.repeat((1 << 20) / again.len());
    for _ in 0..megabytes {
        packed.write_all(block.as_bytes()).expect("memory");
    }
}

#[test]
fn bombs_are_read_in_little_memory() {
    let sandbox = Sandbox::new();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    bomb(512, "[Event \"x\"]\n\n1. e4 {", " ", &mut gz);
    sandbox.write("comment.pgn.gz", gz.finish().expect("memory"));
    let mut zst = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    bomb(512, "[Event \"x\"]\n\n1. e4 ", "(", &mut zst);
    sandbox.write("deep.pgn.zst", zst.finish().expect("memory"));
    let mut zst = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    bomb(512, "[Event \"", "x", &mut zst);
    sandbox.write("tag.pgn.zst", zst.finish().expect("memory"));
    // A frame that asks for a window of 3.75 GB, and one that says it is of 16 exabytes.
    sandbox.write("window.pgn.zst", [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xaf, 0x01, 0x00, 0x00]);
    let lying = [&[0x28, 0xb5, 0x2f, 0xfd, 0xe0][..], &[0xff; 8], &[0x01, 0x00, 0x00]].concat();
    sandbox.write("length.pgn.zst", lying);
    let mut bz2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bomb(512, "[Event \"x\"]\n\n1. e4 {", " ", &mut bz2);
    sandbox.write("comment.pgn.bz2", bz2.finish().expect("memory"));
    for file in [
        "comment.pgn.gz",
        "comment.pgn.bz2",
        "deep.pgn.zst",
        "tag.pgn.zst",
        "window.pgn.zst",
        "length.pgn.zst",
    ] {
        let args = ["import", file, "--db", "a.db", "--threads", "2", "-q"];
        assert_is_read_in_little_memory(&sandbox, 700, &args);
    }
}

#[track_caller]
fn assert_is_read_in_little_memory(sandbox: &Sandbox, megabytes: u32, args: &[&str]) {
    let what = args.join(" ");
    let begun = Instant::now();
    assert_sane(&with_little_memory(sandbox, megabytes, args), &what);
    assert!(begun.elapsed().as_secs() < 120, "{what}: {:?}", begun.elapsed());
}

/// Whoever else reads what is packed. More is reserved than is used, by more threads than an import has, so the bombs are larger too.
#[test]
fn bombs_are_read_in_little_memory_by_all_verbs() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox
        .tabiya(&["build", "eco", "--source", "names.csv", "--db", "eco.db", "-q"])
        .exits_with(0);
    let packed = |begin: &str, again: &str| {
        let mut zst = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
        bomb(1024, begin, again, &mut zst);
        zst.finish().expect("memory")
    };
    sandbox.write("deep.pgn.zst", packed("[Event \"x\"]\n\n1. e4 ", "("));
    sandbox.write("tag.pgn.zst", packed("[Event \"", "x"));
    sandbox.write("line.jsonl.zst", packed("{\"fen\":\"", "x"));
    sandbox.write("line.txt.zst", packed("", "x"));
    sandbox.write("window.pgn.zst", [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xaf, 0x01, 0x00, 0x00]);
    sandbox.write(
        "window.jsonl.zst",
        [0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xaf, 0x01, 0x00, 0x00],
    );
    for file in ["deep.pgn.zst", "tag.pgn.zst", "window.pgn.zst"] {
        #[rustfmt::skip]
        let verbs: [&[&str]; 4] = [
            &["evals", "import", file, "--db", "evals.db"],
            &["positions", "--input", file, "--no-engine", "--restart", "--readers", "2", "-q", "-o", "p.jsonl"],
            &["build", "expand", "--pgn", file, "--db", "eco.db", "--threads", "2", "-q"],
            &["analyze", file, "--threads", "2"],
        ];
        for verb in verbs {
            assert_is_read_in_little_memory(&sandbox, 1000, verb);
        }
    }
    for file in ["line.jsonl.zst", "line.txt.zst", "window.jsonl.zst"] {
        let args = ["positions", "convert", file, "-q", "-o", "c.parquet"];
        assert_is_read_in_little_memory(&sandbox, 1000, &args);
    }
    let args = ["evals", "import", "line.jsonl.zst", "--db", "evals.db"];
    assert_is_read_in_little_memory(&sandbox, 1000, &args);
}

#[test]
fn depth_is_no_way_to_break_in() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    let deep = "(1. e4 ".repeat(200_000);
    sandbox.write(
        "deep.pgn",
        format!("[Event \"x\"]\n\n1. e4 {deep}\n\n[Event \"y\"]\n\n1. d4 d5 1-0\n"),
    );
    let closed = format!("1. e4 {}{} e5 1-0\n", "(1. d4 ".repeat(50_000), ")".repeat(50_000));
    sandbox.write("closed.pgn", closed);
    sandbox.write("deep.jsonl", "[".repeat(500_000));
    sandbox.write("deep.toml", format!("a = {}", "[".repeat(200_000)));
    sandbox.write("lines.jsonl", format!("{}\n", "{\"a\":".repeat(200_000)));
    for verb in [
        &["import", "deep.pgn", "closed.pgn", "-q"][..],
        &["analyze", "deep.pgn", "closed.pgn"],
        &["review", "closed.pgn", "--lines", "lines.jsonl"],
        &["positions", "--input", "deep.pgn", "--no-engine", "--output", "p.jsonl"],
        &[
            "build",
            "all",
            "--pgn",
            "deep.pgn",
            "closed.pgn",
            "--source",
            "names.csv",
            "--db",
            "b.db",
            "-q",
        ],
        &["evals", "import", "deep.jsonl"],
        &["evals", "import", "closed.pgn"],
        &["import", "closed.pgn", "--config", "deep.toml"],
        &["name", "(((((((("],
        &["lookup", "1.e4 ((((", "--db", "b.db"],
    ] {
        assert_sane(&sandbox.tabiya(verb), &verb.join(" "));
    }
}

#[test]
fn links_that_go_round_in_circles_are_not_followed() {
    let sandbox = Sandbox::with("games/a.pgn", "1. e4 *\n");
    sandbox.write("elsewhere/b.pgn", "1. d4 *\n");
    let link = |to: &str, name: &str| symlink(to, sandbox.path(name)).expect("a link");
    link(".", "games/here");
    link("..", "games/up");
    link("../games", "games/again");
    link("two.pgn", "games/one.pgn");
    link("one.pgn", "games/two.pgn");
    link("nowhere.pgn", "games/broken.pgn");
    link("/dev/zero", "games/zero.pgn");
    link("../elsewhere", "games/elsewhere");
    link("../elsewhere/b.pgn", "games/linked.pgn");
    let made = Command::new("mkfifo").arg(sandbox.path("games/pipe.pgn")).status();
    assert!(made.expect("mkfifo").success());
    let ran = sandbox.tabiya(&["import", "games", "--format", "json"]).exits_with(0);
    let sources = ran.json()["sources"].as_array().map(Vec::len);
    assert_eq!(sources, Some(2), "the file and the link to a file: {ran}");
    assert_eq!(sandbox.content("tabiya.db").edges.len(), 2);
}

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
        &["count", evil, "-o", "c.jsonl"],
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
    }
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

/// Secrets that are given in every way there is are in nothing that is printed, even with all that can be told.
#[test]
fn secrets_are_not_told() {
    let sandbox = Sandbox::with("game.pgn", "1. e4 e5 1-0\n");
    sandbox.write("token", "lip_verysecrettoken\n");
    sandbox.write("key", "verysecretkey\n");
    sandbox.write(
        "tabiya.toml",
        "db = \"postgres://me:verysecretpassword@127.0.0.1:1/chess\"\n",
    );
    let postgres = "postgres://me:verysecretpassword@127.0.0.1:1/chess";
    let redis = "redis://me:verysecretpassword@127.0.0.1:1/0";
    let explorer = "http://127.0.0.1:1/lichess";
    type Given<'a> = &'a [(&'a str, &'a str)];
    let neo4j = "neo4j://me:verysecretpassword@127.0.0.1:1";
    let site = "http://127.0.0.1:1";
    // A word without quotes is no TOML, and a port of letters no URL.
    sandbox.write("unquoted.toml", format!("db = {postgres}\n"));
    let wrong = "http://me:verysecretpassword@127.0.0.1:80a/x";
    let runs: [(&[&str], Given<'_>); 26] = [
        (&["import", "game.pgn", "--config", "unquoted.toml", "-vv"], &[]),
        (&["lookup", "e4", "--config", "unquoted.toml", "-vv"], &[]),
        (&["build", "expand", "--explorer", wrong, "--db", "a.db", "-vv"], &[]),
        (&["build", "annotate", "--cloud", wrong, "--db", "a.db", "-vv"], &[]),
        (&["fetch", "lichess:somebody", "--base-url", wrong, "-vv"], &[]),
        (&["positions", "--list-months", "--base-url", wrong, "-vv"], &[]),
        (&["import", "game.pgn", "--db", postgres, "-vv"], &[]),
        (&["import", "game.pgn", "-vv"], &[]),
        (&["import", "game.pgn", "-vv"], &[("TABIYA_DB", postgres)]),
        (&["lookup", "e4", "--db", postgres, "-vv"], &[]),
        (&["doctor", "--db", postgres, "--engine", "none", "-vv"], &[]),
        (&["serve", "--db", postgres, "--api-key-file", "key", "-vv"], &[]),
        (&["worker", "--db", "a.db", "--queue", redis, "-vv"], &[]),
        (&["workers", "--db", "a.db", "--queue", redis, "-vv"], &[]),
        (&["workers", "--db", postgres, "--queue", postgres, "-vv"], &[]),
        (
            &["import", "game.pgn", "--db", "mysql://me:verysecretpassword@h/x", "-vv"],
            &[],
        ),
        (
            &[
                "import",
                "game.pgn",
                "--db",
                "postgres://me:verysecretpassword@[::1:x/chess",
                "-vv",
            ],
            &[],
        ),
        (
            &[
                "build",
                "expand",
                "--explorer",
                explorer,
                "--token-file",
                "token",
                "--db",
                "a.db",
                "-vv",
            ],
            &[],
        ),
        (
            &["build", "expand", "--explorer", explorer, "--db", "a.db", "-vv"],
            &[("TABIYA_EXPLORER_TOKEN", "lip_verysecrettoken")],
        ),
        (
            &[
                "build",
                "expand",
                "--explorer",
                "http://me:verysecretpassword@127.0.0.1:1/x",
                "--db",
                "a.db",
                "-vv",
            ],
            &[],
        ),
        (&["project", "--db", "a.db", "--to", neo4j, "-vv"], &[]),
        (&["project", "--db", "a.db", "-vv"], &[("TABIYA_NEO4J", neo4j)]),
        (&["serve", "--db", neo4j, "-vv"], &[]),
        (
            &[
                "fetch",
                "lichess:somebody",
                "--base-url",
                site,
                "--token-file",
                "token",
                "-vv",
            ],
            &[],
        ),
        (
            &["fetch", "lichess:somebody", "--base-url", site, "-vv"],
            &[("TABIYA_FETCH_TOKEN", "lip_verysecrettoken")],
        ),
        (
            &[
                "review",
                "game.pgn",
                "--engine",
                "none",
                "--cloud",
                "http://me:verysecretpassword@127.0.0.1:1/x",
                "-vv",
            ],
            &[],
        ),
    ];
    sandbox.tabiya(&["build", "eco", "--db", "a.db", "-q"]).exits_with(0);
    for (args, environment) in runs {
        let mut command = sandbox.command(TABIYA, args);
        command.envs(environment.iter().copied()).env("RUST_LOG", "trace");
        // Whoever waits for a server that is not there waits for longer than this test does.
        let mut child = command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the program runs");
        let begun = Instant::now();
        while child.try_wait().expect("it can be asked").is_none() && begun.elapsed().as_secs() < 6 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let _ = child.kill();
        let ran = crate::crash::finish(child);
        assert!(ran.code != 0, "{args:?} has nothing to complain of: {ran}");
        assert!(
            !ran.to_string().contains("verysecret"),
            "{args:?} {environment:?}: {ran}"
        );
        assert!(ran.to_string().lines().count() > 4, "{args:?} told nothing: {ran}");
    }
}
