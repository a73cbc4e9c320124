//! The crate from outside: every edge case as a file, every source, every policy.

mod blocks;
mod fixtures;
mod golden;
mod hostile;
mod library_usage;
mod oracle;
mod policies;
mod resume;
mod retries;
mod round_trip;
mod soak;
mod sources;
mod support;
mod tactics;
mod trie;
