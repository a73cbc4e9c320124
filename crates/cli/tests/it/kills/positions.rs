//! Training positions.

use std::{fs, process::Command};

use super::{Victim, kill_and_go_on};
use crate::{
    blitz_games::games,
    crash::soak,
    engines::fake,
    sandbox::{Ran, Sandbox, TABIYA},
};

struct Positions {
    sandbox: Sandbox,
    args: Vec<String>,
    ending: &'static str,
}

impl Positions {
    fn new(ending: &'static str, number: usize, seed: u64, args: &[&str]) -> Positions {
        let number = if soak() { number } else { number / 3 };
        Positions {
            sandbox: Sandbox::with("games.pgn", games(seed, number)),
            args: args.iter().map(|arg| (*arg).to_owned()).collect(),
            ending,
        }
    }

    fn with_engine(mut self) -> Positions {
        let engine = fake(self.sandbox.directory(), "engine", &["run", "slow=1"]);
        self.args.extend(["--engine".to_owned(), engine.display().to_string()]);
        self
    }

    fn output(&self, place: &str) -> String {
        format!("{place}.{}", self.ending)
    }
}

impl Victim for Positions {
    type Left = Vec<u8>;

    fn begin(&self, _: &str) {}

    fn command(&self, place: &str) -> Command {
        let output = self.output(place);
        let mut command = self
            .sandbox
            .command(TABIYA, &["positions", "--input", "games.pgn", "-q", "-o", &output]);
        command.args(&self.args);
        if self.sandbox.path(&format!("{output}.progress.json")).exists() {
            command.arg("--resume");
        }
        command
    }

    fn left(&self, place: &str) -> Vec<u8> {
        fs::read(self.sandbox.path(&self.output(place))).expect("written")
    }

    fn assert_same(&self, left: &Vec<u8>, expected: &Vec<u8>) {
        assert!(expected.len() > 1000 && left == expected);
    }

    /// What is under the output's name is whole, or is not there.
    fn is_begun(&self, place: &str, expected: &Vec<u8>) -> bool {
        let output = self.output(place);
        if let Ok(written) = fs::read(self.sandbox.path(&output)) {
            assert!(written == *expected, "half a file in {output}");
        }
        // A part is closed, be it of what is gathered before duplicates are told apart, or of the output.
        ["gathered", "parts"]
            .iter()
            .any(|place| self.sandbox.path(&format!("{output}.{place}/part-000001")).exists())
    }

    /// Killed between the last file and the first: everything was done, and the run is told so.
    fn is_done(&self, ran: &Ran) -> bool {
        ran.code == 0
            || ran.code == 2
                && ["nothing to go on with", "is there already"]
                    .iter()
                    .any(|words| ran.stderr.contains(words))
    }
}

// A part is closed after 64 batches. Batches are so small that a third of the games fills several parts: kills all over a run's
// time find some closed, however fast the machine is.

#[test]
fn positions_without_an_engine_soak() {
    let args = ["--no-engine", "--per-game", "4", "--batch-size", "2"];
    kill_and_go_on(&Positions::new("parquet", 2_500, 31, &args), 31);
}

#[test]
fn positions_among_duplicates_soak() {
    let args = ["--no-engine", "--per-game", "4", "--batch-size", "2", "--dedupe"];
    kill_and_go_on(&Positions::new("jsonl", 2_000, 32, &args), 32);
}

#[test]
fn positions_with_an_engine_soak() {
    let args = [
        "--workers",
        "2",
        "--nodes",
        "10",
        "--batch-size",
        "1",
        "--per-game",
        "2",
        "--quiet-only",
    ];
    kill_and_go_on(&Positions::new("binpack", 900, 33, &args).with_engine(), 33);
}
