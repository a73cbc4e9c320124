//! What is shipped for running Tabiya elsewhere: every command line in it is one that the program takes, every file in it is there, and
//! backups come back.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

use serde_json::Value;

use crate::{
    build::{NAMES, assert_same, everything, knowledge},
    build_crash::games,
    corpus,
    crash::finish,
    postgres::new_database,
    sandbox::{Content, Sandbox, TABIYA},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// PyYAML, which comes with what `scripts/setup test` installs.
fn python() -> Command {
    let home = env::home_dir().expect("a home");
    Command::new(home.join(".cache/tabiya/venv/bin/python3"))
}

fn compose() -> Value {
    let program = "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)";
    let read = python().args(["-c", program]).arg(root().join("compose.yaml")).output();
    let read = read.expect("python runs");
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    serde_json::from_slice(&read.stdout).expect("JSON")
}

/// Runs a command line where nothing can be reached: it must be understood, and fail for that reason alone.
fn assert_understood(sandbox: &Sandbox, args: &[&str]) {
    let nowhere = "postgres://127.0.0.1:1/none";
    let args: Vec<&str> = args
        .iter()
        .map(|arg| {
            if arg.starts_with("redis://") {
                "redis://127.0.0.1:1"
            } else {
                arg
            }
        })
        .map(|arg| if arg.starts_with("0.0.0.0") { "127.0.0.1:0" } else { arg })
        .collect();
    let mut command = sandbox.command(TABIYA, &args);
    let engine = crate::engines::fake(sandbox.directory(), "engine", &["instant"]);
    command.env("TABIYA_DB", nowhere).env("TABIYA_ENGINE", engine);
    let ran = sandbox.run(command);
    assert!(ran.code == 3 && !ran.stderr.contains("Usage:"), "{args:?}: {ran}");
}

#[test]
fn compose_has_all_parts_and_commands_that_are_understood() {
    let compose = compose();
    let services = compose["services"].as_object().expect("services");
    for name in ["tabiya", "worker", "postgres", "redis", "neo4j"] {
        assert!(services.contains_key(name), "{name}");
    }
    assert!(services["worker"]["deploy"]["replicas"].as_u64() > Some(1));
    let sandbox = Sandbox::new();
    for (name, service) in services {
        for port in service["ports"].as_array().into_iter().flatten() {
            assert!(
                port.as_str().is_some_and(|port| port.starts_with("127.0.0.1:")),
                "{name}: {port}"
            );
        }
        for volume in service["volumes"].as_array().into_iter().flatten() {
            let volume = volume
                .as_str()
                .and_then(|volume| volume.split(':').next())
                .expect("a volume");
            assert!(compose["volumes"].get(volume).is_some(), "{name}: {volume}");
        }
        if service["image"] != "tabiya" {
            continue;
        }
        let url = service["environment"]["TABIYA_DB"].as_str().expect("a database");
        assert!(url.contains("${POSTGRES_PASSWORD:?"), "no password of ours: {url}");
        let words = service["command"].as_array().expect("a list");
        let words: Vec<&str> = words.iter().map(|word| word.as_str().expect("text")).collect();
        assert_understood(&sandbox, &words);
    }
    // What its first lines say to type.
    let typed = text("compose.yaml");
    let lines = typed
        .lines()
        .filter_map(|line| line.strip_prefix("#   docker compose run --rm "));
    let mut seen = 0;
    for line in lines {
        let words: Vec<&str> = line
            .split_whitespace()
            .skip_while(|word| *word != "tabiya")
            .skip(1)
            .collect();
        sandbox.write("games/a.pgn", "1. e4 e5 1-0\n");
        let words: Vec<&str> = words
            .iter()
            .map(|word| if *word == "/games" { "games" } else { word })
            .collect();
        assert_understood(&sandbox, &words);
        seen += 1;
    }
    assert!(seen > 1);
}

#[test]
fn the_container_is_made_of_what_is_there_and_is_not_root() {
    let dockerfile = text("Dockerfile");
    let stages = dockerfile.lines().filter(|line| line.starts_with("FROM ")).count();
    assert_eq!(stages, 3);
    for line in dockerfile
        .lines()
        .filter(|line| line.starts_with("COPY ") && !line.contains("--from="))
    {
        let mut words: Vec<&str> = line.split_whitespace().skip(1).collect();
        words.pop();
        for name in words {
            assert!(root().join(name).exists(), "{line}");
        }
    }
    assert!(
        dockerfile.contains("\nCOPY .cargo .cargo\n"),
        "what is built there is built as here"
    );
    let wanted = text("Cargo.toml");
    let version = wanted
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "))
        .expect("a version");
    assert!(
        dockerfile.contains(&format!("FROM rust:{}-", version.trim_matches('"'))),
        "{version}"
    );
    let last = dockerfile.rsplit("FROM ").next().expect("a stage");
    assert!(last.contains("\nUSER tabiya\n") && last.contains("stockfish"), "{last}");
    let command = last
        .lines()
        .find_map(|line| line.strip_prefix("CMD "))
        .expect("a command");
    let words: Vec<String> = serde_json::from_str(command).expect("a list");
    assert_understood(&Sandbox::new(), &words.iter().map(String::as_str).collect::<Vec<_>>());
}

#[test]
fn units_start_what_is_understood() {
    let sandbox = Sandbox::new();
    for unit in ["deploy/tabiya.service", "deploy/tabiya-worker@.service"] {
        let unit = text(unit);
        let start = unit
            .lines()
            .find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/tabiya "))
            .expect("a start");
        assert_understood(&sandbox, &start.split_whitespace().collect::<Vec<_>>());
        for line in [
            "NoNewPrivileges=yes",
            "DynamicUser=yes",
            "ProtectSystem=strict",
            "KillSignal=SIGINT",
        ] {
            assert!(unit.lines().any(|own| own == line), "{line}");
        }
    }
}

/// Every option that is written behind a command in these pages is one of that command's.
#[test]
fn pages_for_operators_name_options_that_exist() {
    let sandbox = Sandbox::new();
    let mut seen = 0;
    for page in ["docs/operations.md", "docs/threat-model.md", "compose.yaml"] {
        let text = text(page).replace("\\\n", " ");
        for command in text
            .split(['`', '\n'])
            .filter_map(|piece| piece.trim().strip_prefix("tabiya "))
        {
            let words: Vec<&str> = command.split_whitespace().collect();
            let verbs: Vec<&str> = (words.iter().copied())
                .take_while(|word| word.chars().all(|letter| letter.is_ascii_lowercase()))
                .collect();
            // A word behind the verb may be its first argument.
            let help = (1..=verbs.len().min(2)).rev().find_map(|length| {
                let ran = sandbox.tabiya(&[&verbs[..length], &["--help"]].concat());
                (ran.code == 0).then_some(ran.stdout)
            });
            let help = help.unwrap_or_else(|| panic!("{page}: `tabiya {command}` is no command"));
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let name = option.split('=').next().expect("a name");
                assert!(help.contains(name), "{page}: `tabiya {command}` has no {name}");
                seen += 1;
            }
        }
    }
    assert!(seen > 5, "{seen}");
}

#[test]
fn a_taken_port_is_told_before_anything_is_built() {
    for address in ["127.0.0.1", "[::1]"] {
        let listener = match std::net::TcpListener::bind(format!("{address}:0")) {
            // Not every machine has IPv6.
            Err(_) if address == "[::1]" => continue,
            listener => listener.expect("a port"),
        };
        let place = listener.local_addr().expect("an address").to_string();
        let asked = || {
            Command::new(root().join("scripts/setup"))
                .args(["free-port", &place])
                .output()
                .expect("it runs")
        };
        let told = asked();
        let words = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(
            !told.status.success() && words.contains(&format!("make run BIND={address}:")),
            "{words}"
        );
        drop(listener);
        assert!(asked().status.success(), "{place}");
    }
}

/// A PATH with little on it, and no `apt-get`.
fn little_on_the_path() -> Sandbox {
    let sandbox = Sandbox::new();
    let tools = [
        "bash", "env", "dirname", "mktemp", "rm", "sed", "sort", "cut", "cat", "cargo", "rustc", "uname", "id",
    ];
    let path = env::var_os("PATH").expect("a PATH");
    for tool in tools {
        let mut found = env::split_paths(&path).map(|place| place.join(tool));
        let found = found.find(|path| path.exists()).expect(tool);
        fs::create_dir_all(sandbox.path("bin")).expect("a directory");
        std::os::unix::fs::symlink(found, sandbox.path("bin").join(tool)).expect("a link");
    }
    sandbox
}

/// Puts a program there that says this and remembers that it was called.
fn put_program(sandbox: &Sandbox, name: &str, words: &str) {
    let path = sandbox.path("bin").join(name);
    let called = sandbox.path("called").display().to_string();
    let text = format!("#!/bin/sh\necho {name} >>'{called}'\necho '{words}'\n");
    // A shell writes it: a file that this process has open for writing while another thread forks cannot be run.
    let script = "rm -f \"$2\" && printf %s \"$1\" >\"$2\" && chmod +x \"$2\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", &text]).arg(path);
    assert!(command.status().expect("a shell").success());
}

fn setup_run(sandbox: &Sandbox) -> String {
    let told = Command::new(root().join("scripts/setup"))
        .arg("run")
        .env("PATH", sandbox.path("bin"))
        .output()
        .expect("it runs");
    assert!(!told.status.success());
    String::from_utf8_lossy(&told.stderr).into_owned()
}

#[test]
fn a_mac_is_told_what_to_install() {
    let sandbox = little_on_the_path();
    put_program(&sandbox, "uname", "Darwin");
    put_program(&sandbox, "brew", "");
    let words = setup_run(&sandbox);
    assert!(words.contains("hint: xcode-select --install"), "{words}");
    put_program(&sandbox, "cc", "");
    let words = setup_run(&sandbox);
    assert!(words.contains("hint: brew install node, then"), "{words}");
}

#[test]
fn a_node_that_is_too_old_is_told_before_npm_is_called() {
    let sandbox = little_on_the_path();
    for tool in ["cc", "npm"] {
        put_program(&sandbox, tool, "");
    }
    for old in ["v18.19.0", "v20.18.3", "v21.7.1", "v22.11.0"] {
        put_program(&sandbox, "node", old);
        let words = setup_run(&sandbox);
        assert!(words.contains(&format!("this is {old}")), "{words}");
        assert!(
            words.contains("hint: Debian 13") && words.contains("nvm install"),
            "{words}"
        );
        assert!(!sandbox.read("called").contains("npm"), "{old}");
    }
}

/// What macOS's bash has not got.
#[test]
fn scripts_run_on_an_old_bash() {
    let scripts = fs::read_dir(root().join("scripts")).expect("scripts").flatten();
    let own = scripts.map(|entry| entry.path()).chain([root().join(".ci/run")]);
    for path in own {
        let text = fs::read_to_string(&path).expect("readable");
        if !text.starts_with("#!/usr/bin/env bash") {
            continue;
        }
        let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        for line in code {
            for newer in [
                "coproc ",
                "mapfile",
                "readarray",
                "[-1]",
                "declare -A",
                "wait -n",
                "${!",
                ",,}",
                "^^}",
            ] {
                assert!(!line.contains(newer), "{}: {line}", path.display());
            }
        }
    }
}

#[test]
fn fuzzing_fails_when_not_everything_was_looked_at() {
    let sandbox = little_on_the_path();
    put_program(&sandbox, "cargo", "");
    sandbox.write("scripts/fuzz", text("scripts/fuzz"));
    sandbox.write("fuzz/Cargo.toml", "name = \"one\"\nname = \"two\"\n");
    let path = env::var("PATH").expect("a PATH");
    let fuzz = |jobs: &str| {
        Command::new("bash")
            .args([sandbox.path("scripts/fuzz").as_os_str(), "1".as_ref()])
            .env("PATH", format!("{}:{path}", sandbox.path("bin").display()))
            .env("CARGO_TARGET_DIR", sandbox.path("target"))
            .env("FUZZ_JOBS", jobs)
            .output()
            .expect("it runs")
    };
    for jobs in ["1", "2", "3"] {
        let ran = fuzz(jobs);
        assert!(ran.status.success(), "{ran:?}");
        assert_eq!(
            String::from_utf8_lossy(&ran.stderr).matches("nothing found").count(),
            2,
            "{ran:?}"
        );
    }
    for jobs in ["0", "-1", "two"] {
        assert_eq!(fuzz(jobs).status.code(), Some(2), "{jobs}");
    }
    // Where its directory is to be there is a file, so the job dies.
    fs::remove_dir(sandbox.path("fuzz/found/one")).expect("removable");
    sandbox.write("fuzz/found/one", "");
    for jobs in ["1", "2"] {
        let ran = fuzz(jobs);
        assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        assert!(String::from_utf8_lossy(&ran.stderr).contains("hint: "), "{ran:?}");
    }
}

#[test]
fn a_machine_without_apt_is_told_what_to_install() {
    let sandbox = little_on_the_path();
    for (manager, hint) in [
        ("", "hint: install what Debian calls build-essential by hand"),
        ("pacman", "hint: as root: pacman -S base-devel"),
        ("dnf", "hint: as root: dnf install gcc make"),
        ("brew", "hint: brew install gcc make"),
    ] {
        let bin = sandbox.path("bin");
        if !manager.is_empty() {
            fs::copy("/bin/true", bin.join(manager)).expect("a copy");
        }
        let told = Command::new(root().join("scripts/setup"))
            .arg("run")
            .env("PATH", &bin)
            .output()
            .expect("it runs");
        let words = String::from_utf8_lossy(&told.stderr).into_owned();
        assert!(!told.status.success() && words.contains(hint), "{manager}: {words}");
        if !manager.is_empty() {
            fs::remove_file(bin.join(manager)).expect("removable");
        }
    }
}

/// As docs/operations.md says, while an import is under way.
#[test]
fn a_backup_of_sqlite_is_whole_and_can_be_gone_on_with() {
    let sandbox = Sandbox::with("games.pgn", corpus::games(81, 600));
    let import = |name: &str| {
        let args = [
            "import",
            "games.pgn",
            "--db",
            name,
            "--repertoire",
            "R",
            "--batch-bytes",
            "4096",
            "-q",
        ];
        let mut command = sandbox.command(TABIYA, &args);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let child = import("a.db").spawn().expect("the program runs");
    while !sandbox.path("a.db").exists() {
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(600));
    let statement = "VACUUM INTO 'backup.db'";
    assert!(text("docs/operations.md").contains(statement));
    let program = format!("import sqlite3; sqlite3.connect('a.db', timeout=60).execute(\"{statement}\")");
    let made = python()
        .args(["-c", &program])
        .current_dir(sandbox.directory())
        .status();
    assert!(made.expect("python runs").success());
    finish(child).exits_with(0);
    let expected = sandbox.content("a.db");
    let saved = sandbox.content("backup.db");
    assert!(saved.edges.len() <= expected.edges.len());
    // Restored, it goes on where it was.
    sandbox.run(import("backup.db")).exits_with(0);
    sandbox.content("backup.db").equals(&expected);
}

/// Where PostgreSQL's own programs are: with the newest version, or on the PATH.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions
        .map(|version| version.path().join("bin"))
        .filter(|directory| directory.join("pg_dump").exists())
        .collect();
    found.sort();
    found.pop().unwrap_or_default()
}

#[test]
fn a_backup_of_postgres_comes_back() {
    let sandbox = Sandbox::with("names.csv", NAMES);
    sandbox.write("games.pgn", games(82, 60));
    let url = new_database();
    #[rustfmt::skip]
    let build = ["build", "all", "--pgn", "games.pgn", "--source", "names.csv", "--min-games", "1", "--db", &url, "-q"];
    sandbox.tabiya(&build).exits_with(0);
    sandbox
        .tabiya(&["import", "games.pgn", "--db", &url, "-q"])
        .exits_with(0);
    let programs = programs();
    let page = text("docs/operations.md");
    let run = |program: &str, args: &[&str]| {
        let line = format!("{program} {}", args[..2].join(" "));
        assert!(page.contains(&line), "the page has another way than {line}");
        let ran = Command::new(programs.join(program))
            .args(args)
            .current_dir(sandbox.directory())
            .output();
        let ran = ran.expect("it runs");
        assert!(
            ran.status.success(),
            "{program}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
    };
    run("pg_dump", &["--format=custom", "--file=tabiya.dump", &url]);
    let other = new_database();
    let target = format!("--dbname={other}");
    run("pg_restore", &["--exit-on-error", "--no-owner", &target, "tabiya.dump"]);
    assert_same(&everything(&other), &everything(&url));
    Content::of(&other).equals(&Content::of(&url));
    // And is what it was to the program: nothing is left to do.
    let again = [&build[..build.len() - 2], &[other.as_str()]].concat();
    sandbox.tabiya(&again).exits_with(0);
    assert_same(&knowledge(&other), &knowledge(&url));
}

/// systemd passes over what it does not know, and says so to whoever asks.
#[test]
fn units_are_what_systemd_understands() {
    let asked = Command::new("systemd-analyze").arg("--version").output();
    if !asked.is_ok_and(|ran| ran.status.success()) {
        return;
    }
    let sandbox = Sandbox::new();
    let mut verify = Command::new("systemd-analyze");
    verify.args(["verify", "--man=no"]);
    // Then what it has to say of ours alone shows in its exit code.
    let help = Command::new("systemd-analyze").arg("--help").output().expect("it runs");
    if String::from_utf8_lossy(&help.stdout).contains("--recursive-errors") {
        verify.arg("--recursive-errors=no");
    }
    for (unit, name) in [
        ("deploy/tabiya.service", "tabiya.service"),
        ("deploy/tabiya-worker@.service", "tabiya-worker@1.service"),
    ] {
        // It looks whether the program is there.
        sandbox.write(name, text(unit).replace("/usr/local/bin/tabiya", TABIYA));
        verify.arg(sandbox.path(name));
    }
    let told = verify.output().expect("it runs");
    let words = String::from_utf8_lossy(&told.stderr);
    // What it has to say of units that ours wait for is a matter of the machine.
    let of_ours = words.lines().filter(|line| line.contains("tabiya"));
    assert!(told.status.success() && of_ours.count() == 0, "{words}");
}

/// Units with users of their own must not share a directory: each start would give it to another.
#[test]
fn units_have_directories_of_their_own() {
    let directory = |unit: &str| {
        let unit = text(unit);
        let line = unit.lines().find_map(|line| line.strip_prefix("StateDirectory="));
        let own = line.expect("a directory").to_owned();
        assert!(unit.contains(&format!("WorkingDirectory=/var/lib/{own}\n")), "{own}");
        own
    };
    assert_eq!(directory("deploy/tabiya.service"), "tabiya");
    assert_eq!(directory("deploy/tabiya-worker@.service"), "tabiya-worker/%i");
    // A worker that was told to stop did not fail.
    let worker = text("deploy/tabiya-worker@.service");
    assert!(worker.contains("\nSuccessExitStatus=130\n"), "{worker}");
}
