//! Stage 4: what a judgement needs of the positions before and after a move, or could need: the rules of today do not ask for all
//! of it.

use shakmaty::{Chess, Color, Move, Position as _};
use tabiya_chess::Eval;

use super::{
    lines::{Line, sibling, top_line},
    tree::StateTree,
};

/// The position before a move.
#[derive(Debug, Clone)]
pub struct ExtractedPrevious<'a> {
    pub board: &'a Chess,
    pub top_line: &'a Line,
    /// None where somebody noted down no more than an evaluation.
    pub top_move: Option<Move>,
    pub evaluation: Eval,
    pub subjective_evaluation: Eval,
    pub second_top_line: Option<&'a Line>,
    pub second_top_move: Option<Move>,
    pub second_subjective_evaluation: Option<Eval>,
    /// The move that is judged.
    pub played_move: Move,
}

/// The position after it.
#[derive(Debug, Clone)]
pub struct ExtractedCurrent<'a> {
    pub board: &'a Chess,
    /// None where the game is over.
    pub top_line: Option<&'a Line>,
    pub top_move: Option<Move>,
    pub evaluation: Eval,
    /// From the side of whoever moved.
    pub subjective_evaluation: Eval,
    pub second_top_line: Option<&'a Line>,
    pub second_top_move: Option<Move>,
    pub second_subjective_evaluation: Option<Eval>,
    pub played_move: Move,
}

/// The position before the move that leads to `place`; none where nothing is known of it.
pub fn extract_previous(tree: &StateTree, place: usize) -> Option<ExtractedPrevious<'_>> {
    let node = &tree.nodes[place];
    let played = node.played.as_ref()?;
    let before = &tree.nodes[node.parent?];
    let top = top_line(&before.lines)?;
    let second = sibling(&before.lines, top, 2);
    Some(ExtractedPrevious {
        board: &before.position,
        top_line: top,
        top_move: top.moves.first().copied(),
        evaluation: top.eval,
        subjective_evaluation: subjective(top.eval, played.color),
        second_top_line: second,
        second_top_move: second.and_then(|line| line.moves.first().copied()),
        second_subjective_evaluation: second.map(|line| subjective(line.eval, played.color)),
        played_move: played.m,
    })
}

/// The position after the move that leads to `place`; none where nothing is known of it.
pub fn extract_current(tree: &StateTree, place: usize) -> Option<ExtractedCurrent<'_>> {
    let node = &tree.nodes[place];
    let played = node.played.as_ref()?;
    let top = top_line(&node.lines);
    let second = top.and_then(|top| sibling(&node.lines, top, 2));
    let evaluation = evaluation(&node.position, &node.lines)?;
    Some(ExtractedCurrent {
        board: &node.position,
        top_line: top,
        top_move: top.and_then(|line| line.moves.first().copied()),
        evaluation,
        subjective_evaluation: subjective(evaluation, played.color),
        second_top_line: second,
        second_top_move: second.and_then(|line| line.moves.first().copied()),
        second_subjective_evaluation: second.map(|line| subjective(line.eval, played.color)),
        played_move: played.m,
    })
}

/// An evaluation from a player's side.
pub fn subjective(eval: Eval, player: Color) -> Eval {
    eval.to_mover(player)
}

/// What the board says of a game that is over: by mate, by stalemate, or because neither side has what it takes to mate. None where
/// it goes on.
///
/// An engine would find moves in such a dead position and, by its taste in king squares, a few centipawns. Elsewhere than in a
/// review it is one to be played on from ([`Eval::at_end`]): a knowledge base has a best move wherever there is a legal one.
pub(super) fn over(position: &Chess) -> Option<Eval> {
    let dead = || position.is_insufficient_material().then_some(Eval::Cp(0));
    Eval::at_end(position).or_else(dead)
}

/// What a position is worth: where the game is over the board says so, whatever else was said.
pub fn evaluation(position: &Chess, lines: &[Line]) -> Option<Eval> {
    over(position).or_else(|| top_line(lines).map(|line| line.eval))
}
