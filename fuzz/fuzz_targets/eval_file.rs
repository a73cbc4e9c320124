//! Any bytes are some lines of an archive of evaluations, and what comes out of them can be played.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabiya_lichess::fuzzing::eval_file(bytes));
