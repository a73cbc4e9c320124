//! Somebody else's project that uses the reader and nothing else of ours, built and run.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use toml::Table;

use crate::sandbox::Sandbox;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn packages(lock: &Path) -> BTreeSet<(String, String)> {
    let text = fs::read_to_string(lock).unwrap_or_else(|error| panic!("{}: {error}", lock.display()));
    let lock: Table = text.parse().expect("a lock file");
    let text = |package: &toml::Value, key: &str| package[key].as_str().expect("text").to_owned();
    let packages = lock["package"].as_array().expect("packages").iter();
    packages
        .map(|package| (text(package, "name"), text(package, "version")))
        .collect()
}

#[test]
fn the_reader_can_be_used_alone() {
    let project = root().join("examples/first-moves");
    // What the workspace has not got would have to be fetched, by a test.
    let ours = packages(&root().join("Cargo.lock"));
    let strangers: Vec<_> = packages(&project.join("Cargo.lock"))
        .into_iter()
        .filter(|package| package.0 != "first-moves" && !ours.contains(package))
        .collect();
    assert!(
        strangers.is_empty(),
        "{strangers:?}: cp Cargo.lock examples/first-moves/ and run cargo metadata --offline there"
    );

    let sandbox = Sandbox::new();
    sandbox.write(
        "games/a.pgn",
        "[Event \"a\"]\n\n1. e4 e5 1-0\n\n[Event \"b\"]\n\n1. d4 d5 2. Kd8 *\n\n[Event \"c\"]\n\n1. e4 c5 1/2-1/2\n",
    );
    let zst = zstd::encode_all(&b"[Event \"d\"]\n\n1. e4 c6 0-1\n"[..], 3).expect("compressed");
    sandbox.write("games/b.pgn.zst", zst);
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()
        .expect("the target directory");
    let ran = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--locked", "--offline", "--manifest-path"])
        .arg(project.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target)
        .arg("--")
        .arg(sandbox.path("games"))
        .output()
        .expect("cargo");
    let (stdout, stderr) = (
        String::from_utf8_lossy(&ran.stdout),
        String::from_utf8_lossy(&ran.stderr),
    );
    assert!(ran.status.success(), "{stderr}");
    assert_eq!(stdout, "d4\t1\t0/0/0\ne4\t3\t1/1/1\n", "{stderr}");
    assert!(stderr.contains("a.pgn: game 2: ") && stderr.contains("Kd8"), "{stderr}");
}
