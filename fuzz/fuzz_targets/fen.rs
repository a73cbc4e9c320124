//! Any text is a position or refused, and what is accepted is written so that it comes back.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabiya_chess::fuzzing::fen(bytes));
