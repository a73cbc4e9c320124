//! `tabiya build annotate` as its users meet it.

use std::process::Stdio;

use crate::{
    build::{assert_same, built, everything, knowledge, ready},
    engines::{Opinionated, fake},
    sandbox::{Ran, Sandbox, TABIYA, assert_said},
};

const KINGS_PAWN: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -";

fn database(sandbox: &Sandbox) -> String {
    sandbox.path("tabiya.db").display().to_string()
}

/// Evaluates with an engine, alone, and in one try.
fn annotate(sandbox: &Sandbox, engine: &str, more: &[&str]) -> Ran {
    let args = [
        "build",
        "annotate",
        "--engine",
        engine,
        "--workers",
        "1",
        "--max-tries",
        "1",
    ];
    sandbox.tabiya(&[&args, more].concat())
}

fn opinionated(sandbox: &Sandbox, opinions: &[(&str, &str)]) -> (Opinionated, String) {
    let engine = Opinionated::new(sandbox.directory(), opinions);
    let program = engine.program.display().to_string();
    (engine, program)
}

#[test]
fn evaluations_are_told() {
    let sandbox = built();
    let (_, engine) = opinionated(&sandbox, &[("*", "cp 20")]);
    assert_said!("annotate", annotate(&sandbox, &engine, &["--limit", "4"]));
    assert_said!("annotate_the_rest", annotate(&sandbox, &engine, &[]));
    let before = everything(&database(&sandbox));
    let again = annotate(&sandbox, &engine, &["--format", "json"]).exits_with(0);
    assert_eq!(again.json()["planned"]["to_search"], 0, "{again}");
    assert_eq!(again.json()["done"]["searched"], 0, "{again}");
    assert_eq!(again.stderr, "");
    assert_same(&everything(&database(&sandbox)), &before);
    assert_said!("annotate_dry_run_nothing", annotate(&sandbox, &engine, &["--dry-run"]));
}

#[test]
fn an_estimate_is_told_and_nothing_is_done() {
    let sandbox = built();
    let (_, engine) = opinionated(&sandbox, &[]);
    let before = everything(&database(&sandbox));
    let ran = annotate(&sandbox, &engine, &["--dry-run", "--popular-games", "4"]).exits_with(0);
    for told in [
        "to search",
        "depth 26",
        "depth 22",
        "depth 18",
        "it would take    about",
    ] {
        assert!(ran.stdout.contains(told), "{told}: {ran}");
    }
    let ran = annotate(&sandbox, &engine, &["--dry-run", "--nodes", "5000", "--format", "json"]).exits_with(0);
    assert_eq!(ran.json()["limits"][0]["limit"], "nodes 5000", "{ran}");
    assert_same(&everything(&database(&sandbox)), &before);
}

#[test]
fn contradictions_are_listed() {
    let sandbox = built();
    let (engine, program) = opinionated(&sandbox, &[("*", "cp 20")]);
    assert_said!("annotate_review_nothing", annotate(&sandbox, &program, &["--review"]));
    annotate(&sandbox, &program, &["--depth", "8"]).exits_with(0);
    engine.think(&[("*", "cp 20"), (KINGS_PAWN, "cp 320")]);
    let ran = annotate(&sandbox, &program, &["--depth", "10"]).exits_with(0);
    assert!(ran.stdout.contains("to be reviewed   1 evaluation"), "{ran}");
    assert_said!("annotate_review", annotate(&sandbox, &program, &["--review"]));
    assert_said!(
        "annotate_review_json",
        annotate(&sandbox, &program, &["--review", "--format", "json"])
    );
    let listed = annotate(&sandbox, &program, &["--review", "--format", "json"])
        .exits_with(0)
        .json();
    let epd = listed[0]["epd"].as_str().expect("a position").to_owned();
    let ran = annotate(&sandbox, &program, &["--keep", &epd]).exits_with(0);
    assert!(ran.stderr.contains(&format!("{epd}: evaluation: ")), "{ran}");
    let ran = annotate(&sandbox, &program, &["--review"]).exits_with(0);
    assert!(ran.stdout.contains("0 evaluations to be reviewed"), "{ran}");
    let ran = annotate(&sandbox, &program, &["--keep", "8/8/8/4k3/8/8/4K3/8 w - -"]).exits_with(2);
    assert!(ran.stderr.contains("--review"), "{ran}");
}

#[test]
fn a_position_that_kills_engines_is_put_aside() {
    let sandbox = built();
    let (_, engine) = opinionated(&sandbox, &[(KINGS_PAWN, "crash")]);
    assert_said!("annotate_quarantine", annotate(&sandbox, &engine, &[]));
    assert_said!("annotate_in_quarantine", annotate(&sandbox, &engine, &[]));
    let ran = annotate(&sandbox, &engine, &["--retry-quarantined", "--format", "json"]).exits_with(0);
    assert_eq!(ran.json()["done"]["quarantined"], 1, "{ran}");
}

#[test]
fn an_engine_that_is_gone_ends_the_run() {
    let sandbox = built();
    let ledger = sandbox.path("ledger").display().to_string();
    let words = ["ledger", &ledger, "run", "good,good,crash", "exit"];
    let mortal = fake(sandbox.directory(), "mortal", &words).display().to_string();
    let ran = annotate(&sandbox, &mortal, &["--max-tries", "3"]);
    assert_eq!(ran.code, 2, "an option is given once: {ran}");
    let args = ["build", "annotate", "--engine", &mortal, "--workers", "1"];
    let ran = sandbox.tabiya(&args).exits_with(3);
    assert!(ran.stderr.contains("error: no engine can be started any more"), "{ran}");
    assert!(
        ran.stderr
            .contains("hint: run the same command again once the engine works"),
        "{ran}"
    );
    let shown = knowledge(&database(&sandbox));
    let shown = shown.iter().filter(|line| line.starts_with("node evaluation")).count();
    assert_eq!(shown, 2);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let sandbox = built();
    let (_, engine) = opinionated(&sandbox, &[]);
    assert_said!("annotate_no_engine", annotate(&sandbox, "no-such-engine", &[]));
    let ran = annotate(&sandbox, &engine, &["--nodes", "1000", "--depth", "20"]).exits_with(2);
    assert!(ran.stderr.contains("cannot be used with"), "{ran}");
    assert_said!("annotate_nodes_0", annotate(&sandbox, &engine, &["--nodes", "0"]));
    let ran = annotate(&sandbox, &engine, &["--db", "missing.db"]).exits_with(3);
    assert!(
        ran.stderr.contains("missing.db") && !sandbox.path("missing.db").exists(),
        "{ran}"
    );
    sandbox.tabiya(&["import", "games.pgn", "--db", "empty.db", "--persist"]);
    let ran = annotate(&sandbox, &engine, &["--db", "empty.db"]);
    assert!(ran.code == 2 && ran.stderr.contains("no openings"), "{ran}");
}

#[test]
fn the_command_line_has_the_last_word() {
    let sandbox = built();
    let (engine, program) = opinionated(&sandbox, &[]);
    sandbox.write(
        "tabiya.toml",
        format!("[annotate]\nengine = \"{program}\"\nworkers = 1\nnodes = 5000\n"),
    );
    sandbox.tabiya(&["build", "annotate", "--limit", "1"]).exits_with(0);
    sandbox
        .tabiya(&["build", "annotate", "--limit", "1", "--depth", "9"])
        .exits_with(0);
    let limits: Vec<String> = engine.asked().into_iter().map(|(_, limit)| limit).collect();
    assert_eq!(limits, ["nodes 5000", "depth 9"]);
}

#[test]
fn a_build_evaluates_the_most_played_if_asked() {
    let sandbox = ready();
    let (engine, program) = opinionated(&sandbox, &[("*", "cp 15")]);
    #[rustfmt::skip]
    let args = [
        "build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--annotate", "3", "--engine", &program,
        "--format", "json",
    ];
    let report = sandbox.tabiya(&args).exits_with(0).json();
    assert_eq!(report["annotate"]["done"]["searched"], 3, "{report}");
    assert_eq!(report["audit"]["passed"], true, "{report}");
    assert_eq!(engine.asked().len(), 3);
    let again = sandbox.tabiya(&args).exits_with(0).json();
    assert_eq!(again["annotate"]["done"]["searched"], 0, "{again}");
    assert_eq!(again["annotate"]["planned"]["done_before"], 3, "{again}");
    assert!(engine.asked().is_empty());
    let ran = sandbox.tabiya(&args[..args.len() - 2]).exits_with(0);
    assert!(ran.stdout.contains("engine           Fake 1.0"), "{ran}");
}

#[test]
fn a_progress_line_is_no_part_of_the_outcome() {
    let sandbox = built();
    let (_, engine) = opinionated(&sandbox, &[("*", "slow 30")]);
    let mut command = sandbox.command(TABIYA, &["build", "annotate", "--engine", &engine, "--quiet"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let ran = sandbox.run(command).exits_with(0);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
}
