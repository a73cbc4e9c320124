//! What a machine can do to a run: no room left, no rights, a clock that jumps, servers that go away. Nothing that was kept is
//! lost, everything is said, and the same command goes on when the trouble is over.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    path::PathBuf,
    process::{Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    build::{NAMES, assert_same, built, knowledge},
    build_crash::games,
    corpus,
    crash::{finish, signal},
    engines::fake,
    postgres::{Private, script},
    sandbox::{Content, Ran, Sandbox, TABIYA},
    serve::Serving,
};

/// The program where no file can grow beyond so many kilobytes: as on a full disk, writing fails in the middle of anything.
fn with_little_room(sandbox: &Sandbox, kilobytes: u32, args: &[&str]) -> Ran {
    let limited = format!("trap '' XFSZ; ulimit -f {kilobytes}; exec \"$@\"");
    let mut command = sandbox.command("bash", &["-c", &limited, "bash", TABIYA]);
    command.args(args);
    sandbox.run(command)
}

/// Ends with the world's fault in plain words.
#[track_caller]
fn assert_told(ran: &Ran, what: &str) {
    assert_eq!(ran.code, 3, "{what}: {ran}");
    assert!(ran.stderr.contains("error: "), "{what}: {ran}");
    assert!(!ran.stderr.contains("panicked"), "{what}: {ran}");
}

#[test]
fn an_import_without_room_goes_on_when_there_is_some() {
    let sandbox = Sandbox::with("games.pgn", corpus::games(71, 500));
    let import = |name: &'static str| {
        [
            "import",
            "games.pgn",
            "--db",
            name,
            "--repertoire",
            "R",
            "--batch-bytes",
            "8192",
            "-q",
        ]
    };
    sandbox.tabiya(&import("whole.db")).exits_with(0);
    let expected = sandbox.content("whole.db");
    for kilobytes in [60, 400, 900] {
        let _ = fs::remove_file(sandbox.path("small.db"));
        let ran = with_little_room(&sandbox, kilobytes, &import("small.db"));
        assert_told(&ran, "import");
        let kept = match sandbox.path("small.db").exists() {
            true => sandbox.content("small.db").edges.len(),
            false => 0,
        };
        assert!(kept < expected.edges.len(), "{kilobytes} kB were enough");
        sandbox.tabiya(&import("small.db")).exits_with(0);
        sandbox.content("small.db").equals(&expected);
    }
}

#[test]
fn a_build_without_room_goes_on_when_there_is_some() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(72, 600));
    let build = |name: &'static str| {
        [
            "build",
            "all",
            "--pgn",
            "games.pgn",
            "--source",
            "names.csv",
            "--min-games",
            "1",
            "--db",
            name,
            "-q",
        ]
    };
    sandbox.tabiya(&build("whole.db")).exits_with(0);
    let expected = knowledge(&sandbox.path("whole.db").display().to_string());
    for kilobytes in [4, 100, 700] {
        let ran = with_little_room(&sandbox, kilobytes, &build("small.db"));
        assert_told(&ran, "build");
        // What later phases make is missing, and nothing else is wrong with what was kept.
        let audited = sandbox.tabiya(&["build", "audit", "--db", "small.db"]);
        let is_missing = |line: &&str| {
            let parts = ["all 500 ECO codes", "every terminal position has a structure"];
            parts.iter().any(|part| line.contains(part))
        };
        let checked: Vec<&str> = audited.stdout.lines().collect();
        let wrong = checked.iter().filter(|line| line.starts_with("FAIL")).copied();
        assert!(wrong.clone().all(|line| is_missing(&line)), "{kilobytes}: {audited}");
        assert_eq!(audited.code, i32::from(wrong.count() > 0), "{kilobytes}: {audited}");
        assert!(
            checked.iter().filter(|line| line.starts_with("ok ")).count() >= 10,
            "{audited}"
        );
    }
    sandbox.tabiya(&build("small.db")).exits_with(0);
    assert_same(&knowledge(&sandbox.path("small.db").display().to_string()), &expected);
}

#[test]
fn outputs_without_room_leave_the_old_ones() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", crate::blitz_games::games(73, 300));
    #[rustfmt::skip]
    let build = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--min-games", "1", "-q"];
    sandbox.tabiya(&build).exits_with(0);
    let verbs: [(&[&str], &str, &str); 6] = [
        (&["export", "--format", "csv", "--output"], "out.csv", "out.csv"),
        (
            &["export", "--format", "json", "--output"],
            "out-json",
            "out-json/index.json",
        ),
        (
            &["export", "--format", "parquet", "--output"],
            "out-tables",
            "out-tables/nodes.parquet",
        ),
        (&["analyze", "games.pgn", "--output"], "out-db.json", "out-db.json"),
        (
            &[
                "positions",
                "--input",
                "games.pgn",
                "--no-engine",
                "--restart",
                "--output",
            ],
            "out.parquet",
            "out.parquet",
        ),
        (
            &["import", "games.pgn", "--db", "memory.db", "--out-edges"],
            "edges.jsonl",
            "edges.jsonl",
        ),
    ];
    for (verb, output, file) in verbs {
        let args = [verb, &[output]].concat();
        sandbox.tabiya(&args).exits_with(0);
        let before = fs::read(sandbox.path(file)).expect("written");
        let ran = with_little_room(&sandbox, 2, &args);
        assert_told(&ran, output);
        assert!(
            fs::read(sandbox.path(file)).expect("still there") == before,
            "{output}: the old one is not what it was"
        );
        sandbox.tabiya(&args).exits_with(0);
        let is_timeless = output != "out-db.json";
        assert!(
            !is_timeless || fs::read(sandbox.path(file)).expect("written") == before,
            "{output}"
        );
    }
}

#[test]
fn positions_without_room_say_so() {
    let sandbox = Sandbox::with("games.pgn", crate::blitz_games::games(74, 300));
    #[rustfmt::skip]
    let args = ["positions", "--input", "games.pgn", "--no-engine", "--restart", "--output", "p.jsonl"];
    for dedupe in [&[][..], &["--dedupe"]] {
        let ran = with_little_room(&sandbox, 8, &[&args, dedupe].concat());
        assert_told(&ran, "positions");
        assert!(ran.stderr.contains("File too large"), "{ran}");
        assert!(
            ran.stderr.contains("hint: ") && ran.stderr.contains("another disk"),
            "{ran}"
        );
    }
}

#[test]
fn a_read_only_database_answers_and_is_not_written_to() {
    let sandbox = built();
    let read_only = format!("sqlite://{}?mode=ro", sandbox.path("tabiya.db").display());
    let before = fs::read(sandbox.path("tabiya.db")).expect("readable");
    for verb in [
        &["lookup", "1.e4 e5"][..],
        &["export", "--format", "csv", "--output", "out.csv"],
        &["build", "audit"],
        &["doctor", "--engine", "none"],
    ] {
        let ran = sandbox.tabiya(&[verb, &["--db", &read_only]].concat());
        assert!(!ran.stderr.contains("panicked"), "{verb:?}: {ran}");
        assert!(!ran.to_string().contains("readonly"), "{verb:?}: {ran}");
        assert!(ran.code == 0 || verb[0] == "doctor", "{verb:?}: {ran}");
    }
    sandbox.write("other.csv", NAMES.replace("Italian", "Other"));
    let engine = fake(sandbox.directory(), "engine", &["instant"]).display().to_string();
    for verb in [
        &["import", "games.pgn"][..],
        &["build", "eco", "--source", "other.csv"],
        &["build", "expand", "--pgn", "games.pgn", "--add"],
        &["build", "annotate", "--engine", &engine, "--nodes", "10"],
    ] {
        let ran = sandbox.tabiya(&[verb, &["--db", &read_only]].concat());
        assert_told(&ran, verb[0]);
        assert!(ran.stderr.contains("hint: "), "{verb:?}: {ran}");
    }
    assert!(fs::read(sandbox.path("tabiya.db")).expect("readable") == before);
}

/// The program as somebody who may read and not write: root may do anything, unless that is taken from it.
fn without_rights(sandbox: &Sandbox, args: &[&str]) -> Command {
    let is_root = Command::new("id").arg("-u").output().expect("id").stdout == b"0\n";
    if !is_root {
        return sandbox.command(TABIYA, args);
    }
    let few = [
        "--bounding-set=-dac_override,-dac_read_search",
        "--inh-caps=-all",
        TABIYA,
    ];
    sandbox.command("setpriv", &[&few, args].concat())
}

/// A directory and a file in it that may not be written to, until this is dropped: otherwise a test that fails would leave what
/// nobody can remove.
struct ReadOnly {
    directory: PathBuf,
    file: PathBuf,
}

impl ReadOnly {
    fn of(directory: PathBuf, file: PathBuf) -> ReadOnly {
        let read_only = ReadOnly { directory, file };
        read_only.set(0o555, 0o444).expect("ours");
        read_only
    }

    fn set(&self, directory: u32, file: u32) -> std::io::Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&self.file, fs::Permissions::from_mode(file))?;
        fs::set_permissions(&self.directory, fs::Permissions::from_mode(directory))
    }
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        // Where it fails, something is left in the directory for temporary files, and no more.
        let _ = self.set(0o755, 0o644);
    }
}

#[test]
fn a_database_where_nothing_may_be_written_answers() {
    let sandbox = built();
    fs::create_dir(sandbox.path("theirs")).expect("a directory");
    fs::rename(sandbox.path("tabiya.db"), sandbox.path("theirs/a.db")).expect("moved");
    let _read_only = ReadOnly::of(sandbox.path("theirs"), sandbox.path("theirs/a.db"));
    let absolute = sandbox.path("theirs/a.db").display().to_string();
    for url in [
        absolute.clone(),
        format!("sqlite://{absolute}"),
        format!("sqlite://{absolute}?mode=ro"),
    ] {
        for verb in [
            &["lookup", "1.e4 e5"][..],
            &["build", "audit"],
            &["export", "--format", "csv", "-o", "o.csv"],
        ] {
            let ran = sandbox.run(without_rights(&sandbox, &[verb, &["--db", &url]].concat()));
            assert_eq!(ran.code, 0, "{verb:?} {url}: {ran}");
        }
        let serving = Serving::start_with(&[], |arguments| {
            let named = arguments
                .iter()
                .map(|word| if *word == "a.db" { url.as_str() } else { word });
            without_rights(&sandbox, &named.collect::<Vec<&str>>())
        });
        assert!(
            serving.ask("GET /position?play=e2e4").starts_with("HTTP/1.1 200"),
            "{url}"
        );
    }
    let ran = sandbox.run(without_rights(&sandbox, &["import", "games.pgn", "--db", &absolute]));
    assert_told(&ran, "import");
    assert!(ran.stderr.contains("hint: "), "{ran}");
}

/// The program with a clock that can be set while it runs, as that of a machine can. What only counts on is left alone.
fn with_clock(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut command = sandbox.command(TABIYA, args);
    let libraries =
        ["x86_64", "aarch64"].map(|machine| format!("/usr/lib/{machine}-linux-gnu/faketime/libfaketimeMT.so.1"));
    let library = libraries.iter().find(|path| fs::exists(path).unwrap_or(false));
    command
        .env(
            "LD_PRELOAD",
            library.expect("faketime is missing: run scripts/setup test"),
        )
        .env("FAKETIME_TIMESTAMP_FILE", sandbox.path("clock"))
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Sets it in one step: half a clock is none.
fn set_clock(sandbox: &Sandbox, offset: &str) {
    sandbox.write("clock.new", offset);
    fs::rename(sandbox.path("clock.new"), sandbox.path("clock")).expect("set");
}

#[test]
fn a_clock_that_jumps_changes_nothing() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(74, 120));
    let engine = fake(sandbox.directory(), "engine", &["run", "slow=10"])
        .display()
        .to_string();
    #[rustfmt::skip]
    let build = |name: &'static str| {
        ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--depth", "3", "--min-games", "1", "--db", name, "-q"]
    };
    let enqueue = |name: &'static str| {
        [
            "build",
            "annotate",
            "--enqueue",
            "--nodes",
            "1000",
            "--batch",
            "4",
            "--db",
            name,
            "-q",
        ]
    };
    let work = |name: &'static str| {
        vec![
            "worker",
            "--db",
            name,
            "--queue",
            name,
            "--lost-after",
            "2",
            "--until-empty",
            "-q",
        ]
    };
    let worker = |name: &'static str| [&work(name)[..], &["--engine", &engine, "--workers", "2"]].concat();
    sandbox.tabiya(&build("still.db")).exits_with(0);
    sandbox.tabiya(&enqueue("still.db")).exits_with(0);
    sandbox.tabiya(&worker("still.db")).exits_with(0);

    set_clock(&sandbox, "-9000d");
    sandbox.run(with_clock(&sandbox, &build("jumped.db"))).exits_with(0);
    set_clock(&sandbox, "+4000d");
    sandbox.run(with_clock(&sandbox, &enqueue("jumped.db"))).exits_with(0);
    let begun = Instant::now();
    let mut child = with_clock(&sandbox, &worker("jumped.db"))
        .spawn()
        .expect("the program runs");
    let mut jumps = ["+4001d", "+0d", "-9000d", "+4000d"].into_iter().cycle();
    while child.try_wait().expect("it can be asked").is_none() {
        set_clock(&sandbox, jumps.next().expect("one after another"));
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "it waits for a time that does not come"
        );
        sleep(Duration::from_millis(150));
    }
    finish(child).exits_with(0);
    let shown = |name: &str| {
        let mut lines = knowledge(&sandbox.path(name).display().to_string());
        // How long each search took is in the evaluations themselves.
        lines.retain(|line| !line.starts_with("evaluation ("));
        lines
    };
    let still = shown("still.db");
    assert!(still.iter().filter(|line| line.starts_with("node evaluation")).count() >= 30);
    assert_same(&shown("jumped.db"), &still);
}

#[test]
fn a_server_whose_clock_jumps_goes_on_answering() {
    let sandbox = built();
    fs::rename(sandbox.path("tabiya.db"), sandbox.path("a.db")).expect("a name");
    set_clock(&sandbox, "+0d");
    let serving = Serving::start_with(&["--rate", "50"], |args| with_clock(&sandbox, args));
    for offset in ["+365d", "-365d", "-9000d", "+0d"] {
        set_clock(&sandbox, offset);
        for uri in ["/position?play=e2e4", "/openings", "/metrics"] {
            let answer = serving.ask(&format!("GET {uri}"));
            assert!(answer.starts_with("HTTP/1.1 200"), "{offset} {uri}: {answer}");
        }
        sleep(Duration::from_millis(100));
    }
}

#[test]
fn an_import_whose_server_restarts_goes_on() {
    let sandbox = Sandbox::with("games.pgn", corpus::games(75, 3000));
    sandbox
        .tabiya(&["import", "games.pgn", "--db", "alone.db", "-q"])
        .exits_with(0);
    let expected = sandbox.content("alone.db");
    let server = Private::start("postgres");
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
    let redis = Private::start("redis");
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
    let again = Private::start("redis");
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

#[test]
fn an_engine_that_is_replaced_between_runs_and_within_one() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(77, 60));
    #[rustfmt::skip]
    let build = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--depth", "3", "--min-games", "1", "-q"];
    sandbox.tabiya(&build).exits_with(0);
    let annotate = |limit: &str, engine: &str| {
        #[rustfmt::skip]
        let args = ["build", "annotate", "--engine", engine, "--workers", "1", "--nodes", "1000", "--limit", limit, "--format", "json"];
        sandbox.tabiya(&args)
    };
    let place = sandbox.path("engine").display().to_string();
    fake(sandbox.directory(), "engine", &["run", "name=Old 1.0"]);
    annotate("10", &place).exits_with(0);
    // The same file is another engine now, and crashes in its third search; what replaces it is a third one.
    let ledger = sandbox.path("ledger").display().to_string();
    fake(
        sandbox.directory(),
        "engine",
        &[
            "ledger",
            &ledger,
            "run",
            "name=New 2.0",
            "name=New 2.0,good,good,crash",
            "name=Newer 3.0",
        ],
    );
    let ran = annotate("1000", &place).exits_with(0);
    assert_eq!(ran.json()["done"]["quarantined"], 0, "{ran}");
    let lines = knowledge(&sandbox.path("tabiya.db").display().to_string());
    let by = |name: &str| {
        lines
            .iter()
            .filter(|line| line.starts_with("evaluation (") && line.contains(name))
            .count()
    };
    assert!(
        by("Old 1.0") > 0 && by("New 2.0") > 0,
        "{:?}",
        (by("Old 1.0"), by("New 2.0"), by("Newer 3.0"))
    );
    sandbox.tabiya(&["build", "audit"]).exits_with(0);
    // And one that is gone.
    fs::remove_file(sandbox.path("engine")).expect("removable");
    let ran = annotate("1000", &place).exits_with(2);
    assert!(ran.stderr.contains(&place) && ran.stderr.contains("hint: "), "{ran}");
}

#[test]
fn an_engine_that_eats_the_machine_costs_its_position_and_no_more() {
    let sandbox = Sandbox::with("game.pgn", "1. e4 e5 2. Nf3 Nc6 1-0\n");
    for deed in ["flood", "long-line", "breed"] {
        let engine = fake(sandbox.directory(), deed, &["run", deed]).display().to_string();
        #[rustfmt::skip]
        let args = ["doctor", "--engine", &engine, "--max-tries", "1"];
        let ran = sandbox.tabiya(&args).exits_with(3);
        assert!(
            ran.stdout.contains("engine      broken") && ran.stdout.contains("hint: "),
            "{deed}: {ran}"
        );
    }
}

/// Answers every request with the same words, until the test is over.
fn liar(words: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream);
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
                line.clear();
            }
            let answer = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{words}",
                words.len()
            );
            // Whoever does not listen has heard enough.
            let _ = reader.get_mut().write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/lichess")
}

#[test]
fn an_explorer_that_lies_does_no_harm() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    let eco = ["build", "eco", "--source", "names.csv", "--db", "names.db", "-q"];
    sandbox.tabiya(&eco).exits_with(0);
    let most = u64::MAX;
    let half = i64::MAX;
    let played = |uci: &str, san: &str| {
        format!(
            "{{\"uci\":\"{uci}\",\"san\":\"{san}\",\"white\":{half},\"draws\":{half},\"black\":{half},\"averageRating\":2000}}"
        )
    };
    let lies = [
        format!("{{\"white\":{most},\"draws\":{most},\"black\":{most},\"moves\":[]}}"),
        format!(
            "{{\"white\":{half},\"draws\":0,\"black\":0,\"moves\":[{}]}}",
            played("e2e4", "e4")
        ),
        format!(
            "{{\"white\":1,\"draws\":1,\"black\":1,\"moves\":[{0},{0},{1}]}}",
            played("e2e4", "e4"),
            played("d2d4", "e4")
        ),
        "{\"white\":3,\"draws\":0,\"black\":0,\"moves\":[{\"uci\":\"e2e4\",\"san\":\"e4\",\"white\":100,\"draws\":0,\"black\":0}]}"
            .to_owned(),
        format!("{{\"white\":{half},\"draws\":0,\"black\":0,\"moves\":[]}}"),
        "{\"white\":-5,\"draws\":1e400,\"black\":\"x\",\"moves\":[]}".to_owned(),
        "{\"white\":5,\"draws\":5,\"black\":5,\"moves\":null}".to_owned(),
        format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        "<html>\u{1b}[31mlog in first</html>".to_owned(),
        String::new(),
    ];
    for (number, lie) in lies.into_iter().enumerate() {
        let shown: String = lie.chars().take(60).collect();
        let explorer = liar(lie);
        let database = format!("lied-to-{number}.db");
        fs::copy(sandbox.path("names.db"), sandbox.path(&database)).expect("a copy");
        #[rustfmt::skip]
        let args = [
            "build", "expand", "--explorer", &explorer, "--rate", "1000", "--depth", "1", "--min-games", "1", "--db", &database,
        ];
        let mut command = sandbox.command(TABIYA, &args);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        // What passes is asked again, with pauses; that is waited for no longer than this.
        let begun = Instant::now();
        while child.try_wait().expect("it can be asked").is_none() && begun.elapsed() < Duration::from_secs(5) {
            sleep(Duration::from_millis(20));
        }
        let _ = child.kill();
        let ran = finish(child);
        assert!(
            !ran.stderr.contains("panicked") && !ran.stderr.contains('\u{1b}'),
            "{shown}: {ran}"
        );
        assert!(matches!(ran.code, -1 | 0 | 2 | 3), "{shown}: {ran}");
        let looked = sandbox.tabiya(&["lookup", "1.e4", "--db", &database]).exits_with(0);
        assert!(!looked.stderr.contains("panicked"), "{shown}: {looked}");
        let audited = sandbox.tabiya(&["build", "audit", "--db", &database]);
        assert!(
            matches!(audited.code, 0 | 1) && !audited.stderr.contains("panicked"),
            "{shown}: {audited}"
        );
        // Structures and links were not asked for; counts must be in order all the same.
        for sound in [
            "ok    a move has no more games than the position it is played in",
            "ok    the moves from a position have no more games than it",
            "ok    every position that games reached has games",
        ] {
            assert!(audited.stdout.contains(sound), "{shown}: {audited}");
        }
    }
}

#[test]
fn what_an_explorer_was_caught_at_is_shown() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox
        .tabiya(&["build", "eco", "--source", "names.csv", "-q"])
        .exits_with(0);
    let move_with = "{\"uci\":\"e2e4\",\"san\":\"e4\",\"white\":100,\"draws\":0,\"black\":0}";
    let explorer = liar(format!(
        "{{\"white\":3,\"draws\":0,\"black\":0,\"moves\":[{move_with}]}}"
    ));
    #[rustfmt::skip]
    let args = ["build", "expand", "--explorer", &explorer, "--rate", "1000", "--depth", "1", "--min-games", "1"];
    let ran = sandbox.tabiya(&args).exits_with(0);
    assert!(ran.stdout.contains("with moves that make no sense"), "{ran}");
    let listed = sandbox.tabiya(&["build", "structures", "--review"]).exits_with(0);
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -  flagged: \
                 the explorer listed e4 (e2e4): with it the moves have 100 games, and the position has 3";
    assert!(listed.stdout.contains(start), "{listed}");
    let json = sandbox.tabiya(&["build", "structures", "--review", "--format", "json"]);
    assert!(json.stdout.contains("\"reason\":\"flagged\""), "{json}");
    let looked = sandbox
        .tabiya(&["lookup", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"])
        .exits_with(0);
    assert!(looked.stdout.contains("flagged: the explorer listed e4"), "{looked}");
}

#[test]
fn a_crawl_that_is_cut_to_size_says_so() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox
        .tabiya(&["build", "eco", "--source", "names.csv", "-q"])
        .exits_with(0);
    let moves = [("a", 9), ("h", 5), ("b", 3)].map(|(file, games)| {
        format!("{{\"uci\":\"{file}2{file}3\",\"san\":\"{file}3\",\"white\":{games},\"draws\":0,\"black\":0}}")
    });
    let explorer = liar(format!(
        "{{\"white\":17,\"draws\":0,\"black\":0,\"moves\":[{}]}}",
        moves.join(",")
    ));
    #[rustfmt::skip]
    let args = ["build", "expand", "--explorer", &explorer, "--rate", "1000", "--depth", "1", "--min-games", "1"];
    // Ten are named, and there are five of them in which White is to move.
    let ran = sandbox
        .tabiya(&[&args[..], &["--max-nodes", "19"]].concat())
        .exits_with(0);
    let said = "kept             moves with 6 games or more, raised from 1 to keep the graph small enough\n";
    assert!(ran.stdout.contains(said), "{ran}");
    let json = sandbox.tabiya(&[&args[..], &["--max-nodes", "15", "--format", "json"]].concat());
    let json = json.exits_with(0).json();
    assert_eq!((&json["asked_min_games"], &json["min_games"]), (&1.into(), &6.into()));
    let ran = sandbox
        .tabiya(&[&args[..], &["--max-nodes", "20"]].concat())
        .exits_with(2);
    let told = "error: --max-nodes 20: moves with fewer than 6 games are gone from \"games\", to leave 19 positions";
    assert!(ran.stderr.starts_with(told), "{ran}");
}
