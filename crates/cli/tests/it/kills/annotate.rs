//! Evaluations.

use std::{fs, process::Command};

use super::{Victim, as_left, kill_and_go_on};
use crate::{
    annotate_crash::timeless,
    build::{NAMES, assert_same},
    build_crash::games,
    engines::fake,
    sandbox::{Sandbox, TABIYA},
};

struct Annotate {
    sandbox: Sandbox,
    engine: String,
}

impl Annotate {
    fn new() -> Annotate {
        let sandbox = Sandbox::with("names.csv", NAMES);
        sandbox.write("games.pgn", games(41, 60));
        #[rustfmt::skip]
        let args = [
            "build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--depth", "3", "--min-games", "1", "-q",
        ];
        sandbox.tabiya(&args).exits_with(0);
        let engine = fake(sandbox.directory(), "engine", &["run", "slow=20"]);
        Annotate {
            engine: engine.display().to_string(),
            sandbox,
        }
    }

    fn database(&self, place: &str) -> String {
        self.sandbox.path(&format!("{place}.db")).display().to_string()
    }
}

impl Victim for Annotate {
    type Left = Vec<String>;

    fn begin(&self, place: &str) {
        fs::copy(self.sandbox.path("tabiya.db"), self.database(place)).expect("a copy");
    }

    fn command(&self, place: &str) -> Command {
        #[rustfmt::skip]
        let args = [
            "build", "annotate", "--db", &self.database(place), "--engine", &self.engine, "--workers", "2", "--nodes",
            "1000", "--batch", "4", "-q",
        ];
        self.sandbox.command(TABIYA, &args)
    }

    fn left(&self, place: &str) -> Vec<String> {
        timeless(&self.database(place))
    }

    fn assert_same(&self, left: &Vec<String>, expected: &Vec<String>) {
        assert_same(left, expected);
    }

    fn is_begun(&self, place: &str, expected: &Vec<String>) -> bool {
        let evaluations = |lines: &[String]| lines.iter().filter(|line| line.starts_with("node evaluation")).count();
        let (_directory, copy) = as_left(self.database(place).as_ref()).expect("it was there before");
        let (found, all) = (evaluations(&timeless(&copy)), evaluations(expected));
        assert!(all >= 30, "{all}");
        found > 0 && found < all
    }
}

#[test]
fn evaluations_soak() {
    kill_and_go_on(&Annotate::new(), 42);
}
