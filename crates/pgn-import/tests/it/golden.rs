//! Small files and the JSON lines they must become, byte for byte. `UPDATE_GOLDEN=1 cargo test golden` writes them anew.

use std::{fs, path::Path};

use pgn_import::{ImportOptions, IngestConfig};
use serde::Serialize;

use crate::support::{import, skipping};

#[test]
fn golden_files_come_out_as_they_always_did() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let mut seen = 0;
    for entry in fs::read_dir(&directory).expect("tests/data") {
        let path = entry.expect("a file").path();
        if path.extension().is_some_and(|extension| extension == "pgn") {
            check(&path);
            seen += 1;
        }
    }
    assert!(seen >= 4, "golden files are missing");
}

fn check(path: &Path) {
    let config = IngestConfig {
        owner: "user_andy".to_owned(),
        repertoire: Some("Golden".to_owned()),
        ..IngestConfig::default()
    };
    let options = ImportOptions {
        tactic_variations: true,
        repertoire_from_study: true,
        ..skipping()
    };
    let name = path.file_name().expect("a name").to_string_lossy();
    let outcome = import(&config, &options, &[(&name, &fs::read(path).expect("a file"))]);
    compare(path, "positions", &outcome.positions);
    compare(path, "edges", &outcome.edges);
    compare(path, "tactics", &outcome.tactics);
    compare(path, "repertoire", &outcome.memberships);
    compare(path, "rejects", &outcome.rejects);
}

fn compare<T: Serialize>(path: &Path, what: &str, rows: &[T]) {
    let lines: String = rows
        .iter()
        .map(|row| format!("{}\n", serde_json::to_string(row).expect("JSON")))
        .collect();
    let golden = path.with_extension(format!("{what}.jsonl"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&golden, &lines).expect("written");
    }
    let expected = fs::read_to_string(&golden).unwrap_or_default();
    assert_eq!(lines, expected, "{}", golden.display());
}
