//! Any bytes are a cloud evaluation or refused; its lines can be played.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabiya_lichess::fuzzing::cloud_json(bytes));
