//! How a stream is cut into blocks, and how many threads read them, never shows.

use pgn_import::{ImportOptions, IngestConfig, Policy, fuzzing};
use proptest::prelude::*;

use crate::support::{fixtures, import, joinable_fixtures, skipping, try_import};

fn thorough() -> (IngestConfig, ImportOptions) {
    let config = IngestConfig {
        owner: "o".to_owned(),
        repertoire: Some("r".to_owned()),
        ..IngestConfig::default()
    };
    let options = ImportOptions {
        include_fen_in_trie: false,
        include_chess960: true,
        tactic_variations: true,
        repertoire_from_study: true,
        ..skipping()
    };
    (config, options)
}

fn described(games: &[pgn_import::Game]) -> Vec<String> {
    games.iter().map(fuzzing::describe).collect()
}

#[test]
fn each_fixture_reads_the_same_in_blocks_of_any_size() {
    for (name, bytes) in fixtures() {
        let whole = described(&fuzzing::games(&bytes));
        for block_bytes in 64..400 {
            let cut = described(&fuzzing::games_in_blocks(&bytes, block_bytes));
            assert_eq!(whole, cut, "{name} in blocks of {block_bytes}");
        }
    }
}

#[test]
fn all_fixtures_in_one_file_read_the_same_in_blocks_of_any_size() {
    let bytes = joinable_fixtures().join(&b"\n\n"[..]);
    let whole = described(&fuzzing::games(&bytes));
    for block_bytes in (64..4_096).step_by(61) {
        let cut = described(&fuzzing::games_in_blocks(&bytes, block_bytes));
        for (one, other) in whole.iter().zip(&cut) {
            assert_eq!(one, other, "in blocks of {block_bytes}");
        }
        assert_eq!(whole.len(), cut.len(), "in blocks of {block_bytes}");
    }
}

#[test]
fn all_fixtures_in_one_file_import_the_same_in_blocks_of_any_size() {
    let bytes = joinable_fixtures().join(&b"\n\n"[..]);
    let (config, options) = thorough();
    let whole = import(&config, &options, &[("all.pgn", &bytes)]);
    assert!(whole.rejects.len() > 20 && whole.edges.len() > 100 && whole.tactics.len() > 5);
    for (block_bytes, threads) in [(64, 1), (64, 3), (257, 2), (1_000, 2), (4_096, 4)] {
        let cut = ImportOptions {
            block_bytes,
            threads,
            ..options.clone()
        };
        assert_eq!(
            whole,
            import(&config, &cut, &[("all.pgn", &bytes)]),
            "{block_bytes} bytes, {threads} threads"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_fixtures_in_any_order_import_the_same_in_any_blocks(
        picks in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select(vec!["", "\n", "\n\n", " "])), 1..14),
        block_bytes in 64_usize..4_096,
        threads in 1_usize..4,
        fail_fast in any::<bool>(),
    ) {
        let fixtures = joinable_fixtures();
        let mut bytes = Vec::new();
        for (index, between) in &picks {
            bytes.extend(index.get(&fixtures));
            bytes.extend_from_slice(between.as_bytes());
        }
        let (config, mut options) = thorough();
        options.policy = if fail_fast { Policy::FailFast } else { Policy::SkipIllegal };
        let whole = try_import(&config, &options, &[("all.pgn", &bytes)]);
        let cut = ImportOptions { block_bytes, threads, ..options };
        let cut = try_import(&config, &cut, &[("all.pgn", &bytes)]);
        prop_assert_eq!(&whole.0, &cut.0);
        prop_assert_eq!(whole.1.map(|e| e.to_string()), cut.1.map(|e| e.to_string()));
    }
}
