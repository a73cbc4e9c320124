//! No room left: writing fails in the middle of anything, as on a full disk.

use std::fs;

use super::assert_told;
use crate::{
    build::{NAMES, assert_same, knowledge},
    build_crash::games,
    corpus,
    sandbox::{Ran, Sandbox, TABIYA},
};

/// The program where no file can grow beyond so many kilobytes: as on a full disk, writing fails in the middle of anything.
fn with_little_room(sandbox: &Sandbox, kilobytes: u32, args: &[&str]) -> Ran {
    let limited = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$@\"");
    let mut command = sandbox.command("bash", &["-c", &limited, "bash", TABIYA]);
    command.args(args);
    sandbox.run(command)
}

#[test]
fn an_import_without_room_goes_on_when_there_is_some() {
    let sandbox = Sandbox::with("games.pgn", corpus::games(71, 500));
    let import = |name: &'static str| {
        [
            "import",
            "games.pgn",
            "--db",
            name,
            "--repertoire",
            "R",
            "--batch-bytes",
            "8192",
            "-q",
        ]
    };
    sandbox.tabiya(&import("whole.db")).exits_with(0);
    let expected = sandbox.content("whole.db");
    for kilobytes in [60, 400, 900] {
        let _ = fs::remove_file(sandbox.path("small.db"));
        let ran = with_little_room(&sandbox, kilobytes, &import("small.db"));
        assert_told(&ran, "import");
        let kept = match sandbox.path("small.db").exists() {
            true => sandbox.content("small.db").edges.len(),
            false => 0,
        };
        assert!(kept < expected.edges.len(), "{kilobytes} kB were enough");
        sandbox.tabiya(&import("small.db")).exits_with(0);
        sandbox.content("small.db").equals(&expected);
    }
}

#[test]
fn a_build_without_room_goes_on_when_there_is_some() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(72, 600));
    let build = |name: &'static str| {
        [
            "build",
            "all",
            "--pgn",
            "games.pgn",
            "--source",
            "names.csv",
            "--min-games",
            "1",
            "--db",
            name,
            "-q",
        ]
    };
    sandbox.tabiya(&build("whole.db")).exits_with(0);
    let expected = knowledge(&sandbox.path("whole.db").display().to_string());
    for kilobytes in [4, 100, 700] {
        let ran = with_little_room(&sandbox, kilobytes, &build("small.db"));
        assert_told(&ran, "build");
        // What later phases make is missing, and nothing else is wrong with what was kept.
        let audited = sandbox.tabiya(&["build", "audit", "--db", "small.db"]);
        let is_missing = |line: &&str| {
            let parts = ["all 500 ECO codes", "every terminal position has a structure"];
            parts.iter().any(|part| line.contains(part))
        };
        let checked: Vec<&str> = audited.stdout.lines().collect();
        let wrong = checked.iter().filter(|line| line.starts_with("FAIL")).copied();
        assert!(wrong.clone().all(|line| is_missing(&line)), "{kilobytes}: {audited}");
        assert_eq!(audited.code, i32::from(wrong.count() > 0), "{kilobytes}: {audited}");
        assert!(
            checked.iter().filter(|line| line.starts_with("ok ")).count() >= 10,
            "{audited}"
        );
    }
    sandbox.tabiya(&build("small.db")).exits_with(0);
    assert_same(&knowledge(&sandbox.path("small.db").display().to_string()), &expected);
}

#[test]
fn outputs_without_room_leave_the_old_ones() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", crate::blitz_games::games(73, 300));
    #[rustfmt::skip]
    let build = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--min-games", "1", "-q"];
    sandbox.tabiya(&build).exits_with(0);
    let verbs: [(&[&str], &str, &str); 6] = [
        (&["export", "--format", "csv", "--output"], "out.csv", "out.csv"),
        (
            &["export", "--format", "json", "--output"],
            "out-json",
            "out-json/index.json",
        ),
        (
            &["export", "--format", "parquet", "--output"],
            "out-tables",
            "out-tables/nodes.parquet",
        ),
        (&["analyze", "games.pgn", "--output"], "out-db.json", "out-db.json"),
        (
            &[
                "positions",
                "--input",
                "games.pgn",
                "--no-engine",
                "--restart",
                "--output",
            ],
            "out.parquet",
            "out.parquet",
        ),
        (
            &["import", "games.pgn", "--db", "memory.db", "--out-edges"],
            "edges.jsonl",
            "edges.jsonl",
        ),
    ];
    for (verb, output, file) in verbs {
        let args = [verb, &[output]].concat();
        sandbox.tabiya(&args).exits_with(0);
        let before = fs::read(sandbox.path(file)).expect("written");
        let ran = with_little_room(&sandbox, 2, &args);
        assert_told(&ran, output);
        assert!(
            fs::read(sandbox.path(file)).expect("still there") == before,
            "{output}: the old one is not what it was"
        );
        sandbox.tabiya(&args).exits_with(0);
        let is_timeless = output != "out-db.json";
        assert!(
            !is_timeless || fs::read(sandbox.path(file)).expect("written") == before,
            "{output}"
        );
    }
}

#[test]
fn positions_without_room_say_so() {
    let sandbox = Sandbox::with("games.pgn", crate::blitz_games::games(74, 300));
    #[rustfmt::skip]
    let args = ["positions", "--input", "games.pgn", "--no-engine", "--restart", "--output", "p.jsonl"];
    for dedupe in [&[][..], &["--dedupe"]] {
        let ran = with_little_room(&sandbox, 8, &[&args, dedupe].concat());
        assert_told(&ran, "positions");
        assert!(ran.stderr.contains("File too large"), "{ran}");
        assert!(
            ran.stderr.contains("hint: ") && ran.stderr.contains("another disk"),
            "{ran}"
        );
    }
}
