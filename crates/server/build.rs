//! Takes the built page into the program: every file of `web/dist`, or none where it was not built.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let manifest = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let dist = manifest.join("../../web/dist");
    println!("cargo::rerun-if-changed={}", manifest.join("build.rs").display());
    // A directory that is not there would make cargo run this every time; its parent tells when it comes to be.
    let watched = if dist.exists() {
        dist.clone()
    } else {
        manifest.join("../../web")
    };
    if watched.exists() {
        println!("cargo::rerun-if-changed={}", watched.display());
    }
    let mut files = Vec::new();
    if dist.exists() {
        walk(&dist, &dist, &mut files)?;
    }
    files.sort();
    let mut text = String::from("&[\n");
    for (name, path) in files {
        let _ = writeln!(text, "    ({name:?}, include_bytes!({path:?}).as_slice()),");
    }
    text.push_str("]\n");
    fs::write(
        PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("page.rs"),
        text,
    )
}

fn walk(root: &Path, directory: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            walk(root, &path, files)?;
        } else if let Ok(name) = path.strip_prefix(root) {
            files.push((name.to_string_lossy().replace('\\', "/"), path.canonicalize()?));
        }
    }
    Ok(())
}
