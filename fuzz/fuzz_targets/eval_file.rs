//! Any bytes are some lines of an archive of evaluations, and what comes out of them can be played.
//! `cargo +nightly fuzz run eval_file -- -max_total_time=60`
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabiya_lichess::fuzzing::eval_file(bytes));
