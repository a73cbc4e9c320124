//! Servers that go away in the middle of a run: PostgreSQL that restarts, Redis that is lost.

use std::{
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use super::assert_told;
use crate::{
    build::{NAMES, knowledge},
    build_crash::games,
    corpus,
    crash::{finish, signal},
    engines::fake,
    sandbox::{Content, Sandbox, TABIYA},
    servers::{Private, script},
};

#[test]
fn an_import_whose_server_restarts_goes_on() {
    let sandbox = Sandbox::with("games.pgn", corpus::games(75, 3000));
    sandbox
        .tabiya(&["import", "games.pgn", "--db", "alone.db", "-q"])
        .exits_with(0);
    let expected = sandbox.content("alone.db");
    let server = Private::start("postgres", &[]);
    let import = || {
        let args = [
            "import",
            "games.pgn",
            "--db",
            &server.url,
            "--batch-bytes",
            "2048",
            "-q",
        ];
        let mut command = sandbox.command(TABIYA, &args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    // Made before: what an unfinished migration leaves is tested elsewhere.
    sandbox.write("none.pgn", "1. e4 *\n");
    sandbox
        .tabiya(&["import", "none.pgn", "--db", &server.url, "-q"])
        .exits_with(0);
    let mut disturbed = 0;
    for _ in 0..10 {
        let before = Content::of(&server.url).edges.len();
        let mut child = import().spawn().expect("the program runs");
        // In the middle: something was written, and it is not at its end.
        let begun = Instant::now();
        let is_running = loop {
            assert!(begun.elapsed() < Duration::from_secs(60), "it writes nothing");
            if child.try_wait().expect("it can be asked").is_some() {
                break false;
            }
            if Content::of(&server.url).edges.len() > before {
                break true;
            }
            sleep(Duration::from_millis(10));
        };
        let mut outlived = false;
        if is_running {
            let restarted = Command::new(script("postgres"))
                .arg("restart")
                .arg(&server.url)
                .status();
            assert!(restarted.expect("the script runs").success());
            outlived = child.try_wait().expect("it can be asked").is_none();
        }
        let ran = finish(child);
        // Not if it came to its end just before the restart; one that gets over it was disturbed, too.
        disturbed += u32::from(is_running && (outlived || ran.code != 0));
        assert!(!ran.stderr.contains("panicked"), "{ran}");
        match ran.code {
            0 => break,
            _ => {
                assert_told(&ran, "import");
                assert!(ran.stderr.contains("hint: "), "{ran}");
            }
        }
    }
    sandbox.run(import()).exits_with(0);
    Content::of(&server.url).equals(&expected);
    assert!(disturbed > 0, "it was never in the middle");
}

#[test]
fn a_worker_whose_redis_is_lost_waits_and_can_be_stopped() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(76, 120));
    let engine = fake(sandbox.directory(), "engine", &["run", "slow=30"])
        .display()
        .to_string();
    #[rustfmt::skip]
    let build = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--depth", "3", "--min-games", "1", "-q"];
    sandbox.tabiya(&build).exits_with(0);
    let redis = Private::start("redis", &[]);
    let queue = redis.url.clone();
    #[rustfmt::skip]
    let enqueue = ["build", "annotate", "--queue", &queue, "--enqueue", "--nodes", "1000", "--batch", "2", "-q"];
    sandbox.tabiya(&enqueue).exits_with(0);
    #[rustfmt::skip]
    let args = ["worker", "--queue", &queue, "--engine", &engine, "--workers", "1", "--lost-after", "2", "--until-empty"];
    let mut worker = sandbox.command(TABIYA, &args);
    let mut child = worker
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let database = sandbox.path("tabiya.db").display().to_string();
    let evaluated = || {
        let lines = knowledge(&database);
        lines.iter().filter(|line| line.starts_with("node evaluation")).count()
    };
    let begun = Instant::now();
    while evaluated() == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "it does not begin");
        sleep(Duration::from_millis(50));
    }
    drop(redis);
    sleep(Duration::from_secs(3));
    assert!(
        child.try_wait().expect("it can be asked").is_none(),
        "it waits for its queue to come back"
    );
    let begun = Instant::now();
    signal(&child, "INT");
    let ran = finish(child);
    assert!(begun.elapsed() < Duration::from_secs(20), "it does not stop");
    assert!(matches!(ran.code, 3 | 130) && !ran.stderr.contains("panicked"), "{ran}");
    let audited = sandbox.tabiya(&["build", "audit"]);
    assert_eq!(audited.code, 0, "{audited}");

    // The way back: what is not evaluated goes into a new queue, and is done from there.
    let before = evaluated();
    let again = Private::start("redis", &[]);
    let queue = again.url.clone();
    #[rustfmt::skip]
    let enqueue = ["build", "annotate", "--queue", &queue, "--enqueue", "--nodes", "1000", "--batch", "2", "--format", "json"];
    let queued = sandbox.tabiya(&enqueue).exits_with(0).json();
    assert!(queued["batches"].as_u64() > Some(0), "{queued}");
    #[rustfmt::skip]
    let args = ["worker", "--queue", &queue, "--engine", &engine, "--workers", "2", "--until-empty", "-q"];
    sandbox.tabiya(&args).exits_with(0);
    assert!(evaluated() > before, "{before} were evaluated before");
    let left = sandbox.tabiya(&enqueue).exits_with(0).json();
    assert_eq!(left["batches"], 0, "{left}");
}
