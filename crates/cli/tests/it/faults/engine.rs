//! Engines that are replaced, are gone, or eat the machine.

use std::fs;

use crate::{
    build::{NAMES, knowledge},
    build_crash::games,
    engines::fake,
    sandbox::{Sandbox, TABIYA},
};

#[test]
fn an_engine_that_is_replaced_between_runs_and_within_one() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(77, 60));
    #[rustfmt::skip]
    let build = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--depth", "3", "--min-games", "1", "-q"];
    sandbox.tabiya(&build).exits_with(0);
    let annotate = |limit: &str, engine: &str| {
        #[rustfmt::skip]
        let args = ["build", "annotate", "--engine", engine, "--workers", "1", "--nodes", "1000", "--limit", limit, "--format", "json"];
        sandbox.tabiya(&args)
    };
    let place = sandbox.path("engine").display().to_string();
    fake(sandbox.directory(), "engine", &["run", "name=Old 1.0"]);
    annotate("10", &place).exits_with(0);
    // The same file is another engine now, and crashes in its third search; what replaces it is a third one.
    let ledger = sandbox.path("ledger").display().to_string();
    fake(
        sandbox.directory(),
        "engine",
        &[
            "ledger",
            &ledger,
            "run",
            "name=New 2.0,good,good,crash",
            "name=Newer 3.0",
        ],
    );
    let ran = annotate("1000", &place).exits_with(0);
    assert_eq!(ran.json()["done"]["quarantined"], 0, "{ran}");
    let lines = knowledge(&sandbox.path("tabiya.db").display().to_string());
    let by = |name: &str| {
        lines
            .iter()
            .filter(|line| line.starts_with("evaluation (") && line.contains(name))
            .count()
    };
    let answers = ["Old 1.0", "New 2.0", "Newer 3.0"].map(by);
    assert!(answers.iter().all(|answers| *answers > 0), "{answers:?}");
    assert_eq!(sandbox.read("ledger").lines().count(), 2, "one was replaced by another");
    sandbox.tabiya(&["build", "audit"]).exits_with(0);
    // And one that is gone.
    fs::remove_file(sandbox.path("engine")).expect("removable");
    let ran = annotate("1000", &place).exits_with(2);
    assert!(ran.stderr.contains(&place) && ran.stderr.contains("hint: "), "{ran}");
}

#[test]
fn an_engine_that_eats_the_machine_costs_its_position_and_no_more() {
    let sandbox = Sandbox::with("game.pgn", "1. e4 e5 2. Nf3 Nc6 1-0\n");
    for deed in ["flood", "long-line", "breed"] {
        let engine = fake(sandbox.directory(), deed, &["run", deed]).display().to_string();
        #[rustfmt::skip]
        let args = ["doctor", "--engine", &engine, "--max-tries", "1"];
        let ran = sandbox.tabiya(&args).exits_with(3);
        assert!(
            ran.stdout.contains("engine      broken") && ran.stdout.contains("hint: "),
            "{deed}: {ran}"
        );
    }
}

/// An engine is somebody else's program: what opens our database is not told to it.
#[test]
fn an_engine_does_not_get_the_passwords_of_the_environment() {
    let sandbox = Sandbox::new();
    let told = sandbox.path("told").display().to_string();
    let engine = fake(sandbox.directory(), "well", &["instant"]).display().to_string();
    let script = format!("#!/bin/sh\nenv > '{told}'\nexec '{engine}'\n");
    // Written by a shell, as fake engines are: a file that is open for writing while another thread forks cannot be run.
    let mut write = sandbox.command("sh", &["-c", "printf %s \"$1\" > curious && chmod +x curious", "sh"]);
    write.arg(script);
    assert_eq!(sandbox.run(write).code, 0);
    let mut command = sandbox.command(TABIYA, &["doctor", "--db", "none.db", "--engine", "./curious"]);
    for name in [
        "TABIYA_DB",
        "TABIYA_NEO4J",
        "PGPASSWORD",
        "REDIS_URL",
        "NEO4J_AUTH",
        "OF_NO_CONCERN",
    ] {
        command.env(name, "verysecretpassword");
    }
    let ran = sandbox.run(command);
    let told = sandbox.read("told");
    assert!(told.contains("PATH="), "{ran}\n{told}");
    let secrets: Vec<&str> = told
        .lines()
        .filter(|line| line.contains("verysecretpassword"))
        .collect();
    assert_eq!(secrets, ["OF_NO_CONCERN=verysecretpassword"], "{ran}");
}
