//! Any game that can be read can be written and read again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pgn_import::fuzzing::tree(bytes));
