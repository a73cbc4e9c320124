//! The trie's invariants, and that neither repetition nor order shows in it.

use std::collections::HashSet;

use pgn_import::{ImportOptions, IngestConfig, SideFilter};
use shakmaty::{CastlingMode, Position as _};
use tabiya_chess::{PositionId, edge_id, epd, fnv1a, from_uci, parse_fen, parse_fen_with_mode, to_san};

use crate::{
    round_trip::random_game,
    support::{INITIAL, Outcome, Random, fixtures, import, import_text, joinable_fixtures, skipping},
};

fn with_fens() -> ImportOptions {
    ImportOptions {
        include_fen_in_trie: true,
        ..skipping()
    }
}

/// (parent, move) is unique; playing the move in the parent gives the child; ids are the published hashes.
fn check_invariants(outcome: &Outcome, deduped: bool) {
    let mut keys = HashSet::new();
    for position in &outcome.positions {
        let parsed = parse_fen(&position.fen).expect("a FEN").position;
        let text = if deduped { epd(&parsed) } else { position.fen.clone() };
        assert_eq!(position.id, fnv1a(text.as_bytes()), "{}", position.fen);
        assert_eq!(position.side_to_move, parsed.turn().char());
        assert_eq!(position.ply, tabiya_chess::ply_of(&parsed), "{}", position.fen);
        assert!(keys.insert(text), "{} twice", position.fen);
    }
    let mut keys = HashSet::new();
    for edge in &outcome.edges {
        assert!(keys.insert((edge.parent_id, &edge.move_uci)), "{edge:?} twice");
        assert_eq!(edge.id, edge_id(PositionId::from(edge.parent_id), &edge.move_uci));
        let mut position = parse_fen(outcome.fen_of(edge.parent_id)).expect("a FEN").position;
        let m = from_uci(&position, &edge.move_uci).expect("a legal move");
        assert_eq!(edge.move_san, to_san(&position, m));
        position.play_unchecked(m);
        let child = parse_fen(outcome.fen_of(edge.child_id)).expect("a FEN").position;
        assert_eq!(epd(&position), epd(&child));
    }
    let edges: HashSet<_> = outcome.edges.iter().map(|edge| edge.id).collect();
    assert!(
        outcome
            .memberships
            .iter()
            .all(|membership| edges.contains(&membership.edge_id))
    );
}

#[test]
fn published_vectors() {
    let outcome = import_text("1. e4 *");
    let edge = &outcome.edges[0];
    assert_eq!(
        edge.parent_id,
        fnv1a(b"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -")
    );
    assert_eq!(
        edge.child_id,
        fnv1a(b"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq -")
    );
    let mut bytes = edge.parent_id.to_le_bytes().to_vec();
    bytes.extend_from_slice(b"e2e4");
    assert_eq!(edge.id, fnv1a(&bytes));
}

#[test]
fn invariants_hold_for_every_fixture() {
    for (name, bytes) in fixtures() {
        // Claims to be the four billionth move: its own counters cannot be counted on from.
        if name != "fen-spellings" {
            check_invariants(
                &import(&IngestConfig::default(), &with_fens(), &[(&name, &bytes)]),
                true,
            );
        }
        import(&IngestConfig::default(), &with_fens(), &[(&name, &bytes)]);
    }
}

#[test]
fn invariants_hold_for_random_games() {
    let pgn: String = (0..60)
        .map(|seed| format!("{}\n", random_game(&mut Random(seed))))
        .collect();
    for dedupe_transpositions in [true, false] {
        let config = IngestConfig {
            dedupe_transpositions,
            repertoire: Some("r".to_owned()),
            owner: "o".to_owned(),
            ..IngestConfig::default()
        };
        // Without roots of their own, plies and counters are those of real paths.
        let outcome = import(&config, &skipping(), &[("random.pgn", pgn.as_bytes())]);
        assert!(outcome.edges.len() > 1_000);
        check_invariants(&outcome, dedupe_transpositions);
        assert_eq!(outcome.memberships.len(), outcome.edges.len());
    }
}

#[test]
fn the_same_file_twice_is_the_same_as_once() {
    let bytes = joinable_fixtures().join(&b"\n\n"[..]);
    let config = IngestConfig {
        repertoire: Some("r".to_owned()),
        ..IngestConfig::default()
    };
    for options in [
        skipping(),
        with_fens(),
        ImportOptions {
            tactic_variations: true,
            ..skipping()
        },
    ] {
        let once = import(&config, &options, &[("a.pgn", &bytes)]);
        let twice = import(&config, &options, &[("a.pgn", &bytes), ("a.pgn", &bytes)]);
        assert_eq!(once.positions, twice.positions);
        assert_eq!(once.edges, twice.edges);
        assert_eq!(once.tactics, twice.tactics);
        assert_eq!(once.memberships, twice.memberships);
        assert_eq!(twice.counters.positions_inserted, once.counters.positions_inserted);
        assert_eq!(twice.counters.edges_inserted, once.counters.edges_inserted);
        assert_eq!(once.counters.positions_inserted, once.positions.len() as u64);
        assert_eq!(once.counters.edges_inserted, once.edges.len() as u64);
    }
}

#[test]
fn the_order_of_files_does_not_show() {
    let all = joinable_fixtures();
    let long_way = "1. Nf3 Nf6 2. Ng1 Ng8 3. e4 e5 4. Nf3 Nc6 5. Bb5 a6 *";
    let short_way = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 *";
    let other_way = "1. Nf3 Nc6 2. e4 e5 3. Bb5 a6 4. Ba4 Nf6 *";
    let random: String = (100..130)
        .map(|seed| format!("{}\n", random_game(&mut Random(seed))))
        .collect();
    let mut files: Vec<(String, Vec<u8>)> = [long_way, short_way, other_way, &random]
        .iter()
        .enumerate()
        .map(|(n, text)| (format!("{n}.pgn"), text.as_bytes().to_vec()))
        .collect();
    files.push(("all.pgn".to_owned(), all.join(&b"\n\n"[..])));
    let config = IngestConfig {
        repertoire: Some("r".to_owned()),
        ..IngestConfig::default()
    };
    for options in [skipping(), with_fens()] {
        let mut expected: Option<Outcome> = None;
        for seed in 0..6 {
            let mut random = Random(seed);
            let mut shuffled: Vec<(&str, &[u8])> = files
                .iter()
                .map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
                .collect();
            for i in (1..shuffled.len()).rev() {
                shuffled.swap(i, random.below(i + 1));
            }
            let outcome = import(&config, &options, &shuffled);
            let expected = expected.get_or_insert_with(|| outcome.clone());
            assert_eq!(expected.positions, outcome.positions);
            assert_eq!(expected.edges, outcome.edges);
            assert_eq!(expected.tactics, outcome.tactics);
            assert_eq!(expected.memberships, outcome.memberships);
        }
    }
}

/// One position, two ways of three half-moves: the parent with the smaller EPD decides about the counters.
#[test]
fn of_equally_short_ways_the_smaller_parent_decides() {
    let ways = ["1. Nf3 d5 2. d4 *", "1. d4 d5 2. Nf3 *"];
    for files in [[ways[0], ways[1]], [ways[1], ways[0]]] {
        let files: Vec<(&str, &[u8])> = files.iter().map(|text| ("a.pgn", text.as_bytes())).collect();
        let outcome = import(&IngestConfig::default(), &skipping(), &files);
        let meeting: Vec<_> = outcome
            .positions
            .iter()
            .filter(|p| p.fen.starts_with("rnbqkbnr/ppp1pppp/8/3p4/3P4/5N2/"))
            .collect();
        // After 1.Nf3 d5 the EPD begins `…/8/5N2/PPPP…`, after 1.d4 d5 it begins `…/3P4/8/…`: `3` is smaller than `8`.
        assert_eq!(
            meeting[0].fen,
            "rnbqkbnr/ppp1pppp/8/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R b KQkq - 1 2"
        );
        assert_eq!((meeting.len(), meeting[0].ply), (1, 3));
    }
}

#[test]
fn transpositions_are_one_node_or_two() {
    let pgn = "1. Nf3 d5 2. d4 Nf6 *\n\n1. d4 d5 2. Nf3 Nf6 *\n";
    let merged = import_text(pgn);
    assert_eq!((merged.positions.len(), merged.edges.len()), (7, 7));
    let config = IngestConfig {
        dedupe_transpositions: false,
        ..IngestConfig::default()
    };
    let apart = import(&config, &skipping(), &[("a.pgn", pgn.as_bytes())]);
    assert_eq!((apart.positions.len(), apart.edges.len()), (9, 8));
    check_invariants(&apart, false);
}

#[test]
fn a_line_that_comes_back_to_itself_stays_finite() {
    let outcome = import_text("1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *");
    assert_eq!((outcome.positions.len(), outcome.edges.len()), (4, 4));
    check_invariants(&outcome, true);
    assert!(outcome.positions.iter().all(|position| position.ply < 4));
}

#[test]
fn depth_is_counted_in_half_moves_from_the_root() {
    let pgn = "1. e4 e5 (1... c5 2. Nf3 (2. c3 d5) d6) 2. Nf3 Nc6 (2... Nf6) 3. Bb5 *";
    let depth = |max_depth| {
        let config = IngestConfig {
            max_depth,
            ..IngestConfig::default()
        };
        import(&config, &skipping(), &[("a.pgn", pgn.as_bytes())])
    };
    assert_eq!(depth(Some(0)).sans(), [""; 0]);
    assert_eq!(depth(Some(0)).positions.len(), 1);
    assert_eq!(depth(Some(1)).sans(), ["e4"]);
    assert_eq!(depth(Some(2)).sans(), ["c5", "e4", "e5"]);
    assert_eq!(depth(Some(3)).sans(), ["Nf3", "Nf3", "c3", "c5", "e4", "e5"]);
    assert_eq!(
        depth(Some(4)).sans(),
        ["Nc6", "Nf3", "Nf3", "Nf6", "c3", "c5", "d5", "d6", "e4", "e5"]
    );
    assert_eq!(depth(Some(99)), depth(None));
    // From a FEN it counts from there.
    let config = IngestConfig {
        max_depth: Some(1),
        ..IngestConfig::default()
    };
    let fen = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 40\"]\n\n40. e4 Kd7 41. e5 *";
    assert_eq!(
        import(&config, &with_fens(), &[("a.pgn", fen.as_bytes())]).sans(),
        ["e4"]
    );
}

#[test]
fn errors_beyond_the_depth_are_not_looked_for() {
    let config = IngestConfig {
        max_depth: Some(2),
        ..IngestConfig::default()
    };
    let outcome = import(&config, &skipping(), &[("a.pgn", b"1. e4 e5 2. Nf3 Ke3 *")]);
    assert_eq!((outcome.rejects, outcome.counters.pgn_games_failed), (vec![], 0));
}

#[test]
fn the_side_filter_looks_at_the_root() {
    let pgn = format!(
        "1. e4 e5 *\n\n[FEN \"{}\"]\n\n1... d5 *\n\n[FEN \"{}\"]\n\n40. e4 *\n",
        "rnbqkbnr/pppppppp/8/8/2P5/8/PP1PPPPP/RNBQKBNR b KQkq - 0 1", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 40"
    );
    let side = |side_filter| {
        let config = IngestConfig {
            side_filter,
            ..IngestConfig::default()
        };
        let outcome = import(&config, &with_fens(), &[("a.pgn", pgn.as_bytes())]);
        (
            outcome.sans().join(" "),
            outcome.counters.pgn_games_left_out,
            outcome.counters.pgn_games_total,
        )
    };
    assert_eq!(side(SideFilter::Both), ("d5 e4 e4 e5".to_owned(), 0, 3));
    assert_eq!(side(SideFilter::White), ("e4 e4 e5".to_owned(), 1, 3));
    assert_eq!(side(SideFilter::Black), ("d5".to_owned(), 2, 3));
}

#[test]
fn variations_can_be_left_out() {
    let pgn = "1. e4 e5 (1... c5 2. Nf3) 2. Nf3 (2. Ke3) Nc6 *";
    let config = IngestConfig {
        accept_variations: false,
        ..IngestConfig::default()
    };
    let outcome = import(&config, &skipping(), &[("a.pgn", pgn.as_bytes())]);
    assert_eq!(outcome.sans(), ["Nc6", "Nf3", "e4", "e5"]);
    assert_eq!(outcome.rejects, [], "what is left out is not judged");
}

#[test]
fn a_null_move_ends_the_branch_and_nothing_else() {
    let outcome =
        import_text("1. e4 (1. -- d5 2. d4) 1... e5 (1... -- 2. d4 (2. c4)) 2. Nf3 -- (2... Nc6) 3. Bb5 a6 *");
    assert_eq!(outcome.sans(), ["Nc6", "Nf3", "e4", "e5"]);
    let [cut] = outcome.rejects.as_slice() else {
        panic!("{:?}", outcome.rejects)
    };
    assert_eq!((cut.ply, cut.san.as_str()), (3, "--"));
    check_invariants(&outcome, true);
}

#[test]
fn en_passant_counts_only_where_it_can_be_played() {
    let outcome = import_text("1. e4 Nf6 2. e5 d5 *\n\n1. e4 *\n");
    let fens: Vec<_> = outcome.positions.iter().map(|position| position.fen.as_str()).collect();
    assert!(
        fens.contains(&"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"),
        "{fens:?}"
    );
    assert!(
        fens.contains(&"rnbqkb1r/ppp1pppp/5n2/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 3"),
        "{fens:?}"
    );
}

#[test]
fn games_from_a_fen_join_the_trie_only_where_asked() {
    let (name, bytes) = (
        "a.pgn",
        &b"[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 *\n"[..],
    );
    let as_tactic = import(&IngestConfig::default(), &skipping(), &[(name, bytes)]);
    assert_eq!(
        (
            as_tactic.edges.len(),
            as_tactic.positions.len(),
            as_tactic.tactics.len()
        ),
        (0, 0, 1)
    );
    let in_trie = import(&IngestConfig::default(), &with_fens(), &[(name, bytes)]);
    assert_eq!(
        (in_trie.edges.len(), in_trie.positions.len(), in_trie.tactics.len()),
        (2, 3, 0)
    );
    let config = IngestConfig {
        tactic_from_fen: false,
        ..IngestConfig::default()
    };
    let left_out = import(&config, &skipping(), &[(name, bytes)]);
    assert_eq!(
        (
            left_out.edges.len(),
            left_out.tactics.len(),
            left_out.counters.pgn_games_left_out
        ),
        (0, 0, 1)
    );
}

#[test]
fn the_initial_position_by_fen_is_an_opening() {
    let outcome = import_text(&format!(
        "[FEN \"{INITIAL}\"]\n\n1. e4 *\n\n[FEN \"startpos\"]\n\n1. d4 *\n"
    ));
    assert_eq!((outcome.sans(), outcome.tactics.len()), (vec!["d4", "e4"], 0));
    assert_eq!(outcome.moves_from(INITIAL), ["d2d4", "e2e4"]);
}

#[test]
fn chess960_games_are_games_and_stay_out_unless_asked_for() {
    let bytes = std::fs::read(crate::support::fixture_dir().join("chess960-variant-tag.pgn")).expect("a fixture");
    let left_out = import(&IngestConfig::default(), &skipping(), &[("a.pgn", &bytes)]);
    assert_eq!(
        (
            left_out.edges.len(),
            left_out.tactics.len(),
            left_out.counters.pgn_games_left_out
        ),
        (0, 0, 4)
    );
    let options = ImportOptions {
        include_chess960: true,
        ..skipping()
    };
    let included = import(&IngestConfig::default(), &options, &[("a.pgn", &bytes)]);
    assert_eq!(included.tactics.len(), 0);
    let castling: Vec<_> = included
        .edges
        .iter()
        .filter(|edge| edge.move_san == "O-O")
        .map(|edge| edge.move_uci.as_str())
        .collect();
    // From the usual array it is written in the usual way: those positions are shared with standard games.
    let mut kinds = castling.clone();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, ["e1g1", "f1g1", "f8g8"]);
    for edge in &included.edges {
        let fen = included.fen_of(edge.parent_id);
        let position = parse_fen_with_mode(fen, CastlingMode::Chess960)
            .expect("a FEN")
            .position;
        let m = from_uci(&position, &edge.move_uci).expect("a legal move");
        assert_eq!(to_san(&position, m), edge.move_san);
    }
}

#[test]
fn a_late_move_number_costs_no_memory_and_an_absurd_one_the_game() {
    let absurd = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 4294967295\"]\n\n1. e4 *\n\n1. e4 *\n";
    let outcome = import(&IngestConfig::default(), &with_fens(), &[("a.pgn", absurd.as_bytes())]);
    assert_eq!((outcome.edges.len(), outcome.rejects.len()), (1, 1));
    let pgn = "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 999999\"]\n\n1. e4 Kd7 2. e5 (2. Kd2) Ke7 *\n\n1. e4 *\n";
    let outcome = import(&IngestConfig::default(), &with_fens(), &[("a.pgn", pgn.as_bytes())]);
    assert_eq!(outcome.edges.len(), 6);
}

#[test]
fn studies_label_their_chapters() {
    let bytes = std::fs::read(crate::support::fixture_dir().join("lichess-study.pgn")).expect("a fixture");
    let more = b"[Event \"Other study: One\"]\n\n1. e4 e5 *\n\n[Event \"Wijk aan Zee\"]\n\n1. e4 *\n\n[ChapterName \"Alone\"]\n\n1. e4 *\n";
    let config = IngestConfig {
        owner: "me".to_owned(),
        repertoire: Some("Fallback".to_owned()),
        ..IngestConfig::default()
    };
    let options = ImportOptions {
        repertoire_from_study: true,
        ..skipping()
    };
    let outcome = import(&config, &options, &[("a.pgn", &bytes), ("b.pgn", more)]);
    let mut labels: Vec<_> = outcome
        .memberships
        .iter()
        .map(|m| (m.repertoire_key.as_str(), m.owner.as_str()))
        .collect();
    labels.dedup();
    assert_eq!(
        labels,
        [
            ("Alone", "me"),
            ("Fallback", "me"),
            ("My study: Chapter 1", "me"),
            ("Other study: One", "me")
        ]
    );
    let count = |label: &str| outcome.memberships.iter().filter(|m| m.repertoire_key == label).count();
    assert_eq!(
        [
            count("Alone"),
            count("Fallback"),
            count("My study: Chapter 1"),
            count("Other study: One")
        ],
        [1, 1, 4, 2]
    );
    // Without the option all go under one label.
    let plain = import(&config, &skipping(), &[("a.pgn", &bytes), ("b.pgn", more)]);
    assert!(plain.memberships.iter().all(|m| m.repertoire_key == "Fallback"));
    assert_eq!(plain.memberships.len(), plain.edges.len());
}

#[test]
fn of_two_sources_the_smaller_name_is_the_hint() {
    let (a, b) = (("a.pgn", &b"1. e4 e5 *"[..]), ("b.pgn", &b"1. e4 c5 *"[..]));
    for files in [[a, b], [b, a]] {
        let outcome = import(&IngestConfig::default(), &skipping(), &files);
        let hint = |san: &str| {
            let edge = outcome.edges.iter().find(|edge| edge.move_san == san).expect(san);
            edge.source_hint.clone().expect("a hint")
        };
        assert_eq!([hint("e4"), hint("e5"), hint("c5")], ["a.pgn", "a.pgn", "b.pgn"]);
    }
}
