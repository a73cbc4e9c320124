//! Runs that are stopped, and go on.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
};

use super::{
    Bench,
    engines::{fake_engine, with_engine},
    games::games,
    ran, run,
};
use crate::{
    AppError,
    engines::EngineSettings,
    positions::{PositionsError, PositionsEvent, PositionsRequest, Told, progress::Paths, take_positions},
};

/// Runs, and stops when so many notes of progress were made; whether it came to its end.
fn run_for(request: &PositionsRequest, notes: u64) -> bool {
    let request = PositionsRequest {
        stop: Arc::new(AtomicBool::new(false)),
        ..request.clone()
    };
    let (seen, stop) = (Arc::new(AtomicU64::new(0)), Arc::clone(&request.stop));
    let told: Told = Arc::new(move |event: &PositionsEvent<'_>| {
        if matches!(event, PositionsEvent::Written(_)) && seen.fetch_add(1, Relaxed) + 1 >= notes {
            stop.store(true, Relaxed);
        }
    });
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    match runtime.block_on(take_positions(&request, Some(told))) {
        Ok(_) => true,
        Err(AppError::Interrupted) => false,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_stopped_run_goes_on_to_the_same_bytes() {
    let bench = Bench::with(&games(11, 3_000));
    for (dedupe, output) in [(false, "a.parquet"), (true, "b.parquet"), (false, "c.jsonl")] {
        let mut request = bench.request(output);
        request.batch_size = NonZeroUsize::new(7).expect("not 0");
        request.rules.per_game = 2;
        request.dedupe = dedupe;
        // Read to the end but for one of them.
        request.max = (output != "a.parquet").then_some(4_321);
        ran(&request);
        let whole = bench.bytes(output);
        let manifest = std::fs::read_to_string(bench.path(&format!("{output}.manifest.json"))).expect("a manifest");
        std::fs::remove_file(bench.path(output)).expect("removed");
        let mut stops = 0;
        while !run_for(&request, 2) {
            stops += 1;
            request.resume = true;
            assert!(!bench.path(output).exists(), "nothing half-made is shown");
            assert!(stops < 200, "it gets on");
        }
        assert!(stops >= 3, "{stops}");
        assert!(bench.bytes(output) == whole, "{output} after {stops} stops");
        assert!(
            manifest.contains("\"games\": 3000") || request.max.is_some(),
            "{manifest}"
        );
        let again = std::fs::read_to_string(bench.path(&format!("{output}.manifest.json"))).expect("a manifest");
        let counts = |text: &str| {
            let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
            [
                value["counts"].clone(),
                value["output"].clone(),
                value["sources"].clone(),
            ]
        };
        assert_eq!(counts(&again), counts(&manifest));
    }
}

#[test]
fn the_progress_file_says_how_far_it_is() {
    let bench = Bench::with(&games(12, 3_000));
    let mut request = bench.request("out.parquet");
    request.batch_size = NonZeroUsize::new(10).expect("not 0");
    assert!(!run_for(&request, 2));
    let text = std::fs::read_to_string(bench.path("out.parquet.progress.json")).expect("a progress file");
    let progress: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    for key in [
        "month",
        "variant",
        "games_processed",
        "positions_extracted",
        "bytes_downloaded",
        "last_game_offset",
    ] {
        assert!(progress.get(key).is_some(), "{key}");
    }
    assert!(progress["positions_extracted"].as_u64() >= Some(640), "{text}");
    // Parts are whole files.
    let parts = super::samples(&{
        let named = bench.path("part.parquet");
        std::fs::copy(bench.path("out.parquet.parts/part-000001"), &named).expect("a part");
        named
    });
    assert!(!parts.is_empty());

    let refused = |change: &dyn Fn(&mut PositionsRequest), word: &str| {
        let mut other = request.clone();
        change(&mut other);
        let error = run(&other).expect_err(word);
        assert!(error.to_string().contains(word), "{error}");
    };
    refused(&|_| {}, "not finished");
    refused(
        &|other| {
            other.resume = true;
            other.rules.min_ply = 12;
        },
        "min_ply 10, this is 12",
    );
    std::fs::write(bench.path("games.pgn"), games(13, 10)).expect("writable");
    refused(&|other| other.resume = true, "has changed");
    request.restart = true;
    assert_eq!(ran(&request).manifest.counts.games, 10);
}

#[test]
fn what_decides_about_the_output_is_the_same_when_it_is_gone_on_with() {
    let bench = Bench::with(&games(21, 3_000));
    std::fs::write(bench.path("other.pgn"), games(22, 30)).expect("writable");
    let mut known = bench.request("known.jsonl");
    known.inputs = vec![bench.path("other.pgn").display().to_string()];
    ran(&known);
    let mut request = bench.request("out.parquet");
    request.batch_size = NonZeroUsize::new(10).expect("not 0");
    request.dedupe_with = vec![bench.path("known.jsonl")];
    with_engine(&mut request, &fake_engine(&bench), 1);
    assert!(!run_for(&request, 1));
    request.resume = true;
    let refused = |change: &dyn Fn(&mut EngineSettings), word: &str| {
        let mut other = request.clone();
        other.engine.iter_mut().for_each(|(settings, _)| change(settings));
        let error = run(&other).expect_err(word);
        assert!(error.to_string().contains(word), "{error}");
    };
    refused(&|settings| settings.hash_mb = Some(32), "engine_hash_mb 16, this is 32");
    refused(&|settings| settings.threads = Some(2), "engine_threads 1, this is 2");
    // What is said for the first time and comes to the same is the same.
    request
        .engine
        .iter_mut()
        .for_each(|(settings, _)| settings.hash_mb = Some(16));
    let text = std::fs::read_to_string(bench.path("known.jsonl")).expect("positions");
    std::fs::write(bench.path("known.jsonl"), &text[..=text.find('\n').expect("a line")]).expect("writable");
    let error = run(&request).expect_err("another file");
    assert!(error.to_string().contains("dedupe_with_fingerprints"), "{error}");
    std::fs::write(bench.path("known.jsonl"), text).expect("writable");
    ran(&request);
}

#[test]
fn a_part_that_was_lost_is_taken_again() {
    let bench = Bench::with(&games(23, 3_000));
    let mut request = bench.request("out.jsonl");
    request.batch_size = NonZeroUsize::new(7).expect("not 0");
    for dedupe in [false, true] {
        request.dedupe = dedupe;
        request.resume = false;
        ran(&request);
        let whole = bench.bytes("out.jsonl");
        let parts = bench.path(if dedupe {
            "out.jsonl.gathered"
        } else {
            "out.jsonl.parts"
        });
        // What is being written goes away while it is written.
        let told: Told = Arc::new(move |event: &PositionsEvent<'_>| {
            if matches!(event, PositionsEvent::Games(games) if *games > 1_000) {
                for entry in std::fs::read_dir(&parts).expect("readable").flatten() {
                    if entry.file_name().to_string_lossy().ends_with(".tmp") {
                        std::fs::remove_file(entry.path()).expect("removed");
                    }
                }
            }
        });
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let error = runtime
            .block_on(take_positions(&request, Some(told)))
            .expect_err("lost");
        assert!(error.to_string().starts_with("cannot write"), "{error}");
        request.resume = true;
        ran(&request);
        assert!(bench.bytes("out.jsonl") == whole, "with duplicates left out: {dedupe}");
    }
}

#[test]
fn the_last_note_says_that_nothing_is_left_to_be_taken() {
    let bench = Bench::with(&games(24, 3_000));
    for dedupe in [false, true] {
        let mut request = bench.request("out.parquet");
        request.batch_size = NonZeroUsize::new(10).expect("not 0");
        request.dedupe = dedupe;
        // The last group is not a whole one, and is in a part only when everything is.
        request.max = Some(1_505);
        let (over, path) = (
            Arc::new(AtomicBool::new(false)),
            bench.path("out.parquet.progress.json"),
        );
        let ended = Arc::clone(&over);
        let watcher = std::thread::spawn(move || {
            while !ended.load(Relaxed) {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let progress: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
                if progress["positions_extracted"] == 1_505 {
                    return Some(progress["phase"].clone());
                }
            }
            None
        });
        ran(&request);
        over.store(true, Relaxed);
        // It may have come and gone before anybody looked.
        let seen = watcher.join().expect("no panic");
        assert!(seen.is_none_or(|phase| phase == "joining"));
    }
}

#[test]
fn archives_that_are_broken_are_named() {
    let bench = Bench::with("");
    let packed = zstd::encode_all(games(14, 2_000).as_bytes(), 3).expect("packed");
    let bomb = zstd::encode_all(&vec![b'a'; 200 << 20][..], 1).expect("packed");
    for (name, bytes, word) in [
        ("cut.pgn.zst", &packed[..packed.len() / 2], "breaks off"),
        ("bomb.pgn.zst", &bomb[..], "no game ends within"),
        ("header.pgn.zst", &packed[..5], "breaks off"),
    ] {
        std::fs::write(bench.path(name), bytes).expect("writable");
        let mut request = bench.request("out.parquet");
        request.inputs = vec![bench.path(name).display().to_string()];
        let error = run(&request).expect_err(name);
        assert!(
            matches!(
                &error,
                AppError::Positions(PositionsError::CutShort { .. }) | AppError::Unreadable { .. }
            ),
            "{error}"
        );
        let chain = format!("{error}: {:?}", std::error::Error::source(&error));
        assert!(chain.contains(name), "{chain}");
        assert!(chain.contains(word) || chain.contains("incomplete"), "{chain}");
        assert!(!bench.path("out.parquet").exists());
        request.inputs = vec![bench.path("games.pgn").display().to_string()];
        request.restart = true;
        assert_eq!(ran(&request).manifest.counts.positions, 0);
        std::fs::remove_file(bench.path("out.parquet")).expect("an empty table was written");
    }
    // Nonsense that is not compressed is a game that cannot be read.
    std::fs::write(bench.path("games.pgn"), "this is no PGN at all, and no archive").expect("writable");
    let report = ran(&bench.request("out.parquet"));
    assert_eq!(
        (
            report.manifest.counts.positions,
            report.manifest.counts.games_left_out.total()
        ),
        (0, 1)
    );
}

#[test]
fn a_file_that_broke_off_and_is_whole_now_is_gone_on_with() {
    let bench = Bench::with("");
    let packed = zstd::encode_all(games(16, 800).as_bytes(), 3).expect("packed");
    for (name, dedupe) in [("plain.parquet", false), ("sifted.parquet", true)] {
        let mut request = bench.request(name);
        request.inputs = vec![bench.path("a.pgn.zst").display().to_string()];
        request.batch_size = NonZeroUsize::new(7).expect("not 0");
        request.dedupe = dedupe;
        let read = |request: &PositionsRequest, bytes: &[u8]| {
            std::fs::write(bench.path("a.pgn.zst"), bytes).expect("writable");
            run(request)
        };
        read(&request, &packed).expect("the whole file");
        let files = [name.to_owned(), format!("{name}.manifest.json")];
        let whole = files.each_ref().map(|file| bench.bytes(file));
        std::fs::remove_file(bench.path(name)).expect("removed");

        // Cut three times, each time later, then whole.
        for cut in [packed.len() / 3, packed.len() / 2, packed.len() - 5] {
            let error = read(&request, &packed[..cut]).expect_err("cut");
            let cut_short = matches!(&error, AppError::Positions(PositionsError::CutShort { .. }));
            assert!(cut_short && error.hints()[0].contains("--resume"), "{error}");
            request.resume = true;
        }
        // Another file of that length is none of it, and neither is a shorter one.
        let other = zstd::encode_all(games(17, 1_000).as_bytes(), 3).expect("packed");
        for bytes in [&other[..], &packed[..packed.len() / 2]] {
            let error = read(&request, bytes).expect_err("another");
            assert!(error.to_string().contains("has changed"), "{error}");
        }
        read(&request, &packed).expect("the whole file");
        assert!(files.each_ref().map(|file| bench.bytes(file)) == whole, "{name}");
    }
    // A file of which nothing was taken yet may become anything.
    let mut request = bench.request("begun.parquet");
    request.inputs = vec![bench.path("a.pgn.zst").display().to_string()];
    std::fs::write(bench.path("a.pgn.zst"), &packed[..5]).expect("writable");
    run(&request).expect_err("no games");
    std::fs::write(bench.path("a.pgn.zst"), &packed).expect("writable");
    request.resume = true;
    assert_eq!(ran(&request).manifest.counts.games, 800);
}

#[test]
fn nobody_writes_what_another_is_writing() {
    let bench = Bench::with(&games(15, 10));
    let request = bench.request("out.parquet");
    let lock = crate::positions::lock(&Paths::of(&request.output).expect("a path")).expect("a lock");
    let error = run(&request).expect_err("locked");
    assert!(error.to_string().contains("somebody else"), "{error}");
    drop(lock);
    ran(&request);
}

#[test]
fn what_was_put_aside_is_of_the_files_as_they_were() {
    let bench = Bench::with(&games(18, 400));
    std::fs::write(bench.path("more.pgn"), games(19, 400)).expect("writable");
    let mut request = bench.request("out.parquet");
    request.inputs.push(bench.path("more.pgn").display().to_string());
    request.batch_size = NonZeroUsize::new(7).expect("not 0");
    request.dedupe = true;
    let progress = || -> serde_json::Value {
        let text = std::fs::read_to_string(bench.path("out.parquet.progress.json")).expect("a progress file");
        serde_json::from_str(&text).expect("JSON")
    };
    // To the point where all games were read and their positions lie aside.
    while !run_for(&request, 1) {
        request.resume = true;
        if progress()["phase"] == "sifting" {
            break;
        }
    }
    assert_eq!(progress()["phase"], "sifting");
    std::fs::write(bench.path("more.pgn"), games(20, 10)).expect("writable");
    let error = run(&request).expect_err("another file");
    assert!(error.to_string().contains("more.pgn has changed"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_pipe_that_was_begun_is_not_gone_on_with() {
    use std::process::Command;
    let bench = Bench::with("");
    let pipe = bench.path("pipe.pgn");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let mut request = bench.request("out.parquet");
    request.inputs = vec![pipe.display().to_string()];
    request.batch_size = NonZeroUsize::new(10).expect("not 0");
    let writer = {
        let pipe = pipe.clone();
        // Whoever reads may go before everything is written.
        std::thread::spawn(move || std::fs::write(pipe, games(20, 3_000)).unwrap_or_default())
    };
    assert!(!run_for(&request, 2));
    writer.join().expect("no panic");
    request.resume = true;
    // For whoever reads in spite of all; nobody waits for it.
    std::thread::spawn(move || std::fs::write(pipe, games(20, 3_000)).unwrap_or_default());
    let error = run(&request).expect_err("nobody knows what comes now");
    assert!(error.to_string().contains("still the same"), "{error}");
    assert!(error.hints()[0].contains("--restart"), "{:?}", error.hints());
}
