//! Any text is a configuration file or refused with a message.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tabiya_cli::fuzzing::configuration(bytes));
