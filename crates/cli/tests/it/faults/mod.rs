//! What a machine can do to a run: no room left, no rights, a clock that jumps, servers that go away. Nothing that was kept is
//! lost, everything is said, and the same command goes on when the trouble is over.

mod clock;
mod engine;
mod explorer;
mod rights;
mod room;
mod servers;

use crate::sandbox::Ran;

/// Ends with the world's fault in plain words.
#[track_caller]
fn assert_told(ran: &Ran, what: &str) {
    assert_eq!(ran.code, 3, "{what}: {ran}");
    assert!(ran.stderr.contains("error: "), "{what}: {ran}");
    assert!(!ran.stderr.contains("panicked"), "{what}: {ran}");
}
