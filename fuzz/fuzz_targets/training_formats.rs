//! Any bytes are positions of some trainer's format, or refused; what is accepted comes back from its own bytes.
#![no_main]

// Somebody else's reader of binpacks panics at damaged ones, and we catch that. The fuzzer's own hook would abort first; a panic
// that nobody catches ends the run all the same.
libfuzzer_sys::fuzz_target!(
    init: std::panic::set_hook(Box::new(|_| {})),
    |bytes: &[u8]| tabiya_dataset::training::fuzzing::training_formats(bytes)
);
