//! Pawn structures by example, by near miss, and against a second reading of the rules.

mod examples;
mod naive;

use std::collections::HashSet;

use proptest::prelude::*;
use shakmaty::{Board, Chess, Color, File, Position, Rank, Role, Square};
use tabiya_chess::{Classified, PawnRule, Structure, UNKNOWN, classify, parse_san, resolve};

use crate::walks::walk;
use examples::EXAMPLES;

fn board(fen: &str) -> Board {
    fen.parse().expect(fen)
}

fn after(line: &str) -> Board {
    let mut position = Chess::default();
    for word in line.split(' ') {
        let text = word.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let (san, ..) = parse_san(text.as_bytes()).expect(line);
        position.play_unchecked(resolve(&position, san).expect(line));
    }
    position.board().clone()
}

fn name(board: &Board) -> &'static str {
    classify(board).map_or(UNKNOWN, |found| found.structure.name)
}

#[track_caller]
fn check_slug(fen: &str, slug: &str) {
    assert_eq!(
        classify(&board(fen)).map(|found| found.structure.slug),
        Some(slug),
        "{fen}"
    );
}

#[test]
fn every_example_has_its_name() {
    for example in &EXAMPLES {
        assert_eq!(after(example.line), board(example.board), "{}", example.line);
        assert_eq!(name(&board(example.board)), example.name, "{}", example.board);
    }
    let names: HashSet<&str> = EXAMPLES.iter().map(|example| example.name).collect();
    assert_eq!(names.len(), Structure::all().len());
}

#[test]
fn every_near_miss_is_something_else() {
    for example in &EXAMPLES {
        let (fen, expected) = example.near_miss;
        assert_ne!(expected, example.name);
        assert_eq!(name(&board(fen)), expected, "{fen}, near {}", example.name);
    }
}

#[test]
fn first_moves_have_the_names_of_their_openings() {
    for (line, expected) in [
        ("1.e4 c6 2.d4 d5", "Caro-Kann Structure"),
        ("1.e4 c5", "Sicilian Structure"),
        ("1.d4 Nf6 2.c4 g6 3.Nc3 Bg7", "King's Indian Structure"),
        ("1.d4 d5 2.c4 dxc4 3.e3 e5", "Queen's Gambit Accepted"),
    ] {
        assert_eq!(name(&after(line)), expected, "{line}");
    }
}

#[test]
fn boards_of_few_pawns_have_names() {
    for (slug, boards) in [
        (
            "isolated-queens-pawn",
            &["4k3/8/8/8/3P4/8/8/4K3", "4k3/8/8/3p4/8/8/8/4K3"][..],
        ),
        ("hanging-pawns", &["4k3/8/8/8/2PP4/8/8/4K3", "4k3/8/8/2pp4/8/8/8/4K3"]),
        ("hedgehog", &["4k3/8/pp1pp3/8/8/8/8/4K3"]),
        (
            "maroczy-bind",
            &["4k3/8/1p1p4/2p5/2P1P3/8/8/4K3", "8/pp3ppp/8/2p1p3/8/3P4/PP2PPPP/8"],
        ),
        ("carlsbad", &["4k3/1p6/2p5/3p4/3P4/4P3/8/4K3"]),
        ("french-structure", &["4k3/8/4p3/3pP3/3P4/8/8/4K3"]),
        ("kings-indian-structure", &["4k3/8/3p2p1/4p3/3PP3/8/8/4K3"]),
    ] {
        for fen in boards {
            check_slug(fen, slug);
        }
    }
}

#[test]
fn iqp_classification() {
    let found = classify(&after("1.d4 d5 2.c4 dxc4 3.e3 e5 4.Bxc4 exd4 5.exd4")).expect("known");
    assert_eq!(found.structure.name, "Isolated Queen's Pawn");
    assert_eq!((found.row, found.rule, found.side), (1, "d4 -ce / -d ~", Color::White));
    let tarrasch = classify(&board("r2q1rk1/pp3ppp/2n1bn2/2bp4/8/2N2NP1/PP2PPBP/R1BQ1RK1")).expect("known");
    assert_eq!((tarrasch.row, tarrasch.side), (1, Color::Black));
}

#[test]
fn hedgehog_classification() {
    let fen = "rn1qk2r/pb2bppp/1p1ppn2/8/2PQ4/2N2NP1/PP2PPBP/R1B2RK1";
    assert_eq!(name(&board(fen)), "Hedgehog");
}

#[test]
fn french_structure_classification() {
    assert_eq!(name(&after("1.e4 e6 2.d4 d5")), "French Structure");
}

#[test]
fn starting_position_returns_unknown() {
    assert_eq!(classify(&Board::new()), None);
    assert_eq!(UNKNOWN, "Unknown");
}

#[test]
fn nothing_has_a_structure_before_pawns_have_met() {
    for line in ["1.e4 e5", "1.d4 d5", "1.d4 Nf6 2.c4 e6", "1.Nf3 Nf6"] {
        assert_eq!(classify(&after(line)), None, "{line}");
    }
}

#[test]
fn an_empty_board_is_an_open_center() {
    assert_eq!(name(&Board::empty()), "Open Center");
}

/// The rows of the table, in order.
fn rows() -> Vec<(usize, &'static str)> {
    let mut rows: Vec<_> = Structure::all().iter().flat_map(Structure::rules).collect();
    rows.sort_unstable();
    assert!(rows.iter().map(|(row, _)| *row).eq(1..=43));
    rows
}

/// Some or all of the pawns of both sides, mostly in their half of the board, and a few bishops.
fn pawns_and_bishops() -> impl Strategy<Value = Board> {
    let pawn = prop_oneof![
        2 => Just(None),
        6 => (1u32..5).prop_map(Some),
        1 => (5u32..7).prop_map(Some),
    ];
    let side = (
        proptest::collection::vec(pawn, 8),
        proptest::option::weighted(0.1, (0u32..8, 1u32..7)),
        proptest::option::weighted(0.3, prop_oneof![Just(14u32), Just(29), Just(22), Just(15), Just(33)]),
    );
    (side.clone(), side).prop_map(|sides| {
        let mut board = Board::empty();
        for (color, (pawns, doubled, bishop)) in [(Color::White, sides.0), (Color::Black, sides.1)] {
            let pawns = (0u32..).zip(pawns).filter_map(|(file, rank)| Some((file, rank?)));
            let pawns = pawns
                .chain(doubled)
                .map(|(file, rank)| (Square::from_coords(File::new(file), Rank::new(rank)), Role::Pawn));
            let bishop = bishop.map(|index| (Square::new(index), Role::Bishop));
            for (square, role) in pawns.chain(bishop) {
                let square = color.fold_wb(square, square.flip_vertical());
                if board.piece_at(square).is_none() {
                    board.set_piece_at(square, role.of(color));
                }
            }
        }
        board
    })
}

fn check_reversed(board: &Board) {
    let Some(found) = classify(board).filter(|found| found.rule.ends_with('~')) else {
        return;
    };
    let reversed = classify(&board.clone().into_mirrored()).expect("the rule holds both ways");
    if reversed.rule.ends_with('~') {
        // The other alternatives of a row may come first the other way round, the label may not change.
        assert_eq!(
            (reversed.structure, reversed.row),
            (found.structure, found.row),
            "{board}"
        );
    } else {
        // A rule that is tried as written only stands higher in the table.
        assert!(reversed.row <= found.row, "{board}");
    }
}

fn check_against_naive(rows: &[(usize, &'static str)], board: &Board) {
    let found = classify(board).map(|Classified { row, rule, side, .. }| (row, rule, side));
    assert_eq!(found, naive::classify(rows, board), "{board}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn labels_are_those_of_a_second_reading(board in pawns_and_bishops()) {
        check_against_naive(&rows(), &board);
    }

    #[test]
    fn colours_reversed_keep_the_label_where_the_rule_says_so(board in pawns_and_bishops()) {
        check_reversed(&board);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn positions_of_games_agree_too(seed: u64) {
        let rows = rows();
        walk(seed, 60, |position, _| {
            check_against_naive(&rows, position.board());
            check_reversed(position.board());
        });
    }
}

#[test]
fn examples_with_colours_reversed_keep_their_names_but_for_the_twins() {
    let renamed: Vec<_> = EXAMPLES
        .iter()
        .map(|example| (example.name, name(&board(example.board).into_mirrored())))
        .filter(|(name, reversed)| name != reversed)
        .collect();
    assert_eq!(
        renamed,
        [
            ("Scheveningen Structure", "English Structure"),
            ("Najdorf Structure", "English Structure"),
            ("Dragon Structure", "English Structure"),
            ("Sicilian Structure", "English Structure"),
            ("Ruy Lopez Structure", "Italian Structure"),
            ("King's Indian Structure", "King's Indian Attack"),
            ("London Structure", "Unknown"),
            ("Philidor Structure", "Italian Structure"),
            ("King's Indian Attack", "King's Indian Structure"),
            ("Slav Structure", "Queen's Gambit Structure"),
            ("English Structure", "Sicilian Structure"),
            ("Classical Center", "King's Indian Attack"),
        ]
    );
}

#[test]
fn a_rule_of_one_s_own_finds_boards() {
    let rule: PawnRule = "[c5 e5] -f / .; e4 / c* -d ~".parse().expect("a rule");
    for (fen, expected) in [
        ("8/8/8/4P3/8/8/8/8", true),
        ("8/8/8/4PP2/8/8/8/8", false),
        ("8/2p5/8/8/4P3/8/8/8", true),
        ("8/2pp4/8/8/4P3/8/8/8", false),
        ("8/8/8/4p3/8/8/2P5/8", true),
    ] {
        assert_eq!(rule.matches(&board(fen)), expected, "{fen}");
    }
}
