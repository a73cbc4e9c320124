//! Outputs that are inputs: a command that is asked to write over what it reads does nothing at all.

use std::{fs, path::PathBuf};

use crate::{
    build::built,
    sandbox::{Ran, Sandbox, TABIYA},
};

/// A knowledge base, and a file for everything that is read.
fn everything() -> Sandbox {
    let sandbox = built();
    sandbox.write("club/a.pgn", "1. e4 e5 1-0\n");
    sandbox.write("lines.jsonl", "");
    sandbox.write("tabiya.toml", "[export]\nmin_games = 1\n");
    #[rustfmt::skip]
    let commands: [&[&str]; 3] = [
        &["import", "games.pgn", "--repertoire", "Mine", "--rejects", "rejects.jsonl"],
        &["count", "--pgn", "games.pgn", "--out", "part.parquet"],
        &["positions", "--input", "games.pgn", "--no-engine", "--min-game-length", "1", "--min-ply", "0",
          "--end-margin", "0", "--output", "positions.jsonl"],
    ];
    for command in commands {
        sandbox.tabiya(command).exits_with(0);
    }
    sandbox
}

/// Every file with its content.
fn content(sandbox: &Sandbox) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    let mut directories = vec![sandbox.directory().to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).expect("readable") {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => directories.push(path),
                false => files.push((path.clone(), fs::read(path).expect("a file"))),
            }
        }
    }
    files.sort();
    files
}

#[track_caller]
fn is_refused(ran: &Ran, option: &str, file: &str) {
    assert_eq!(ran.code, 2, "{ran}");
    assert!(
        ran.stderr.contains(&format!("error: {option}: `{file}` is "))
            && ran.stderr.contains("hint: name another file"),
        "{ran}"
    );
    assert!(ran.stdout.is_empty(), "{ran}");
}

#[test]
fn no_command_writes_over_what_it_reads() {
    let sandbox = everything();
    let before = content(&sandbox);
    #[rustfmt::skip]
    let commands: [(&[&str], &str, &str); 41] = [
        (&["import", "games.pgn"], "--report", "games.pgn"),
        (&["import", "games.pgn"], "--metrics-out", "games.pgn"),
        (&["import", "games.pgn"], "--rejects", "games.pgn"),
        (&["import", "games.pgn"], "--out-edges", "games.pgn"),
        (&["import", "games.pgn"], "--report", "tabiya.db"),
        (&["import", "games.pgn"], "--metrics-out", "tabiya.db-wal"),
        (&["import", "games.pgn", "--db", "new.db"], "--report", "new.db"),
        (&["import", "club"], "--report", "club/a.pgn"),
        (&["import", "c*/*.pgn"], "--report", "club/a.pgn"),
        (&["import", "--retry-rejects", "rejects.jsonl"], "--report", "rejects.jsonl"),
        (&["count", "--pgn", "games.pgn"], "--out", "games.pgn"),
        (&["evals", "import", "games.pgn"], "--report", "games.pgn"),
        (&["evals", "import", "games.pgn"], "--report", "tabiya.db"),
        (&["analyze", "games.pgn"], "--output", "games.pgn"),
        (&["analyze", "club/"], "--output", "club/a.pgn"),
        (&["analyze", "games.pgn"], "--report", "games.pgn"),
        (&["analyze", "games.pgn", "--db", "tabiya.db"], "--output", "tabiya.db"),
        (&["export", "--format", "csv"], "--output", "tabiya.db"),
        (&["export", "--format", "csv"], "--output", "tabiya.toml"),
        (&["export", "--format", "csv", "--output", "nodes.csv"], "--report", "tabiya.db-shm"),
        (&["repertoire", "export", "Mine"], "--output", "tabiya.db"),
        (&["positions", "--input", "games.pgn", "--no-engine", "--format", "jsonl"], "--output", "games.pgn"),
        (&["positions", "--input", "games.pgn", "--no-engine", "--output", "p.jsonl"], "--report", "games.pgn"),
        (&["positions", "--input", "games.pgn", "--no-engine", "--dedupe-with", "positions.jsonl"], "--output", "positions.jsonl"),
        (&["positions", "convert", "positions.jsonl"], "--output", "positions.jsonl"),
        (&["positions", "merge", "positions.jsonl"], "--output", "positions.jsonl"),
        (&["positions", "shuffle", "positions.jsonl"], "--output", "positions.jsonl"),
        (&["positions", "dedupe", "other.jsonl", "--with", "positions.jsonl"], "--output", "positions.jsonl"),
        (&["review", "games.pgn", "--engine", "none"], "--report", "games.pgn"),
        (&["review", "games.pgn", "--engine", "none"], "--csv", "games.pgn"),
        (&["review", "games.pgn", "--engine", "none"], "--pgn", "games.pgn"),
        (&["review", "games.pgn", "--engine", "none"], "--graph", "games.pgn"),
        (&["review", "games.pgn", "--lines", "lines.jsonl"], "--record", "lines.jsonl"),
        (&["review", "games.pgn", "--engine", "none", "--use-store"], "--csv", "tabiya.db"),
        (&["build", "eco", "--source", "names.csv"], "--report", "names.csv"),
        (&["build", "expand", "--pgn", "games.pgn"], "--report", "games.pgn"),
        (&["build", "expand", "--counts", "part.parquet"], "--report", "part.parquet"),
        (&["build", "validate", "--pgn", "games.pgn"], "--report", "games.pgn"),
        (&["build", "all", "--pgn", "games.pgn", "--source", "names.csv"], "--report", "names.csv"),
        (&["build", "audit"], "--report", "tabiya.db"),
        (&["worker", "--until-empty"], "--report", "tabiya.db"),
    ];
    for (command, option, file) in commands {
        let ran = sandbox.tabiya(&[command, &[option, file]].concat());
        is_refused(&ran, option, file);
        assert!(
            content(&sandbox) == before,
            "{command:?} {option} {file} changed a file"
        );
    }
    for phase in ["structures", "transpositions", "annotate"] {
        is_refused(
            &sandbox.tabiya(&["build", phase, "--report", "tabiya.db"]),
            "--report",
            "tabiya.db",
        );
    }
    let crawl = [
        "build",
        "expand",
        "--explorer",
        "http://127.0.0.1:1/masters",
        "--report",
        "tabiya.db",
    ];
    is_refused(&sandbox.tabiya(&crawl), "--report", "tabiya.db");
    assert!(content(&sandbox) == before);
}

#[cfg(unix)]
#[test]
fn other_names_of_an_input_are_refused_and_other_files_are_not() {
    let sandbox = Sandbox::with("games.pgn", "1. e4 e5 1-0\n");
    std::os::unix::fs::symlink("games.pgn", sandbox.path("link")).expect("linked");
    fs::hard_link(sandbox.path("games.pgn"), sandbox.path("twin.json")).expect("linked");
    for name in ["link", "twin.json", "./games.pgn"] {
        let ran = sandbox.tabiya(&["analyze", "games.pgn", "--output", name]);
        is_refused(&ran, "--output", name);
    }
    // What the shell puts into standard input is a file too.
    let script = format!("'{TABIYA}' analyze - --output games.pgn < games.pgn");
    let ran = sandbox.run(sandbox.command("sh", &["-c", &script]));
    is_refused(&ran, "--output", "games.pgn");
    assert_eq!(sandbox.read("games.pgn"), "1. e4 e5 1-0\n");

    // A file beside the inputs, one of an earlier run, and devices.
    sandbox.write("old.json", "old");
    for name in ["new.json", "old.json", "/dev/null", "-"] {
        sandbox
            .tabiya(&["analyze", "games.pgn", "--output", name, "-q"])
            .exits_with(0);
    }
    assert_ne!(sandbox.read("old.json"), "old");
}
