//! One contract, run on SQLite, PostgreSQL and Redis; what only a real server shows; and drills in which real processes are
//! killed, cut off, stopped and left behind.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, which is what it is for"
)]
#![expect(
    clippy::print_stderr,
    reason = "a failure says on which queue, and volumes are worth knowing"
)]

#[path = "../../../store/tests/it/servers.rs"]
mod servers;

mod contract;
mod drill;
mod failures;
mod fixture;
mod lost;
mod server;
mod silence;
mod sql;
mod volume;
