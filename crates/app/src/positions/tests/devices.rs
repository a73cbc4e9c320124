//! Outputs that are no files, and files that are both input and output.

use std::{path::Path, sync::atomic::AtomicBool};

use super::{Bench, games::games, ran};
use crate::positions::{
    SampleFormat,
    tools::{SampleInputs, SampleOutput, convert},
};

#[cfg(unix)]
#[test]
fn a_device_is_written_to_and_nothing_lies_beside_it() {
    let bench = Bench::with(&games(31, 40));
    let mut request = bench.request("unused");
    for (device, format) in [("/dev/null", SampleFormat::Parquet), ("/dev/null", SampleFormat::Jsonl)] {
        request.output = device.into();
        request.format = Some(format);
        let report = ran(&request);
        assert_eq!(report.manifest.counts.positions, 40);
        assert!(report.manifest.output.bytes > 0);
        assert_eq!(report.manifest.output.sha256, "");
    }
    assert!(!Path::new("/dev/null.manifest.json").exists());
    assert!(!Path::new("/dev/null.lock").exists() && !Path::new("/dev/null.parts").exists());
}

/// As standard output is one that was sent to a file.
#[cfg(unix)]
#[test]
fn an_open_file_is_added_to_and_nothing_lies_beside_it() {
    use std::os::fd::AsRawFd as _;
    let bench = Bench::with(&games(34, 40));
    let mut request = bench.request("file.jsonl");
    ran(&request);
    std::fs::write(bench.path("sent-here"), "before\n").expect("writable");
    let held = std::fs::File::options().append(true).open(bench.path("sent-here"));
    request.output = format!("/dev/fd/{}", held.as_ref().expect("a file").as_raw_fd()).into();
    request.format = Some(SampleFormat::Jsonl);
    assert_eq!(ran(&request).manifest.output.sha256, "");
    assert!(bench.bytes("sent-here") == [b"before\n", &*bench.bytes("file.jsonl")].concat());
    assert_eq!(
        bench.files(),
        ["file.jsonl", "file.jsonl.manifest.json", "games.pgn", "sent-here"]
    );
}

#[cfg(unix)]
#[test]
fn whoever_reads_from_a_pipe_gets_the_same_bytes() {
    let bench = Bench::with(&games(32, 60));
    ran(&bench.request("file.jsonl"));
    let pipe = bench.path("pipe.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::read(pipe).expect("readable"))
    };
    ran(&bench.request("pipe.jsonl"));
    // Whoever reads from a pipe that was replaced waits for ever.
    let found = std::fs::symlink_metadata(&pipe).expect("there").file_type();
    assert!(std::os::unix::fs::FileTypeExt::is_fifo(&found), "{found:?}");
    assert!(reader.join().expect("no panic") == bench.bytes("file.jsonl"));
    assert_eq!(
        bench.files(),
        ["file.jsonl", "file.jsonl.manifest.json", "games.pgn", "pipe.jsonl"]
    );
}

#[test]
fn a_file_that_is_converted_in_place_is_recorded_as_it_was() {
    let bench = Bench::with(&games(33, 40));
    let before = ran(&bench.request("p.parquet")).manifest.output;
    let inputs = SampleInputs {
        files: vec![bench.path("p.parquet")],
        format: Some(SampleFormat::Parquet),
        fen_format: None,
    };
    let output = SampleOutput {
        file: bench.path("p.parquet"),
        format: Some(SampleFormat::Jsonl),
        fen_format: None,
        batch_size: 100,
    };
    let manifest = convert("convert", &inputs, &output, &AtomicBool::new(false)).expect("converted");
    assert_eq!(manifest.sources[0].sha256.as_deref(), Some(&*before.sha256));
    assert_eq!(manifest.sources[0].bytes, Some(before.bytes));
    assert_ne!(manifest.output.sha256, before.sha256);
}
