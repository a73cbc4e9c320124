//! The rules of selection, one by one.

use shakmaty::{Chess, Move, Position as _, san::San};
use tabiya_chess::{full_fen, to_uci};

use super::{Bench, ran, run};
use crate::positions::{GameReason, PositionReason, PositionsReport, Rules};

/// Thirty half-moves in which nothing is taken, no check is given, and every position is another.
const MOVES: &str = "1. a3 a6 2. b3 b6 3. c3 c6 4. d3 d6 5. e3 e6 6. f3 f6 7. g3 g6 8. h3 h6 9. Ra2 Ra7 10. Nd2 Nd7 \
                     11. Bg2 Bg7 12. Ne2 Ne7 13. Bb2 Bb7 14. Qc2 Qc7 15. Rf1 Rf8";

const TAGS: &str = "[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/abcdefgh\"]\n[Result \"1-0\"]\n\
                    [WhiteElo \"1500\"]\n[BlackElo \"1700\"]\n[TimeControl \"300+0\"]\n[Termination \"Normal\"]\n";

fn select(pgn: &str, rules: Rules) -> (Bench, PositionsReport) {
    let bench = Bench::with(pgn);
    let mut request = bench.request("out.parquet");
    request.rules = rules;
    let report = ran(&request);
    (bench, report)
}

/// One game with other tags, and why it is left out.
#[track_caller]
fn check_game(tags: &str, moves: &str, rules: Rules, expected: Option<GameReason>) {
    let (_, report) = select(&format!("{tags}\n{moves} 1-0\n"), rules);
    let counts = &report.manifest.counts;
    assert_eq!(counts.games, 1);
    let found: Vec<GameReason> = counts.games_left_out.reasons().map(|(reason, _)| reason).collect();
    assert_eq!(found, Vec::from_iter(expected));
    assert_eq!(counts.positions, u64::from(expected.is_none()));
}

fn replaced(from: &str, to: &str) -> String {
    assert!(TAGS.contains(from));
    TAGS.replace(from, to)
}

#[test]
fn games_are_left_out_for_a_reason() {
    let usual = Rules::default;
    check_game(TAGS, MOVES, usual(), None);
    check_game(
        &format!("{TAGS}[WhiteTitle \"BOT\"]\n"),
        MOVES,
        usual(),
        Some(GameReason::Bot),
    );
    check_game(
        &format!("{TAGS}[BlackTitle \"BOT\"]\n"),
        MOVES,
        usual(),
        Some(GameReason::Bot),
    );
    check_game(&format!("{TAGS}[BlackTitle \"GM\"]\n"), MOVES, usual(), None);
    let bots = Rules {
        skip_bots: false,
        ..usual()
    };
    check_game(&format!("{TAGS}[WhiteTitle \"BOT\"]\n"), MOVES, bots, None);
    for (min_elo, max_elo, expected) in [
        (Some(1500), None, None),
        (Some(1501), None, Some(GameReason::Rating)),
        (None, Some(1700), None),
        (None, Some(1699), Some(GameReason::Rating)),
    ] {
        let rules = Rules {
            min_elo,
            max_elo,
            ..usual()
        };
        check_game(TAGS, MOVES, rules.clone(), expected);
        check_game(&replaced("1500", "?"), MOVES, rules, Some(GameReason::Rating));
    }
    let rated = || Rules {
        rated_only: true,
        ..usual()
    };
    check_game(TAGS, MOVES, rated(), None);
    check_game(&replaced("Rated", "Casual"), MOVES, rated(), Some(GameReason::Unrated));
    let blitz = || Rules {
        speeds: vec!["blitz".to_owned(), "rapid".to_owned()],
        ..usual()
    };
    check_game(TAGS, MOVES, blitz(), None);
    check_game(&replaced("300+0", "60+0"), MOVES, blitz(), Some(GameReason::Speed));
    for word in ["Abandoned", "Rules infraction"] {
        check_game(&replaced("Normal", word), MOVES, usual(), Some(GameReason::Abandoned));
    }
    check_game(&replaced("Normal", "Time forfeit"), MOVES, usual(), None);
    check_game(
        &replaced("Normal", "Unterminated"),
        MOVES,
        usual(),
        Some(GameReason::NoResult),
    );
    check_game(&replaced("1-0", "*"), MOVES, usual(), Some(GameReason::NoResult));
    check_game(TAGS, "1. e4 e5 2. Nf3", usual(), Some(GameReason::TooShort));
    check_game(
        TAGS,
        &MOVES.replace("Qc2 Qc7", "Qc2 Qa1"),
        usual(),
        Some(GameReason::Broken),
    );
    check_game(
        &format!("{TAGS}[Variant \"Atomic\"]\n"),
        MOVES,
        usual(),
        Some(GameReason::OtherVariant),
    );
    let fen = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n";
    check_game(&format!("{TAGS}{fen}"), "1. e4", usual(), Some(GameReason::OtherStart));
    let late = Rules { min_ply: 29, ..usual() };
    check_game(TAGS, MOVES, late, Some(GameReason::NoneEligible));
}

#[test]
fn a_result_must_fit_the_last_position() {
    let mate = "1. f3 e5 2. g4 Qh4#";
    let rules = || Rules {
        min_game_length: 1,
        min_ply: 0,
        end_margin: 0,
        ..Rules::default()
    };
    let contradicts = Some(GameReason::ResultContradictsBoard);
    check_game(TAGS, mate, rules(), contradicts);
    check_game(&replaced("1-0", "1/2-1/2"), mate, rules(), contradicts);
    check_game(&replaced("1-0", "0-1"), mate, rules(), None);
    let trusting = Rules {
        check_results: false,
        ..rules()
    };
    check_game(TAGS, mate, trusting, None);
    let stalemate =
        "1. e3 a5 2. Qh5 Ra6 3. Qxa5 h5 4. h4 Rah6 5. Qxc7 f6 6. Qxd7+ Kf7 7. Qxb7 Qd3 8. Qxb8 Qh7 9. Qxc8 Kg6 10. Qe6";
    check_game(TAGS, stalemate, rules(), contradicts);
    check_game(&replaced("1-0", "1/2-1/2"), stalemate, rules(), None);
}

/// The half-moves before which positions are taken when all are.
fn plies(moves: &str, rules: Rules) -> (Vec<u16>, PositionsReport) {
    let all = Rules {
        per_game: 1000,
        ..rules
    };
    let (bench, report) = select(&format!("{TAGS}\n{moves} 1-0\n"), all);
    let plies = bench
        .samples("out.parquet")
        .iter()
        .filter_map(|sample| sample.ply)
        .collect();
    (plies, report)
}

#[test]
fn openings_and_endings_are_passed_over() {
    let (taken, report) = plies(MOVES, Rules::default());
    assert_eq!(taken, (10..=25).collect::<Vec<u16>>());
    let passed_over = &report.manifest.counts.positions_passed_over;
    assert_eq!(passed_over.get(PositionReason::Opening), 10);
    assert_eq!(passed_over.get(PositionReason::NearEnd), 4);
    let everything = Rules {
        min_ply: 0,
        end_margin: 0,
        ..Rules::default()
    };
    // The last position has no move behind it.
    assert_eq!(plies(MOVES, everything).0, (0..30).collect::<Vec<u16>>());
    let nothing = Rules {
        end_margin: 1000,
        ..Rules::default()
    };
    assert!(plies(MOVES, nothing).0.is_empty());
}

#[test]
fn an_evaluation_after_a_move_belongs_to_the_position_after_it() {
    // After White's sixth move, the eleventh half-move: the position before Black's sixth.
    let moves = MOVES.replace(
        "6. f3 f6",
        "6. f3 { [%eval 0.17,20] [%clk 0:05:00] } 6... f6 { [%eval #-3] }",
    );
    let (taken, report) = plies(&moves, Rules::default());
    assert_eq!(taken, [&[10][..], &(13..=25).collect::<Vec<u16>>()].concat());
    assert_eq!(
        report
            .manifest
            .counts
            .positions_passed_over
            .get(PositionReason::Evaluated),
        2
    );
    let keep = Rules {
        keep_evaluated: true,
        ..Rules::default()
    };
    assert_eq!(plies(&moves, keep).0.len(), 16);
    let own = Rules {
        use_evals: true,
        per_game: 5,
        ..Rules::default()
    };
    let (bench, _) = select(&format!("{TAGS}\n{moves} 1-0\n"), own);
    let found: Vec<_> = bench
        .samples("out.parquet")
        .iter()
        .map(|sample| (sample.ply, sample.score, sample.depth))
        .collect();
    assert_eq!(found, [(Some(11), Some(17), Some(20)), (Some(12), Some(-10_000), None)]);
}

#[test]
fn few_pieces_checks_and_captures_are_told() {
    let moves = "1. e4 e5 2. Bc4 Bc5 3. Bxf7+ Kxf7 4. Nf3 Nf6 5. Nxe5+ Kg8 6. Nf3 d6 7. d3 h6";
    let from = |rules: Rules| Rules {
        min_ply: 0,
        end_margin: 0,
        min_game_length: 1,
        ..rules
    };
    let (taken, _) = plies(moves, from(Rules::default()));
    assert_eq!(taken.len(), 14);
    let no_checks = Rules {
        not_in_check: true,
        ..from(Rules::default())
    };
    let (taken, report) = plies(moves, no_checks);
    assert!(
        !taken.contains(&5) && !taken.contains(&9) && taken.len() == 12,
        "{taken:?}"
    );
    assert_eq!(
        report
            .manifest
            .counts
            .positions_passed_over
            .get(PositionReason::InCheck),
        2
    );
    let quiet = Rules {
        quiet: true,
        ..from(Rules::default())
    };
    let (taken, report) = plies(moves, quiet);
    // Without an engine the game's own move says whether a position is quiet.
    assert!(
        !taken.contains(&4) && !taken.contains(&8) && taken.len() == 10,
        "{taken:?}"
    );
    assert_eq!(
        report
            .manifest
            .counts
            .positions_passed_over
            .get(PositionReason::NotQuiet),
        2
    );
    let many = Rules {
        min_pieces: 31,
        ..from(Rules::default())
    };
    assert_eq!(plies(moves, many).0, [0, 1, 2, 3, 4, 5]);
}

/// Somebody takes whatever can be taken, until nobody can win any more, and moves on for a while.
fn until_nobody_can_win() -> (String, usize) {
    let (mut position, mut moves, mut dead, mut dice) = (Chess::default(), String::new(), None, 1_u64);
    for ply in 0.. {
        if position.is_insufficient_material() && *dead.get_or_insert(ply) + 8 == ply {
            break;
        }
        let legal = position.legal_moves();
        let best = legal.iter().filter(|m| m.is_capture() || m.is_promotion()).count();
        dice = dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let wanted = (dice >> 33) as usize % if best > 0 { best } else { legal.len() };
        let taking = |m: &&Move| best == 0 || m.is_capture() || m.is_promotion();
        let played = *legal.iter().filter(taking).nth(wanted).expect("a move");
        moves += &format!("{} ", San::from_move(&position, played));
        position.play_unchecked(played);
    }
    (moves, dead.expect("it ended"))
}

#[test]
fn what_nobody_can_win_is_not_drawn() {
    let (moves, dead) = until_nobody_can_win();
    let rules = Rules {
        min_ply: dead - 2,
        end_margin: 0,
        min_pieces: 2,
        ..Rules::default()
    };
    let drawn = replaced("1-0", "1/2-1/2");
    let (bench, report) = select(&format!("{drawn}\n{moves} 1/2-1/2\n"), rules);
    // One is drawn among those two before, wherever eight behind them would have been as likely.
    let plies: Vec<_> = bench.samples("out.parquet").iter().map(|sample| sample.ply).collect();
    assert!(
        matches!(plies[..], [Some(ply)] if usize::from(ply) < dead),
        "{plies:?} of {dead}"
    );
    let passed_over = &report.manifest.counts.positions_passed_over;
    assert_eq!(passed_over.get(PositionReason::GameOver), 8);
}

#[test]
fn a_sample_knows_its_game() {
    let (bench, report) = select(&format!("{TAGS}\n{MOVES} 1-0\n"), Rules::default());
    let samples = bench.samples("out.parquet");
    assert_eq!(samples.len(), 1);
    let sample = &samples[0];
    assert_eq!(sample.game_id, "abcdefgh");
    assert_eq!(
        (sample.result, sample.elo_avg, sample.score),
        (Some(1), Some(1600), None)
    );
    let ply = sample.ply.expect("a ply");
    // The position is the one before the move that was played there.
    let played = to_uci(&sample.position, sample.played.expect("a move"));
    let line = tabiya_chess::parse_line(MOVES).expect("a line");
    let positions = line.positions();
    let before = match ply {
        0 => shakmaty::Chess::default(),
        ply => positions[ply as usize - 1].clone(),
    };
    assert_eq!(full_fen(&sample.position), full_fen(&before));
    assert_eq!(played, to_uci(&before, line.moves()[ply as usize]));
    let source = &report.manifest.sources[0];
    assert_eq!(source.games, Some(1));
    assert_eq!(source.sha256.as_ref().map(String::len), Some(64));
    assert_eq!(bench.files(), ["games.pgn", "out.parquet", "out.parquet.manifest.json"]);
}

#[test]
fn games_without_an_id_are_named_by_their_bytes() {
    let tags = replaced("[Site \"https://lichess.org/abcdefgh\"]\n", "");
    let one = format!("{tags}\n{MOVES} 1-0\n");
    let (bench, _) = select(
        &format!("{one}\n{one}\n{}", one.replace("1500", "1501")),
        Rules::default(),
    );
    let ids: Vec<String> = bench
        .samples("out.parquet")
        .into_iter()
        .map(|sample| sample.game_id)
        .collect();
    assert_eq!(ids.len(), 3);
    assert!(ids[0].len() == 16 && ids[0] == ids[1] && ids[0] != ids[2], "{ids:?}");
}

const SHUFFLED: &str =
    "[Variant \"Chess960\"]\n[SetUp \"1\"]\n[FEN \"nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w KQkq - 0 1\"]\n";
const SHUFFLED_MOVES: &str =
    "1. a3 a6 2. b3 b6 3. c3 c6 4. d3 d6 5. e3 e6 6. f3 f6 7. g3 g6 8. h3 h6 9. Be2 Be7 10. Bd2 Bd7 11. Bd1 Bd8";

#[test]
fn chess960_is_taken_where_it_is_asked_for() {
    let chess960 = || Rules {
        variants: vec!["chess960".to_owned()],
        ..Rules::default()
    };
    let tags = format!("{TAGS}{SHUFFLED}");
    check_game(&tags, SHUFFLED_MOVES, Rules::default(), Some(GameReason::OtherVariant));
    check_game(&tags, SHUFFLED_MOVES, chess960(), None);
    check_game(TAGS, MOVES, chess960(), Some(GameReason::OtherVariant));
    for rights in ["KQ", "-", "Kkq"] {
        let bad = tags.replace("KQkq", rights);
        check_game(&bad, SHUFFLED_MOVES, chess960(), Some(GameReason::BadCastling));
    }
    let both = Rules {
        variants: vec!["standard".to_owned(), "chess960".to_owned()],
        ..Rules::default()
    };
    let (bench, _) = select(&format!("{tags}\n{SHUFFLED_MOVES} 1-0\n\n{TAGS}\n{MOVES} 1-0\n"), both);
    let variants: Vec<&str> = bench
        .samples("out.parquet")
        .iter()
        .map(|sample| sample.variant.as_str())
        .collect();
    assert_eq!(variants, ["chess960", "standard"]);
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_written() {
    let bench = Bench::with(&format!("{TAGS}\n{MOVES} 1-0\n"));
    let refused = |change: &dyn Fn(&mut super::PositionsRequest), word: &str| {
        let mut request = bench.request("out.parquet");
        change(&mut request);
        let error = run(&request).expect_err(word);
        assert!(error.to_string().contains(word), "{error}");
        assert_eq!(bench.files(), ["games.pgn"]);
    };
    refused(&|request| request.output = bench.path("out.binpack"), "needs a score");
    refused(&|request| request.output = bench.path("out"), "cannot be told");
    refused(&|request| request.rules.per_game = 0, "--per-game");
    refused(
        &|request| request.rules.variants = vec!["crazyhouse".to_owned()],
        "come back",
    );
    refused(&|request| request.rules.speeds = vec!["fast".to_owned()], "no speed");
    refused(&|request| request.rules.result_consistent = Some(3), "without a score");
    refused(&|request| request.inputs.clear(), "nothing to read");
    refused(&|request| request.resume = true, "nothing to go on with");
    refused(
        &|request| request.dedupe_with = vec![bench.path("none.parquet")],
        "none.parquet",
    );
}

#[cfg(unix)]
#[test]
fn positions_that_are_to_be_left_out_do_not_come_through_a_pipe() {
    let bench = Bench::with(&format!("{TAGS}\n{MOVES} 1-0\n"));
    let pipe = bench.path("known.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    let mut request = bench.request("out.parquet");
    request.dedupe_with = vec![pipe];
    // Nobody writes into it, and nobody waits for that.
    let error = run(&request).expect_err("a pipe");
    assert!(error.to_string().contains("is read twice"), "{error}");
    assert_eq!(error.hints(), ["write it to a file first"]);
}

/// The notes of a run name them in words, which cannot say every name.
#[cfg(unix)]
#[test]
fn positions_that_are_to_be_left_out_may_lie_in_a_file_of_any_name() {
    use std::os::unix::ffi::OsStrExt;

    let bench = Bench::with(&format!("{TAGS}\n{MOVES} 1-0\n"));
    let known = bench.request("known.jsonl");
    assert!(ran(&known).manifest.counts.positions > 0);
    let odd = bench
        .path("x")
        .with_file_name(std::ffi::OsStr::from_bytes(b"kn\xffown.jsonl"));
    std::fs::rename(bench.path("known.jsonl"), &odd).expect("movable");
    let mut request = bench.request("out.jsonl");
    request.dedupe_with = vec![odd];
    assert_eq!(ran(&request).manifest.counts.positions, 0);
}
