//! Files of positions that become other files of positions.

use std::{fs, path::Path, sync::atomic::AtomicBool};

use tabiya_chess::{Variant, parse_fen_with_mode};
use tabiya_dataset::training::{FenFormat, Layout, Sample, SampleFormat, SampleWriter};

use super::{Bench, games::games, ran};
use crate::{
    AppError,
    positions::{
        PositionsError,
        tools::{Dedupe, SampleInputs, SampleOutput, convert, decode, dedupe, hash, shuffle},
    },
};

static GO_ON: AtomicBool = AtomicBool::new(false);

fn inputs(bench: &Bench, name: &str) -> SampleInputs {
    SampleInputs {
        files: vec![bench.path(name)],
        ..SampleInputs::default()
    }
}

fn output(bench: &Bench, name: &str) -> SampleOutput {
    SampleOutput {
        file: bench.path(name),
        format: None,
        fen_format: None,
        batch_size: 10,
    }
}

#[test]
fn chess960_stays_what_it_is_whatever_it_is_written_as() {
    let bench = Bench::with(&games(61, 20));
    ran(&bench.request("p.jsonl"));
    let mut samples = bench.samples("p.jsonl");
    // One by its castling rights, and one that nobody could tell by looking.
    for fen in ["1r2k2r/8/8/8/8/8/8/4K1RR w Gb - 3 20", "8/8/4k3/8/8/3K4/8/8 w - - 0 40"] {
        let start = parse_fen_with_mode(fen, Variant::Chess960.castling_mode()).expect(fen);
        samples.push(Sample::bare(start.position, Variant::Chess960));
    }
    let layout = Layout {
        format: SampleFormat::Jsonl,
        ..Layout::default()
    };
    let mut writer = SampleWriter::create(bench.path("0.jsonl"), layout).expect("a file");
    writer.write_group(&samples).expect("written");
    writer.finish().expect("whole");
    // Each of the last.
    let names = [
        "0.jsonl",
        "1.parquet",
        "2.jsonl.zst",
        "3.parquet",
        "4.parquet",
        "5.jsonl",
    ];
    for pair in names.windows(2) {
        let mut output = output(&bench, pair[1]);
        output.fen_format = (pair[1] == "3.parquet").then_some(FenFormat::Compact);
        output.fen_format = output
            .fen_format
            .or((pair[1] == "4.parquet").then_some(FenFormat::Packed));
        convert("convert", &inputs(&bench, pair[0]), &output, &GO_ON).expect(pair[1]);
        assert_eq!(bench.samples(pair[1]), samples, "{pair:?}");
    }
    // Where there is none, nobody says so of every position.
    convert(
        "convert",
        &inputs(&bench, "p.jsonl"),
        &output(&bench, "p.parquet"),
        &GO_ON,
    )
    .expect("converted");
    convert(
        "convert",
        &inputs(&bench, "p.parquet"),
        &output(&bench, "q.jsonl"),
        &GO_ON,
    )
    .expect("converted");
    assert!(bench.bytes("q.jsonl") == bench.bytes("p.jsonl"));
}

#[test]
fn directories_are_made_and_nothing_is_left_in_them() {
    let bench = Bench::with(&games(62, 20));
    ran(&bench.request("p.jsonl"));
    let input = inputs(&bench, "p.jsonl");
    shuffle(&input, &output(&bench, "a/new/s.jsonl"), 1, &GO_ON).expect("shuffled");
    dedupe(&input, &Dedupe::default(), &output(&bench, "b/new/d.jsonl"), &GO_ON).expect("sifted");
    for (directory, name) in [("a/new", "s.jsonl"), ("b/new", "d.jsonl")] {
        let mut names: Vec<_> = fs::read_dir(bench.path(directory))
            .expect("made")
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        assert_eq!(names, [name.to_owned(), format!("{name}.manifest.json")]);
    }
}

#[test]
fn what_cannot_be_written_is_told_before_the_work() {
    let bench = Bench::with(&games(63, 20));
    ran(&bench.request("p.jsonl"));
    fs::create_dir(bench.path("d.jsonl")).expect("a directory");
    // Bad enough to be told, if anybody read it.
    fs::write(bench.path("bad.jsonl"), "no position\n").expect("writable");
    let told =
        |error: &AppError| matches!(error, AppError::Positions(PositionsError::Samples(error)) if error.is_usage());
    let against = Dedupe {
        with: inputs(&bench, "bad.jsonl"),
    };
    let error = dedupe(&inputs(&bench, "p.jsonl"), &against, &output(&bench, "d.jsonl"), &GO_ON);
    let error = error.expect_err("a directory");
    assert!(told(&error) && error.to_string().contains("directory"), "{error}");

    let request = bench.request("d.jsonl");
    let error = super::run(&request).expect_err("a directory");
    assert!(told(&error) && error.to_string().contains("directory"), "{error}");
    assert!(!bench.path("d.jsonl.progress.json").exists(), "nothing was begun");
}

#[test]
fn whoever_wants_some_lines_is_not_told_of_the_next() {
    let bench = Bench::with(&games(64, 5));
    ran(&bench.request("p.jsonl"));
    let text = fs::read_to_string(bench.path("p.jsonl")).expect("text");
    let first: Vec<&str> = text.lines().take(2).collect();
    fs::write(bench.path("bad.jsonl"), format!("{}\nno position\n", first.join("\n"))).expect("writable");
    let lines = |limit: Option<u64>, wanted: usize| {
        let mut lines = 0;
        let decoded = decode(&inputs(&bench, "bad.jsonl"), limit, &GO_ON, |_| {
            lines += 1;
            Ok(lines < wanted)
        });
        (lines, decoded.is_ok())
    };
    assert_eq!(lines(Some(2), usize::MAX), (2, true));
    assert_eq!(lines(None, 2), (2, true));
    assert_eq!(lines(Some(3), usize::MAX), (2, false));
}

#[test]
fn whoever_wants_to_stop_does_not_wait_for_hashes() {
    let bench = Bench::with(&games(65, 5));
    let stopped = hash(&bench.path("games.pgn"), &AtomicBool::new(true));
    assert!(matches!(stopped, Err(AppError::Interrupted)), "{stopped:?}");
    let (bytes, sha256) = hash(&bench.path("games.pgn"), &GO_ON).expect("hashed");
    assert_eq!((bytes, sha256.len()), (bench.bytes("games.pgn").len() as u64, 64));
}

#[cfg(unix)]
#[test]
fn what_can_be_read_once_is_not_taken_for_nothing_the_second_time() {
    let bench = Bench::with(&games(66, 20));
    ran(&bench.request("p.jsonl"));
    let before = bench.bytes("p.jsonl");
    let device = SampleInputs {
        files: vec![bench.path("p.jsonl"), "/dev/null".into()],
        format: Some(SampleFormat::Jsonl),
        fen_format: None,
    };
    let output = output(&bench, "p.jsonl");
    let sifted = dedupe(&device, &Dedupe::default(), &output, &GO_ON);
    let shuffled = shuffle(&device, &output, 1, &GO_ON);
    for tool in [sifted, shuffled] {
        let refused = |error: &AppError| matches!(error, AppError::Positions(PositionsError::ReadTwice { path }) if path == Path::new("/dev/null"));
        let error = tool.expect_err("one input is a device");
        assert!(refused(&error), "{error}");
    }
    assert!(bench.bytes("p.jsonl") == before);
    // What others know is asked for once.
    let against = Dedupe { with: device };
    let manifest = dedupe(&inputs(&bench, "p.jsonl"), &against, &output, &GO_ON).expect("sifted");
    assert_eq!((manifest.counts.written, manifest.counts.known_elsewhere), (0, 20));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_opened_once() {
    let bench = Bench::with(&games(67, 20));
    ran(&bench.request("p.jsonl"));
    let made = std::process::Command::new("mkfifo")
        .arg(bench.path("pipe.jsonl"))
        .status();
    assert!(made.expect("mkfifo").success());
    let writer = {
        let (from, to) = (bench.path("p.jsonl"), bench.path("pipe.jsonl"));
        std::thread::spawn(move || fs::copy(from, to))
    };
    let manifest = convert(
        "merge",
        &inputs(&bench, "pipe.jsonl"),
        &output(&bench, "q.jsonl"),
        &GO_ON,
    );
    assert_eq!(manifest.expect("merged").counts.written, 20);
    assert!(bench.bytes("q.jsonl") == bench.bytes("p.jsonl"));
    writer.join().expect("no panic").expect("read to the end");
}
