//! Any bytes are some games, the same ones however they are cut into blocks.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| pgn_import::fuzzing::reader(bytes));
