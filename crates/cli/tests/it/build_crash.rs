//! Builds that are interrupted, and go on.

use std::{
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    build::{NAMES, assert_same, knowledge},
    corpus,
    crash::finish,
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
    for (seed, name) in [(21, "a.pgn"), (22, "b.pgn"), (23, "c.pgn")] {
        sandbox.write(name, games(seed, 700));
    }
    sandbox
}

fn build(sandbox: &Sandbox, database: &str) -> Command {
    #[rustfmt::skip]
    let args = [
        "build", "all", "--pgn", "a.pgn", "b.pgn", "c.pgn", "--source", "names.csv", "--min-games", "2", "--threads", "2",
        "--db", database, "--format", "json",
    ];
    let mut command = sandbox.command(TABIYA, &args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What a build that nobody disturbs leaves, and how long it takes.
fn undisturbed(sandbox: &Sandbox) -> (Vec<String>, Duration) {
    let database = Kind::Sqlite.new_database(sandbox, "undisturbed");
    let started = Instant::now();
    sandbox.run(build(sandbox, &database)).exits_with(0);
    let time = started.elapsed();
    (knowledge(&database), time)
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_says_so_and_goes_on() {
    let sandbox = sandbox();
    let (expected, time) = undisturbed(&sandbox);
    let mut delay = time.mul_f64(0.3);
    for attempt in 0..10 {
        let database = Kind::Sqlite.new_database(&sandbox, &format!("interrupted{attempt}"));
        let child = build(&sandbox, &database).spawn().expect("the program runs");
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
                sandbox.run(build(&sandbox, &database)).exits_with(0);
                return assert_same(&knowledge(&database), &expected);
            }
        }
    }
    panic!("it was never interrupted in the middle: {delay:?}");
}
