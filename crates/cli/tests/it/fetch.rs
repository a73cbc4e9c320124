//! Games from a site, as a user asks for them.

use std::{
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use crate::{
    sandbox::{Sandbox, TABIYA, assert_said},
    site::site,
};

const GAMES: &str = "\
[Event \"a\"]\n[Site \"https://lichess.org/a\"]\n[White \"Ann\"]\n[Black \"Bob\"]\n[UTCDate \"2024.01.01\"]\n\n1. e4 1-0\n\n\n\
[Event \"b\"]\n[Site \"https://lichess.org/b\"]\n[White \"Bob\"]\n[Black \"Ann\"]\n[UTCDate \"2024.01.02\"]\n\n1. d4 0-1\n\n\n";

/// Answers every request as Lichess does where a player has two games; the first with a refusal. Gives where it listens.
pub(crate) fn lichess() -> String {
    let mut was_asked = false;
    site(move |head| {
        let is_refused = !std::mem::replace(&mut was_asked, true);
        match head {
            _ if is_refused => ("429 No", String::new()),
            // None of them is a game of correspondence.
            head if head.contains("perfType=correspondence") => ("200 OK", String::new()),
            _ => ("200 OK", GAMES.to_owned()),
        }
    })
}

#[test]
fn games_of_two_players_are_downloaded_and_analysed() {
    let sandbox = Sandbox::new();
    let site = lichess();
    let fetch = [
        "fetch",
        "lichess:Ann",
        "Bob",
        "--base-url",
        &site,
        "--slow-down",
        "0",
        "--format",
        "json",
    ];
    let ran = sandbox.tabiya(&fetch).exits_with(0);
    let report = ran.json();
    assert_eq!((&report["new"], &report["output"]), (&2.into(), &"Ann-Bob.pgn".into()));
    assert!(ran.stderr.starts_with("note: waiting "), "{ran}");
    let again = sandbox.tabiya(&fetch).exits_with(0).json();
    assert_eq!((&again["new"], &again["known"]), (&0.into(), &2.into()));
    let db = sandbox
        .tabiya(&["analyze", "Ann-Bob.pgn", "-q", "-o", "-"])
        .exits_with(0)
        .json();
    assert_eq!(db["games"][1]["url"], "https://lichess.org/b");
}

/// Answers requests with nothing, and hands over their heads.
fn listener() -> (String, Receiver<String>) {
    let (told, heads) = channel();
    let address = site(move |head| {
        // Nobody may want to know any more.
        let _ = told.send(head.to_owned());
        ("404 No", String::new())
    });
    (address, heads)
}

#[test]
fn the_token_of_the_environment_goes_to_lichess_alone() {
    let sandbox = Sandbox::with("token", "lip_fromafile\n");
    let head = |player: &str, more: &[&str]| {
        let (site, heads) = listener();
        let fetch = ["fetch", player, "--base-url", &site, "--slow-down", "0"];
        let mut command = sandbox.command(TABIYA, &[&fetch, more].concat());
        command.env("TABIYA_FETCH_TOKEN", "lip_fromtheenvironment");
        sandbox.run(command);
        heads.recv_timeout(Duration::from_secs(60)).expect("a request")
    };
    assert!(head("lichess:ann", &[]).contains("lip_fromtheenvironment"));
    let other = head("chesscom:ann", &[]);
    assert!(!other.contains("lip_"), "{other}");
    assert!(head("chesscom:ann", &["--token-file", "token"]).contains("lip_fromafile"));
}

#[test]
fn a_file_says_where_a_site_is_and_what_of_it_is_wanted() {
    let sandbox = Sandbox::new();
    let site = lichess();
    sandbox.write(
        "tabiya.toml",
        format!("[fetch]\nslow_down = 0\nsince = 2024-01-01\n[fetch.lichess]\nbase_url = \"{site}\"\n"),
    );
    let fetch = |more: &[&str]| {
        let fetch = ["fetch", "lichess:Ann", "-q", "--format", "json"];
        sandbox.tabiya(&[&fetch, more].concat())
    };
    assert_eq!(fetch(&[]).exits_with(0).json()["new"], 2);
    let reversed = fetch(&["--until", "2023-12-31"]).exits_with(2);
    assert!(
        reversed.stderr.contains("2024-01-01"),
        "the file's day holds: {reversed}"
    );
    let both = fetch(&["--since", "2023-01-01", "--until", "2023-12-31"]);
    assert_eq!(both.code, 0, "the command line wins: {both}");
    sandbox.write("wrong.toml", "[fetch.lichess]\ntoken = \"secret\"\n");
    assert_said!("fetch_unknown_key", fetch(&["--config", "wrong.toml"]));
    sandbox.write("day.toml", "[fetch]\nsince = 2024-13-01\n");
    assert_said!("fetch_config_bad_day", fetch(&["--config", "day.toml"]));
}

#[test]
fn what_cannot_be_asked_for_is_said_before_anything_is_written() {
    let sandbox = Sandbox::new();
    let fetch = |arguments: &[&str]| sandbox.tabiya(&[&["fetch"], arguments].concat());
    assert_said!("fetch_no_site", fetch(&["somebody"]));
    assert_said!("fetch_other_site", fetch(&["icc:somebody"]));
    assert_said!("fetch_no_name", fetch(&["lichess:some/body"]));
    assert_said!("fetch_two_sites", fetch(&["lichess:ann", "chesscom:bob"]));
    assert_said!("fetch_bad_day", fetch(&["lichess:ann", "--since", "2024-02-30"]));
    assert_said!(
        "fetch_days_reversed",
        fetch(&["lichess:ann", "--since", "2024-02-02", "--until", "2024-02-01"])
    );
    assert_said!("fetch_bad_url", fetch(&["lichess:ann", "--base-url", "ftp://x"]));
    assert_said!("fetch_no_token", fetch(&["lichess:ann", "--token-file", "gone.txt"]));
    assert_eq!(std::fs::read_dir(sandbox.directory()).expect("readable").count(), 0);
}
