//! Any bytes are a position in the compact or the packed form, or refused; what is accepted comes back from its own bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabiya_chess::fuzzing::packed_positions(bytes));
