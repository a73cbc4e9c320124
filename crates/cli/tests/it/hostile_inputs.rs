//! Files made to hurt whoever reads them.

use std::{os::unix::fs::symlink, process::Command, time::Instant};

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
    // The longest window that is given; then one of 2 GB, in which there is as much to remember as it holds; one of 3.75 GB; and a frame
    // that says it is of 16 exabytes.
    let mut zst = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    zst.window_log(27).expect("a window");
    bomb(512, "[Event \"x\"]\n\n1. e4 {", " ", &mut zst);
    let mut frame = zst.finish().expect("memory");
    sandbox.write("longest.pgn.zst", &frame);
    // Said of the same frame: whoever writes one reserves all of the window, as whoever reads it does.
    let window = |log: u8| (log - 10) << 3;
    assert_eq!(
        frame[5],
        window(27),
        "behind four bytes that all frames have and one of flags"
    );
    frame[5] = window(31);
    sandbox.write("too-long.pgn.zst", &frame);
    let ran = with_little_memory(&sandbox, 700, &["import", "too-long.pgn.zst", "--db", "a.db", "-q"]);
    assert!(ran.code == 2 && ran.stderr.contains("zstd -d --long=31"), "{ran}");
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
        "longest.pgn.zst",
        "too-long.pgn.zst",
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
    let ran = with_little_memory(sandbox, megabytes, args);
    assert_sane(&ran, &what);
    assert!(!ran.stderr.contains("Usage: "), "{what} was not tried: {ran}");
    assert!(begun.elapsed().as_secs() < 120, "{what}: {:?}", begun.elapsed());
}

/// What an engine said of the initial position.
const ONE_LINE: &str = r#"{"fen": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "source": "x", "lines": [{"depth": 1, "index": 1, "cp": 20, "moves": ["e2e4"]}]}
"#;

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
    sandbox.write("lines.jsonl", ONE_LINE);
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
        let verbs: [&[&str]; 7] = [
            &["evals", "import", file, "--db", "evals.db"],
            &["positions", "--input", file, "--no-engine", "--restart", "--readers", "2", "-q", "-o", "p.jsonl"],
            &["build", "expand", "--pgn", file, "--db", "eco.db", "--threads", "2", "-q"],
            &["analyze", file, "--threads", "2"],
            &["review", file, "--lines", "lines.jsonl", "-q"],
            &["count", "--pgn", file, "--out", "part.jsonl", "--threads", "2", "-q"],
            &["build", "validate", "--pgn", file, "--db", "eco.db", "--min-count", "1", "-q"],
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
    // The last of them goes through a link that its user has named.
    link("games", "named");
    for (number, input) in ["games", "games/*", "games/*.pgn", "games/**/*.pgn", "named/**/*.pgn"]
        .iter()
        .enumerate()
    {
        let database = format!("{number}.db");
        let ran = sandbox
            .tabiya(&["import", input, "--db", &database, "--format", "json"])
            .exits_with(0);
        let sources = ran.json()["sources"].as_array().map(Vec::len);
        assert_eq!(sources, Some(2), "{input}: the file and the link to a file: {ran}");
        assert_eq!(sandbox.content(&database).edges.len(), 2, "{input}");
    }
    // Nothing but what is no file is not waited for, and not read for ever.
    for input in ["games/p*", "games/z*.pgn", "games/u*", "games/h*/*.pgn"] {
        let ran = sandbox.tabiya(&["import", input, "--db", "none.db"]).exits_with(2);
        assert!(ran.stderr.contains("no file matches"), "{input}: {ran}");
    }
}
