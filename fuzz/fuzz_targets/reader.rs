//! Any bytes are some games, the same ones however they are cut into blocks.
//! `cargo +nightly fuzz run reader fuzz/corpus/reader fixtures/pgn -- -max_total_time=60`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pgn_import::fuzzing::reader(bytes));
