//! A directory of its own for each test, and the programs run in it.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use pgn_import::{Edge, Position, Reject, RepertoireEdge, Tactic};
use tabiya_store::Store;

pub(crate) const TABIYA: &str = env!("CARGO_BIN_EXE_tabiya");
pub(crate) const PGN_IMPORT: &str = env!("CARGO_BIN_EXE_pgn-import");

/// One line each: a good game, one with an illegal move, another good one.
pub(crate) const ONE_BAD_OF_THREE: &str = "\
[Event \"first\"]\n\n1. e4 e5 2. Nf3 *\n\n\
[Event \"second\"]\n\n1. e4 c5 2. Nf6 d6 *\n\n\
[Event \"third\"]\n\n1. d4 d5 *\n";

pub(crate) struct Sandbox {
    directory: tempfile::TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox {
            directory: tempfile::tempdir().expect("a temporary directory"),
        }
    }

    /// A sandbox with one file in it.
    pub(crate) fn with(name: &str, content: impl AsRef<[u8]>) -> Sandbox {
        let sandbox = Sandbox::new();
        sandbox.write(name, content);
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a file has a directory")).expect("directories can be made");
        fs::write(path, content).expect("the sandbox is writable");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The lines of a JSONL file.
    pub(crate) fn rows(&self, name: &str) -> Vec<serde_json::Value> {
        let parse = |line: &str| serde_json::from_str(line).expect("every line is JSON");
        self.read(name).lines().map(parse).collect()
    }

    /// A program in this directory, without anything the environment might say to it.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.directory.path())
            .stdin(Stdio::null());
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            let heard = ["RUST_LOG", "NO_COLOR", "COLUMNS", "LINES"];
            if name.starts_with("TABIYA_") || name.starts_with("PG") || heard.contains(&&*name) {
                command.env_remove(&*name);
            }
        }
        command
    }

    pub(crate) fn tabiya(&self, args: &[&str]) -> Ran {
        self.run(self.command(TABIYA, args))
    }

    pub(crate) fn pgn_import(&self, args: &[&str]) -> Ran {
        self.run(self.command(PGN_IMPORT, args))
    }

    pub(crate) fn run(&self, command: Command) -> Ran {
        self.run_with_input(command, "")
    }

    pub(crate) fn run_with_input(&self, command: Command, input: impl Into<Vec<u8>>) -> Ran {
        let output = assert_cmd::Command::from_std(command)
            .write_stdin(input)
            .timeout(Duration::from_secs(300))
            .output()
            .expect("the program runs");
        Ran {
            code: output.status.code().expect("the program was not killed"),
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
        }
    }

    /// What is in a database of this sandbox.
    pub(crate) fn content(&self, database: &str) -> Content {
        Content::of(&format!("sqlite://{}", self.path(database).display()))
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }
}

/// How a program ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    /// The same, or a test fails with everything the program said.
    #[track_caller]
    pub(crate) fn exits_with(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "{self}");
        self
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl std::fmt::Display for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "exit code: {}\n----- stdout\n{}----- stderr\n{}",
            self.code, self.stdout, self.stderr
        )
    }
}

/// Compares what a program said with what it said before, but for times.
macro_rules! assert_said {
    ($name:literal, $ran:expr) => {
        insta::with_settings!({
            filters => vec![
                (r"(parse|merge|persist)_ms=\d+", "${1}_ms=[time]"),
                (r"elapsed +[^\n]*", "elapsed     [time]"),
                (r"searched( +\d+ positions?) in [^\n]*", "searched$1 in [time]"),
                (r"\d+\.\d+ s of an engine's time", "[time] of an engine's time"),
                (r"tabiya 0\.\d+\.\d+", "tabiya [version]"),
            ],
            omit_expression => true,
            prepend_module_to_snapshot => false,
        }, {
            insta::assert_snapshot!($name, $ran.to_string());
        })
    };
}
pub(crate) use assert_said;

/// Everything an import leaves in a database.
#[derive(Debug, PartialEq)]
pub(crate) struct Content {
    pub(crate) positions: Vec<Position>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) repertoire: Vec<RepertoireEdge>,
    pub(crate) tactics: Vec<Tactic>,
    pub(crate) rejects: Vec<Reject>,
}

impl Content {
    pub(crate) fn of(url: &str) -> Content {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let store = Store::connect(url).await.expect("the database opens");
            let content = Content {
                positions: store.dump_positions().await.expect("positions"),
                edges: store.dump_edges().await.expect("edges"),
                repertoire: store.dump_repertoire_edges().await.expect("repertoire"),
                tactics: store.dump_tactics().await.expect("tactics"),
                rejects: store.rejects(None).await.expect("rejects"),
            };
            store.close().await;
            content
        })
    }

    /// The same, or a test fails with what differs first, instead of with megabytes of rows.
    #[track_caller]
    pub(crate) fn equals(&self, other: &Content) {
        #[track_caller]
        fn same<T: PartialEq + std::fmt::Debug>(name: &str, one: &[T], other: &[T]) {
            let first = one.iter().zip(other).find(|(one, other)| one != other);
            assert!(first.is_none(), "{name} differ, first here: {first:?}");
            assert_eq!(one.len(), other.len(), "number of {name}");
        }
        same("positions", &self.positions, &other.positions);
        same("edges", &self.edges, &other.edges);
        same("repertoire", &self.repertoire, &other.repertoire);
        same("tactics", &self.tactics, &other.tactics);
        same("rejects", &self.rejects, &other.rejects);
    }
}
