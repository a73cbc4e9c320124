//! Puzzles: from FEN tags, from variations, from what annotators wrote.

use pgn_import::{ImportOptions, IngestConfig, Policy, RejectOutcome, Tactic};
use tabiya_chess::fnv1a;

use crate::support::{import, skipping, try_import};

const FOOL: &str = "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2";
const BACK_RANK: &str = "6k1/5ppp/8/8/8/8/1r3PPP/3RR1K1 w - - 0 1";

fn tactics(pgn: &str, tactic_variations: bool) -> Vec<Tactic> {
    let options = ImportOptions {
        tactic_variations,
        ..skipping()
    };
    let mut found = import(&IngestConfig::default(), &options, &[("file.pgn", pgn.as_bytes())]).tactics;
    found.sort_by(|a, b| a.pv_uci.cmp(&b.pv_uci));
    found
}

#[test]
fn a_fen_and_its_main_line_are_a_tactic() {
    let found = tactics(
        &format!("[Event \"Fool\"]\n[SetUp \"1\"]\n[FEN \"{FOOL}\"]\n\n2... Qh4# 0-1\n"),
        false,
    );
    let [tactic] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        (tactic.fen.as_str(), tactic.pv_uci.as_slice()),
        (FOOL, &["d8h4".to_owned()][..])
    );
    assert_eq!(tactic.tags, ["mate-in-1"]);
    assert_eq!(tactic.source_hint.as_deref(), Some("Fool"));
    assert_eq!(tactic.id, fnv1a(format!("{FOOL}\0d8h4").as_bytes()));
}

#[test]
fn the_hint_is_the_event_or_the_file() {
    for event in ["", "[Event \"?\"]\n", "[Event \"\"]\n"] {
        let found = tactics(&format!("{event}[FEN \"{FOOL}\"]\n\n2... Qh4# *\n"), false);
        assert_eq!(found[0].source_hint.as_deref(), Some("file.pgn"), "{event}");
    }
}

#[test]
fn mates_are_counted_in_the_solver_s_moves() {
    let found = tactics(
        &format!("[FEN \"{BACK_RANK}\"]\n\n1. Re8# *\n\n[FEN \"{BACK_RANK}\"]\n\n1. h3 h6 2. Re8+ Kh7 *\n"),
        false,
    );
    assert_eq!(
        found.iter().map(|tactic| tactic.tags.join(" ")).collect::<Vec<_>>(),
        ["mate-in-1", ""]
    );
    let smothered = "[FEN \"6rk/6pp/8/6N1/8/8/8/6K1 w - - 0 1\"]\n\n1. Nf7# *\n\n\
        [FEN \"5r1k/6pp/7N/8/2Q5/8/8/6K1 w - - 0 1\"]\n\n1. Qg8+ Rxg8 2. Nf7# *\n";
    let found = tactics(smothered, false);
    let mut tags: Vec<_> = found.iter().flat_map(|tactic| tactic.tags.clone()).collect();
    tags.sort();
    assert_eq!(tags, ["mate-in-1", "mate-in-2"]);
}

#[test]
fn motifs_come_from_tags_and_comments_but_not_from_names() {
    let pgn = format!(
        "[Event \"Fork and pin\"]\n[White \"Skewer, A.\"]\n[Site \"Zugzwang\"]\n[Theme \"back rank\"]\n[FEN \"{BACK_RANK}\"]\n\n\
         {{a deflection}} 1. Re8# {{opinion, not a motif; Greek gift}} *\n"
    );
    assert_eq!(
        tactics(&pgn, false)[0].tags,
        ["back-rank", "deflection", "fork", "greek-gift", "mate-in-1", "pin"]
    );
}

#[test]
fn every_variation_is_one_more_tactic_where_asked() {
    let pgn = format!("[FEN \"{BACK_RANK}\"]\n\n1. Re8# (1. Rd8# {{fork}}) (1. h3 h6 (1... h5 2. Re8+) 2. Re8+) *\n");
    let lines = |found: &[Tactic]| found.iter().map(|tactic| tactic.pv_uci.join(" ")).collect::<Vec<_>>();
    assert_eq!(lines(&tactics(&pgn, false)), ["e1e8"]);
    let all = tactics(&pgn, true);
    assert_eq!(lines(&all), ["d1d8", "e1e8", "h2h3 h7h5 e1e8", "h2h3 h7h6 e1e8"]);
    assert_eq!(all[0].tags, ["fork", "mate-in-1"]);
    assert_eq!(all[1].tags, ["mate-in-1"], "a variation's words are its own");
}

#[test]
fn a_null_move_ends_a_tactic_s_line_and_can_be_replaced() {
    let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
    let found = tactics(
        &format!("[FEN \"{fen}\"]\n\n1. e4 -- (1... Kd7 2. e5) (1... Ke7) 2. e5 (2. Kd2) Kd7 *\n"),
        true,
    );
    let lines: Vec<_> = found.iter().map(|tactic| tactic.pv_uci.join(" ")).collect();
    assert_eq!(lines, ["e2e4", "e2e4 e8d7 e4e5", "e2e4 e8e7"]);
}

#[test]
fn a_fen_without_moves_is_left_out() {
    let pgn = format!("[FEN \"{FOOL}\"]\n\n*\n");
    let outcome = import(&IngestConfig::default(), &skipping(), &[("a.pgn", pgn.as_bytes())]);
    assert_eq!(
        (
            outcome.tactics.len(),
            outcome.counters.pgn_games_left_out,
            outcome.counters.pgn_games_failed
        ),
        (0, 1, 0)
    );
    // One whose first move is illegal is rejected, not left out.
    let pgn = format!("[FEN \"{FOOL}\"]\n\n2... Qh5 *\n");
    let outcome = import(&IngestConfig::default(), &skipping(), &[("a.pgn", pgn.as_bytes())]);
    assert_eq!(
        (
            outcome.tactics.len(),
            outcome.counters.pgn_games_left_out,
            outcome.counters.pgn_games_failed
        ),
        (0, 0, 1)
    );
}

#[test]
fn the_same_tactic_from_two_files_is_one_with_both_s_tags() {
    let (a, b) = (
        format!("[Event \"B\"]\n[FEN \"{FOOL}\"]\n\n2... Qh4# {{fork}} *\n"),
        format!("[Event \"A\"]\n[FEN \"{FOOL}\"]\n\n2... Qh4# {{pin}} *\n"),
    );
    for files in [
        [("1.pgn", a.as_bytes()), ("2.pgn", b.as_bytes())],
        [("2.pgn", b.as_bytes()), ("1.pgn", a.as_bytes())],
    ] {
        let found = import(&IngestConfig::default(), &skipping(), &files).tactics;
        let [tactic] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!(tactic.tags, ["fork", "mate-in-1", "pin"]);
        assert_eq!(tactic.source_hint.as_deref(), Some("A"));
    }
}

const ANNOTATED: &str = "1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5!! Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n";

#[cfg(feature = "comment-tactic")]
#[test]
fn annotators_marks_are_tactics_where_asked() {
    let config = IngestConfig {
        tactic_from_comments: true,
        ..IngestConfig::default()
    };
    let outcome = import(&config, &skipping(), &[("a.pgn", ANNOTATED.as_bytes())]);
    assert_eq!(outcome.counters.tactics_extracted_comments, 1);
    let [tactic] = outcome.tactics.as_slice() else {
        panic!("{:?}", outcome.tactics)
    };
    assert_eq!(tactic.pv_uci, ["f3e5", "g4d1", "c4f7", "e8e7", "c3d5"]);
    assert_eq!(
        tactic.fen,
        "rn1qkbnr/ppp2p1p/3p2p1/4p3/2B1P1b1/2N2N2/PPPP1PPP/R1BQK2R w KQkq - 0 5"
    );
    // The game is in the trie all the same.
    assert_eq!(outcome.edges.len(), 13);
    let quiet = import(
        &IngestConfig::default(),
        &skipping(),
        &[("a.pgn", ANNOTATED.as_bytes())],
    );
    assert_eq!(quiet.tactics, []);
}

#[cfg(feature = "comment-tactic")]
#[test]
fn blocks_do_not_change_what_annotators_marked() {
    let config = IngestConfig {
        tactic_from_comments: true,
        ..IngestConfig::default()
    };
    let text = ANNOTATED.repeat(3) + "\n[FEN \"6k1/5ppp/8/8/8/8/1r3PPP/3RR1K1 w - - 0 1\"]\n\n1. Re8#!! *\n";
    let whole = import(&config, &skipping(), &[("a.pgn", text.as_bytes())]);
    let cut = ImportOptions {
        block_bytes: 64,
        threads: 3,
        ..skipping()
    };
    assert_eq!(whole, import(&config, &cut, &[("a.pgn", text.as_bytes())]));
    assert_eq!(whole.tactics.len(), 2, "the FEN's tactic is not found twice");
}

#[test]
fn comments_need_their_feature() {
    let config = IngestConfig {
        tactic_from_comments: true,
        ..IngestConfig::default()
    };
    let (_, error) = try_import(&config, &skipping(), &[("a.pgn", ANNOTATED.as_bytes())]);
    assert_eq!(error.is_some(), !cfg!(feature = "comment-tactic"), "{error:?}");
}

#[test]
fn variations_of_an_endless_game_do_not_each_keep_all_of_it() {
    let moves = ["Kh2 (h4) ", "Kh8 (h6) ", "Kg1 (g4) ", "Kg8 (g6) "];
    let game: String = moves.iter().cycle().take(2_000).copied().collect();
    let start = "6k1/5ppp/8/8/8/7P/5PP1/6K1 w - - 0 1";
    let pgn = format!("[Event \"{}\"]\n[FEN \"{start}\"]\n\n{game} *\n", "x".repeat(5_000));
    let found = tactics(&pgn, true);
    // A few hundred variations, and the line itself whole.
    assert!((300..1_000).contains(&found.len()), "{}", found.len());
    assert!(found.iter().any(|tactic| tactic.pv_uci.len() == 2_000));
    assert!(found.iter().map(|tactic| tactic.pv_uci.len()).sum::<usize>() < 110_000);
    assert_eq!(found[0].source_hint.as_deref(), Some("file.pgn"));
    // What is left out is told.
    let options = ImportOptions {
        tactic_variations: true,
        ..skipping()
    };
    let imported = import(&IngestConfig::default(), &options, &[("file.pgn", pgn.as_bytes())]);
    let [told] = imported.rejects.as_slice() else {
        panic!("{:?}", imported.rejects)
    };
    assert_eq!((told.outcome, told.byte_offset), (RejectOutcome::Truncated, 0));
    assert!(told.reason.starts_with("variations of it were left out"), "{told:?}");
    // That is our limit, and no fault to break off for.
    let strict = ImportOptions {
        policy: Policy::FailFast,
        ..options
    };
    let (imported, error) = try_import(&IngestConfig::default(), &strict, &[("file.pgn", pgn.as_bytes())]);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(imported.tactics.len(), found.len());
}
