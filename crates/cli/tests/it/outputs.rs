//! What an import writes besides the database.

use std::{
    fs::{self, File},
    io::Read as _,
    process::Stdio,
};

use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::{
    build::built,
    example::EXAMPLE,
    sandbox::{ONE_BAD_OF_THREE, PGN_IMPORT, Sandbox, TABIYA},
};

#[test]
fn the_name_decides_the_format() {
    let sandbox = Sandbox::with("example.pgn", EXAMPLE);
    let base = ["--input", "example.pgn", "--repertoire", "R"];
    #[rustfmt::skip]
    let packed = [
        "--out-positions", "p.parquet", "--out-edges", "e.jsonl.zst", "--out-tactics", "t.jsonl.gz",
        "--out-repertoire", "r.parquet",
    ];
    sandbox.pgn_import(&[&base[..], &packed[..]].concat()).exits_with(0);
    sandbox
        .pgn_import(&[&base[..], &["--out-edges", "e.jsonl", "--out-tactics", "t.jsonl"]].concat())
        .exits_with(0);

    let rows = |name| {
        let reader = SerializedFileReader::new(File::open(sandbox.path(name)).expect("it was written"));
        reader.expect("it is Parquet").metadata().file_metadata().num_rows()
    };
    assert_eq!((rows("p.parquet"), rows("r.parquet")), (11, 10));
    let unpacked = zstd::decode_all(File::open(sandbox.path("e.jsonl.zst")).expect("written")).expect("zstd");
    assert_eq!(String::from_utf8(unpacked).expect("UTF-8"), sandbox.read("e.jsonl"));
    let mut unpacked = String::new();
    flate2::read::GzDecoder::new(File::open(sandbox.path("t.jsonl.gz")).expect("written"))
        .read_to_string(&mut unpacked)
        .expect("gzip");
    assert_eq!(unpacked, sandbox.read("t.jsonl"));
}

#[test]
fn the_report_is_the_same_on_standard_output_and_in_a_file() {
    let sandbox = Sandbox::with("three.pgn", ONE_BAD_OF_THREE);
    let ran = sandbox
        .tabiya(&["import", "three.pgn", "--format", "json", "--report", "out/report.json"])
        .exits_with(0);
    assert_eq!(ran.stdout, sandbox.read("out/report.json"));
    let report = ran.json();
    assert_eq!(report["status"], "done");
    assert_eq!(report["counters"]["pgn_games_total"], 3);
    assert_eq!(report["counters"]["pgn_games_failed"], 1);
    assert_eq!(report["sources"][0]["source"], "three.pgn");
    assert_eq!(report["rejects"][0]["san"], "Nf6");
    assert!(report["elapsed_ms"].is_u64());

    let failed = sandbox
        .pgn_import(&["--input", "three.pgn", "--format", "json"])
        .exits_with(1)
        .json();
    assert_eq!(failed["status"], "failed");
    assert_eq!(failed["errors"][0]["exit_code"], 1);
    assert!(
        failed["errors"][0]["message"]
            .as_str()
            .is_some_and(|text| text.contains("Illegal SAN `Nf6`"))
    );
}

#[test]
fn metrics_are_written_under_the_names_users_know() {
    let sandbox = Sandbox::with("example.pgn", EXAMPLE);
    sandbox
        .tabiya(&["import", "example.pgn", "--metrics-out", "metrics/pgn.prom"])
        .exits_with(0);
    let text = sandbox.read("metrics/pgn.prom");
    for expected in [
        "# TYPE pgn_games_total counter",
        "pgn_games_total 2",
        "pgn_games_failed 0",
        "positions_inserted 11",
        "positions_deduped 0",
        "edges_inserted 10",
        "edges_deduped 0",
        "tactics_extracted_fen 1",
        "tactics_extracted_comments 0",
    ] {
        assert!(text.lines().any(|line| line == expected), "{expected}: {text}");
    }
    for timer in ["parse_ms ", "merge_ms ", "persist_ms "] {
        assert!(text.lines().any(|line| line.starts_with(timer)), "{timer}: {text}");
    }

    sandbox.write("three.pgn", ONE_BAD_OF_THREE);
    sandbox
        .pgn_import(&["--input", "three.pgn", "--metrics-out", "failed.prom"])
        .exits_with(1);
    assert!(
        sandbox.read("failed.prom").contains("pgn_games_failed 1"),
        "also when the import fails"
    );
    sandbox
        .pgn_import(&["--input", "gone.pgn", "--metrics-out", "never.prom"])
        .exits_with(2);
    assert!(
        sandbox.read("never.prom").contains("pgn_games_total 0"),
        "and when it could not begin"
    );
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let sandbox = Sandbox::with("example.pgn", EXAMPLE);
    for (program, args) in [
        (TABIYA, vec!["import", "example.pgn"]),
        (TABIYA, vec!["import", "example.pgn", "--format", "json"]),
        (TABIYA, vec!["completions", "bash"]),
        (TABIYA, vec!["import", "--help"]),
        (PGN_IMPORT, vec!["--help"]),
    ] {
        let mut child = sandbox
            .command(program, &args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program runs");
        // Closed before anything is written.
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            !stderr.contains("panicked") && !stderr.contains("error:"),
            "{args:?}: {stderr}"
        );
        assert_eq!(output.status.code(), Some(0), "{args:?}: {stderr}");
    }
}

#[test]
fn a_report_goes_to_standard_output_or_where_a_link_leads() {
    let sandbox = Sandbox::with("three.pgn", ONE_BAD_OF_THREE);
    let import = |report: &str| {
        sandbox
            .tabiya(&["import", "three.pgn", "-q", "--report", report])
            .exits_with(0)
    };
    assert_eq!(import("-").json()["status"], "done");
    assert!(!sandbox.path("-").exists());

    std::os::unix::fs::symlink("real.json", sandbox.path("link.json")).expect("a link");
    // What a killed run left.
    sandbox.write(".tabiya-killed.tmp", "half");
    import("link.json");
    import("/dev/null");
    assert!(sandbox.read("real.json").contains("\"done\""));
    let link = std::fs::symlink_metadata(sandbox.path("link.json")).expect("there");
    assert!(link.is_symlink());
    assert!(!sandbox.path(".tabiya-killed.tmp").exists());
}

/// A knowledge base with a file for every command that reports.
fn everything() -> Sandbox {
    let sandbox = built();
    sandbox.write("three.pgn", ONE_BAD_OF_THREE);
    sandbox.write("evals.pgn", "1. e4 {[%eval 0.32,18]} e5 1-0\n");
    sandbox
}

#[test]
fn a_report_on_standard_output_is_alone_there() {
    let sandbox = everything();
    let commands: [&[&str]; 7] = [
        &["import", "three.pgn"],
        &["evals", "import", "evals.pgn"],
        &["analyze", "three.pgn"],
        &["export", "--format", "csv", "--output", "nodes.csv"],
        &["build", "transpositions"],
        &["build", "validate", "--pgn", "three.pgn"],
        &["build", "audit"],
    ];
    for command in commands {
        for place in ["-", "/dev/stdout"] {
            let ran = sandbox.tabiya(&[command, &["--report", place]].concat());
            assert!(ran.json().is_object(), "{command:?}: {ran}");
        }
        let json = match command[0] {
            "export" => "--report-format",
            _ => "--format",
        };
        let twice = sandbox.tabiya(&[command, &[json, "json", "--report", "-"]].concat());
        assert!(twice.json().is_object(), "{command:?}: {twice}");
    }
    let metrics = sandbox
        .tabiya(&["import", "three.pgn", "--metrics-out", "-"])
        .exits_with(0);
    assert!(
        metrics.stdout.starts_with("# ") && !metrics.stdout.contains("elapsed  "),
        "{metrics}"
    );
    assert!(!sandbox.path("-").exists());
}

#[test]
fn a_dash_is_standard_output_for_texts() {
    let sandbox = everything();
    #[rustfmt::skip]
    let commands: [(&[&str], &str); 6] = [
        (&["import", "three.pgn", "--no-persist", "--rejects"], "rejects.jsonl"),
        (&["import", "three.pgn", "--no-persist", "--out-edges"], "edges.jsonl"),
        (&["count", "--pgn", "games.pgn", "--out"], "part.jsonl"),
        (&["export", "--format", "csv", "--output"], "nodes.csv"),
        (&["positions", "--input", "games.pgn", "--no-engine", "--min-game-length", "1", "--min-ply", "0",
           "--end-margin", "0", "--format", "jsonl", "--output"], "positions.jsonl"),
        (&["positions", "convert", "positions.jsonl", "--format", "jsonl", "--output"], "again.jsonl"),
    ];
    for (command, file) in commands {
        sandbox.tabiya(&[command, &[file]].concat()).exits_with(0);
        for place in ["-", "/dev/stdout"] {
            let ran = sandbox.tabiya(&[command, &[place]].concat()).exits_with(0);
            assert_eq!(ran.stdout, sandbox.read(file), "{command:?} {place}: {ran}");
        }
    }
    assert!(!sandbox.path("-").exists());
}

#[test]
fn a_dash_is_no_name_of_a_file() {
    let sandbox = everything();
    #[rustfmt::skip]
    let commands: [&[&str]; 6] = [
        &["positions", "--input", "games.pgn", "--no-engine", "--output", "-"],
        &["positions", "convert", "p.parquet", "--output", "-"],
        &["export", "--format", "pgn", "--output", "-"],
        &["fetch", "lichess:somebody", "--base-url", "http://127.0.0.1:1", "--output", "-"],
        &["review", "games.pgn", "--engine", "none", "--graph", "-"],
        &["review", "games.pgn", "--engine", "none", "--journal", "-"],
    ];
    for command in commands {
        let ran = sandbox.tabiya(command).exits_with(2);
        assert!(
            ran.stderr.contains("does not go to standard output") && ran.stderr.contains("hint: "),
            "{command:?}: {ran}"
        );
    }
    assert!(!sandbox.path("-").exists());
}

#[test]
fn standard_output_has_one_document() {
    let sandbox = everything();
    #[rustfmt::skip]
    let commands: [&[&str]; 10] = [
        &["import", "three.pgn", "--out-edges", "/dev/stdout", "--report", "-"],
        &["import", "three.pgn", "--rejects", "-", "--metrics-out", "-"],
        &["import", "three.pgn", "--rejects", "-", "--format", "json"],
        &["count", "--pgn", "games.pgn", "--out", "/dev/stdout", "--format", "json"],
        &["export", "--format", "csv", "--output", "/dev/stdout", "--report-format", "json"],
        &["analyze", "games.pgn", "--output", "/dev/stdout", "--format", "json"],
        &["analyze", "games.pgn", "--report", "-", "--at", "e4"],
        &["build", "validate", "--pgn", "games.pgn", "--format", "csv", "--report", "-"],
        &["positions", "--input", "games.pgn", "--no-engine", "--output", "/dev/stdout", "--report", "-"],
        &["review", "games.pgn", "--engine", "none", "--pgn", "-", "--format", "json"],
    ];
    for command in commands {
        let ran = sandbox.tabiya(command).exits_with(2);
        assert!(
            ran.stdout.is_empty() && ran.stderr.contains("standard output cannot have both"),
            "{command:?}: {ran}"
        );
    }
    // Beside one document there is room for files.
    let ran = sandbox
        .tabiya(&["analyze", "games.pgn", "--output", "-", "--report", "report.json"])
        .exits_with(0);
    assert!(ran.json()["meta"]["totalGames"].is_u64());
    assert!(sandbox.read("report.json").contains("\"done\""));
}

/// To look whether something can be written must not write: this file stays under its name.
#[test]
fn a_table_for_a_link_to_an_open_file_is_written_once() {
    let sandbox = Sandbox::with("games.pgn", "1. e4 e5 2. Nf3 *\n");
    std::os::unix::fs::symlink("/dev/stdout", sandbox.path("link.parquet")).expect("a link");
    let import = |table: &str, stdout: Stdio| {
        let arguments = ["import", "games.pgn", "--no-persist", "--out-edges", table, "-q"];
        let mut command = sandbox.command(TABIYA, &arguments);
        let status = command.stdout(stdout).status().expect("the program runs");
        assert!(status.success(), "{table}");
    };
    import("plain.parquet", Stdio::null());
    let open = File::create(sandbox.path("open")).expect("a file");
    import("link.parquet", open.into());
    let written = |name: &str| fs::read(sandbox.path(name)).expect("a file");
    assert!(written("open") == written("plain.parquet"));
}
