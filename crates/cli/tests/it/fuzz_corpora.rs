//! What fuzzing keeps, replayed on every run: corpora that nobody looks at rot.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::LazyLock,
};

use toml::Table;

use crate::{
    crash::soak,
    mutation::{Random, mutated},
};

type Target = fn(&[u8]);

/// Every fuzz target by its name.
const TARGETS: [(&str, Target); 12] = [
    ("reader", pgn_import::fuzzing::reader),
    ("tree", pgn_import::fuzzing::tree),
    ("fen", tabiya_chess::fuzzing::fen),
    ("packed_positions", tabiya_chess::fuzzing::packed_positions),
    ("training_formats", tabiya_dataset::training::fuzzing::training_formats),
    ("uci_lines", tabiya_engine::fuzzing::uci_lines),
    ("explorer_json", tabiya_lichess::fuzzing::explorer_json),
    ("cloud_json", tabiya_lichess::fuzzing::cloud_json),
    ("eval_file", tabiya_lichess::fuzzing::eval_file),
    ("recorded_lines", tabiya_app::review::fuzzing::recorded_lines),
    ("configuration", tabiya_cli::fuzzing::configuration),
    ("http_paths", http_paths),
];

/// The server's database is there until the next run.
fn http_paths(bytes: &[u8]) {
    static DIRECTORY: LazyLock<PathBuf> = LazyLock::new(|| {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-http-paths");
        let _absent_the_first_time = fs::remove_dir_all(&directory);
        directory
    });
    tabiya_server::fuzzing::http_paths(&DIRECTORY, bytes);
}

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The files of a target by name, in order.
fn corpus(name: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = fuzz().join("corpus").join(name);
    let entries = fs::read_dir(&directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{name} has no corpus");
    let read = |path: PathBuf| {
        let bytes = fs::read(&path).expect("a file");
        (path, bytes)
    };
    files.into_iter().map(read).collect()
}

#[test]
fn what_was_kept_is_still_without_a_finding() {
    let mut all = 0;
    for (name, target) in TARGETS {
        for (path, bytes) in corpus(name) {
            all += bytes.len();
            let ran = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
            assert!(ran.is_ok(), "{} breaks {name}", path.display());
        }
    }
    assert!(all < 200_000, "{all} bytes are more than a repository should carry");
}

/// A blind look around what was kept, for machines without a fuzzer. `TABIYA_SOAK` makes it a hundred times longer,
/// `TABIYA_FUZZ_TARGET` names the only one to look at, `TABIYA_FUZZ_SEED` another beginning.
#[test]
fn what_is_almost_like_it_is_without_a_finding_soak() {
    let rounds = if soak() { 20_000 } else { 200 };
    let only = std::env::var("TABIYA_FUZZ_TARGET").ok();
    let first = std::env::var("TABIYA_FUZZ_SEED").map_or(0, |seed| seed.parse().expect("a number"));
    let chosen = TARGETS
        .into_iter()
        .filter(|(name, _)| only.as_deref().is_none_or(|only| only == *name));
    let mut failed = Vec::new();
    for (name, target) in chosen {
        let texts: Vec<Vec<u8>> = corpus(name).into_iter().map(|(_, bytes)| bytes).collect();
        let found = (first..first + rounds).find_map(|seed| {
            let bytes = mutated(&texts, &mut Random(seed));
            let ran = catch_unwind(AssertUnwindSafe(|| target(&bytes)));
            ran.is_err()
                .then(|| format!("{name}, seed {seed}: {:?}", bytes.escape_ascii().to_string()))
        });
        failed.extend(found);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn no_target_is_left_out() {
    let manifest: Table = fs::read_to_string(fuzz().join("Cargo.toml"))
        .expect("a manifest")
        .parse()
        .expect("TOML");
    let bins = manifest["bin"].as_array().expect("programs");
    let mut names: Vec<&str> = bins.iter().filter_map(|bin| bin["name"].as_str()).collect();
    let mut known = TARGETS.map(|(name, _)| name).to_vec();
    names.sort_unstable();
    known.sort_unstable();
    assert_eq!(names, known);
}
