//! What is extracted from a tree, field by field, and where two searches contradict each other.

use std::io::Cursor;

use pgn_import::{Source, read_trees};
use shakmaty::{Color, Position as _};
use tabiya_chess::{Eval, from_uci, to_uci};

use super::{Line, StateTree, evaluation, extract_current, extract_previous, guard::contradictions, subjective};

fn tree(pgn: &str) -> StateTree {
    let source = Source::from_reader("test".to_owned(), Box::new(Cursor::new(pgn.to_owned())), None, 0);
    let mut games = Vec::new();
    read_trees(source.expect("a source"), |game| games.push(game)).expect("whole");
    StateTree::of(&games[0], true).expect("a fit game")
}

/// Gives a node lines of one search, each with its first move.
fn give(tree: &mut StateTree, place: usize, lines: &[(Eval, &str)]) {
    let position = tree.nodes[place].position.clone();
    tree.nodes[place].lines = (1..)
        .zip(lines)
        .map(|(index, (eval, uci))| Line {
            eval: *eval,
            source: "stockfish-17".to_owned(),
            depth: 20,
            index,
            moves: from_uci(&position, uci).into_iter().collect(),
        })
        .collect();
}

#[test]
fn the_position_before_has_all_that_the_seed_asks_for() {
    let mut tree = tree("1. e4 e5 *");
    give(
        &mut tree,
        1,
        &[(Eval::Cp(45), "e7e5"), (Eval::Cp(52), "c7c5"), (Eval::Cp(60), "e7e6")],
    );
    let previous = extract_previous(&tree, 2).expect("known");
    assert_eq!(previous.board.turn(), Color::Black);
    assert_eq!(
        (previous.evaluation, previous.subjective_evaluation),
        (Eval::Cp(45), Eval::Cp(-45))
    );
    assert_eq!(previous.top_line.index, 1);
    let uci = |m| to_uci(previous.board, m);
    assert_eq!(previous.top_move.map(uci).as_deref(), Some("e7e5"));
    assert_eq!(previous.second_top_line.map(|line| line.index), Some(2));
    assert_eq!(previous.second_top_move.map(uci).as_deref(), Some("c7c5"));
    assert_eq!(previous.second_subjective_evaluation, Some(Eval::Cp(-52)));
    assert_eq!(
        uci(previous.played_move),
        "e7e5",
        "the judged move, not the one before it"
    );
}

#[test]
fn the_position_after_has_too() {
    let mut tree = tree("1. e4 e5 *");
    give(&mut tree, 2, &[(Eval::Cp(42), "g1f3"), (Eval::Cp(30), "f1c4")]);
    let current = extract_current(&tree, 2).expect("known");
    assert_eq!(
        (current.evaluation, current.subjective_evaluation),
        (Eval::Cp(42), Eval::Cp(-42))
    );
    assert_eq!(
        current.top_move.map(|m| to_uci(current.board, m)).as_deref(),
        Some("g1f3")
    );
    assert_eq!(
        current.second_top_move.map(|m| to_uci(current.board, m)).as_deref(),
        Some("f1c4")
    );
    assert_eq!(current.second_subjective_evaluation, Some(Eval::Cp(-30)));
    assert_eq!(current.played_move, tree.nodes[2].played.as_ref().expect("a move").m);
}

#[test]
fn nothing_is_extracted_from_nothing() {
    let mut tree = tree("1. e4 e5 *");
    assert!(extract_previous(&tree, 1).is_none() && extract_current(&tree, 1).is_none());
    // No move leads to the first position.
    give(&mut tree, 0, &[(Eval::Cp(30), "e2e4")]);
    assert!(extract_previous(&tree, 0).is_none() && extract_current(&tree, 0).is_none());
    // A line whose move cannot be played is an evaluation and no more.
    give(&mut tree, 0, &[(Eval::Cp(30), "e7e5")]);
    let previous = extract_previous(&tree, 1).expect("known");
    assert_eq!((previous.evaluation, previous.top_move), (Eval::Cp(30), None));
}

#[test]
fn a_variation_is_judged_from_where_it_begins() {
    let mut tree = tree("1. e4 e5 (1... c5) 2. Nf3 *");
    give(&mut tree, 1, &[(Eval::Cp(45), "e7e5")]);
    let previous = extract_previous(&tree, 4).expect("known");
    assert_eq!(to_uci(previous.board, previous.played_move), "c7c5");
    assert_eq!(previous.evaluation, Eval::Cp(45));
}

#[test]
fn where_it_is_over_the_board_says_so() {
    let mut tree = tree("1. f3 e5 2. g4 Qh4# *");
    let last = tree.nodes.len() - 1;
    assert_eq!(
        Eval::at_end(&tree.nodes[last].position),
        Some(Eval::Checkmate(Color::Black))
    );
    // Whatever a file says of it.
    tree.nodes[last].lines = vec![Line {
        eval: Eval::Cp(500),
        source: "somebody".to_owned(),
        depth: 9,
        index: 1,
        moves: Vec::new(),
    }];
    let node = &tree.nodes[last];
    assert_eq!(
        evaluation(&node.position, &node.lines),
        Some(Eval::Checkmate(Color::Black))
    );
    let current = extract_current(&tree, last).expect("known");
    assert_eq!(
        current.subjective_evaluation,
        Eval::Checkmate(Color::White),
        "the mover's own"
    );
}

#[test]
fn searches_contradict_each_other_or_do_not() {
    let found = |before: &[(Eval, &str)], after: Eval| {
        let mut tree = tree("1. e4 *");
        give(&mut tree, 0, before);
        give(&mut tree, 1, &[(after, "e7e5")]);
        !contradictions(&tree, 0.10).is_empty()
    };
    let top = [(Eval::Cp(30), "e2e4"), (Eval::Cp(20), "d2d4")];
    assert!(!found(&top, Eval::Cp(-20)), "noise");
    assert!(found(&top, Eval::Cp(-200)) && found(&top, Eval::Cp(250)));
    let second = [(Eval::Cp(30), "d2d4"), (Eval::Cp(-200), "e2e4")];
    assert!(!found(&second, Eval::Cp(-210)), "as bad as it was said to be");
    assert!(found(&second, Eval::Cp(30)));
    let other = [(Eval::Cp(30), "d2d4"), (Eval::Cp(20), "c2c4")];
    assert!(!found(&other, Eval::Cp(-700)), "nobody had looked at it");
    assert!(found(&other, Eval::Cp(300)));
}

#[test]
fn evaluations_from_either_side() {
    for (eval, player, expected) in [
        (Eval::Cp(200), Color::White, Eval::Cp(200)),
        (Eval::Cp(200), Color::Black, Eval::Cp(-200)),
        (Eval::Cp(-150), Color::White, Eval::Cp(-150)),
        (Eval::Cp(-150), Color::Black, Eval::Cp(150)),
        (Eval::Mate(3), Color::White, Eval::Mate(3)),
        (Eval::Mate(3), Color::Black, Eval::Mate(-3)),
    ] {
        assert_eq!(subjective(eval, player), expected);
    }
}
