//! A server as its users start and stop it.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    sync::mpsc::channel,
    time::{Duration, Instant},
};

use crate::{
    engines::fake,
    sandbox::{Sandbox, TABIYA, assert_said},
};

const GAMES: &str = "\
[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 1-0\n\n\
[White \"C\"]\n[Black \"D\"]\n[Result \"0-1\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 0-1\n";

fn built() -> Sandbox {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    sandbox
        .tabiya(&["build", "all", "--pgn", "games.pgn", "--db", "a.db", "--min-games", "1"])
        .exits_with(0);
    sandbox
}

/// Whoever says nothing for longer than this hangs, on any machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server under way, and where it listens.
pub(crate) struct Serving {
    child: Child,
    pub(crate) address: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended in good order.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Serving {
    pub(crate) fn start(sandbox: &Sandbox, more: &[&str]) -> Serving {
        Serving::start_with(more, |arguments| sandbox.command(TABIYA, arguments))
    }

    /// With another database than the sandbox's own.
    pub(crate) fn start_on(sandbox: &Sandbox, database: &str) -> Serving {
        Serving::begin(&["--db", database], |arguments| sandbox.command(TABIYA, arguments))
    }

    pub(crate) fn start_with(more: &[&str], command: impl FnOnce(&[&str]) -> Command) -> Serving {
        Serving::begin(&[&["--db", "a.db"], more].concat(), command)
    }

    fn begin(more: &[&str], command: impl FnOnce(&[&str]) -> Command) -> Serving {
        let arguments = [&["serve", "--bind", "127.0.0.1:0"], more].concat();
        let mut command = command(&arguments);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program runs");
        let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (told, first) = channel();
        std::thread::spawn(move || {
            let mut line = String::new();
            // What cannot be read is no address, and somebody may have given up waiting for it.
            let _ = stdout.read_line(&mut line);
            let _ = told.send((line, stdout.into_inner()));
        });
        let Ok((line, stdout)) = first.recv_timeout(PATIENCE) else {
            // It may have ended just now.
            let _ = child.kill();
            let _ = child.wait();
            panic!("it does not say where it listens");
        };
        // It may have more to say, and somebody must be there.
        child.stdout = Some(stdout);
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next());
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        Serving { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream
    }

    pub(crate) fn ask(&self, request: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "{request} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    }

    /// As Ctrl-C does.
    pub(crate) fn interrupt(mut self) -> i32 {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill");
        assert!(sent.success());
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code().expect("it ended by itself");
            }
            assert!(begun.elapsed() < Duration::from_secs(20), "it does not stop");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_server_answers_and_stops_at_ctrl_c() {
    let sandbox = built();
    let serving = Serving::start(&sandbox, &[]);
    let answer = serving.ask("GET /position?play=e2e4,e7e5,g1f3,b8c6,f1c4");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("Italian Game"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    let line = "1.e4 e5 2.Nf3 Nc6 3.Bc4";
    let looked_up = sandbox
        .tabiya(&["lookup", line, "--db", "a.db", "--format", "json"])
        .exits_with(0);
    assert_eq!(
        looked_up.stdout.trim_end(),
        body,
        "the terminal says what the server says"
    );
    assert!(serving.ask("GET /docs").contains("<title>Tabiya"));
    assert!(serving.ask("POST /reload").starts_with("HTTP/1.1 403"));
    assert_eq!(serving.interrupt(), 0);
}

#[test]
fn games_are_shown_without_a_database() {
    let sandbox = Sandbox::with("games.pgn", GAMES);
    let serving = Serving::begin(&["--games", "games.pgn"], |arguments| {
        sandbox.command(TABIYA, arguments)
    });
    let begun = Instant::now();
    let games = loop {
        let answer = serving.ask("GET /data/db.json");
        if answer.starts_with("HTTP/1.1 200") {
            break answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{answer}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(games.contains("\"totalGames\":2"), "{games}");
    for uri in ["/healthz", "/openings", "/stats"] {
        let answer = serving.ask(&format!("GET {uri}"));
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
    assert_eq!(serving.interrupt(), 0);
    assert!(!sandbox.path("tabiya.db").exists());
}

#[test]
fn a_list_of_no_games_is_none() {
    let sandbox = Sandbox::with("tabiya.toml", "[serve]\nbind = \"127.0.0.1:0\"\n");
    let without = sandbox.tabiya(&["serve"]).exits_with(3);
    assert!(
        without.stderr.contains("tabiya.db: there is no such database"),
        "{without}"
    );
    sandbox.write("tabiya.toml", "[serve]\nbind = \"127.0.0.1:0\"\ngames = []\n");
    let with = sandbox.tabiya(&["serve"]).exits_with(3);
    assert_eq!(with.stderr, without.stderr);
}

#[test]
fn orders_are_taken_from_whoever_has_the_key() {
    let sandbox = built();
    sandbox.write("key", "sesame\n");
    let serving = Serving::start(&sandbox, &["--api-key-file", "key"]);
    let with_key = "POST /reload HTTP/1.1\r\nauthorization: Bearer sesame\r\nx-rest:";
    assert!(serving.ask("POST /reload").starts_with("HTTP/1.1 401"));
    assert!(serving.ask(with_key).starts_with("HTTP/1.1 202"));
    assert_eq!(serving.interrupt(), 0);
}

#[test]
fn the_engine_of_the_environment_reviews() {
    let sandbox = built();
    let engine = fake(sandbox.directory(), "well", &["instant"]);
    let serving = Serving::start_with(&[], |arguments| {
        let mut command = sandbox.command(TABIYA, arguments);
        command.env("TABIYA_ENGINE", &engine);
        command
    });
    let review = || {
        let body = r#"{"pgn": "1. e4 e5 1-0"}"#;
        let head = format!("content-type: application/json\r\ncontent-length: {}", body.len());
        let mut stream = serving.connect();
        write!(
            stream,
            "POST /review HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{head}\r\n\r\n{body}"
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer
    };
    // Whether another one can be found on this machine or not.
    let away = sandbox.path("away");
    std::fs::rename(&engine, &away).expect("it can be moved");
    let without = review();
    assert!(without.starts_with("HTTP/1.1 503"), "{without}");
    std::fs::rename(&away, &engine).expect("it can be moved");
    let with = review();
    assert!(with.starts_with("HTTP/1.1 202"), "{with}");
}

#[test]
fn what_cannot_be_served_is_said_before_anything_listens() {
    let sandbox = built();
    sandbox.write("empty", "\n");
    sandbox.write(
        "garbage.db",
        "this is no database, however long it may be, and it goes on and on and on",
    );
    let serve = |more: &[&str]| sandbox.tabiya(&[&["serve"], more].concat());
    assert_said!("serve_no_database", serve(&["--db", "missing.db"]));
    assert_said!("serve_garbage", serve(&["--db", "garbage.db"]));
    assert_said!("serve_bad_bind", serve(&["--db", "a.db", "--bind", "localhost"]));
    assert_said!(
        "serve_bad_origin",
        serve(&["--db", "a.db", "--cors", "example.org/app"])
    );
    assert_said!(
        "serve_no_key_file",
        serve(&["--db", "a.db", "--api-key-file", "nothing"])
    );
    assert_said!(
        "serve_empty_key_file",
        serve(&["--db", "a.db", "--api-key-file", "empty"])
    );
    let games = |path: &str| serve(&["--db", "a.db", "--bind", "127.0.0.1:0", "--games", path]);
    assert_said!("serve_no_games", games("nowhere"));
    std::fs::create_dir(sandbox.path("bare")).expect("a directory");
    assert_said!("serve_games_of_nobody", games("bare"));
    assert_said!(
        "serve_no_engine",
        serve(&["--db", "a.db", "--bind", "127.0.0.1:0", "--engine", "/nonexistent"])
    );
    // Wherever it is named.
    let mut named = sandbox.command(TABIYA, &["serve", "--db", "a.db", "--bind", "127.0.0.1:0"]);
    named.env("TABIYA_ENGINE", "gone");
    let ran = sandbox.run(named).exits_with(2);
    assert!(ran.stderr.contains("`gone` is no engine"), "{ran}");
    sandbox.write("tabiya.toml", "[serve]\nengine = \"gone\"\n");
    let ran = serve(&["--db", "a.db", "--bind", "127.0.0.1:0"]).exits_with(2);
    assert!(ran.stderr.contains("`gone` is no engine"), "{ran}");
}
