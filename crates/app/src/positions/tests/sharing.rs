//! Neither threads nor shards show in what comes out; limits and duplicates.

use std::{collections::HashSet, num::NonZeroUsize};

use tabiya_chess::epd;
use tabiya_dataset::training::{Sample, SampleFormat};

use super::{Bench, games::games, ran, samples};
use crate::positions::{PositionReason, Shard};

#[test]
fn the_number_of_threads_does_not_show() {
    let bench = Bench::with(&games(1, 2_500));
    assert!(
        std::fs::metadata(bench.path("games.pgn")).expect("a file").len() > 1 << 20,
        "several blocks"
    );
    for format in [SampleFormat::Parquet, SampleFormat::Jsonl] {
        let mut all = Vec::new();
        for threads in [1, 2, 5] {
            let mut request = bench.request(&format!("{threads}.{format}"));
            request.threads = NonZeroUsize::new(threads).expect("not 0");
            ran(&request);
            all.push(bench.bytes(&format!("{threads}.{format}")));
        }
        assert!(all[0] == all[1] && all[1] == all[2], "{format}");
    }
}

#[test]
fn another_seed_is_another_choice() {
    let bench = Bench::with(&games(2, 200));
    let mut request = bench.request("0.parquet");
    ran(&request);
    request.rules.seed = 1;
    request.output = bench.path("1.parquet");
    ran(&request);
    let plies = |name: &str| bench.samples(name).iter().map(|sample| sample.ply).collect::<Vec<_>>();
    let (one, other) = (plies("0.parquet"), plies("1.parquet"));
    let same = one.iter().zip(&other).filter(|(one, other)| one == other).count();
    assert!(one.len() == 200 && same < 40, "{same} of {} are the same", one.len());
}

/// What tells samples apart.
fn keys(samples: &[Sample]) -> Vec<(String, Option<u16>)> {
    let mut keys: Vec<_> = samples
        .iter()
        .map(|sample| (sample.game_id.clone(), sample.ply))
        .collect();
    keys.sort();
    keys
}

#[test]
fn the_shards_of_a_run_are_together_the_run() {
    let bench = Bench::with(&games(3, 600));
    for (limited, dedupe) in [(false, false), (true, false), (true, true)] {
        let mut request = bench.request("whole.parquet");
        request.rules.per_game = 2;
        request.dedupe = dedupe;
        if limited {
            request.max = Some(700);
            request.stratify = "1000,1500,2000=300".parse().ok();
        }
        ran(&request);
        let whole = keys(&bench.samples("whole.parquet"));
        assert!(whole.len() >= 600, "{}", whole.len());
        let mut together = Vec::new();
        for number in 1..=3 {
            request.shard = Shard::new(number, 3);
            request.output = bench.path("shard.parquet");
            ran(&request);
            let shard = bench.samples("shard.parquet");
            assert!(shard.len().abs_diff(whole.len() / 3) <= 1, "{}", shard.len());
            together.extend(keys(&shard));
        }
        together.sort();
        assert_eq!(together, whole);
    }
}

#[test]
fn limits_are_kept() {
    let bench = Bench::with(&games(4, 400));
    let mut request = bench.request("out.parquet");
    request.max = Some(7);
    ran(&request);
    assert_eq!(bench.samples("out.parquet").len(), 7);
    request.max = None;
    request.stratify = "1200,1600=20".parse().ok();
    let report = ran(&request);
    let samples = bench.samples("out.parquet");
    let low = samples
        .iter()
        .filter(|sample| sample.elo_avg.is_some_and(|elo| (1200..1600).contains(&elo)))
        .count();
    assert_eq!((samples.len(), low), (40, 20));
    let passed_over = &report.manifest.counts.positions_passed_over;
    assert!(passed_over.get(PositionReason::OutsideBands) > 0);
}

#[test]
fn duplicates_are_left_out_exactly() {
    // Every game twice: whatever is drawn is drawn twice.
    let text = games(5, 300);
    let bench = Bench::with(&format!("{text}{text}"));
    let mut request = bench.request("all.parquet");
    ran(&request);
    let all = bench.samples("all.parquet");
    assert_eq!(all.len(), 600);
    request.dedupe = true;
    request.output = bench.path("unique.parquet");
    let report = ran(&request);
    let unique = bench.samples("unique.parquet");
    let expected: HashSet<String> = all.iter().map(|sample| epd(&sample.position)).collect();
    let found: HashSet<String> = unique.iter().map(|sample| epd(&sample.position)).collect();
    assert_eq!((unique.len(), &found), (expected.len(), &expected));
    let duplicates = report
        .manifest
        .counts
        .positions_passed_over
        .get(PositionReason::Duplicate);
    assert_eq!(duplicates as usize, all.len() - unique.len());
    // Of equals the first stays, in its place.
    assert_eq!(keys(&unique), keys(&all[..unique.len().min(300)]));

    request.dedupe = false;
    request.dedupe_with = vec![bench.path("unique.parquet")];
    request.output = bench.path("none.parquet");
    let report = ran(&request);
    assert_eq!(bench.samples("none.parquet"), []);
    let known = report
        .manifest
        .counts
        .positions_passed_over
        .get(PositionReason::KnownElsewhere);
    assert_eq!(known, 600);
    let left = bench.files();
    assert!(
        left.iter()
            .all(|name| !name.contains("gathered") && !name.contains("parts")),
        "{left:?}"
    );
}

#[test]
fn files_follow_each_other() {
    let bench = Bench::with(&games(6, 50));
    std::fs::write(bench.path("more.pgn"), games(7, 60)).expect("writable");
    let mut request = bench.request("two.jsonl.zst");
    request.inputs.push(bench.path("more.pgn").display().to_string());
    let report = ran(&request);
    let games: Vec<Option<u64>> = report.manifest.sources.iter().map(|source| source.games).collect();
    assert_eq!(games, [Some(50), Some(60)]);
    assert_eq!(samples(&bench.path("two.jsonl.zst")).len(), 110);
}
