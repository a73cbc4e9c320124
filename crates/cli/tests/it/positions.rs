//! `tabiya positions`: from games to a trainer's file.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
};

use crate::{
    blitz_games::games,
    sandbox::{Sandbox, TABIYA, assert_said},
};

/// Two games: one with a bot, one with two evaluations.
pub(crate) const GAMES: &str = "\
[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/aaaaaaaa\"]\n[White \"x\"]\n[WhiteTitle \"BOT\"]\n[Result \"1-0\"]\n\n1. e4 e5 1-0\n\n\
[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/bbbbbbbb\"]\n[Result \"1-0\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1600\"]\n\n\
1. a3 a6 2. b3 b6 3. c3 c6 4. d3 d6 5. e3 e6 6. f3 { [%eval 0.17] } f6 { [%eval -0.05] } 7. g3 g6 8. h3 h6 9. Ra2 Ra7 10. Nd2 Nd7 1-0\n";

#[test]
fn positions_are_taken_and_summed_up() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    #[rustfmt::skip]
    let args = ["positions", "--input", "games.pgn", "--no-engine", "--output", "out/p.jsonl"];
    assert_said!("positions", sandbox.tabiya(&args));
    let rows = sandbox.rows("out/p.jsonl");
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["game_id"], "bbbbbbbb");
    assert_eq!((&rows[0]["elo_avg"], &rows[0]["result"]), (&1550.into(), &1.into()));
    assert_eq!(rows[0]["score"], serde_json::Value::Null);
    let mut names: Vec<String> = fs::read_dir(sandbox.path("out"))
        .expect("readable")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["p.jsonl", "p.jsonl.manifest.json"]);
    let manifest: serde_json::Value = serde_json::from_str(&sandbox.read("out/p.jsonl.manifest.json")).expect("JSON");
    assert_eq!(manifest["counts"]["games_left_out"]["bot"], 1);
    assert_eq!(manifest["sources"][0]["bytes"], GAMES.len());
    assert_eq!(manifest["configuration"]["rules"]["min_ply"], 10);
}

#[test]
fn standard_input_and_the_games_own_evaluations() {
    let sandbox = Sandbox::new();
    #[rustfmt::skip]
    let args = [
        "positions", "--input", "-", "--no-engine", "--use-evals", "--per-game", "9", "--output", "p.txt", "--report", "-",
    ];
    let report = sandbox
        .run_with_input(sandbox.command(TABIYA, &args), GAMES)
        .exits_with(0)
        .json();
    assert_eq!(report["counts"]["positions"], 2);
    let text = sandbox.read("p.txt");
    let scores: Vec<&str> = text.lines().filter_map(|line| line.split(" | ").nth(1)).collect();
    assert_eq!(scores, ["17", "-5"], "{text}");
}

#[test]
fn files_and_the_environment_have_a_say() {
    let sandbox = Sandbox::with("games.pgn", games(1, 30));
    sandbox.write(
        "tabiya.toml",
        "[positions]\nno_engine = true\nper_game = 3\nmin_ply = 15\nvariants = [\"standard\"]\n",
    );
    let taken = |args: &[&str], variables: &[(&str, &str)]| {
        let mut command = sandbox.command(
            TABIYA,
            &["positions", "--input", "games.pgn", "-o", "p.jsonl", "--report", "-"],
        );
        command.args(args).envs(variables.iter().copied());
        let report = sandbox.run(command).exits_with(0).json();
        report["counts"]["positions"].as_u64().expect("a number")
    };
    assert_eq!(taken(&[], &[]), 90);
    assert!(
        sandbox
            .rows("p.jsonl")
            .iter()
            .all(|row| row["ply"].as_u64() >= Some(15))
    );
    assert_eq!(taken(&[], &[("TABIYA_POSITIONS__PER_GAME", "2")]), 60);
    assert_eq!(taken(&["--per-game", "1"], &[("TABIYA_POSITIONS__PER_GAME", "2")]), 30);
    sandbox.write("tabiya.toml", "[positions]\nmin_plie = 15\n");
    assert_said!(
        "positions_unknown_key",
        sandbox.tabiya(&["positions", "--input", "games.pgn", "--no-engine", "-o", "p.jsonl"])
    );
}

#[test]
fn what_cannot_be_is_refused_with_a_way_out() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    let refused = |args: &[&str]| sandbox.tabiya(&[&["positions", "--input", "games.pgn"], args].concat());
    assert_said!(
        "positions_crazyhouse",
        refused(&["--no-engine", "--variant", "crazyhouse", "-o", "p.parquet"])
    );
    assert_said!("positions_no_score", refused(&["--no-engine", "-o", "p.binpack"]));
    assert_said!("positions_no_output", refused(&["--no-engine"]));
    assert_said!(
        "positions_no_engine",
        refused(&["--engine", "./none", "-o", "p.parquet"])
    );
    assert_said!(
        "positions_nothing_to_resume",
        refused(&["--no-engine", "--resume", "-o", "p.parquet"])
    );
    assert_said!(
        "positions_no_input",
        sandbox.tabiya(&["positions", "--no-engine", "-o", "p.parquet"])
    );
    assert_said!(
        "positions_inspect_garbage",
        sandbox.tabiya(&["positions", "inspect", "games.pgn"])
    );
    assert!(!sandbox.path("p.parquet").exists());
}

#[test]
fn known_issues_are_listed() {
    assert_said!(
        "positions_known_issues",
        Sandbox::new().tabiya(&["positions", "--list-known-issues"])
    );
}

#[test]
fn a_worker_does_not_wait_at_a_database_that_is_not_there() {
    let sandbox = Sandbox::new();
    let work = ["positions", "--work", "--until-empty", "--db", "typo.db", "-o", "out"];
    let ran = sandbox.tabiya(&work).exits_with(3);
    assert!(
        ran.stderr.starts_with("error: typo.db: there is no such database"),
        "{ran}"
    );
    assert!(ran.stderr.contains("--enqueue"), "{ran}");
    assert!(!sandbox.path("typo.db").exists());
    // Where work waits elsewhere, the database is none of its business.
    sandbox
        .tabiya(&[&work[..], &["--queue", "queue.db", "-q"]].concat())
        .exits_with(0);
}

/// Serves files of a directory over HTTP, each connection once, until the test ends.
fn serve(files: Vec<(String, Vec<u8>)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut lines = BufReader::new(stream.try_clone().expect("a socket")).lines();
            let first = lines.next().and_then(Result::ok).unwrap_or_default();
            let mut range = 0;
            for line in lines.by_ref().map_while(Result::ok).take_while(|line| !line.is_empty()) {
                if let Some(from) = line.to_lowercase().strip_prefix("range: bytes=") {
                    range = from.trim_end_matches('-').parse().unwrap_or(0);
                }
            }
            let path = first.split(' ').nth(1).unwrap_or_default();
            // Writing fails when the client is gone, which is the client's business.
            let _ = match files.iter().find(|(name, _)| name == path) {
                None => stream.write_all(b"HTTP/1.1 404 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
                Some((_, bytes)) => {
                    let status = match range {
                        0 => "200 OK".to_owned(),
                        from => format!(
                            "206 Partial\r\nContent-Range: bytes {from}-{}/{}",
                            bytes.len() - 1,
                            bytes.len()
                        ),
                    };
                    let body = &bytes[range.min(bytes.len())..];
                    let head = format!(
                        "HTTP/1.1 {status}\r\nETag: \"x\"\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                        body.len()
                    );
                    // Half of what is left, so that every archive is cut several times.
                    let sent = if path.ends_with(".zst") && body.len() > 4_000 {
                        body.len() / 2
                    } else {
                        body.len()
                    };
                    stream
                        .write_all(head.as_bytes())
                        .and_then(|()| stream.write_all(&body[..sent]))
                }
            };
        }
    });
    base
}

#[test]
fn archives_are_downloaded_however_often_the_line_breaks() {
    let sandbox = Sandbox::new();
    let january = games(3, 200);
    let packed = zstd::encode_all(january.as_bytes(), 3).expect("packed");
    let name = |variant: &str, month: &str| format!("/{variant}/lichess_db_{variant}_rated_{month}.pgn.zst");
    let list = format!(
        "{}\n{}\n",
        &name("standard", "2024-01")[10..],
        &name("standard", "2021-03")[10..]
    );
    let base = serve(vec![
        (name("standard", "2024-01"), packed),
        ("/standard/list.txt".to_owned(), list.into_bytes()),
    ]);
    let positions = |args: &[&str]| sandbox.tabiya(&[&["positions", "--base-url", &base], args].concat());
    let months = positions(&["--list-months"]).exits_with(0);
    assert_eq!(
        months.stdout,
        "2021-03  standard  left out: incorrect results after a fire in the data centre\n2024-01  standard\n"
    );
    let months = |blocklist: &str| {
        positions(&["--list-months", "--blocklist", blocklist])
            .exits_with(0)
            .stdout
    };
    assert_eq!(months("none"), "2021-03  standard\n2024-01  standard\n");
    assert_eq!(
        months("2024-01"),
        "2021-03  standard\n2024-01  standard  left out: it is on the blocklist\n"
    );
    #[rustfmt::skip]
    let ran = positions(&[
        "--months", "2024-01", "2021-03", "--no-engine", "-o", "downloaded.parquet",
    ]).exits_with(0);
    assert!(ran.stderr.contains("left out: standard 2021-03"), "{ran}");
    sandbox.write("games.pgn", &january);
    sandbox
        .tabiya(&[
            "positions",
            "--input",
            "games.pgn",
            "--no-engine",
            "-o",
            "local.parquet",
        ])
        .exits_with(0);
    let bytes = |name: &str| fs::read(sandbox.path(name)).expect("written");
    assert!(bytes("downloaded.parquet") == bytes("local.parquet"));
    assert!(!sandbox.path("downloaded.parquet.download").exists());
    let blocked = positions(&["--month", "2021-03", "--no-engine", "-o", "x.parquet"]).exits_with(2);
    assert!(blocked.stderr.contains("--blocklist none"), "{blocked}");
    let missing = positions(&[
        "--month",
        "2021-03",
        "--blocklist",
        "none",
        "--no-engine",
        "-o",
        "x.parquet",
    ])
    .exits_with(2);
    assert!(missing.stderr.contains("there is no such archive"), "{missing}");
}

#[test]
fn a_search_has_an_end() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    let args = ["positions", "--input", "games.pgn", "-o", "p.jsonl"];
    let ran = sandbox.tabiya(&[&args[..], &["--depth", "0"]].concat()).exits_with(2);
    assert!(ran.stderr.contains("--depth"), "{ran}");
    for key in ["depth", "nodes"] {
        sandbox.write("own.toml", format!("[positions]\n{key} = 0\n"));
        let ran = sandbox
            .tabiya(&[&args[..], &["--config", "own.toml"]].concat())
            .exits_with(2);
        assert!(
            ran.stderr.contains("would never end") && ran.stderr.contains("hint: "),
            "{ran}"
        );
    }
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    let args = ["positions", "--input", "games.pgn", "--no-engine", "-o", "p.jsonl"];
    for more in [&["--shares", "2"][..], &["--until-empty"], &["--queue", "redis://host"]] {
        let ran = sandbox.tabiya(&[&args[..], more].concat()).exits_with(2);
        assert!(ran.stderr.contains(more[0]), "{ran}");
    }
    assert!(!sandbox.path("p.jsonl").exists());
}

#[test]
fn many_machines_find_the_database_as_everybody_does() {
    let sandbox = Sandbox::new();
    sandbox.write("tabiya.toml", "db = \"of-the-file.db\"\n");
    let enqueue = [
        "positions",
        "--month",
        "2024-01",
        "--no-engine",
        "--enqueue",
        "-o",
        "p.jsonl",
        "-q",
    ];
    sandbox.tabiya(&enqueue).exits_with(0);
    assert!(sandbox.path("of-the-file.db").exists());
    let mut command = sandbox.command(TABIYA, &enqueue);
    command.env("TABIYA_DB", "of-the-environment.db");
    sandbox.run(command).exits_with(0);
    assert!(sandbox.path("of-the-environment.db").exists());
}

#[test]
fn a_month_that_is_not_there_is_given_up_by_workers_at_once() {
    let sandbox = Sandbox::new();
    let base = serve(Vec::new());
    let enqueue = [
        "positions",
        "--month",
        "2024-01",
        "--base-url",
        &base,
        "--no-engine",
        "--enqueue",
        "-o",
        "p.jsonl",
        "--db",
        "queue.db",
    ];
    let ran = sandbox.tabiya(&enqueue).exits_with(0);
    assert!(
        ran.stdout.contains("1 job") && !ran.stdout.contains("there already"),
        "{ran}"
    );
    let others = sandbox
        .tabiya(&[&enqueue[..], &["--per-game", "3"]].concat())
        .exits_with(0);
    assert!(others.stdout.contains("1 there already, with the settings"), "{others}");
    let work = ["positions", "--work", "--until-empty", "--db", "queue.db", "-o", "out"];
    let ran = sandbox.tabiya(&work).exits_with(3);
    assert!(ran.stderr.contains("1 failure: 1 job given up"), "{ran}");
    let listed = sandbox.tabiya(&["workers", "--db", "queue.db"]).exits_with(0);
    assert!(listed.stdout.contains("there is no such archive"), "{listed}");
}
