//! Backups, made as docs/operations.md says, come back whole.

use std::{
    env,
    ffi::OsString,
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

/// What docs/operations.md says to type, behind these words.
fn commands(behind: &str) -> String {
    let page = text("docs/operations.md");
    let (_, rest) = page
        .split_once(behind)
        .unwrap_or_else(|| panic!("the page has no `{behind}`"));
    let (_, rest) = rest.split_once("```sh\n").expect("commands");
    rest.split_once("```").expect("their end").0.to_owned()
}

/// Types it up to the first that fails, and gives what that says. Python has an SQLite where there may be no `sqlite3`.
fn typed(sandbox: &Sandbox, commands: &str) -> Result<(), String> {
    let python = python().get_program().to_owned();
    let sqlite = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=60).execute(sys.argv[2])";
    let script = format!("set -e\nsqlite3() {{ {python:?} -c '{sqlite}' \"$@\"; }}\n{commands}");
    let ran = Command::new("bash")
        .args(["-c", &script])
        .env("PATH", path())
        .current_dir(sandbox.directory())
        .output()
        .expect("bash runs");
    match ran.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&ran.stderr).into_owned()),
    }
}

const DAY: &str = "2026-11-19";

fn backup_of_sqlite() -> String {
    let commands = commands("**SQLite**");
    assert!(commands.starts_with("day=$(date +%F)\n"), "{commands}");
    commands.replace("$(date +%F)", DAY)
}

fn restore_of_sqlite() -> String {
    let commands = commands("To restore, while nothing runs:");
    assert!(commands.starts_with(&format!("day={DAY}\n")), "{commands}");
    commands
}

/// While an import is under way.
#[test]
fn a_backup_of_sqlite_is_whole_and_can_be_gone_on_with() {
    let sandbox = Sandbox::with("games.pgn", corpus::games(81, 3000));
    // What was counted is there or not, as it likes.
    sandbox.write("tabiya.db.counts/manifest", "");
    let import = || {
        #[rustfmt::skip]
        let args = ["import", "games.pgn", "--db", "tabiya.db", "--repertoire", "R", "--batch-bytes", "4096", "-q"];
        let mut command = sandbox.command(TABIYA, &args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let copy = format!("backup-{DAY}");
    let mut delay = Duration::from_millis(300);
    let mut tries = 0..10;
    let expected = loop {
        tries.next().expect("a backup in the middle of an import");
        for old in ["tabiya.db", "tabiya.db-wal", "tabiya.db-shm"] {
            // Those of the last try, if there was one.
            let _ = fs::remove_file(sandbox.path(old));
        }
        let _ = fs::remove_dir_all(sandbox.path(&copy));
        let mut child = import().spawn().expect("the program runs");
        while !sandbox.path("tabiya.db").exists() {
            assert!(
                child.try_wait().expect("a child").is_none(),
                "it ended without a database"
            );
            sleep(Duration::from_millis(10));
        }
        sleep(delay);
        assert_eq!(typed(&sandbox, &backup_of_sqlite()), Ok(()));
        finish(child).exits_with(0);
        let expected = sandbox.content("tabiya.db");
        match sandbox.content(&format!("{copy}/tabiya.db")).edges.len() {
            0 => delay = delay.mul_f64(1.5),
            saved if saved == expected.edges.len() => delay = delay.mul_f64(0.6),
            _ => break expected,
        }
    };
    // Restored, it goes on where it was.
    assert_eq!(typed(&sandbox, &restore_of_sqlite()), Ok(()));
    assert_ne!(sandbox.content("tabiya.db").edges.len(), expected.edges.len());
    sandbox.run(import()).exits_with(0);
    sandbox.content("tabiya.db").equals(&expected);
}

/// With what was counted, so that more games can be added to it; and no backup takes the place of another.
#[test]
fn what_was_counted_comes_back() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(83, 60));
    sandbox.write("more.pgn", games(84, 60));
    let build = |more: &[&str]| {
        let build = [
            "build",
            "all",
            "--source",
            "names.csv",
            "--min-games",
            "1",
            "--db",
            "tabiya.db",
            "-q",
        ];
        sandbox.tabiya(&[&build, more].concat()).exits_with(0);
        knowledge(&format!("sqlite://{}", sandbox.path("tabiya.db").display()))
    };
    let first = build(&["--pgn", "games.pgn"]);
    assert_eq!(typed(&sandbox, &backup_of_sqlite()), Ok(()));
    let expected = build(&["--pgn", "more.pgn", "--add"]);
    assert_ne!(first, expected);
    typed(&sandbox, &backup_of_sqlite()).expect_err("there is one of that day");
    assert_eq!(typed(&sandbox, &restore_of_sqlite()), Ok(()));
    assert_same(&build(&["--pgn", "more.pgn", "--add"]), &expected);
}

/// With PostgreSQL's own programs: those of the newest version, or whatever is found anyway.
fn path() -> OsString {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions
        .map(|version| version.path().join("bin"))
        .filter(|directory| directory.join("pg_dump").exists())
        .collect();
    found.sort();
    let known = env::var_os("PATH").unwrap_or_default();
    env::join_paths(found.pop().into_iter().chain(env::split_paths(&known))).expect("directories")
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
    let (place, name) = url.rsplit_once('/').expect("a URL has a path");
    let restored = format!("{name}_restored");
    let other = format!("{place}/{restored}");
    let commands = commands("**PostgreSQL**")
        .replace("postgres://tabiya@db.example/tabiya_restored", &other)
        .replace("postgres://tabiya@db.example/tabiya", &url)
        .replace("tabiya_restored", &restored);
    let commands = format!("dropdb --if-exists --maintenance-db={url} {restored}\n{commands}");
    assert_eq!(typed(&sandbox, &commands), Ok(()));
    assert_same(&everything(&other), &everything(&url));
    Content::of(&other).equals(&Content::of(&url));
    // And is what it was to the program: nothing is left to do.
    let again = [&build[..build.len() - 2], &[other.as_str()]].concat();
    sandbox.tabiya(&again).exits_with(0);
    assert_same(&knowledge(&other), &knowledge(&url));
}
