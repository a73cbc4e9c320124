//! What happens at a game that cannot be understood, and how it gets its second chance.

use std::fs;

use pgn_import::{ImportError, ImportOptions, Importer, InMemoryStore, IngestConfig, Policy, Reject, RejectOutcome};

use crate::support::{Outcome, block_on, import, import_text, skipping, try_import};

fn fail_fast(pgn: &str) -> (Outcome, ImportError) {
    let options = ImportOptions {
        policy: Policy::FailFast,
        ..skipping()
    };
    let (outcome, error) = try_import(&IngestConfig::default(), &options, &[("a.pgn", pgn.as_bytes())]);
    (outcome, error.expect("an error"))
}

#[test]
fn failing_fast_is_the_default() {
    assert_eq!(ImportOptions::default().policy, Policy::FailFast);
}

#[test]
fn fail_fast_keeps_the_games_before_and_nothing_of_the_bad_one() {
    let (outcome, error) = fail_fast(
        "[Event \"Good\"]\n\n1. e4 e5 *\n\n[Event \"Bad\"]\n\n1. d4 d5 (1... f5) 2. c4 Ke3 *\n\n[Event \"Behind\"]\n\n1. c4 *\n",
    );
    assert_eq!(outcome.sans(), ["e4", "e5"]);
    assert_eq!(outcome.positions.len(), 3);
    let ImportError::IllegalMove {
        game_idx,
        ply,
        san,
        fen,
    } = &error
    else {
        panic!("{error:?}")
    };
    assert_eq!((*game_idx, *ply, san.as_str()), (1, 3, "Ke3"));
    assert_eq!(fen, "rnbqkbnr/ppp1pppp/8/3p4/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - 0 2");
    assert_eq!(
        error.to_string(),
        format!("Illegal SAN `Ke3` at ply 3 (game 1) from FEN `{fen}`"),
    );
}

#[test]
fn fail_fast_names_what_is_wrong_in_each_way() {
    let message = |pgn: &str| fail_fast(pgn).1.to_string();
    assert_eq!(
        message("[SetUp \"1\"]\n\n1. e4 *\n"),
        "PGN parse error at game 0: tag SetUp is \"1\" but there is no FEN tag (byte 0)"
    );
    assert!(
        message("[Event \"x\"]\n[FEN \"bad\"]\n\n1. e4 *\n").starts_with("PGN parse error at game 0: invalid FEN tag")
    );
    assert_eq!(
        message("1. e4 *\n\n[Variant \"Atomic\"]\n\n1. e4 *\n"),
        "Unsupported PGN feature: variant \"atomic\" is not standard chess or Chess960 (game 1, byte 9)"
    );
    assert_eq!(
        message("1. e4 {never closed"),
        "PGN parse error at game 0: the comment that begins here is never closed (byte 6)"
    );
    assert!(
        message("1. e4 Xyz *\n")
            .starts_with("Illegal SAN `Xyz` at ply 1 (game 0) from FEN `rnbqkbnr/pppppppp/8/8/4P3/")
    );
}

#[test]
fn skipping_keeps_what_was_legal_and_goes_on() {
    let pgn = "[Event \"A\"]\n\n1. e4 e5 2. Ke3 Nc6 *\n\n[Event \"B\"]\n\n1. d4 (1. Kd2) d5 *\n\n[Event \"C\"]\n\n1. Ke3 *\n\n[Event \"D\"]\n\n1. c4 *\n";
    let outcome = import_text(pgn);
    assert_eq!(outcome.sans(), ["c4", "d4", "d5", "e4", "e5"]);
    let ledger: Vec<_> = outcome
        .rejects
        .iter()
        .map(|reject| {
            let at = |text: &str| pgn.find(text).expect(text) as u64;
            assert_eq!(
                reject.byte_offset,
                at(&format!("[Event \"{}\"]", ["A", "B", "C"][reject.game_index as usize]))
            );
            assert_eq!(&pgn[reject.error_offset as usize..][..reject.san.len()], reject.san);
            (reject.game_index, reject.outcome, reject.ply, reject.san.as_str())
        })
        .collect();
    assert_eq!(
        ledger,
        [
            (0, RejectOutcome::Truncated, 2, "Ke3"),
            (1, RejectOutcome::Truncated, 0, "Kd2"),
            (2, RejectOutcome::Rejected, 0, "Ke3"),
        ]
    );
    let counters = outcome.counters;
    assert_eq!(
        (
            counters.pgn_games_total,
            counters.pgn_games_failed,
            counters.pgn_games_truncated
        ),
        (4, 3, 2)
    );
}

#[test]
fn a_game_that_goes_on_behind_a_null_move_is_truncated() {
    let pgn = "1. d4 *\n\n1. e4 -- 2. d4 Z0 3. Nc3 a6 1-0\n\n1. c4 *\n";
    let outcome = import_text(pgn);
    assert_eq!(outcome.sans(), ["c4", "d4", "e4"]);
    let [cut] = outcome.rejects.as_slice() else {
        panic!("{:?}", outcome.rejects)
    };
    assert_eq!((cut.game_index, cut.outcome, cut.ply), (1, RejectOutcome::Truncated, 1));
    assert_eq!(&pgn[cut.error_offset as usize..][..2], cut.san);
    assert_eq!(cut.fen, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert_eq!(cut.reason, "a null move: what follows it is left out");
    let counted = |outcome: &Outcome| {
        let counters = outcome.counters;
        (
            counters.pgn_games_total,
            counters.pgn_games_failed,
            counters.pgn_games_truncated,
        )
    };
    assert_eq!(counted(&outcome), (3, 1, 1));
    // Nothing is wrong with it that anybody should break off for.
    let strict = ImportOptions {
        policy: Policy::FailFast,
        ..skipping()
    };
    let strictly = |pgn: &str| try_import(&IngestConfig::default(), &strict, &[("test.pgn", pgn.as_bytes())]);
    let (kept, error) = strictly(pgn);
    assert!(error.is_none(), "{error:?}");
    assert_eq!((kept.edges.len(), kept.rejects.as_slice()), (3, &[cut.clone()][..]));
    // But for what is wrong behind it.
    assert!(strictly("1. e4 -- 2. Ke5 *").1.is_some());
    let nothing = import_text("1. -- e5 2. e4 *");
    assert_eq!((counted(&nothing), nothing.edges.len()), ((1, 1, 0), 0));
    // A tactic breaks off there too.
    let tactic = import_text("[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 -- 2. e5 *\n");
    assert_eq!((counted(&tactic), tactic.tactics[0].pv_uci.len()), ((1, 1, 1), 1));
}

#[test]
fn null_moves_that_cost_no_move_of_the_game_are_not_told() {
    for pgn in [
        "1. e4 e5 (1... -- 2. d4 d5 3. -- (3. c3)) 2. Nf3 (2. -- Nc6 3. Bb5) Nc6 *",
        "1. e4 e5 2. -- *",
        "1. e4 e5 2. Nf3 -- (2... Nc6 3. Bb5) *",
        "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 (1. -- Kd7 2. e4) Kd7 (1... -- 2. e5) 2. e5 *\n",
        // Left out as it is.
        "[Variant \"Chess960\"]\n\n1. e4 -- 2. d4 *\n",
    ] {
        for tactic_variations in [false, true] {
            let options = ImportOptions {
                tactic_variations,
                ..skipping()
            };
            let outcome = import(&IngestConfig::default(), &options, &[("a.pgn", pgn.as_bytes())]);
            assert_eq!(
                (outcome.rejects, outcome.counters.pgn_games_failed),
                (vec![], 0),
                "{pgn}"
            );
        }
    }
    // Nor those beyond what is asked for.
    let shallow = IngestConfig {
        max_depth: Some(2),
        ..IngestConfig::default()
    };
    let outcome = import(&shallow, &skipping(), &[("a.pgn", b"1. e4 e5 2. -- d5 3. d4 *")]);
    assert_eq!(outcome.sans(), ["e4", "e5"]);
    assert_eq!(outcome.rejects, []);
}

/// Cut out, it leaves moves of one side in a row: whoever mends the game writes another move in its place.
#[test]
fn a_game_that_was_cut_at_a_null_move_is_found_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pgn");
    let broken = "1. d4 Kd6 *\n\n1. e4 -- 2. d4 d5 *\n\n1. c4 c5 2. Z0 d5 *\n";
    fs::write(&path, broken).expect("written");
    let mut store = InMemoryStore::default();
    block_on(async {
        let mut importer = Importer::journaled(IngestConfig::default(), skipping(), &mut store);
        let ledger = importer.ingest_pgn_path(&path).await.expect("imported").rejects;
        assert_eq!(ledger.len(), 3);
        let same = importer.ingest_rejects(&ledger).await.expect("retried");
        assert_eq!(same.rejects, ledger);
        // The first is longer now, so the others stand elsewhere; one of them is as it was.
        let mended = broken.replace("Kd6", "d5 2. c4 e6").replace("--", "e5");
        fs::write(&path, mended).expect("written");
        let left = importer.ingest_rejects(&ledger).await.expect("retried").rejects;
        assert_eq!(left.len(), 1, "{left:?}");
        assert_eq!((left[0].game_index, left[0].san.as_str()), (2, "Z0"));
        assert!(left[0].byte_offset > ledger[2].byte_offset);
    });
}

#[test]
fn a_game_with_several_faults_is_one_line_in_the_ledger() {
    let outcome = import_text("1. e4 (1. Ke3) (1. Kd3) e5 2. Ke3 *");
    assert_eq!(outcome.rejects.len(), 1);
    assert_eq!(
        outcome.rejects[0].reason,
        "no legal move is written like this here (and 2 more in this game)"
    );
    assert_eq!(outcome.rejects[0].san, "Ke3");
}

#[test]
fn the_ledger_is_json_lines() {
    let reject = import_text("1. e4 e5 2. Ke3 *").rejects.remove(0);
    let line = serde_json::to_string(&reject).expect("JSON");
    assert_eq!(
        line,
        "{\"source\":\"test.pgn\",\"game_index\":0,\"byte_offset\":0,\"error_offset\":12,\"outcome\":\"truncated\",\"ply\":2,\
         \"san\":\"Ke3\",\"fen\":\"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\",\
         \"reason\":\"no legal move is written like this here\"}"
    );
    assert_eq!(serde_json::from_str::<Reject>(&line).expect("a reject"), reject);
}

/// The games a ledger names, and no others, are imported from where they stand.
#[test]
fn rejects_can_be_imported_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pgn");
    let broken = "[Event \"A\"]\n\n1. e4 e5 2. Ke3 Nc6 *\n\n[Event \"B\"]\n\n1. d4 *\n\n[Event \"C\"]\n\n1. Nf3 Kd7 2. g3 d5!! *\n";
    fs::write(&path, broken).expect("written");
    let config = IngestConfig {
        tactic_from_comments: cfg!(feature = "comment-tactic"),
        ..IngestConfig::default()
    };
    for block_bytes in [64, 1 << 20] {
        let options = ImportOptions {
            block_bytes,
            ..skipping()
        };
        fs::write(&path, broken).expect("written");
        let mut store = InMemoryStore::default();
        let ledger = block_on(async {
            let mut importer = Importer::journaled(config.clone(), options.clone(), &mut store);
            importer.ingest_pgn_path(&path).await.expect("imported").rejects
        });
        assert_eq!(ledger.len(), 2);
        // Still broken: the ledger stays the same.
        let again = block_on(async {
            let mut importer = Importer::journaled(config.clone(), options.clone(), &mut store);
            importer.ingest_rejects(&ledger).await.expect("retried")
        });
        assert_eq!(again.rejects, ledger);
        assert_eq!(again.counters.pgn_games_total, 2);
        // Mended in place, so that offsets stay true.
        fs::write(
            &path,
            broken
                .replace("Ke3", "Bc4")
                .replace("Kd7", "Nf6")
                .replace("1. d4 *", "1. h4 *"),
        )
        .expect("written");
        let mut fresh = InMemoryStore::default();
        let mended = block_on(async {
            let mut importer = Importer::journaled(config.clone(), options.clone(), &mut fresh);
            importer.ingest_rejects(&ledger).await.expect("retried")
        });
        assert_eq!((mended.rejects.len(), mended.counters.pgn_games_total), (0, 2));
        let sans = Outcome::of(&fresh).sans().join(" ");
        assert_eq!(
            sans, "Bc4 Nc6 Nf3 Nf6 d5 e4 e5 g3",
            "and not the game that was fine before"
        );
    }
}

#[cfg(feature = "comment-tactic")]
#[test]
fn a_second_chance_finds_annotators_tactics_too() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pgn");
    let text = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#!! 1-0\n";
    fs::write(&path, text.replace("Nf6", "Nf9")).expect("written");
    let config = IngestConfig {
        tactic_from_comments: true,
        ..IngestConfig::default()
    };
    let mut store = InMemoryStore::default();
    block_on(async {
        let mut importer = Importer::journaled(config, skipping(), &mut store);
        let ledger = importer.ingest_pgn_path(&path).await.expect("imported").rejects;
        assert_eq!(ledger.len(), 1);
        fs::write(&path, text).expect("written");
        importer.ingest_rejects(&ledger).await.expect("retried");
    });
    assert_eq!(store.dump_tactics().len(), 1);
}

#[test]
fn a_retry_that_ends_early_keeps_what_it_did_not_come_to() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pgn");
    let broken = "1. e4 Ke6 *\n\n1. d4 Kd6 *\n\n1. c4 Kc6 *\n";
    fs::write(&path, broken).expect("written");
    let mut store = InMemoryStore::default();
    block_on(async {
        let mut importer = Importer::journaled(IngestConfig::default(), skipping(), &mut store);
        let ledger = importer.ingest_pgn_path(&path).await.expect("imported").rejects;
        assert_eq!(ledger.len(), 3);
        assert!(importer.take_failed().is_none());
        // The first game is mended; the second one ends the run.
        fs::write(&path, broken.replace("Ke6", "e6 ")).expect("written");
        let mut store = InMemoryStore::default();
        let mut importer = Importer::journaled(IngestConfig::default(), ImportOptions::default(), &mut store);
        importer.ingest_rejects(&ledger).await.expect_err("a bad game");
        let failed = importer.take_failed().expect("what was done before");
        assert_eq!(
            (failed.counters.pgn_games_total, failed.rejects.as_slice()),
            (1, &ledger[1..])
        );
    });
}

/// Whoever mends a game makes it longer or shorter, and with it moves all that stand behind it.
#[test]
fn a_retry_finds_games_that_have_moved_and_keeps_those_it_does_not_find() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("a.pgn");
    let broken = "1. e4 e5 2. Ke3 *\n\n1. d4 d5 *\n\n1. c4 e5 2. Kc6 *\n\n[FEN \"x\"]\n\n1. c4 *\n";
    fs::write(&path, broken).expect("written");
    let retried = |text: &str| {
        fs::write(&path, broken).expect("written");
        let mut store = InMemoryStore::default();
        block_on(async {
            let mut importer = Importer::journaled(IngestConfig::default(), skipping(), &mut store);
            let ledger = importer.ingest_pgn_path(&path).await.expect("imported").rejects;
            assert_eq!(ledger.len(), 3);
            fs::write(&path, text).expect("written");
            let done = importer.ingest_rejects(&ledger).await.expect("retried");
            (done.rejects, ledger)
        })
    };
    // Two are mended; of the last nobody can say whether it is the one that was meant.
    let mended = broken.replace("Ke3", "Nf3 Nc6 3. Bb5 a6").replace("Kc6", "Nc3");
    let (left, ledger) = retried(&mended.replace("[FEN \"x\"]", "[White \"x\"]"));
    assert_eq!(left, ledger[2..]);
    // One that breaks off elsewhere takes the place of what was known of it.
    let (left, ledger) = retried(&broken.replace("Ke3", "Nf3 Nc6").replace("2. Kc6", "2. Nc3 Kd6"));
    assert_eq!(left.len(), 2, "{left:?}");
    assert_eq!((left[0].game_index, left[0].san.as_str()), (2, "Kd6"));
    assert!(left[0].byte_offset > ledger[1].byte_offset);
    // Where games were removed, numbers say nothing: but for the first, none is where it was.
    let (left, ledger) = retried("1. d4 d5 *\n\n1. c4 e5 2. Nc3 *\n");
    assert_eq!(left, ledger[1..]);
}

#[test]
fn rejects_of_standard_input_cannot_be_read_again() {
    let mut reject = import_text("1. e4 e5 2. Ke3 *").rejects.remove(0);
    reject.source = "-".to_owned();
    let mut store = InMemoryStore::default();
    let error = block_on(async {
        let mut importer = Importer::journaled(IngestConfig::default(), skipping(), &mut store);
        importer.ingest_rejects(&[reject]).await.expect_err("gone")
    });
    assert!(matches!(error, ImportError::Unsupported { .. }), "{error:?}");
}

#[test]
fn fail_fast_on_many_threads_keeps_exactly_the_games_before() {
    let good: String = (0..300)
        .map(|n| {
            format!(
                "[Event \"{n}\"]\n\n1. {} *\n\n",
                ["e4", "d4", "c4", "Nf3", "b3", "g3"][n % 6]
            )
        })
        .collect();
    let bad = "[Event \"Bad\"]\n\n1. a4 Ke3 *\n\n";
    let behind = "[Event \"Behind\"]\n\n1. h4 *\n\n".repeat(50);
    let pgn = format!("{good}{bad}{behind}");
    for threads in [1, 2, 4] {
        let options = ImportOptions {
            policy: Policy::FailFast,
            threads,
            block_bytes: 200,
            ..skipping()
        };
        let (outcome, error) = try_import(&IngestConfig::default(), &options, &[("a.pgn", pgn.as_bytes())]);
        assert!(
            matches!(
                error,
                Some(ImportError::IllegalMove {
                    game_idx: 300,
                    ply: 1,
                    ..
                })
            ),
            "{error:?}"
        );
        assert_eq!(outcome.sans(), ["Nf3", "b3", "c4", "d4", "e4", "g3"]);
    }
    let all = import(&IngestConfig::default(), &skipping(), &[("a.pgn", pgn.as_bytes())]);
    assert_eq!(all.counters.pgn_games_total, 351);
}

#[test]
fn a_tag_that_is_to_blame_is_not_repeated_whole() {
    let long = "ж".repeat(1 << 20);
    for tag in ["FEN", "Variant"] {
        let rejects = import_text(&format!("[{tag} \"{long}\"]\n\n1. e4 *\n")).rejects;
        let [reject] = &rejects[..] else {
            panic!("{tag}: {} rejects", rejects.len())
        };
        assert!(reject.san.starts_with("жж") && reject.san.len() <= 120, "{tag}");
        assert!(reject.reason.len() <= 400, "{tag}: {}", reject.reason.len());
    }
}
