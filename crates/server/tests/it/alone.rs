//! Tests that look at the memory of their process, which no other test may make grow meanwhile.

use std::process::Command;
use std::sync::{Mutex, PoisonError};

/// Set in the processes that are made here.
const ALONE: &str = "TABIYA_TEST_ALONE";

/// One after the other: they keep the machine busy.
static TURN: Mutex<()> = Mutex::new(());

/// Does the work of a test in a process of its own: this program once more, with that test and no other.
pub(crate) fn alone(test: &str, work: impl FnOnce()) {
    if std::env::var_os(ALONE).is_some() {
        return work();
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let program = std::env::current_exe().expect("a running test");
    let ran = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(ALONE, "1")
        .output()
        .expect("it starts");
    let said = String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
    // A name that is nobody's would pass too.
    assert!(ran.status.success() && said.contains("1 passed"), "{test}: {said}");
}
