//! A file of tests that no binary includes is never run, and nobody notices. This does.

use std::{
    fs,
    path::{Path, PathBuf},
};

#[test]
fn every_file_of_tests_is_part_of_a_binary() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for krate in fs::read_dir(&crates).expect("the crates") {
        collect(&krate.expect("a crate").path().join("tests/it"), &mut files);
    }
    let texts: Vec<String> = files
        .iter()
        .map(|path| fs::read_to_string(path).expect("a file of tests"))
        .collect();
    assert!(files.len() > 50, "only {} files of tests were found", files.len());
    let forgotten: Vec<&PathBuf> = files
        .iter()
        .filter(|path| {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let name = match &*stem {
                "main" => return false,
                "mod" => path
                    .parent()
                    .and_then(Path::file_name)
                    .unwrap_or_default()
                    .to_string_lossy(),
                _ => stem,
            };
            !is_included(&name, path, &files, &texts)
        })
        .collect();
    assert!(forgotten.is_empty(), "no binary includes {forgotten:?}");
}

/// Whether a file of the same crate names it as a module without saying that it lies elsewhere, or another crate's file says
/// that it lies here.
fn is_included(name: &str, path: &Path, files: &[PathBuf], texts: &[String]) -> bool {
    let krate = |path: &Path| path.ancestors().find(|at| at.ends_with("tests/it")).map(Path::to_owned);
    files.iter().zip(texts).any(|(other, text)| {
        let lines: Vec<&str> = text.lines().collect();
        lines.iter().enumerate().any(|(at, line)| {
            if line.trim_start_matches("pub(crate) ") != format!("mod {name};") {
                return false;
            }
            let attributes = lines[..at].iter().rev().take_while(|line| line.starts_with("#["));
            let elsewhere = attributes.into_iter().any(|line| line.starts_with("#[path"));
            elsewhere != (krate(other) == krate(path))
        })
    })
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>) {
    // Not every crate has tests of this kind.
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
