//! A clock that jumps, years ahead and years back.

use std::{
    fs,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use sqlx::{Connection as _, SqliteConnection};

use crate::{
    build::{NAMES, assert_same, built, knowledge},
    build_crash::games,
    crash::finish,
    engines::fake,
    sandbox::{Sandbox, TABIYA},
    serve::Serving,
};

/// The program with a clock that can be set while it runs, as that of a machine can. What only counts on is left alone.
fn with_clock(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.command(TABIYA, args);
    let libraries =
        ["x86_64", "aarch64"].map(|machine| format!("/usr/lib/{machine}-linux-gnu/faketime/libfaketimeMT.so.1"));
    let library = libraries.iter().find(|path| fs::exists(path).unwrap_or(false));
    command
        .env(
            "LD_PRELOAD",
            library.expect("faketime is missing: run scripts/setup test"),
        )
        .env("FAKETIME_TIMESTAMP_FILE", sandbox.path("clock"))
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Sets it in one step: half a clock is none.
fn set_clock(sandbox: &Sandbox, offset: &str) {
    sandbox.write("clock.new", offset);
    fs::rename(sandbox.path("clock.new"), sandbox.path("clock")).expect("set");
}

/// Whether all positions of a database were made so many days ago or before, by what they say themselves.
fn is_older(sandbox: &Sandbox, database: &str, days: u32) -> bool {
    let url = format!("sqlite://{}", sandbox.path(database).display());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut connection = SqliteConnection::connect(&url).await.expect("the database opens");
        let older = sqlx::query_scalar("SELECT max(datetime(created_at)) < datetime('now', ?) FROM nodes")
            .bind(format!("-{days} days"))
            .fetch_one(&mut connection);
        let older = older.await.expect("an answer");
        connection.close().await.expect("it can be closed");
        older
    })
}

#[test]
fn a_clock_that_jumps_changes_nothing() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(74, 120));
    let engine = fake(sandbox.directory(), "engine", &["run", "slow=10"])
        .display()
        .to_string();
    #[rustfmt::skip]
    let build = |name: &'static str| {
        ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--depth", "3", "--min-games", "1", "--db", name, "-q"]
    };
    let enqueue = |name: &'static str| {
        [
            "build",
            "annotate",
            "--enqueue",
            "--nodes",
            "1000",
            "--batch",
            "4",
            "--db",
            name,
            "-q",
        ]
    };
    let work = |name: &'static str| {
        vec![
            "worker",
            "--db",
            name,
            "--queue",
            name,
            "--lost-after",
            "2",
            "--until-empty",
            "-q",
        ]
    };
    let worker = |name: &'static str| [&work(name)[..], &["--engine", &engine, "--workers", "2"]].concat();
    sandbox.tabiya(&build("still.db")).exits_with(0);
    sandbox.tabiya(&enqueue("still.db")).exits_with(0);
    sandbox.tabiya(&worker("still.db")).exits_with(0);

    set_clock(&sandbox, "-9000d");
    sandbox.run(with_clock(&sandbox, &build("jumped.db"))).exits_with(0);
    assert!(!is_older(&sandbox, "still.db", 8999));
    assert!(is_older(&sandbox, "jumped.db", 8999), "its clock was not set");
    set_clock(&sandbox, "+4000d");
    sandbox.run(with_clock(&sandbox, &enqueue("jumped.db"))).exits_with(0);
    let begun = Instant::now();
    let mut child = with_clock(&sandbox, &worker("jumped.db"))
        .spawn()
        .expect("the program runs");
    let mut jumps = ["+4001d", "+0d", "-9000d", "+4000d"].into_iter().cycle();
    while child.try_wait().expect("it can be asked").is_none() {
        set_clock(&sandbox, jumps.next().expect("one after another"));
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "it waits for a time that does not come"
        );
        sleep(Duration::from_millis(150));
    }
    finish(child).exits_with(0);
    let shown = |name: &str| {
        let mut lines = knowledge(&sandbox.path(name).display().to_string());
        // How long each search took is in the evaluations themselves.
        lines.retain(|line| !line.starts_with("evaluation ("));
        lines
    };
    let still = shown("still.db");
    assert!(still.iter().filter(|line| line.starts_with("node evaluation")).count() >= 30);
    assert_same(&shown("jumped.db"), &still);
}

/// The year that an answer says it is of.
fn year(answer: &str) -> u32 {
    let date = answer
        .lines()
        .find_map(|line| line.strip_prefix("date: "))
        .expect("a date");
    date.split(' ')
        .nth(3)
        .and_then(|year| year.parse().ok())
        .expect("a year")
}

#[test]
fn a_server_whose_clock_jumps_goes_on_answering() {
    let sandbox = built();
    fs::rename(sandbox.path("tabiya.db"), sandbox.path("a.db")).expect("a name");
    set_clock(&sandbox, "+0d");
    let serving = Serving::start_with(&["--rate", "50"], |args| with_clock(&sandbox, args));
    let begun = year(&serving.ask("GET /healthz"));
    set_clock(&sandbox, "+800d");
    assert!(year(&serving.ask("GET /healthz")) > begun, "its clock was not set");
    for offset in ["+365d", "-365d", "-9000d", "+0d"] {
        set_clock(&sandbox, offset);
        for uri in ["/position?play=e2e4", "/openings", "/metrics"] {
            let answer = serving.ask(&format!("GET {uri}"));
            assert!(answer.starts_with("HTTP/1.1 200"), "{offset} {uri}: {answer}");
        }
        sleep(Duration::from_millis(100));
    }
}
