//! The noise guard: where two searches contradict each other, the move is searched again from where it was played.

use shakmaty::Position as _;
use tabiya_chess::{Eval, expected_points};

use super::{
    extract::{extract_current, extract_previous},
    lines::{Line, sibling},
    tree::StateTree,
};

/// By how many expected points two searches of the same thing may differ.
pub const DEFAULT_MARGIN: f64 = 0.10;

/// The nodes whose move is to be searched again.
pub(super) fn contradictions(tree: &StateTree, margin: f64) -> Vec<usize> {
    tree.chain().filter(|place| contradicts(tree, *place, margin)).collect()
}

/// Whether the search before a move and the one after it say different things of it.
fn contradicts(tree: &StateTree, place: usize, margin: f64) -> bool {
    let (Some(previous), Some(current)) = (extract_previous(tree, place), extract_current(tree, place)) else {
        return false;
    };
    // Over is over.
    if current.top_line.is_none() {
        return false;
    }
    let points = |eval: Eval| mover_s_points(eval, previous.board.turn().is_white());
    let after = points(current.evaluation);
    let before = &tree.nodes[tree.nodes[place].parent.unwrap_or(0)];
    let found = (1..=u8::MAX)
        .map_while(|index| sibling(&before.lines, previous.top_line, index))
        .find(|line| line.moves.first() == Some(&previous.played_move));
    match found {
        // It was searched before: the same is to come out.
        Some(line) => (points(line.eval) - after).abs() > margin,
        // It was not among the best, so it is no better than the best.
        None => after - points(previous.evaluation) > margin,
    }
}

fn mover_s_points(eval: Eval, white_moved: bool) -> f64 {
    let white = expected_points(eval);
    if white_moved { white } else { 1.0 - white }
}

/// The evaluations to judge a move by: those of both searches, or what the search in between found.
pub(super) fn settled(previous: Eval, current: Eval, again: Option<&Line>, white_moved: bool) -> (Eval, Eval) {
    let Some(again) = again else {
        return (previous, current);
    };
    let points = |eval: Eval| mover_s_points(eval, white_moved);
    // A move that is better than the best was the best.
    let before = if points(again.eval) > points(previous) {
        again.eval
    } else {
        previous
    };
    (before, again.eval)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(eval: Eval) -> Line {
        Line {
            eval,
            source: "stockfish-17".to_owned(),
            depth: 20,
            index: 1,
            moves: Vec::new(),
        }
    }

    #[test]
    fn the_search_in_between_has_the_last_word() {
        let (before, after) = (Eval::Cp(20), Eval::Cp(-400));
        assert_eq!(settled(before, after, None, true), (before, after));
        let agreed = line(Eval::Cp(-10));
        assert_eq!(settled(before, after, Some(&agreed), true), (before, Eval::Cp(-10)));
        let better = line(Eval::Cp(90));
        assert_eq!(
            settled(before, after, Some(&better), true),
            (Eval::Cp(90), Eval::Cp(90)),
            "nothing is lost by a move that is better than the best"
        );
        assert_eq!(settled(before, after, Some(&better), false), (before, Eval::Cp(90)));
    }
}
