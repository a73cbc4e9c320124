//! Any game that can be read can be written and read again.
//! `cargo +nightly fuzz run tree fuzz/corpus/tree fixtures/pgn -- -max_total_time=60`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pgn_import::fuzzing::tree(bytes));
