//! Evaluations that are interrupted or killed, and go on; and engines that do not outlive them.

use std::{
    collections::HashMap,
    fs,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    build::{NAMES, assert_same, knowledge},
    build_crash::games,
    crash::{finish, signal},
    engines::real_engine,
    sandbox::{Ran, Sandbox, TABIYA},
};

/// A sandbox with a knowledge base that a real engine has a few seconds to do with.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(41, 40));
    #[rustfmt::skip]
    let args = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--depth", "3", "--min-games", "1"];
    sandbox.tabiya(&args).exits_with(0);
    sandbox
}

/// The same knowledge base under another name.
fn copy(sandbox: &Sandbox, name: &str) -> String {
    fs::copy(sandbox.path("tabiya.db"), sandbox.path(name)).expect("a copy");
    sandbox.path(name).display().to_string()
}

fn annotate(sandbox: &Sandbox, database: &str) -> Command {
    let engine = real_engine().display().to_string();
    #[rustfmt::skip]
    let args = [
        "build", "annotate", "--db", database, "--engine", &engine, "--workers", "2", "--nodes", "4000", "--format",
        "json",
    ];
    let mut command = sandbox.command(TABIYA, &args);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// What is known, but for how long it took to find out.
pub(crate) fn timeless(database: &str) -> Vec<String> {
    let strip = |line: String| match line.strip_prefix("evaluation (") {
        Some(row) => {
            let mut fields: Vec<&str> = row.splitn(9, ", ").collect();
            fields[5] = "millis";
            format!("evaluation ({}", fields.join(", "))
        }
        None => line,
    };
    let mut lines: Vec<String> = knowledge(database).into_iter().map(strip).collect();
    lines.sort_unstable();
    lines
}

fn evaluated(database: &str) -> usize {
    let lines = knowledge(database);
    lines.iter().filter(|line| line.starts_with("node evaluation")).count()
}

/// What nobody disturbs, how many positions that is, and how long it takes.
fn undisturbed(sandbox: &Sandbox) -> (Vec<String>, usize, Duration) {
    let database = copy(sandbox, "undisturbed.db");
    let begun = Instant::now();
    let report = sandbox.run(annotate(sandbox, &database)).exits_with(0).json();
    let time = begun.elapsed();
    let searched = report["done"]["searched"].as_u64().expect("a number") as usize;
    assert_eq!(report["done"]["quarantined"], 0, "{report}");
    assert!(searched >= 30, "{searched} positions are too few to be interrupted in");
    (timeless(&database), searched, time)
}

/// All processes below one, by what the kernel says of their parents.
fn descendants(pid: u32) -> Vec<u32> {
    let mut parents: HashMap<u32, u32> = HashMap::new();
    for entry in fs::read_dir("/proc").expect("Linux").flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse() else {
            continue;
        };
        if let Some((_, parent)) = state_and_parent(pid) {
            parents.insert(pid, parent);
        }
    }
    let mut found = vec![pid];
    let mut next = 0;
    while next < found.len() {
        let above = found[next];
        found.extend(
            parents
                .iter()
                .filter(|(_, parent)| **parent == above)
                .map(|(pid, _)| *pid),
        );
        next += 1;
    }
    found.split_off(1)
}

/// The name in between is in parentheses and may contain anything.
fn state_and_parent(pid: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    Some((state, fields.next()?.parse().ok()?))
}

fn is_alive(pid: u32) -> bool {
    state_and_parent(pid).is_some_and(|(state, _)| !matches!(state, 'Z' | 'X'))
}

/// Waits until none of these is left.
#[track_caller]
fn assert_gone(engines: &[u32], within: Duration) {
    let begun = Instant::now();
    while engines.iter().any(|pid| is_alive(*pid)) {
        assert!(begun.elapsed() < within, "{engines:?} outlived their program");
        sleep(Duration::from_millis(20));
    }
}

/// Disturbs a run in the middle; gives its database, how many positions were evaluated, its engines and its last words.
fn disturb(sandbox: &Sandbox, name: &str, time: Duration, all: usize, end: impl Fn(&Child)) -> (String, Vec<u32>, Ran) {
    let mut delay = time.mul_f64(0.5);
    for attempt in 0..10 {
        let database = copy(sandbox, &format!("{name}{attempt}.db"));
        let child = annotate(sandbox, &database).spawn().expect("the program runs");
        sleep(delay);
        let engines = descendants(child.id());
        end(&child);
        let ran = finish(child);
        match evaluated(&database) {
            // Before the first was written.
            0 => delay = delay.mul_f64(1.4),
            done if done >= all || engines.is_empty() => delay = delay.mul_f64(0.6),
            _ => return (database, engines, ran),
        }
    }
    panic!("it was never disturbed in the middle: {delay:?}");
}

#[test]
fn interrupted_evaluations_are_kept_and_gone_on_with() {
    let sandbox = sandbox();
    let (expected, all, time) = undisturbed(&sandbox);
    let (database, engines, ran) = disturb(&sandbox, "interrupted", time, all, |child| signal(child, "INT"));
    let ran = ran.exits_with(130);
    assert_gone(&engines, Duration::ZERO);
    let report = ran.json();
    assert_eq!(report["interrupted"], true, "{ran}");
    let searched = report["done"]["searched"].as_u64().expect("a number") as usize;
    let left = report["done"]["not_done"].as_u64().expect("a number") as usize;
    assert_eq!((searched, searched + left), (evaluated(&database), all), "{ran}");
    assert!(ran.stderr.contains("run the same command again"), "{ran}");

    let rest = sandbox.run(annotate(&sandbox, &database)).exits_with(0).json();
    assert_eq!(rest["done"]["searched"], left, "{rest}");
    assert_same(&timeless(&database), &expected);
}

#[test]
fn killed_evaluations_are_gone_on_with_and_leave_no_engine() {
    let sandbox = sandbox();
    let (expected, all, time) = undisturbed(&sandbox);
    let (database, engines, ran) = disturb(&sandbox, "killed", time, all, |child| signal(child, "KILL"));
    assert_eq!(ran.code, -1, "{ran}");
    // Nobody told them; their standard input ended.
    assert_gone(&engines, Duration::from_secs(10));
    let audited = sandbox.tabiya(&["build", "audit", "--db", &database]);
    assert_eq!(audited.code, 0, "{audited}");
    sandbox.run(annotate(&sandbox, &database)).exits_with(0);
    assert_same(&timeless(&database), &expected);
}
