//! Any text is an address that somebody asks for, and no answer is a fault of ours.
#![no_main]

// The database is made before the first text is timed.
libfuzzer_sys::fuzz_target!(
    init: tabiya_server::fuzzing::http_paths(&directory(), b"/stats"),
    |bytes: &[u8]| tabiya_server::fuzzing::http_paths(&directory(), bytes)
);

/// Where its database lies; whoever runs this says where temporary files go, and removes them.
fn directory() -> std::path::PathBuf {
    std::env::temp_dir().join(format!("tabiya-fuzz-{}", std::process::id()))
}
