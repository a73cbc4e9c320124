//! What is shipped for running Tabiya elsewhere: every command line in it is one that the program takes, every file in it is there, and
//! backups come back.

mod backups;
mod containers;
mod pages;
mod scripts;
mod units;

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::sandbox::{Sandbox, TABIYA};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// PyYAML, which comes with what `scripts/setup test` installs.
fn python() -> Command {
    let home = env::home_dir().expect("a home");
    Command::new(home.join(".cache/tabiya/venv/bin/python3"))
}

/// Runs a command line where nothing can be reached: it must be understood, and fail for that reason alone.
fn assert_understood(sandbox: &Sandbox, args: &[&str]) {
    let nowhere = "postgres://127.0.0.1:1/none";
    let args: Vec<&str> = args
        .iter()
        .map(|arg| {
            if arg.starts_with("redis://") {
                "redis://127.0.0.1:1"
            } else {
                arg
            }
        })
        .map(|arg| if arg.starts_with("0.0.0.0") { "127.0.0.1:0" } else { arg })
        .collect();
    let mut command = sandbox.command(TABIYA, &args);
    let engine = crate::engines::fake(sandbox.directory(), "engine", &["instant"]);
    command.env("TABIYA_DB", nowhere).env("TABIYA_ENGINE", engine);
    let ran = sandbox.run(command);
    assert!(ran.code == 3 && !ran.stderr.contains("Usage:"), "{args:?}: {ran}");
}
