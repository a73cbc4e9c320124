//! Any lines are the talk of some engine, and the moves of what is kept can be played.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabiya_engine::fuzzing::uci_lines(bytes));
