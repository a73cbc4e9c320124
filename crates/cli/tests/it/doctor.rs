//! `tabiya doctor`: what is there, what is not, and what to do about it.

use std::fs;

use crate::{
    build::built,
    engines::{fake, real_engine},
    sandbox::{Ran, Sandbox},
};

fn doctor(sandbox: &Sandbox, engine: &str, more: &[&str]) -> Ran {
    sandbox.tabiya(&[&["doctor", "--engine", engine], more].concat())
}

fn well(sandbox: &Sandbox) -> String {
    fake(sandbox.directory(), "well", &["instant"]).display().to_string()
}

/// Compares but for what differs from machine to machine.
macro_rules! assert_found {
    ($name:literal, $sandbox:expr, $ran:expr) => {
        let ran = $ran;
        let here = $sandbox.directory().display().to_string();
        let text = ran.to_string().replace(&here, "[here]");
        insta::with_settings!({
            filters => vec![
                (r"tabiya 0\.\d+\.\d+ on \w+ \w+, \d+ cores", "tabiya [version] on [machine]"),
                (r"\d+ thousand nodes", "[n] thousand nodes"),
                (r"SQLite [\d.]+", "SQLite [version]"),
                (r"schema \d+, \d+ MB", "schema [n], [n] MB"),
                (r"versions up to \d+", "versions up to [n]"),
                // Nor who listens where.
                (r#"port +\w+ +[^\n]*\n( +hint: [^\n]*\n)*"#, "port [8000]\n"),
                // How much room there is is not ours to say, nor whether it is enough.
                (r#"disk +\w+ +[^\n]*\n( +hint: a build keeps[^\n]*\n)?"#, "disk [room]\n"),
            ],
            omit_expression => true,
            prepend_module_to_snapshot => false,
        }, {
            insta::assert_snapshot!($name, text);
        })
    };
}

#[test]
fn all_is_well() {
    let sandbox = built();
    let engine = well(&sandbox);
    assert_found!("doctor", sandbox, doctor(&sandbox, &engine, &[]));
    let ran = doctor(&sandbox, &real_engine().display().to_string(), &[]).exits_with(0);
    assert!(ran.stdout.contains("Stockfish"), "{ran}");
}

#[test]
fn thousands_of_positions_are_told_as_everywhere() {
    let sandbox = Sandbox::new();
    sandbox.tabiya(&["build", "eco"]).exits_with(0);
    let engine = well(&sandbox);
    let ran = doctor(&sandbox, &engine, &["--format", "json"]).json();
    let says = ran["findings"][3]["says"].as_str().expect("a text");
    let (positions, _) = says.split_once(" positions").expect("positions");
    assert!(
        positions.contains(',') && positions.replace(',', "").parse::<u64>().is_ok(),
        "{says}"
    );
}

#[test]
fn findings_as_json() {
    let sandbox = built();
    let engine = well(&sandbox);
    let report = doctor(&sandbox, &engine, &["--format", "json"]).exits_with(0).json();
    assert_eq!(report["healthy"], true, "{report}");
    let findings = report["findings"].as_array().expect("a list");
    let found: Vec<&str> = findings.iter().filter_map(|finding| finding["what"].as_str()).collect();
    assert_eq!(found[..4], ["program", "engine", "database", "knowledge"]);
    assert!(findings.iter().all(|finding| finding["state"] != "broken"), "{report}");
    let broken = doctor(&sandbox, "no-such-engine", &["--format", "json"])
        .exits_with(3)
        .json();
    assert_eq!(broken["healthy"], false, "{broken}");
    assert_eq!(broken["findings"][1]["state"], "broken", "{broken}");
    assert!(broken["findings"][1]["hints"][0].is_string(), "{broken}");
}

#[test]
fn no_engine_is_there() {
    let sandbox = built();
    assert_found!(
        "doctor_named_no_engine",
        sandbox,
        doctor(&sandbox, "no-such-engine", &[])
    );
}

#[test]
fn an_engine_that_cannot_think_is_found_out() {
    let sandbox = built();
    for (words, said) in [("exit", "a library is missing"), ("crash", "assertion failed")] {
        let sick = fake(sandbox.directory(), words, &["run", words]).display().to_string();
        let ran = doctor(&sandbox, &sick, &["--max-tries", "1"]).exits_with(3);
        assert!(
            ran.stdout.contains("engine      broken") && ran.stdout.contains(said),
            "{words}: {ran}"
        );
        assert!(ran.stdout.contains("hint: "), "{words}: {ran}");
    }
}

#[test]
fn no_database_is_there_yet() {
    let sandbox = Sandbox::new();
    let engine = well(&sandbox);
    assert_found!("doctor_no_database", sandbox, doctor(&sandbox, &engine, &[]));
    assert!(!sandbox.path("tabiya.db").exists(), "none is made");
}

#[test]
fn a_database_of_a_newer_version() {
    let sandbox = built();
    let engine = well(&sandbox);
    let database = sandbox.path("tabiya.db");
    crate::build_troubles::make_newer(&database);
    let before = fs::read(&database).expect("readable");
    assert_found!("doctor_newer_schema", sandbox, doctor(&sandbox, &engine, &[]));
    assert!(
        fs::read(&database).expect("readable") == before,
        "not a byte is changed"
    );
}

#[test]
fn what_is_no_database_is_called_so() {
    let sandbox = Sandbox::with(
        "tabiya.db",
        "1. e4 e5 2. Nf3 and so on, for long enough to be looked at".repeat(50),
    );
    let engine = well(&sandbox);
    let ran = doctor(&sandbox, &engine, &[]).exits_with(3);
    assert!(ran.stdout.contains("database    broken"), "{ran}");
    let ran = doctor(&sandbox, &engine, &["--db", "postgres://nobody@127.0.0.1:1/none"]).exits_with(3);
    assert!(ran.stdout.contains("database    broken"), "{ran}");
}

#[test]
fn the_port_of_the_configuration_is_looked_at() {
    let sandbox = built();
    let engine = well(&sandbox);
    let busy = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = busy.local_addr().expect("an address").to_string();
    sandbox.write("tabiya.toml", format!("[serve]\nbind = \"{place}\"\n"));
    let ran = doctor(&sandbox, &engine, &[]).exits_with(0);
    let said = format!("port        warning  {place} cannot be listened on");
    assert!(
        ran.stdout.contains(&said) && ran.stdout.contains("tabiya serve --bind 127.0.0.1:"),
        "{ran}"
    );
    drop(busy);
    let ran = doctor(&sandbox, &engine, &[]).exits_with(0);
    assert!(
        ran.stdout.contains(&format!("port        ok       {place} is free")),
        "{ran}"
    );
}

#[test]
fn an_engine_of_the_environment_that_is_not_there() {
    let sandbox = built();
    let mut command = sandbox.command(crate::sandbox::TABIYA, &["doctor"]);
    command.env("TABIYA_ENGINE", "gone");
    let ran = sandbox.run(command).exits_with(3);
    assert!(
        ran.stdout.contains("engine      broken   `gone` is no engine") && ran.stdout.contains("hint: "),
        "{ran}"
    );
}
