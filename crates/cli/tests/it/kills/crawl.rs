//! Crawls of an explorer: our own server.

use std::{fs, process::Command};

use super::{Victim, as_left, kill_and_go_on};
use crate::{
    build::{NAMES, assert_same, knowledge},
    build_crash::games,
    crash::soak,
    sandbox::{Sandbox, TABIYA},
    serve::Serving,
};

struct Crawl {
    sandbox: Sandbox,
    explorer: Serving,
}

impl Crawl {
    fn new() -> Crawl {
        let sandbox = Sandbox::with("names.csv", NAMES);
        sandbox.write("games.pgn", games(61, if soak() { 600 } else { 150 }));
        #[rustfmt::skip]
        let all = [
            "build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--min-games", "1", "--db", "a.db", "-q",
        ];
        sandbox.tabiya(&all).exits_with(0);
        sandbox
            .tabiya(&["build", "eco", "--source", "names.csv", "--db", "names.db", "-q"])
            .exits_with(0);
        let explorer = Serving::start(&sandbox, &[]);
        Crawl { sandbox, explorer }
    }

    fn database(&self, place: &str) -> String {
        self.sandbox.path(&format!("{place}.db")).display().to_string()
    }
}

impl Victim for Crawl {
    type Left = Vec<String>;

    fn begin(&self, place: &str) {
        fs::copy(self.sandbox.path("names.db"), self.database(place)).expect("a copy");
    }

    fn command(&self, place: &str) -> Command {
        let explorer = format!("http://{}/lichess", self.explorer.address);
        #[rustfmt::skip]
        let args = [
            "build", "expand", "--explorer", &explorer, "--rate", "10000", "--in-flight", "2", "--min-games", "1",
            "--depth", "3", "--db", &self.database(place), "-q",
        ];
        self.sandbox.command(TABIYA, &args)
    }

    fn left(&self, place: &str) -> Vec<String> {
        knowledge(&self.database(place))
    }

    fn assert_same(&self, left: &Vec<String>, expected: &Vec<String>) {
        assert!(expected.len() > 300, "{}", expected.len());
        assert_same(left, expected);
    }

    fn is_begun(&self, place: &str, expected: &Vec<String>) -> bool {
        let (_directory, copy) = as_left(self.database(place).as_ref()).expect("it was there before");
        let left = knowledge(&copy);
        left.iter().any(|line| line.starts_with("crawl")) && left != *expected
    }
}

#[test]
fn a_crawl_soak() {
    kill_and_go_on(&Crawl::new(), 62);
}
