//! Builds that are killed or interrupted, and go on.

use std::{
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    build::{NAMES, assert_same, knowledge},
    corpus::{self, Dice},
    crash::{finish, soak},
    sandbox::{Sandbox, TABIYA},
    stores::Kind,
};

/// Random games, all of them with a result.
pub(crate) fn games(seed: u64, number: usize) -> String {
    corpus::games(seed, number)
        .replace("[Result \"*\"]", "[Result \"1-0\"]")
        .replace("*\n", "1-0\n")
}

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with("names.csv", NAMES);
    let number = if soak() { 4000 } else { 700 };
    for (seed, name) in [(21, "a.pgn"), (22, "b.pgn"), (23, "c.pgn")] {
        sandbox.write(name, games(seed, number));
    }
    sandbox
}

/// What is disturbed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Build {
    All,
    Add,
}

impl Build {
    fn command(self, sandbox: &Sandbox, database: &str) -> Command {
        let what: &[&str] = match self {
            Build::All => &["all", "--pgn", "a.pgn", "b.pgn", "c.pgn", "--source", "names.csv"],
            Build::Add => &["expand", "--pgn", "b.pgn", "c.pgn", "--add"],
        };
        let how = [
            "--min-games",
            "2",
            "--threads",
            "2",
            "--db",
            database,
            "--format",
            "json",
        ];
        let mut command = sandbox.command(TABIYA, &[&["build"], what, &how].concat());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

/// A database that is ready for a build.
fn begin(sandbox: &Sandbox, name: &str, build: Build) -> String {
    let database = Kind::Sqlite.new_database(sandbox, name);
    if build == Build::Add {
        #[rustfmt::skip]
        let args = [
            "build", "all", "--pgn", "a.pgn", "--source", "names.csv", "--min-games", "2", "--db", &database,
        ];
        sandbox.tabiya(&args).exits_with(0);
    }
    database
}

/// What a build that nobody disturbs leaves, and how long it takes.
fn undisturbed(sandbox: &Sandbox, build: Build) -> (Vec<String>, Duration) {
    let database = begin(sandbox, "undisturbed", build);
    let started = Instant::now();
    sandbox.run(build.command(sandbox, &database)).exits_with(0);
    let time = started.elapsed();
    (knowledge(&database), time)
}

/// Kills builds at moments all over their run, lets them go on, and compares what is left.
fn kill_and_go_on(build: Build, seed: u64) {
    let sandbox = sandbox();
    let (expected, mut time) = undisturbed(&sandbox, build);
    assert!(expected.len() > 3000, "{}", expected.len());
    let mut dice = Dice(seed);
    let rounds = if soak() { 40 } else { 8 };
    let mut kills = 0;
    for round in 0..rounds {
        let database = begin(&sandbox, &format!("killed{round}"), build);
        // One moment in each part of the run, and another in what is left of it.
        for part in [round as f64 / rounds as f64, 0.0] {
            let mut child = build.command(&sandbox, &database).spawn().expect("the program runs");
            sleep(time.mul_f64(part + dice.below(1000) as f64 / 1000.0 / rounds as f64));
            if child.try_wait().expect("it can be asked").is_none() {
                child.kill().expect("it can be killed");
                kills += 1;
            } else {
                time = time.mul_f64(0.8);
            }
            let ran = finish(child);
            assert!(
                ran.code == -1 || ran.code == 0,
                "it was killed, and nothing else: {ran}"
            );
        }
        sandbox.run(build.command(&sandbox, &database)).exits_with(0);
        assert_same(&knowledge(&database), &expected);
    }
    assert!(kills >= rounds, "{kills} kills in {rounds} rounds of {time:?}");
}

#[test]
fn a_build_killed_at_any_moment_goes_on_soak() {
    kill_and_go_on(Build::All, 31);
}

#[test]
fn an_addition_killed_at_any_moment_goes_on_soak() {
    kill_and_go_on(Build::Add, 32);
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_says_so_and_goes_on() {
    let sandbox = sandbox();
    let (expected, time) = undisturbed(&sandbox, Build::All);
    let mut delay = time.mul_f64(0.3);
    for attempt in 0..10 {
        let database = begin(&sandbox, &format!("interrupted{attempt}"), Build::All);
        let child = Build::All
            .command(&sandbox, &database)
            .spawn()
            .expect("the program runs");
        sleep(delay);
        crate::crash::signal(&child, "INT");
        let ran = finish(child);
        match ran.code {
            // Before it listened.
            -1 => delay = delay.mul_f64(1.4),
            // After its last count.
            0 => delay = delay.mul_f64(0.7),
            _ => {
                let ran = ran.exits_with(130);
                assert!(ran.stderr.contains("run the same command again"), "{ran}");
                sandbox.run(Build::All.command(&sandbox, &database)).exits_with(0);
                return assert_same(&knowledge(&database), &expected);
            }
        }
    }
    panic!("it was never interrupted in the middle: {delay:?}");
}
