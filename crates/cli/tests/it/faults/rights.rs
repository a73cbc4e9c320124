//! No right to write: databases that are opened for reading alone, and files and directories that are somebody else's.

use std::{fs, path::PathBuf, process::Command};

use super::assert_told;
use crate::{
    build::{NAMES, built},
    engines::fake,
    sandbox::{Sandbox, TABIYA},
    serve::Serving,
};

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
