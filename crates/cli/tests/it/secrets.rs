//! What must not be printed, and is not.

use std::{fs::File, process::Command, time::Instant};

use crate::{
    build::NAMES,
    fetch, postgres,
    project::graph,
    sandbox::{Ran, Sandbox, TABIYA},
    serve::Serving,
    servers::Private,
    site::site,
};

/// Secrets, given where they belong and where they do not, are in nothing that is printed, even with all that can be told.
#[test]
fn secrets_are_not_told() {
    let sandbox = Sandbox::with("game.pgn", "1. e4 e5 1-0\n");
    sandbox.write("token", "lip_verysecrettoken\n");
    sandbox.write("key", "verysecretkey\n");
    sandbox.write(
        "tabiya.toml",
        "db = \"postgres://me:verysecretpassword@127.0.0.1:1/chess\"\n",
    );
    let postgres = "postgres://me:verysecretpassword@127.0.0.1:1/chess";
    let redis = "redis://me:verysecretpassword@127.0.0.1:1/0";
    let explorer = "http://127.0.0.1:1/lichess";
    type Given<'a> = &'a [(&'a str, &'a str)];
    let neo4j = "neo4j://me:verysecretpassword@127.0.0.1:1";
    let site = "http://127.0.0.1:1";
    // A word without quotes is no TOML, and a port of letters no URL.
    sandbox.write("unquoted.toml", format!("db = {postgres}\n"));
    let wrong = "http://me:verysecretpassword@127.0.0.1:80a/x";
    // A parameter that nobody knows, which the driver would log with its value.
    let parameter = "postgres://me@127.0.0.1:1/chess?sslpassword=verysecretpassword";
    // A text where a section belongs, and where a number does.
    sandbox.write("section.toml", format!("import = \"{postgres}\"\ndb = \"a.db\"\n"));
    sandbox.write("persistence.toml", format!("[import]\npersistence = \"{postgres}\"\n"));
    sandbox.write(
        "list.toml",
        format!("db = \"a.db\"\n[import]\nthreads = \"{postgres}\"\n"),
    );
    let runs: [(&[&str], Given<'_>); 38] = [
        (&["import", "game.pgn", "--config", "section.toml", "-vv"], &[]),
        (&["import", "game.pgn", "--config", "persistence.toml", "-vv"], &[]),
        (&["import", "game.pgn", "--config", "list.toml", "-vv"], &[]),
        (&["import", "game.pgn", "--db", parameter, "-vv"], &[]),
        (&["lookup", "e4", "-vv"], &[("TABIYA_DB", parameter)]),
        (&["worker", "--db", "a.db", "--queue", parameter, "-vv"], &[]),
        (&["workers", "--db", "a.db", "--queue", parameter, "-vv"], &[]),
        // A URL where none belongs.
        (&["lookup", "e4", postgres, "-vv"], &[]),
        (&["lookup", postgres, "--db", "a.db", "-vv"], &[]),
        (&["import", postgres, "--db", "a.db", "-vv"], &[]),
        (&["analyze", postgres, "-vv"], &[]),
        (&[postgres, "import", "game.pgn", "-vv"], &[]),
        (&["import", "game.pgn", "--config", "unquoted.toml", "-vv"], &[]),
        (&["lookup", "e4", "--config", "unquoted.toml", "-vv"], &[]),
        (&["build", "expand", "--explorer", wrong, "--db", "a.db", "-vv"], &[]),
        (&["build", "annotate", "--cloud", wrong, "--db", "a.db", "-vv"], &[]),
        (&["fetch", "lichess:somebody", "--base-url", wrong, "-vv"], &[]),
        (&["positions", "--list-months", "--base-url", wrong, "-vv"], &[]),
        (&["import", "game.pgn", "--db", postgres, "-vv"], &[]),
        (&["import", "game.pgn", "-vv"], &[]),
        (&["import", "game.pgn", "-vv"], &[("TABIYA_DB", postgres)]),
        (&["lookup", "e4", "--db", postgres, "-vv"], &[]),
        (&["doctor", "--db", postgres, "--engine", "none", "-vv"], &[]),
        (&["serve", "--db", postgres, "--api-key-file", "key", "-vv"], &[]),
        (&["worker", "--db", "a.db", "--queue", redis, "-vv"], &[]),
        (&["workers", "--db", "a.db", "--queue", redis, "-vv"], &[]),
        (&["workers", "--db", postgres, "--queue", postgres, "-vv"], &[]),
        (
            &["import", "game.pgn", "--db", "mysql://me:verysecretpassword@h/x", "-vv"],
            &[],
        ),
        (
            &[
                "import",
                "game.pgn",
                "--db",
                "postgres://me:verysecretpassword@[::1:x/chess",
                "-vv",
            ],
            &[],
        ),
        (
            &[
                "build",
                "expand",
                "--explorer",
                explorer,
                "--token-file",
                "token",
                "--db",
                "a.db",
                "-vv",
            ],
            &[],
        ),
        (
            &["build", "expand", "--explorer", explorer, "--db", "a.db", "-vv"],
            &[("TABIYA_EXPLORER_TOKEN", "lip_verysecrettoken")],
        ),
        (
            &[
                "build",
                "expand",
                "--explorer",
                "http://me:verysecretpassword@127.0.0.1:1/x",
                "--db",
                "a.db",
                "-vv",
            ],
            &[],
        ),
        (&["project", "--db", "a.db", "--to", neo4j, "-vv"], &[]),
        (&["project", "--db", "a.db", "-vv"], &[("TABIYA_NEO4J", neo4j)]),
        (&["serve", "--db", neo4j, "-vv"], &[]),
        (
            &[
                "fetch",
                "lichess:somebody",
                "--base-url",
                site,
                "--token-file",
                "token",
                "-vv",
            ],
            &[],
        ),
        (
            &["fetch", "lichess:somebody", "--base-url", site, "-vv"],
            &[("TABIYA_FETCH_TOKEN", "lip_verysecrettoken")],
        ),
        (
            &[
                "review",
                "game.pgn",
                "--engine",
                "none",
                "--cloud",
                "http://me:verysecretpassword@127.0.0.1:1/x",
                "-vv",
            ],
            &[],
        ),
    ];
    sandbox.tabiya(&["build", "eco", "--db", "a.db", "-q"]).exits_with(0);
    for (args, environment) in runs {
        let mut command = sandbox.command(TABIYA, args);
        command.envs(environment.iter().copied()).env("RUST_LOG", "trace");
        // Whoever waits for a server that is not there waits for longer than this test does.
        let mut child = command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("the program runs");
        let begun = Instant::now();
        while child.try_wait().expect("it can be asked").is_none() && begun.elapsed().as_secs() < 6 {
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let _ = child.kill();
        let ran = crate::crash::finish(child);
        assert!(ran.code != 0, "{args:?} has nothing to complain of: {ran}");
        assert!(
            !ran.to_string().contains("verysecret"),
            "{args:?} {environment:?}: {ran}"
        );
        assert!(ran.to_string().lines().count() > 4, "{args:?} told nothing: {ran}");
    }
}

/// The same where everybody answers, so that secrets are sent: what passes between us and them is not told either.
#[test]
fn secrets_that_are_used_are_not_told() {
    let sandbox = Sandbox::with("game.pgn", "[Result \"1-0\"]\n\n1. e4 e5 1-0\n");
    sandbox.write("token", "lip_verysecrettoken\n");
    let told = |args: &[&str]| -> Ran {
        let mut command = sandbox.command(TABIYA, &[args, &["-vv"]].concat());
        command.env("RUST_LOG", "trace");
        let ran = sandbox.run(command).exits_with(0);
        assert!(ran.to_string().lines().count() > 4, "{args:?} told nothing: {ran}");
        ran
    };
    let is_silent = |ran: &Ran, secret: &str| assert!(!ran.to_string().contains(secret), "{secret}: {ran}");

    // A server that trusts everybody on this machine takes any password.
    let trusting = postgres::new_database();
    let (scheme, place) = trusting.split_once("://").expect("a URL");
    let (user, place) = place.split_once('@').expect("a user");
    let database = format!("{scheme}://{user}:verysecretpassword@{place}");
    is_silent(&told(&["import", "game.pgn", "--db", &database]), "verysecret");
    is_silent(
        &told(&["build", "all", "--pgn", "game.pgn", "--db", &database]),
        "verysecret",
    );
    is_silent(&told(&["lookup", "e4", "--db", &database]), "verysecret");

    let graph = graph();
    is_silent(
        &told(&["project", "--db", &database, "--to", &graph.url]),
        "right-password",
    );
    is_silent(&told(&["lookup", "e4", "--db", &graph.url]), "right-password");

    let redis = Private::start("redis", &[]);
    let guarded = Command::new("redis-cli")
        .args(["-u", &redis.url, "config", "set", "requirepass", "verysecretpassword"])
        .status();
    assert!(guarded.expect("redis-cli runs").success());
    let queue = redis.url.replacen("://", "://:verysecretpassword@", 1);
    let refused = sandbox.tabiya(&["workers", "--db", &database, "--queue", &redis.url]);
    assert_eq!(refused.code, 3, "{refused}");
    is_silent(&told(&["workers", "--db", &database, "--queue", &queue]), "verysecret");

    let (heard, tokens) = std::sync::mpsc::channel();
    let explorer = site(move |head| {
        let _ = heard.send(head.contains("lip_verysecrettoken"));
        (
            "200 OK",
            "{\"white\":0,\"draws\":0,\"black\":0,\"moves\":[]}".to_owned(),
        )
    });
    #[rustfmt::skip]
    let crawl = ["build", "expand", "--explorer", &explorer, "--token-file", "token", "--rate", "100000", "--depth", "1", "--db", "a.db"];
    sandbox.write("names.csv", NAMES);
    sandbox
        .tabiya(&["build", "eco", "--source", "names.csv", "--db", "a.db", "-q"])
        .exits_with(0);
    is_silent(&told(&crawl), "verysecret");
    let sent = tokens.recv_timeout(std::time::Duration::from_secs(60));
    assert_eq!(sent, Ok(true), "the token was not sent");
    let lichess = fetch::lichess();
    #[rustfmt::skip]
    let fetch = ["fetch", "lichess:ann", "--base-url", &lichess, "--token-file", "token", "--slow-down", "0"];
    is_silent(&told(&fetch), "verysecret");

    sandbox.write("key", "verysecretkey\n");
    let log = File::create(sandbox.path("log")).expect("a file");
    let serving = Serving::start_with(&["--api-key-file", "key", "-vv"], |args| {
        let mut command = sandbox.command(TABIYA, args);
        command.env("RUST_LOG", "trace").stderr(log);
        command
    });
    let order = "POST /reload HTTP/1.1\r\nauthorization: Bearer verysecretkey\r\nx-rest:";
    assert!(serving.ask(order).starts_with("HTTP/1.1 202"));
    let begun = Instant::now();
    while !sandbox.read("log").contains("in memory") {
        assert!(
            begun.elapsed().as_secs() < 60,
            "it says nothing: {}",
            sandbox.read("log")
        );
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(serving.interrupt(), 0);
    let log = sandbox.read("log");
    assert!(!log.contains("verysecret"), "{log}");
}
