//! Scores by engines, real and fake.

use std::path::{Path, PathBuf};

use tabiya_chess::SearchLimit;

use super::{Bench, games::games, ran};
use crate::{
    engines::EngineSettings,
    positions::{PositionReason, PositionsRequest},
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

fn with_engine(request: &mut PositionsRequest, engine: &Path, workers: usize) {
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
