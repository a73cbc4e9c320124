//! No room left: writing fails in the middle of anything, as on a full disk.

use std::fs;

use super::assert_told;
use crate::{
    annotate_crash::timeless,
    build::{NAMES, assert_same, knowledge},
    build_crash::games,
    corpus,
    engines::fake,
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
    let verbs: [(&[&str], &str, &str); 8] = [
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
        (
            &["export", "--format", "pgn", "--output"],
            "out-pgn",
            "out-pgn/index.json",
        ),
        (&["export", "--format", "polyglot", "--output"], "out.bin", "out.bin"),
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
fn positions_without_room_say_so_and_go_on_when_there_is_some() {
    let sandbox = Sandbox::with("games.pgn", crate::blitz_games::games(74, 300));
    let args = |output: &'static str| {
        #[rustfmt::skip]
        let args = ["positions", "--input", "games.pgn", "--no-engine", "--per-game", "4", "--batch-size", "2", "--output", output];
        args
    };
    for dedupe in [&[][..], &["--dedupe"]] {
        let whole = [&args("whole.jsonl"), dedupe, &["--restart"]].concat();
        sandbox.tabiya(&whole).exits_with(0);
        let expected = fs::read(sandbox.path("whole.jsonl")).expect("written");
        // Room for no part, and for parts but not for all of them joined.
        for kilobytes in [8, 40] {
            let small = [&args("small.jsonl"), dedupe].concat();
            let ran = with_little_room(&sandbox, kilobytes, &[&small[..], &["--restart"]].concat());
            assert_told(&ran, "positions");
            assert!(ran.stderr.contains("File too large"), "{ran}");
            assert!(
                ran.stderr.contains("hint: ") && ran.stderr.contains("another disk"),
                "{ran}"
            );
            assert!(!sandbox.path("small.jsonl").exists(), "{kilobytes} kB were enough");
            sandbox.tabiya(&[&small[..], &["--resume"]].concat()).exits_with(0);
            let written = fs::read(sandbox.path("small.jsonl")).expect("written");
            assert!(
                written == expected,
                "{kilobytes} kB {dedupe:?}: not what a run with room writes"
            );
            fs::remove_file(sandbox.path("small.jsonl")).expect("it is there");
        }
    }
}

/// Looks at a database in which nothing could be written any more, and runs the same command again with room.
#[track_caller]
fn assert_goes_on(sandbox: &Sandbox, database: &str, args: &[&str], expected: &[String]) {
    for kilobytes in [4, 60, 100] {
        // What was in it before, without what the last round has left.
        for file in ["small.db", "small.db-wal", "small.db-shm"] {
            let _ = fs::remove_file(sandbox.path(file));
        }
        fs::copy(sandbox.path(database), sandbox.path("small.db")).expect("a copy");
        let ran = with_little_room(sandbox, kilobytes, args);
        assert_told(&ran, &format!("{kilobytes} kB"));
        sandbox.tabiya(args).exits_with(0);
        assert_same(&timeless(&sandbox.path("small.db").display().to_string()), expected);
    }
}

#[test]
fn evaluations_without_room_go_on_when_there_is_some() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(75, 150));
    #[rustfmt::skip]
    let build = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--depth", "6", "--min-games", "1", "-q"];
    sandbox.tabiya(&build).exits_with(0);
    let engine = fake(sandbox.directory(), "engine", &["instant"]).display().to_string();
    #[rustfmt::skip]
    let annotate = |database: &'static str| {
        ["build", "annotate", "--db", database, "--engine", &engine, "--workers", "1", "--nodes", "1000", "-q"].map(str::to_owned)
    };
    let whole = annotate("whole.db");
    fs::copy(sandbox.path("tabiya.db"), sandbox.path("whole.db")).expect("a copy");
    sandbox.tabiya(&whole.each_ref().map(String::as_str)).exits_with(0);
    let expected = timeless(&sandbox.path("whole.db").display().to_string());
    assert!(expected.iter().any(|line| line.starts_with("evaluation (")));
    let small = annotate("small.db");
    assert_goes_on(&sandbox, "tabiya.db", &small.each_ref().map(String::as_str), &expected);
}

/// A king, a pawn and another king, wherever they are not in each other's way.
fn archive() -> String {
    let empty = |squares: usize| {
        if squares == 0 {
            String::new()
        } else {
            squares.to_string()
        }
    };
    let rank = |piece: char, file: usize| format!("{}{piece}{}", empty(file), empty(7 - file));
    let mut lines = String::new();
    for (place, white) in (0..24).flat_map(|place| (0..64).map(move |white| (place, white))) {
        let mut ranks = ["8"; 6].map(str::to_owned).to_vec();
        ranks[place / 8] = rank('k', place % 8);
        ranks.extend([rank('P', white / 8), rank('K', white % 8)]);
        let file = char::from(b'a' + (white / 8) as u8);
        lines += &format!(
            "{{\"fen\":\"{} w - -\",\"evals\":[{{\"pvs\":[{{\"cp\":10,\"line\":\"{file}2{file}3\"}}],\"knodes\":1,\"depth\":9}}]}}\n",
            ranks.join("/")
        );
    }
    lines
}

#[test]
fn evaluations_of_others_without_room_are_taken_in_when_there_is_some() {
    let archive = archive();
    let sandbox = Sandbox::with("evals.jsonl", &archive);
    sandbox.write("one.jsonl", archive.lines().next().expect("a line"));
    sandbox.tabiya(&["evals", "import", "one.jsonl", "-q"]).exits_with(0);
    fs::copy(sandbox.path("tabiya.db"), sandbox.path("whole.db")).expect("a copy");
    let import = |database: &'static str| ["evals", "import", "evals.jsonl", "--db", database, "-q"];
    sandbox.tabiya(&import("whole.db")).exits_with(0);
    let expected = timeless(&sandbox.path("whole.db").display().to_string());
    let evaluations = expected.iter().filter(|line| line.starts_with("evaluation ("));
    assert_eq!(evaluations.count(), 24 * 64);
    assert_goes_on(&sandbox, "tabiya.db", &import("small.db"), &expected);
}
