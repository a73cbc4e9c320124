//! The server on a small Italian Game, in SQLite, PostgreSQL and Neo4j, called in this process and over a socket.

#[path = "../../../cli/tests/it/postgres.rs"]
mod postgres;

#[path = "../../../store/tests/it/graph.rs"]
#[expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, which is what it is for"
)]
mod graph;
#[path = "../../../store/tests/it/servers.rs"]
mod servers;

mod agreement;
#[cfg(target_os = "linux")]
mod alone;
mod answers;
mod away;
mod conduct;
mod crawled;
mod described;
mod forms;
#[cfg(target_os = "linux")]
mod hostile;
mod kitchen;
#[cfg(target_os = "linux")]
mod load;
mod neo4j;
mod neo4j_page;
mod quotes;
mod review;
mod schemathesis;
mod seed;
mod socket;
#[cfg(target_os = "linux")]
mod traps;
#[cfg(target_os = "linux")]
mod uploads;
mod wire;
