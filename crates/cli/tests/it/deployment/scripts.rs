//! Scripts on machines that lack something: they say what, and how to get it.

use std::{
    env, fs,
    net::TcpListener,
    process::Command,
    thread::{sleep, spawn},
    time::{Duration, Instant},
};

use super::{root, text};
use crate::{sandbox::Sandbox, serve::Serving};

#[test]
fn a_taken_port_is_told_before_anything_is_built() {
    for address in ["127.0.0.1", "[::1]"] {
        let listener = match TcpListener::bind(format!("{address}:0")) {
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

/// What `make run` waits for before it says how long everything took.
#[test]
fn a_page_is_waited_for_as_long_as_its_server_lives() {
    let waited = |place: &str, process: u32| {
        let mut command = Command::new(root().join("scripts/setup"));
        command.args(["answers", place, &process.to_string()]);
        let mut child = command.spawn().expect("it runs");
        let begun = Instant::now();
        loop {
            if let Some(status) = child.try_wait().expect("it can be asked") {
                break status.success();
            }
            if begun.elapsed() > Duration::from_secs(60) {
                // It may have ended just now.
                let _ = child.kill();
                let _ = child.wait();
                panic!("it waits for {place} and does not end");
            }
            sleep(Duration::from_millis(20));
        }
    };
    let sandbox = Sandbox::with("games.pgn", "1. e4 e5 1-0\n");
    sandbox
        .tabiya(&["import", "games.pgn", "--db", "a.db", "-q"])
        .exits_with(0);
    let serving = Serving::start(&sandbox, &[]);
    assert!(waited(&serving.address, std::process::id()));
    let place = serving.address.clone();
    assert_eq!(serving.interrupt(), 0);
    let mut gone = Command::new("true").spawn().expect("it runs");
    gone.wait().expect("it ends");
    assert!(!waited(&place, gone.id()));
    // One that takes whoever comes and says nothing is waited for no longer.
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let place = mute.local_addr().expect("an address").to_string();
    let mut process = Command::new("sleep").arg("600").spawn().expect("it runs");
    let id = process.id();
    let dying = spawn(move || {
        let taken = mute.accept().expect("somebody asks");
        process.kill().expect("it can be killed");
        process.wait().expect("it is gone");
        (mute, taken)
    });
    assert!(!waited(&place, id));
    drop(dying.join().expect("it was asked"));
    let run = text("Makefile");
    assert!(run.contains("if scripts/setup answers \"$(BIND)\" $$$$; then"), "{run}");
    assert!(run.contains("ready after $$(($$(date +%s) - $(BEGUN))) s"), "{run}");
}

/// One that cannot be stopped leaves no other running, and says nothing of what was run.
#[test]
fn all_servers_of_a_run_are_stopped() {
    let sandbox = Sandbox::new();
    let makefile = root().join("Makefile").display().to_string();
    let probes = "good:\n\t@$(on_servers) true\nbad:\n\t@$(on_servers) false\n";
    sandbox.write("probes.mk", format!("include {makefile}\n{probes}"));
    let server = "#!/bin/sh
        echo \"$0 $1\" >>called
        if [ \"$1\" = start ]; then echo \"STARTED=$0\"; else [ \"$0\" != scripts/test-postgres ]; fi\n";
    // A shell writes them, as in `put_program`.
    let script = "mkdir scripts && for name in postgres redis neo4j; do
        printf %s \"$1\" >scripts/test-$name && chmod +x scripts/test-$name || exit; done";
    let written = sandbox.command("sh", &["-c", script, "sh", server]);
    sandbox.run(written).exits_with(0);
    for (probe, code) in [("good", 0), ("bad", 2)] {
        sandbox
            .run(make(&sandbox, &["-f", "probes.mk", probe]))
            .exits_with(code);
        let called = ["start", "stop"].map(|verb| {
            ["postgres", "redis", "neo4j"]
                .map(|name| format!("scripts/test-{name} {verb}\n"))
                .concat()
        });
        assert_eq!(sandbox.read("called"), called.concat(), "{probe}");
        fs::remove_file(sandbox.path("called")).expect("removable");
    }
}

/// One that knows nothing of the one that runs this test, perhaps.
fn make(sandbox: &Sandbox, args: &[&str]) -> Command {
    let mut make = sandbox.command("make", args);
    for name in ["MAKEFLAGS", "MAKELEVEL", "MFLAGS"] {
        make.env_remove(name);
    }
    make
}

/// A PATH with little on it, and no `apt-get`.
fn little_on_the_path() -> Sandbox {
    let sandbox = Sandbox::new();
    let tools = [
        "bash", "env", "dirname", "mktemp", "rm", "sed", "sort", "cut", "cat", "cargo", "rustc", "uname", "id",
    ];
    fs::create_dir_all(sandbox.path("bin")).expect("a directory");
    for tool in tools {
        link_tool(&sandbox, tool);
    }
    sandbox
}

fn link_tool(sandbox: &Sandbox, tool: &str) {
    let path = env::var_os("PATH").expect("a PATH");
    let mut found = env::split_paths(&path).map(|place| place.join(tool));
    let found = found.find(|path| path.exists()).expect(tool);
    std::os::unix::fs::symlink(found, sandbox.path("bin").join(tool)).expect("a link");
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

/// In a clone in which nothing was run yet: who is told to begin with `make page` has not run anything else.
#[test]
fn a_page_can_be_the_first_thing_that_is_built() {
    let sandbox = little_on_the_path();
    for tool in ["make", "mkdir", "touch", "date"] {
        link_tool(&sandbox, tool);
    }
    put_program(&sandbox, "node", "v20.19.0");
    let npm = "#!/bin/sh\necho \"$1\" >>called\n\
        if [ \"$1\" = ci ]; then mkdir web/node_modules && touch web/node_modules/.package-lock.json; fi\n";
    // A shell writes it, as in `put_program`.
    let script = "mkdir scripts web && cp \"$0/Makefile\" . && cp \"$0/scripts/setup\" scripts && touch -d @1 web/package-lock.json
        printf %s \"$1\" >bin/npm && chmod +x bin/npm";
    let mut prepared = sandbox.command("sh", &["-c", script]);
    prepared.arg(root()).arg(npm);
    sandbox.run(prepared).exits_with(0);
    for called in ["node\nci\nrun\n", "node\nci\nrun\nnode\nrun\n"] {
        let mut page = make(&sandbox, &["page"]);
        page.env("PATH", sandbox.path("bin"));
        sandbox.run(page).exits_with(0);
        assert_eq!(sandbox.read("called"), called);
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
