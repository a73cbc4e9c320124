//! Imports that are killed or interrupted, and go on.

use std::{
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    corpus::{Dice, games},
    sandbox::{Content, Ran, Sandbox, TABIYA},
    stores::Kind,
};

/// More games and more kills than the everyday tests take time for.
pub(crate) fn soak() -> bool {
    std::env::var_os("TABIYA_SOAK").is_some()
}

/// The command of all runs: small batches, so that there is much to be interrupted.
fn import(sandbox: &Sandbox, database: &str) -> Command {
    #[rustfmt::skip]
    let args = [
        "import", "games.pgn", "--db", database, "--repertoire", "R", "--batch-bytes", "4096", "--format", "json",
    ];
    let mut command = sandbox.command(TABIYA, &args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

pub(crate) fn finish(child: Child) -> Ran {
    let output = child.wait_with_output().expect("it ends");
    Ran {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// What an import that nobody disturbs leaves, and how long it takes.
fn undisturbed(sandbox: &Sandbox, kind: Kind) -> (Content, Duration) {
    let database = kind.new_database(sandbox, "undisturbed");
    let started = Instant::now();
    sandbox.run(import(sandbox, &database)).exits_with(0);
    (Content::of(&database), started.elapsed())
}

/// Kills an import at random moments until one comes to its end, and compares what is left with an import that nobody
/// disturbed.
fn kill_and_go_on(kind: Kind, seed: u64) {
    let number = if soak() { 4000 } else { 500 };
    let sandbox = Sandbox::with("games.pgn", games(seed, number));
    let (expected, mut time) = undisturbed(&sandbox, kind);
    assert!(!expected.rejects.is_empty() && !expected.tactics.is_empty() && !expected.repertoire.is_empty());

    // How fast the machine is from one moment to the next is anybody's guess, so the moments are found by trying. What
    // the store holds must be right in any case.
    for attempt in 0..10 {
        let database = kind.new_database(&sandbox, &format!("killed{attempt}"));
        let (kills, last) = kill_until_done(&sandbox, &database, time, seed + attempt);
        let report = last.json();
        assert_eq!(
            report["counters"]["pgn_games_total"], number,
            "every game is accounted for once"
        );
        Content::of(&database).equals(&expected);
        match report["sources"][0]["resumed_at"].as_u64() {
            Some(_) if kills >= 2 => return,
            // Killed before the first commit.
            None if kills >= 2 => time = time.mul_f64(1.5),
            _ => time = time.mul_f64(0.6),
        }
    }
    panic!("it was never killed in the middle: {time:?}");
}

/// How often it was killed, and how the last run ended.
fn kill_until_done(sandbox: &Sandbox, database: &str, time: Duration, seed: u64) -> (u32, Ran) {
    let mut dice = Dice(seed);
    let most = if soak() { 30 } else { 6 };
    let mut kills = 0;
    loop {
        let mut child = import(sandbox, database).spawn().expect("the program runs");
        if kills < most {
            sleep(time.mul_f64(0.1 + dice.below(500) as f64 / 1000.0));
            if child.try_wait().expect("it can be asked").is_none() {
                child.kill().expect("it can be killed");
                kills += 1;
            }
        }
        let ran = finish(child);
        if ran.code == 0 {
            return (kills, ran);
        }
        assert_eq!(ran.code, -1, "it was killed, and nothing else: {ran}");
    }
}

#[test]
fn killed_on_sqlite_and_going_on_soak() {
    kill_and_go_on(Kind::Sqlite, 1);
}

#[test]
fn killed_on_postgres_and_going_on_soak() {
    kill_and_go_on(Kind::Postgres, 2);
}

#[cfg(unix)]
pub(crate) fn signal(child: &Child, name: &str) {
    let sent = Command::new("sh")
        .arg("-c")
        .arg(format!("kill -{name} {}", child.id()))
        .status();
    assert!(sent.expect("a shell").success());
}

/// Interrupts an import in the middle.
#[cfg(unix)]
fn interrupt(sandbox: &Sandbox, kind: Kind, name: &str, time: Duration) -> (String, Ran) {
    let mut delay = time.mul_f64(0.4);
    for attempt in 0..10 {
        let database = kind.new_database(sandbox, &format!("interrupted{attempt}"));
        let child = import(sandbox, &database).spawn().expect("the program runs");
        sleep(delay);
        signal(&child, name);
        let ran = finish(child);
        match ran.code {
            // Before it listened.
            -1 => delay = delay.mul_f64(1.5),
            // After its last batch.
            0 => delay = delay.mul_f64(0.6),
            _ => return (database, ran),
        }
    }
    panic!("it was never interrupted in the middle: {delay:?}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_stops_at_a_good_place_and_the_next_run_goes_on() {
    for (name, kind) in [("INT", Kind::Sqlite), ("TERM", Kind::Postgres)] {
        let sandbox = Sandbox::with("games.pgn", games(5, 500));
        let (expected, time) = undisturbed(&sandbox, kind);
        let (database, ran) = interrupt(&sandbox, kind, name, time);
        let ran = ran.exits_with(130);
        assert!(ran.stderr.contains("stopping after the batch at hand"), "{ran}");
        assert!(ran.stderr.contains("run the same command again"), "{ran}");
        let report = ran.json();
        assert_eq!(report["status"], "interrupted");
        let games = report["counters"]["pgn_games_total"].as_u64().expect("a number");
        assert!(games > 0 && games <= 500, "{ran}");

        let ran = sandbox.run(import(&sandbox, &database)).exits_with(0);
        let report = ran.json();
        assert_eq!(report["sources"][0]["resumed_at"], games, "{ran}");
        assert_eq!(report["counters"]["pgn_games_total"], 500);
        Content::of(&database).equals(&expected);
    }
}

#[cfg(unix)]
#[test]
fn a_second_interrupt_ends_at_once() {
    // Standard input that never ends: the import has nothing to do but wait.
    let sandbox = Sandbox::new();
    let mut command = sandbox.command(TABIYA, &["import", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let stdin = child.stdin.take();
    // Signals sent before it listens would end it in another way.
    while !sandbox.path("tabiya.db").exists() {
        sleep(Duration::from_millis(20));
    }
    sleep(Duration::from_millis(300));
    signal(&child, "INT");
    sleep(Duration::from_millis(500));
    assert!(
        child.try_wait().expect("it can be asked").is_none(),
        "the first one only asks"
    );
    signal(&child, "INT");
    let ran = finish(child).exits_with(130);
    assert!(ran.stderr.contains("press Ctrl-C again"), "{ran}");
    drop(stdin);
}
