//! One contract, run on SQLite in memory, SQLite in a file and PostgreSQL, its reading half on Neo4j; and the faults of each.

#![expect(
    clippy::unwrap_used,
    reason = "a test that panics has failed, which is what it is for"
)]

mod book;
mod contract;
mod fixture;
mod graph;
mod neo4j_copies;
mod neo4j_faults;
mod oracle;
mod postgres_faults;
mod rows;
mod server;
mod servers;
mod sqlite_faults;
mod versions;
mod volume;
