//! Many workers on one queue, all of them processes, on real servers that go away in the middle.

use std::{
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use sqlx::{Connection as _, PgConnection, SqliteConnection};

use crate::{
    build::{NAMES, knowledge},
    build_crash::games,
    crash::{finish, signal},
    engines::fake,
    sandbox::{Sandbox, TABIYA},
    servers::{Private, script},
};

/// A sandbox with games, and an engine that takes some time and answers the same every time.
fn sandbox() -> (Sandbox, String) {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(77, 200));
    let engine = fake(sandbox.directory(), "engine", &["run", "slow=25"]);
    (sandbox, engine.display().to_string())
}

fn build(sandbox: &Sandbox, database: &str) {
    #[rustfmt::skip]
    let args = [
        "build", "all", "--db", database, "--pgn", "games.pgn", "--source", "names.csv", "--depth", "6", "--min-games",
        "1", "-q",
    ];
    sandbox.tabiya(&args).exits_with(0);
}

/// Starts a worker that ends when nothing is left.
fn worker(sandbox: &Sandbox, engine: &str, database: &str, queue: &str, name: &str) -> Child {
    #[rustfmt::skip]
    let args = [
        "worker", "--db", database, "--queue", queue, "--engine", engine, "--workers", "1", "--lost-after", "2",
        "--name", name, "--until-empty", "--format", "json",
    ];
    let mut command: Command = sandbox.command(TABIYA, &args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    child.expect("the worker starts")
}

fn status(sandbox: &Sandbox, database: &str, queue: &str) -> serde_json::Value {
    #[rustfmt::skip]
    let args = ["workers", "--db", database, "--queue", queue, "--lost-after", "2", "--format", "json"];
    sandbox.tabiya(&args).exits_with(0).json()
}

/// How many positions are evaluated.
fn evaluated(database: &str) -> usize {
    let lines = knowledge(database);
    lines.iter().filter(|line| line.starts_with("node evaluation")).count()
}

/// What was found out about nodes; how long it took is left out with the evaluations themselves.
fn shown(database: &str) -> Vec<String> {
    let mut lines = knowledge(database);
    lines.retain(|line| line.starts_with("node evaluation"));
    lines
}

/// Kills a server and starts it anew, with what it had written.
fn restart(kind: &str, server: &Private) {
    let status = Command::new(script(kind)).arg("restart").arg(&server.url).status();
    assert!(
        status.expect("the script runs").success(),
        "{} does not restart",
        server.url
    );
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what} did not happen");
        sleep(Duration::from_millis(50));
    }
}

/// Asks a database for a number beside everybody else.
fn number(database: &str, sql: &'static str) -> i64 {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut connection = PgConnection::connect(database).await.expect("the server answers");
        sqlx::query_scalar(sql)
            .fetch_one(&mut connection)
            .await
            .expect("a number")
    })
}

/// Servers for tests are in a hurry, and forget what they confirmed when they are killed. Real ones are not.
fn keep_what_is_confirmed(database: &str) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut connection = PgConnection::connect(database).await.expect("the server answers");
        sqlx::query("ALTER DATABASE postgres SET synchronous_commit = on")
            .execute(&mut connection)
            .await
            .expect("a setting");
    });
}

/// Ends all connections to a database but its own.
const CUT: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                   WHERE pid <> pg_backend_pid() AND datname = current_database()";

/// Kills a worker, cuts connections, restarts the servers, and lets the others end.
fn drill(queue_on: &str) {
    let (sandbox, engine) = sandbox();
    let postgres = Private::start("postgres", &[]);
    let database = postgres.url.as_str();
    let redis = (queue_on == "redis").then(|| Private::start("redis", &[]));
    let queue = redis.as_ref().map_or(database, |redis| redis.url.as_str());
    keep_what_is_confirmed(database);
    build(&sandbox, database);
    build(&sandbox, "alone.db");

    #[rustfmt::skip]
    let enqueue = [
        "build", "annotate", "--db", database, "--queue", queue, "--enqueue", "--nodes", "1000", "--batch", "4",
        "--lost-after", "2", "--format", "json",
    ];
    let queued = sandbox.tabiya(&enqueue).exits_with(0).json();
    let wanted = queued["planned"]["to_search"].as_u64().expect("a number") as usize;
    assert!(wanted > 100, "{wanted} positions are too few to be disturbed in");
    let again = sandbox.tabiya(&enqueue).exits_with(0).json();
    assert_eq!(
        (&again["batches"], &again["already_there"]),
        (&0.into(), &queued["batches"])
    );

    let start = |name: &str| worker(&sandbox, &engine, database, queue, name);
    let mut victim = start("victim");
    let mut others = vec![start("one"), start("two")];
    wait_until("the first evaluation", || evaluated(database) > 0);
    let seen = status(&sandbox, database, queue);
    let names: Vec<&str> = seen["workers"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|worker| worker["name"].as_str())
        .collect();
    assert!(names.contains(&"victim"), "{seen}");
    victim.kill().expect("it can be killed");
    victim.wait().expect("it is gone");
    assert!(number(database, CUT) > 0, "nobody was connected");
    wait_until("work after a cut", || evaluated(database) > wanted / 4);
    restart("postgres", &postgres);
    if let Some(redis) = &redis {
        restart("redis", redis);
    }
    others.push(start("three"));
    let mut searched = 0;
    for other in others {
        let report = finish(other).exits_with(0).json();
        assert_eq!(report["done"]["quarantined"], 0, "{report}");
        searched += report["done"]["searched"].as_u64().expect("a number");
    }
    assert!(searched > 0);

    let left = status(&sandbox, database, queue);
    assert_eq!(
        (&left["waiting"], &left["running"], &left["failed"]),
        (&0.into(), &0.into(), &0.into()),
        "{left}"
    );
    assert_eq!(evaluated(database), wanted);
    // What was written twice with another value would have been a change.
    let changes = number(
        database,
        "SELECT count(*) FROM node_changelog WHERE field LIKE 'stockfish%' OR field LIKE 'best%'",
    );
    assert_eq!(changes, 0);

    // One process alone finds the same.
    #[rustfmt::skip]
    let alone = [
        "build", "annotate", "--db", "alone.db", "--engine", &engine, "--nodes", "1000", "--batch", "4", "-q",
    ];
    sandbox.tabiya(&alone).exits_with(0);
    let alone = shown(&sandbox.path("alone.db").display().to_string());
    assert_eq!(shown(database), alone);
}

#[test]
fn workers_on_postgres_survive_kills_cuts_and_restarts() {
    drill("postgres");
}

#[test]
fn workers_on_redis_survive_kills_cuts_and_restarts() {
    drill("redis");
}

#[test]
fn a_worker_on_sqlite_drains_the_queue_and_gives_back_what_it_was_interrupted_in() {
    let (sandbox, engine) = sandbox();
    build(&sandbox, "tabiya.db");
    let queued = sandbox
        .tabiya(&["build", "annotate", "--enqueue", "--nodes", "1000", "--format", "json"])
        .exits_with(0)
        .json();
    let wanted = queued["planned"]["to_search"].as_u64().expect("a number") as usize;
    let path = sandbox.path("tabiya.db").display().to_string();
    let first = worker(&sandbox, &engine, "tabiya.db", "tabiya.db", "first");
    wait_until("the first evaluation", || evaluated(&path) > 0);
    signal(&first, "INT");
    let report = finish(first).exits_with(130).json();
    assert_eq!(report["interrupted"], true);
    let left = status(&sandbox, "tabiya.db", "tabiya.db");
    assert_eq!(left["running"], 0, "{left}");
    assert!(left["waiting"].as_u64() > Some(0), "{left}");
    let second = worker(&sandbox, &engine, "tabiya.db", "tabiya.db", "second");
    finish(second).exits_with(0);
    assert_eq!(evaluated(&path), wanted);
    let text = sandbox.tabiya(&["workers"]).exits_with(0).stdout;
    assert!(text.starts_with("batches: 0 waiting, 0 running, "), "{text}");
}

/// Makes the jobs of a queue unreadable.
fn spoil(database: &str) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut connection = SqliteConnection::connect(&format!("sqlite://{database}"))
            .await
            .expect("the database opens");
        let spoilt = sqlx::query("UPDATE Jobs SET job = CAST('{}' AS BLOB)").execute(&mut connection);
        assert!(spoilt.await.expect("an update").rows_affected() > 0);
        connection.close().await.expect("it can be closed");
    });
}

#[test]
fn a_worker_that_gives_batches_up_says_so() {
    let (sandbox, engine) = sandbox();
    build(&sandbox, "tabiya.db");
    sandbox
        .tabiya(&[
            "build",
            "annotate",
            "--enqueue",
            "--nodes",
            "1000",
            "--limit",
            "1",
            "-q",
        ])
        .exits_with(0);
    spoil(&sandbox.path("tabiya.db").display().to_string());
    let ran = finish(worker(&sandbox, &engine, "tabiya.db", "tabiya.db", "one")).exits_with(3);
    assert_eq!((&ran.json()["failed"], &ran.json()["given_up"]), (&1.into(), &1.into()));
    assert!(ran.stderr.contains("error: 1 batch given up"), "{ran}");
    // Those of others are no fault of one that has nothing to do.
    finish(worker(&sandbox, &engine, "tabiya.db", "tabiya.db", "two")).exits_with(0);
}

#[test]
fn training_positions_are_seen_beside_evaluations() {
    let (sandbox, _) = sandbox();
    build(&sandbox, "tabiya.db");
    let positions =
        |more: &[&str]| sandbox.tabiya(&[&["positions", "--db", "tabiya.db", "--no-engine", "-q"], more].concat());
    let once = ["--max-attempts", "1"];
    positions(&[&["--enqueue", "--input", "games.pgn", "-o", "p.jsonl"], &once[..]].concat()).exits_with(0);
    let seen = status(&sandbox, "tabiya.db", "tabiya.db");
    assert_eq!(
        (&seen["waiting"], &seen["queues"]["positions"]["waiting"]),
        (&1.into(), &1.into())
    );
    std::fs::rename(sandbox.path("games.pgn"), sandbox.path("gone")).expect("a file");
    let work = ["--work", "--until-empty", "-o", "out"];
    positions(&work).exits_with(3);
    let text = sandbox.tabiya(&["workers"]).exits_with(0).stdout;
    assert!(
        text.contains("runs of positions: 0 waiting, 0 running, 0 done, 1 given up\n"),
        "{text}"
    );
    std::fs::rename(sandbox.path("gone"), sandbox.path("games.pgn")).expect("a file");
    let again = sandbox.tabiya(&["workers", "--retry-failed"]).exits_with(0);
    assert!(again.stderr.contains("jobs that wait again: 1"), "{again}");
    positions(&work).exits_with(0);
    assert_eq!(status(&sandbox, "tabiya.db", "tabiya.db")["done"], 1);
}

#[test]
fn a_queue_that_is_none_is_refused_before_anything_happens() {
    let (sandbox, _) = sandbox();
    build(&sandbox, "tabiya.db");
    let ran = sandbox.tabiya(&["worker", "--queue", "amqp://somewhere"]).exits_with(2);
    assert!(
        ran.stderr.contains("amqp://somewhere") && ran.stderr.contains("hint: "),
        "{}",
        ran.stderr
    );
    let ran = sandbox
        .tabiya(&["workers", "--queue", "redis://127.0.0.1:1"])
        .exits_with(3);
    assert!(
        ran.stderr.contains("127.0.0.1:1") && ran.stderr.contains("hint: "),
        "{}",
        ran.stderr
    );
    sandbox.tabiya(&["worker", "--db", "none.db"]).exits_with(3);
}
