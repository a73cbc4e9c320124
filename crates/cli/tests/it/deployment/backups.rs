//! Backups, made as docs/operations.md says, come back whole.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

use super::{python, text};
use crate::{
    build::{NAMES, assert_same, everything, knowledge},
    build_crash::games,
    corpus,
    crash::finish,
    postgres::new_database,
    sandbox::{Content, Sandbox, TABIYA},
};

/// As docs/operations.md says, while an import is under way.
#[test]
fn a_backup_of_sqlite_is_whole_and_can_be_gone_on_with() {
    let sandbox = Sandbox::with("games.pgn", corpus::games(81, 600));
    let import = |name: &str| {
        let args = [
            "import",
            "games.pgn",
            "--db",
            name,
            "--repertoire",
            "R",
            "--batch-bytes",
            "4096",
            "-q",
        ];
        let mut command = sandbox.command(TABIYA, &args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let statement = "VACUUM INTO 'backup.db'";
    assert!(text("docs/operations.md").contains(statement));
    let program = format!("import sqlite3; sqlite3.connect('a.db', timeout=60).execute(\"{statement}\")");
    let mut delay = Duration::from_millis(300);
    let mut tries = 0..10;
    let expected = loop {
        tries.next().expect("a backup in the middle of an import");
        for old in ["a.db", "a.db-wal", "a.db-shm", "backup.db"] {
            // Those of the last try, if there was one.
            let _ = fs::remove_file(sandbox.path(old));
        }
        let child = import("a.db").spawn().expect("the program runs");
        while !sandbox.path("a.db").exists() {
            sleep(Duration::from_millis(10));
        }
        sleep(delay);
        let made = python()
            .args(["-c", &program])
            .current_dir(sandbox.directory())
            .status();
        assert!(made.expect("python runs").success());
        finish(child).exits_with(0);
        let expected = sandbox.content("a.db");
        match sandbox.content("backup.db").edges.len() {
            0 => delay = delay.mul_f64(1.5),
            saved if saved == expected.edges.len() => delay = delay.mul_f64(0.6),
            _ => break expected,
        }
    };
    // Restored, it goes on where it was.
    sandbox.run(import("backup.db")).exits_with(0);
    sandbox.content("backup.db").equals(&expected);
}

/// Where PostgreSQL's own programs are: with the newest version, or on the PATH.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions
        .map(|version| version.path().join("bin"))
        .filter(|directory| directory.join("pg_dump").exists())
        .collect();
    found.sort();
    found.pop().unwrap_or_default()
}

#[test]
fn a_backup_of_postgres_comes_back() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(82, 60));
    let url = new_database();
    #[rustfmt::skip]
    let build = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--min-games", "1", "--db", &url, "-q"];
    sandbox.tabiya(&build).exits_with(0);
    sandbox
        .tabiya(&["import", "games.pgn", "--db", &url, "-q"])
        .exits_with(0);
    let programs = programs();
    let page = text("docs/operations.md");
    let run = |program: &str, args: &[&str]| {
        let line = format!("{program} {}", args[..2].join(" "));
        assert!(page.contains(&line), "the page has another way than {line}");
        let ran = Command::new(programs.join(program))
            .args(args)
            .current_dir(sandbox.directory())
            .output();
        let ran = ran.expect("it runs");
        assert!(
            ran.status.success(),
            "{program}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
    };
    run("pg_dump", &["--format=custom", "--file=tabiya.dump", &url]);
    let other = new_database();
    let target = format!("--dbname={other}");
    run("pg_restore", &["--exit-on-error", "--no-owner", &target, "tabiya.dump"]);
    assert_same(&everything(&other), &everything(&url));
    Content::of(&other).equals(&Content::of(&url));
    // And is what it was to the program: nothing is left to do.
    let again = [&build[..build.len() - 2], &[other.as_str()]].concat();
    sandbox.tabiya(&again).exits_with(0);
    assert_same(&knowledge(&other), &knowledge(&url));
}
