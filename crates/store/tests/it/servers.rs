//! Real servers for tests, of this crate and of others: those that `TABIYA_TEST_POSTGRES`, `TABIYA_TEST_REDIS` and `TABIYA_TEST_NEO4J` name,
//! or private ones for the time of the tests.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
};

/// The URL of the server that all tests share: `postgres`, `redis` or `neo4j`.
pub(crate) fn shared(kind: &'static str) -> &'static str {
    static URLS: Mutex<BTreeMap<&str, &str>> = Mutex::new(BTreeMap::new());
    let mut urls = URLS.lock().unwrap_or_else(PoisonError::into_inner);
    urls.entry(kind).or_insert_with(|| match std::env::var(variable(kind)) {
        Ok(url) if !url.is_empty() => url.leak(),
        // It stays for as long as this process does.
        _ => &Box::leak(Box::new(Private::start(kind, &[]))).url,
    })
}

/// A server of `scripts/test-*` that nobody else uses. It stops when our end of its standard input is closed, however we
/// end.
pub(crate) struct Private {
    pub(crate) url: String,
    child: Child,
}

impl Private {
    /// With what its script is told beyond that it is to run.
    pub(crate) fn start(kind: &str, options: &[&str]) -> Private {
        let mut child = Command::new(script(kind))
            .arg("run")
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the script runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("it prints a line");
        let url = line
            .trim()
            .strip_prefix(&variable(kind))
            .and_then(|rest| rest.strip_prefix('='))
            .unwrap_or_else(|| panic!("scripts/test-{kind} prints where the server is, not {line:?}"))
            .to_owned();
        Private { url, child }
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // Where it cannot be waited for, it is gone.
        let _ = self.child.wait();
    }
}

/// What starts, kills and restarts servers of a kind.
pub(crate) fn script(kind: &str) -> PathBuf {
    // All crates lie as deep.
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scripts/test-{kind}"))
}

/// Where a server is named, and how a script names it.
fn variable(kind: &str) -> String {
    format!("TABIYA_TEST_{}", kind.to_uppercase())
}
