//! Many games compared.

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox, TABIYA, assert_said};

fn game(white: &str, black: &str, date: &str, moves: &str) -> String {
    let result = moves.rsplit(' ').next().expect("a result");
    format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"{date}\"]\n[Result \"{result}\"]\n\n{moves}\n\n")
}

/// A match, in files of several kinds: one game each, several, and some that are no games.
fn club() -> Sandbox {
    let sandbox = Sandbox::new();
    let italian = "1. e4 e5 2. Nf3 Nc6 3. Bc4";
    sandbox.write(
        "club/a.pgn",
        game("Ann", "Bob", "2020.01.01", &format!("{italian} Bc5 4. c3 Nf6 1-0"))
            + &game("Bob", "Ann", "2020.02.??", &format!("{italian} Bc5 4. b4 Bxb4 0-1")),
    );
    sandbox.write(
        "club/b.txt",
        game("Ann", "Bob", "2019.05.05", "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2"),
    );
    sandbox.write("club/c.pgn", game("Ann", "Bob", "????.??.??", "1. d4 d5 *"));
    sandbox.write(
        "club/d.pgn",
        game("Ann", "Bob", "2021.01.01", &format!("{italian} Bc5 1-0")) + "[White \"Eve\"]\n\n1. e4 e5 2. Ke3 *\n",
    );
    sandbox.write("club/e.pgn", "");
    sandbox.write(
        "club/f.pgn",
        "[FEN \"4k3/8/8/8/8/8/8/4K3 w - - 0 1\"]\n[SetUp \"1\"]\n\n1. Kd2 *\n",
    );
    sandbox.write("club/notes.md", "not a game");
    sandbox
}

/// Without what differs from run to run.
fn timeless(mut ran: Ran) -> Ran {
    let lines = ran.stdout.lines().map(|line| match line.split_once(" read in ") {
        Some((before, _)) => format!("{before} read in [TIME]"),
        None => line.to_owned(),
    });
    ran.stdout = lines.map(|line| line + "\n").collect();
    ran
}

#[test]
fn a_match_is_summed_up() {
    let sandbox = club();
    assert_said!("analyze", timeless(sandbox.tabiya(&["analyze", "club"])));
}

#[test]
fn a_time_that_is_none_is_refused() {
    let sandbox = club();
    for time in ["x", "", "2026-01-01", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00"] {
        let ran = sandbox
            .tabiya(&["analyze", "club", "-o", "db.json", "--analyzed-at", time])
            .exits_with(2);
        assert!(
            ran.stderr.contains(&format!("--analyzed-at: {time:?} is not a time"))
                && ran.stderr.contains("hint: ")
                && ran.stderr.contains("2026-01-31T12:00:00Z"),
            "{ran}"
        );
        assert!(!sandbox.path("db.json").exists());
    }
    let at = "2026-01-01T01:30:00.5+01:30";
    sandbox
        .tabiya(&["analyze", "club", "-q", "-o", "db.json", "--analyzed-at", at])
        .exits_with(0);
    let db: Value = serde_json::from_str(&sandbox.read("db.json")).expect("JSON");
    assert_eq!(db["meta"]["analyzedAt"], at);
}

#[test]
fn the_file_is_what_the_games_say_and_nothing_else() {
    let sandbox = club();
    let at = "2026-01-01T00:00:00Z";
    let write = |name: &str, more: &[&str]| {
        let arguments = [&["analyze", "--analyzed-at", at, "-q", "-o", name], more].concat();
        sandbox.tabiya(&arguments).exits_with(0);
        sandbox.read(name)
    };
    let first = write("out/db.json", &["club"]);
    // Neither threads nor the order of arguments nor a file named twice.
    let shuffled = [
        "--threads",
        "3",
        "club/d.pgn",
        "club/f.pgn",
        "club/e.pgn",
        "club/c.pgn",
        "club/b.txt",
        "club/a.pgn",
    ];
    let again = write("again.json", &[&shuffled[..], &["club/a.pgn"]].concat());
    assert_eq!(first, again);
    let db: Value = serde_json::from_str(&first).expect("JSON");
    assert_eq!(
        db["meta"],
        json!({"players": ["Ann", "Bob"], "analyzedAt": at, "totalGames": 5, "version": 1, "minGames": 2, "leftOut": 3,
            "results": {"white": 2, "draws": 1, "black": 1}})
    );
    let games = db["games"].as_array().expect("games");
    let ids: Vec<_> = games
        .iter()
        .map(|game| (game["id"].clone(), game["date"].clone()))
        .collect();
    assert_eq!(
        json!(ids),
        json!([
            [0, "2020.01.01"],
            [1, "2020.02.??"],
            [2, "2019.05.05"],
            [3, ""],
            [4, "2021.01.01"]
        ])
    );
    assert_eq!(games[2]["noveltyPlies"], json!([5]));
    assert_eq!(
        (&games[2]["eco"], &games[2]["opening"]),
        (&json!("C70"), &json!("Ruy Lopez: Morphy Defense"))
    );
    assert_eq!(
        db["novelties"][1],
        json!({"path": ["e4", "e5", "Nf3", "Nc6", "Bb5"], "ply": 5, "san": "Bb5", "playedBy": "Ann", "gameId": 2,
            "sharedUntilPly": 4, "gamesAtParent": 4, "parentGameIds": [0, 1, 2, 4], "alternativesAtParent": ["Bc4"]})
    );
    assert_eq!(
        db["branches"][0]["continuations"][0],
        json!({"san": "e4", "gameCount": 4, "white": 2, "draws": 1, "black": 1, "firstGameId": 0,
            "firstDate": "2019.05.05"})
    );
    assert_eq!(
        db["nearDuplicates"],
        json!([{"gameId": 4, "plies": 6, "ofGameCount": 2, "ofGameIds": [0, 1], "sameMoves": false, "samePlayers": true}])
    );
    let stdout = sandbox
        .tabiya(&["analyze", "--analyzed-at", at, "-q", "-o", "-", "club"])
        .exits_with(0)
        .stdout;
    assert_eq!(stdout, first);
}

#[test]
fn a_place_is_looked_at() {
    let sandbox = club();
    let at = |line: &str| sandbox.tabiya(&["analyze", "-q", "club", "--at", line]);
    assert_said!("analyze_at", at("1.e4 e5 2.Nf3 Nc6"));
    assert_said!("analyze_at_alone", at("1.d4"));
    assert_said!("analyze_at_nowhere", at("1.e4 e5 2.Nf3 Nf6 3.Nxe5"));
    assert_said!("analyze_at_nonsense", at("1.e4 e5 2.Nf7"));
    let place = sandbox.tabiya(&["analyze", "club", "--at", "e4 e5 Nf3 Nc6", "--format", "json", "-q"]);
    let place = place.exits_with(0).json();
    assert_eq!(
        (&place["gameCount"], &place["continuations"][1]["san"]),
        (&json!(4), &json!("Bb5"))
    );
    assert_eq!(
        place["continuations"][0]["playedBy"],
        json!([{"name": "Ann", "games": 2}, {"name": "Bob", "games": 1}])
    );
}

#[test]
fn a_walk_through_the_games() {
    let sandbox = club();
    let command = sandbox.command(TABIYA, &["analyze", "-q", "-i", "club", "--at", "1.e4"]);
    let ran = sandbox
        .run_with_input(command, "e5 Nf3\nd6\n..\ntop\n\nq\nnever read\n")
        .exits_with(0);
    let places: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| line.contains("games: White"))
        .collect();
    assert_eq!(
        places,
        [
            "4 games: White +2 =1 -1",
            "4 games: White +2 =1 -1",
            "4 games: White +2 =1 -1",
            "5 games: White +2 =1 -1"
        ]
    );
    assert!(
        ran.stderr
            .contains("error: no game goes 1. e4 e5 2. Nf3 d6\nhint: they go on with Nc6"),
        "{ran}"
    );
}

#[test]
fn what_is_no_game_is_named() {
    let sandbox = Sandbox::with("empty.pgn", "");
    sandbox.write("garbage.pgn", b"\x00\xff\xfe garbage\n\n\x01".repeat(50));
    std::fs::create_dir(sandbox.path("nothing")).expect("a directory");
    assert_said!("analyze_empty", sandbox.tabiya(&["analyze", "empty.pgn"]));
    assert_said!("analyze_directory", sandbox.tabiya(&["analyze", "nothing"]));
    assert_said!("analyze_missing", sandbox.tabiya(&["analyze", "gone.pgn"]));
    let ran = sandbox
        .tabiya(&["analyze", "garbage.pgn", "-o", "db.json"])
        .exits_with(2);
    assert!(
        ran.stderr
            .starts_with("error: no game of garbage.pgn could be analysed: "),
        "{ran}"
    );
    assert!(!sandbox.path("db.json").exists());
    assert_said!(
        "analyze_unwritable",
        sandbox.tabiya(&["analyze", "empty.pgn", "-o", "nothing"])
    );
}

#[test]
fn the_knowledge_base_knows_some_moves() {
    let sandbox = Sandbox::with(
        "known.pgn",
        game("A", "B", "2000.01.01", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 1-0"),
    );
    let build = [
        "build",
        "all",
        "--pgn",
        "known.pgn",
        "--db",
        "kb.db",
        "--min-games",
        "1",
        "-q",
    ];
    sandbox.tabiya(&build).exits_with(0);
    sandbox.write(
        "ours.pgn",
        game("C", "D", "", "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. h4 Nf6 5. Ng5 1-0"),
    );
    let asked = ["analyze", "ours.pgn", "--db", "kb.db", "-q", "-o", "-"];
    let db = sandbox.tabiya(&asked).exits_with(0).json();
    assert_eq!(
        db["games"][0]["corpusNoveltyPlies"],
        json!([7]),
        "and nothing is said where it ends"
    );
    let flags: Vec<bool> = db["games"][0]["moves"]
        .as_array()
        .expect("moves")
        .iter()
        .map(|one| one["isCorpusNovelty"].as_bool().expect("a flag"))
        .collect();
    assert_eq!(flags.iter().filter(|is| **is).count(), 1);
    assert_said!(
        "analyze_no_database",
        sandbox.tabiya(&["analyze", "ours.pgn", "--db", "gone.db"])
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    let sandbox = Sandbox::new();
    let command = &mut sandbox.command(TABIYA, &["analyze", "-", "-o", "db.json"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    let games = game("A", "B", "", "1. e4 e5 1-0").repeat(60_000);
    let (taken, is_reading) = std::sync::mpsc::channel();
    let writer = std::thread::spawn(move || {
        use std::io::Write as _;
        // Games without end, until nobody reads them.
        while input.write_all(games.as_bytes()).is_ok() {
            // Nobody may want to know any more.
            let _ = taken.send(());
        }
    });
    // It listens before it reads; an interrupt that came earlier would end it in another way.
    let read = is_reading.recv_timeout(Duration::from_secs(60));
    read.expect("it reads");
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .expect("kill");
    assert!(sent.success());
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it goes on");
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output().expect("it ended");
    writer.join().expect("nobody reads");
    assert_eq!(output.status.code(), Some(130));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.ends_with("note: stopped; nothing was written\n"), "{said}");
    assert_eq!(std::fs::read_dir(sandbox.directory()).expect("readable").count(), 0);
}

/// The program at its prompt: what was written to it, and then what happens.
#[cfg(unix)]
fn at_the_prompt(sandbox: &Sandbox, words: &[u8]) -> (std::process::Child, std::process::ChildStdin) {
    use std::io::{BufRead as _, BufReader, Write as _};

    let command = &mut sandbox.command(TABIYA, &["analyze", "club", "--interactive", "--at", "e4"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it runs");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(words).expect("it reads");
    let mut told = BufReader::new(child.stderr.as_mut().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("type moves to go on") {
        line.clear();
        assert!(told.read_line(&mut line).expect("it says something") > 0, "it ended");
    }
    (child, input)
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_walk_through_the_games() {
    let sandbox = club();
    for signal in ["-INT", "-TERM"] {
        let (mut child, _input) = at_the_prompt(&sandbox, b"");
        std::thread::sleep(Duration::from_millis(200));
        let pid = child.id().to_string();
        let sent = std::process::Command::new("kill")
            .args([signal, &pid])
            .status()
            .expect("kill");
        assert!(sent.success());
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("a child") {
                break status;
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "{signal}: it goes on");
            std::thread::sleep(Duration::from_millis(20));
        };
        assert_eq!(status.code(), Some(130), "{signal}");
    }
}

#[test]
fn any_bytes_may_be_typed() {
    let sandbox = club();
    let command = sandbox.command(TABIYA, &["analyze", "club", "--interactive"]);
    let ran = sandbox
        .run_with_input(command, b"\xff\xfe\ne4\nq\n".to_vec())
        .exits_with(0);
    assert!(ran.stdout.contains("\n1. e4\n"), "it goes on: {ran}");
}

#[test]
fn a_line_that_nobody_played_is_found_before_a_file_is_written() {
    let sandbox = club();
    let ran = sandbox
        .tabiya(&["analyze", "club", "-o", "db.json", "--at", "a4"])
        .exits_with(2);
    assert!(ran.stderr.contains("no game goes"), "{ran}");
    assert!(!sandbox.path("db.json").exists());
}

#[test]
fn games_on_standard_output_do_not_command_a_terminal() {
    let sandbox = Sandbox::with("a.pgn", game("A\u{9b}2J\u{7f}", "B", "", "1. e4 e5 1-0").repeat(2));
    let db = sandbox.tabiya(&["analyze", "a.pgn", "-o", "-"]).exits_with(0);
    assert!(!db.stdout.contains(['\u{9b}', '\u{7f}']), "{db}");
    assert_eq!(db.json()["games"][0]["white"], "A\u{9b}2J\u{7f}", "and says the same");
}
