//! Any text is a file of recorded engine lines or refused; what is accepted judges games, the same way twice.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabiya_app::review::fuzzing::recorded_lines(bytes));
