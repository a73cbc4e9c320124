//! Scores by engines, real and fake.

use std::path::{Path, PathBuf};

use tabiya_chess::SearchLimit;

use super::{Bench, games::games, ran, run};
use crate::{
    AppError,
    engines::EngineSettings,
    positions::{
        PositionReason, PositionsRequest,
        answers::{Answers, Said},
    },
};

/// The engine that `scripts/setup test` leaves behind.
fn real_engine() -> PathBuf {
    let named = std::env::var_os("TABIYA_TEST_ENGINE").map(PathBuf::from);
    let path = named.unwrap_or_else(|| {
        std::env::home_dir()
            .expect("a home")
            .join(".cache/tabiya/stockfish/stockfish")
    });
    assert!(path.exists(), "{} is missing: run scripts/setup test", path.display());
    path
}

/// The fake engine of the crate next door, built beside these tests, as a program without arguments that answers at once.
pub(super) fn fake_engine(bench: &Bench) -> PathBuf {
    let test = std::env::current_exe().expect("a running test");
    let profile = test.parent().and_then(Path::parent).expect("a target directory");
    let fake = profile.join("fake-engine");
    let way_out = "run `cargo build -p tabiya-engine --bin fake-engine`";
    assert!(fake.exists(), "{} is missing: {way_out}", fake.display());
    let path = bench.path("engine");
    // A shell writes it: a file that this process has open for writing while another thread forks cannot be run.
    let written = std::process::Command::new("sh")
        .args(["-c", "printf %s \"$1\" > \"$2\" && chmod +x \"$2\"", "sh"])
        .arg(format!("#!/bin/sh\nexec '{}' instant\n", fake.display()))
        .arg(&path)
        .status();
    assert!(written.expect("a shell").success());
    path
}

pub(super) fn with_engine(request: &mut PositionsRequest, engine: &Path, workers: usize) {
    let settings = EngineSettings {
        engine: Some(engine.to_owned()),
        workers: Some(workers),
        ..EngineSettings::default()
    };
    request.engine = Some((settings, SearchLimit::nodes(500)));
}

#[test]
fn the_number_of_engines_does_not_show() {
    let bench = Bench::with(&games(21, 40));
    let engine = real_engine();
    let mut all = Vec::new();
    for workers in [1, 2] {
        let mut request = bench.request(&format!("{workers}.parquet"));
        with_engine(&mut request, &engine, workers);
        let report = ran(&request);
        assert!(report.manifest.engine.is_some_and(|name| name.contains("Stockfish")));
        assert!(report.engine_nodes > 0);
        all.push(bench.bytes(&format!("{workers}.parquet")));
    }
    assert!(all[0] == all[1]);
    let samples = bench.samples("1.parquet");
    assert_eq!(samples.len(), 40);
    assert!(
        samples
            .iter()
            .all(|sample| sample.score.is_some() && sample.depth.is_some())
    );
    // Trainers' formats take them.
    let mut request = bench.request("out.binpack");
    with_engine(&mut request, &engine, 2);
    ran(&request);
    let packed = bench.samples("out.binpack");
    for (one, other) in samples.iter().zip(&packed) {
        assert_eq!((one.score, one.result, one.ply), (other.score, other.result, other.ply));
    }
}

#[test]
fn filters_that_need_a_score_have_one() {
    let bench = Bench::with(&games(22, 60));
    let mut request = bench.request("out.parquet");
    with_engine(&mut request, &real_engine(), 2);
    request.rules.quiet = true;
    request.rules.result_consistent = Some(50);
    let report = ran(&request);
    let passed_over = &report.manifest.counts.positions_passed_over;
    let loud = passed_over.get(PositionReason::NotQuiet);
    let contradicted = passed_over.get(PositionReason::ResultContradictsScore);
    assert!(loud > 0 && contradicted > 0, "{passed_over:?}");
    let samples = bench.samples("out.parquet");
    assert_eq!(samples.len() as u64, 60 - loud - contradicted);
    for sample in samples {
        let (score, result) = (
            sample.score.expect("a score"),
            i32::from(sample.result.expect("a result")),
        );
        assert!(score.abs() < 50 || score.signum() != -result, "{score} {result}");
    }
}

/// A score that no engine gives by itself.
const LEFT_OVER: i32 = 777;

/// What an engine said of positions, as an earlier run leaves it.
fn leave_answers(path: &Path) {
    let mut answers = Answers::open(path).expect("a file");
    for number in 0..200 {
        let said = Said::Score {
            score: LEFT_OVER,
            depth: 9,
            loud: false,
        };
        answers.put((0, 0, number), said).expect("noted");
    }
    answers.flush().expect("written");
}

#[test]
fn what_was_said_of_other_positions_is_not_taken_for_these() {
    let bench = Bench::with(&games(23, 50));
    let answers = bench.path("out.jsonl.answers");
    let mut request = bench.request("out.jsonl");
    with_engine(&mut request, &fake_engine(&bench), 1);
    let left_over = || {
        let samples = bench.samples("out.jsonl");
        assert_eq!(samples.len(), 50);
        samples.iter().filter(|sample| sample.score == Some(LEFT_OVER)).count()
    };
    // Nothing says what they were said of.
    leave_answers(&answers);
    ran(&request);
    assert_eq!(left_over(), 0);

    // A run that came to nothing but answers, of games that were replaced meanwhile.
    let stopped = PositionsRequest {
        stop: std::sync::Arc::new(true.into()),
        ..request.clone()
    };
    assert!(matches!(run(&stopped), Err(AppError::Interrupted)));
    leave_answers(&answers);
    request.resume = true;
    std::fs::write(bench.path("games.pgn"), games(24, 50)).expect("writable");
    ran(&request);
    assert_eq!(left_over(), 0);

    // Of the same games they are good.
    request.resume = false;
    assert!(matches!(
        run(&PositionsRequest {
            resume: false,
            ..stopped
        }),
        Err(AppError::Interrupted)
    ));
    leave_answers(&answers);
    request.resume = true;
    ran(&request);
    assert_eq!(left_over(), 50);
}
