//! Runs that are interrupted, and runs that many machines share.

use std::{
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    blitz_games::games,
    crash::{finish, signal},
    engines::fake,
    postgres,
    sandbox::{Sandbox, TABIYA},
};

fn command(sandbox: &Sandbox, args: &[&str], output: &str) -> Command {
    let mut command = sandbox.command(
        TABIYA,
        &[&["positions", "--input", "games.pgn", "-o", output], args].concat(),
    );
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let sandbox = Sandbox::with("games.pgn", games(34, 2_000));
    let engine = fake(sandbox.directory(), "engine", &["run", "slow=20"]);
    let engine = engine.display().to_string();
    let args = [
        "--engine",
        &engine,
        "--workers",
        "1",
        "--nodes",
        "10",
        "--batch-size",
        "5",
    ];
    let child = command(&sandbox, &args, "p.parquet").spawn().expect("the program runs");
    let begun = Instant::now();
    while !sandbox.path("p.parquet.parts/part-000001").exists() {
        assert!(begun.elapsed() < Duration::from_secs(120), "it keeps nothing");
        sleep(Duration::from_millis(20));
    }
    signal(&child, "INT");
    let ran = finish(child).exits_with(130);
    assert!(ran.stderr.contains("--resume"), "{ran}");
    let progress: serde_json::Value =
        serde_json::from_str(&sandbox.read("p.parquet.progress.json")).expect("a progress file");
    assert!(
        progress["positions_extracted"].as_u64() > Some(0),
        "whole groups are kept: {progress}"
    );
    let again = sandbox.tabiya(&["positions", "--input", "games.pgn", "--no-engine", "-o", "p.parquet"]);
    let again = again.exits_with(2);
    assert!(
        again.stderr.contains("--resume") && again.stderr.contains("--restart"),
        "{again}"
    );
}

#[cfg(unix)]
#[test]
fn what_cannot_be_gone_on_with_is_not_said_to_be() {
    let sandbox = Sandbox::with("games.pgn", games(35, 2_000));
    let ledger = sandbox.path("ledger");
    let words = ["ledger", &ledger.display().to_string(), "run", "slow=20"];
    let engine = fake(sandbox.directory(), "engine", &words).display().to_string();
    #[rustfmt::skip]
    let args = ["--format", "jsonl", "--engine", &engine, "--workers", "1", "--nodes", "10"];
    let mut piped = sandbox.command(
        TABIYA,
        &[&["positions", "--input", "-", "-o", "p.jsonl"], &args[..]].concat(),
    );
    let games = std::fs::File::open(sandbox.path("games.pgn")).expect("readable");
    piped.stdin(games).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (mut command, hint) in [
        (command(&sandbox, &args, "/dev/stdout"), None),
        (piped, Some("--restart")),
    ] {
        let child = command.spawn().expect("the program runs");
        // Interrupts are listened to before an engine starts.
        let begun = Instant::now();
        while std::fs::remove_file(&ledger).is_err() {
            assert!(begun.elapsed() < Duration::from_secs(120), "no engine starts");
            sleep(Duration::from_millis(20));
        }
        signal(&child, "INT");
        let ran = finish(child).exits_with(130);
        assert_eq!(ran.stdout, "", "{ran}");
        assert!(ran.stderr.contains("interrupted"), "{ran}");
        assert!(
            !ran.stderr.contains("--resume") && !ran.stderr.contains("is kept"),
            "{ran}"
        );
        assert_eq!(ran.stderr.contains("hint: "), hint.is_some(), "{ran}");
        assert!(hint.is_none_or(|hint| ran.stderr.contains(hint)), "{ran}");
    }
}

#[test]
fn workers_on_a_queue_in_postgresql_do_the_run_together() {
    let sandbox = Sandbox::with("games.pgn", games(35, 300));
    let database = postgres::new_database();
    sandbox
        .tabiya(&[
            "positions",
            "--input",
            "games.pgn",
            "--no-engine",
            "-q",
            "-o",
            "whole.jsonl",
        ])
        .exits_with(0);
    #[rustfmt::skip]
    let enqueue = [
        "positions", "--input", "games.pgn", "--no-engine", "--db", &database, "--enqueue", "--shares", "5", "-o", "p.jsonl",
    ];
    let ran = sandbox.tabiya(&enqueue).exits_with(0);
    assert!(ran.stdout.contains("5 jobs"), "{ran}");
    assert!(sandbox.tabiya(&enqueue).stdout.contains("5 there already"));
    let workers: Vec<_> = (0..2)
        .map(|_| {
            let args = [
                "positions",
                "--db",
                &database,
                "--work",
                "--until-empty",
                "-o",
                "together",
            ];
            let mut command = sandbox.command(TABIYA, &args);
            command.stdout(Stdio::piped()).stderr(Stdio::piped());
            command.spawn().expect("a worker starts")
        })
        .collect();
    for worker in workers {
        finish(worker).exits_with(0);
    }
    let mut lines = Vec::new();
    for number in 1..=5 {
        let name = format!("together/standard-games-{number}-of-5-p.jsonl");
        lines.extend(sandbox.read(&name).lines().map(str::to_owned));
        assert!(sandbox.path(&format!("{name}.manifest.json")).exists());
    }
    let mut whole: Vec<String> = sandbox.read("whole.jsonl").lines().map(str::to_owned).collect();
    lines.sort();
    whole.sort();
    assert_eq!(lines, whole);
}
