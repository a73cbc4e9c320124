//! Engines for tests: a real one, and fake ones that say what they are told to say.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The engine that `scripts/setup test` leaves behind.
pub(crate) fn real_engine() -> PathBuf {
    let named = env::var_os("TABIYA_TEST_ENGINE").map(PathBuf::from);
    let path = named.unwrap_or_else(|| {
        env::home_dir()
            .expect("a home")
            .join(".cache/tabiya/stockfish/stockfish")
    });
    assert!(path.exists(), "{} is missing: run scripts/setup test", path.display());
    path
}

/// The fake engine of the crate next door, built beside these tests.
fn fake_engine() -> PathBuf {
    let test = env::current_exe().expect("a running test");
    let profile = test.parent().and_then(Path::parent).expect("a target directory");
    let path = profile.join("fake-engine");
    assert!(
        path.exists(),
        "{} is missing: run `cargo build -p tabiya-engine --bin fake-engine`",
        path.display()
    );
    path
}

/// A program without arguments that runs the fake engine with these.
pub(crate) fn fake(directory: &Path, name: &str, args: &[&str]) -> PathBuf {
    let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
    let text = format!("#!/bin/sh\nexec '{}' {}\n", fake_engine().display(), quoted.join(" "));
    let path = directory.join(name);
    // A shell writes it: a file that this process has open for writing while another thread forks cannot be run.
    let written = Command::new("sh")
        .args(["-c", "printf %s \"$1\" > \"$2\" && chmod +x \"$2\"", "sh"])
        .arg(text)
        .arg(&path)
        .status()
        .expect("a shell");
    assert!(written.success(), "{} cannot be written", path.display());
    path
}

/// A fake engine that thinks of positions what it is told to, and remembers what it was asked.
pub(crate) struct Opinionated {
    pub(crate) program: PathBuf,
    file: PathBuf,
}

impl Opinionated {
    /// With opinions by EPD, `*` for all others; see the fake engine's own words.
    pub(crate) fn new(directory: &Path, opinions: &[(&str, &str)]) -> Opinionated {
        let file = directory.join("opinions");
        let engine = Opinionated {
            program: fake(directory, "opinionated", &["opinions", &file.display().to_string()]),
            file,
        };
        engine.think(opinions);
        engine
    }

    /// From its next start on it thinks otherwise.
    pub(crate) fn think(&self, opinions: &[(&str, &str)]) {
        let lines = opinions.iter().map(|(epd, words)| format!("{epd} = {words}\n"));
        fs::write(&self.file, lines.collect::<String>()).expect("a writable directory");
    }

    /// What it was asked since it was last looked at, in order: positions and limits.
    pub(crate) fn asked(&self) -> Vec<(String, String)> {
        let diary = self.file.with_extension("asked");
        let text = fs::read_to_string(&diary).unwrap_or_default();
        let _ = fs::remove_file(&diary); // it may have been asked nothing
        let entry = |line: &str| {
            let (epd, limit) = line.split_once('\t').expect("a position and a limit");
            (epd.to_owned(), limit.to_owned())
        };
        text.lines().map(entry).collect()
    }
}
