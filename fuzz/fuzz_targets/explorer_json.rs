//! Any bytes are an explorer's answer or refused; its moves can be played.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabiya_lichess::fuzzing::explorer_json(bytes));
