//! A reviewed game as annotated PGN.

use pgn_import::{Game, Node, NodeId};
use tabiya_chess::{Class, Eval, EvalComment};

use super::{
    extract::over,
    lines::{texts, top_line},
    report::{ClassName, MoveReport},
    tree::StateTree,
};

/// As many half-moves of a better line are written.
const LINE: usize = 8;

/// How an evaluation begins in a comment.
const EVAL: &str = "[%eval";

/// The game with evaluations, signs, explanations and better lines. What stood there stays, but for evaluations, which are
/// replaced.
pub(super) fn annotated(game: &Game, tree: &StateTree, moves: &[MoveReport]) -> String {
    let mut game = game.clone();
    for node in &tree.nodes {
        forget_evals(game.node_mut(node.origin));
    }
    // Better lines come last among the alternatives, so nothing that is written later is moved.
    for (report, node) in moves.iter().zip(tree.nodes.iter().skip(1)) {
        annotate_node(&mut game, node.origin, report, eval_comment(node));
        if let (Some(ClassName(class)), Some(parent)) = (report.classification, node.parent)
            && class.is_bad()
        {
            add_line(&mut game, tree, parent, report);
        }
    }
    game.to_string()
}

fn eval_comment(node: &super::tree::StateNode) -> Option<String> {
    if over(&node.position).is_some() {
        return None;
    }
    let top = top_line(&node.lines)?;
    let comment = EvalComment {
        eval: top.eval,
        depth: (top.depth > 0).then(|| u32::from(top.depth)),
    };
    matches!(top.eval, Eval::Cp(_) | Eval::Mate(_)).then(|| format!("[%eval {comment}]"))
}

fn annotate_node(game: &mut Game, origin: NodeId, report: &MoveReport, eval: Option<String>) {
    let node = game.node_mut(origin);
    let Some(ClassName(class)) = report.classification else {
        node.comments.splice(0..0, eval);
        return;
    };
    if let Some(nag) = class.nag() {
        // One sign for the move itself is enough, and this one is why the game was reviewed.
        node.nags.retain(|nag| !(1..=6).contains(nag));
        node.nags.insert(0, nag);
    }
    let words = spoken(class, report).map(|words| match &eval {
        Some(eval) => format!("{eval} {words}"),
        None => words,
    });
    node.comments.splice(0..0, words.or(eval));
}

/// What is worth saying in a comment: not that a move is good, but that it is better or worse than that.
fn spoken(class: Class, report: &MoveReport) -> Option<String> {
    let reason = report.reason.as_deref().unwrap_or_default();
    let name = class.as_str();
    let (first, rest) = name.split_at(1);
    let name = format!("{}{rest}", first.to_uppercase());
    match class {
        Class::Brilliant | Class::Critical | Class::Inaccuracy | Class::Mistake | Class::Blunder => {
            Some(format!("{name}: {reason}."))
        }
        _ => None,
    }
}

/// Also those of the position before the first move, and before a variation.
fn forget_evals(node: &mut Node) {
    for comments in [&mut node.comments_before, &mut node.comments] {
        for comment in &mut *comments {
            *comment = without_eval(comment);
        }
        comments.retain(|comment| !comment.is_empty());
    }
}

/// A comment without its `[%eval …]`.
fn without_eval(comment: &str) -> String {
    let mut kept = String::with_capacity(comment.len());
    // As it is read: of several before one `]` the last counts.
    for piece in comment.split_inclusive(']') {
        match piece.strip_suffix(']').and_then(|text| text.rsplit_once(EVAL)) {
            // `[%evalx` is another command.
            Some((before, arguments)) if arguments.starts_with(char::is_whitespace) => kept.push_str(before),
            _ => kept.push_str(piece),
        }
    }
    kept.trim().to_owned()
}

/// What would have been better, as a variation, unless it is one already.
fn add_line(game: &mut Game, tree: &StateTree, parent: usize, report: &MoveReport) {
    let before = &tree.nodes[parent];
    let Some(line) = top_line(&before.lines).filter(|line| !line.moves.is_empty()) else {
        return;
    };
    let origin = before.origin;
    let moves = &line.moves[..line.moves.len().min(LINE)];
    let known = game
        .children(origin)
        .iter()
        .any(|child| game.node(*child).m == Some(moves[0]));
    if known || report.uci == texts(&before.position, moves)[0].uci {
        return;
    }
    let mut at = origin;
    for (m, text) in moves.iter().zip(texts(&before.position, moves)) {
        at = game.add(at, Some(*m), text.san);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn old_evaluations_make_room() {
        assert_eq!(
            without_eval("[%eval 0.32,20] good [%clk 0:01:00]"),
            "good [%clk 0:01:00]"
        );
        assert_eq!(without_eval("[%eval #-3]"), "");
        assert_eq!(without_eval("[%eval 0.3"), "[%eval 0.3");
        assert_eq!(without_eval("[%eval\n0.32,20] a [%eval\t0.3] b [%eval  1]"), "a  b");
        assert_eq!(without_eval("[%evaluated 1] [%eval]"), "[%evaluated 1] [%eval]");
        assert_eq!(without_eval("[%eval as he said [%eval 0.3]"), "[%eval as he said");
        assert_eq!(without_eval("[%evalx 1 [%eval 5.0]"), "[%evalx 1");
        assert_eq!(without_eval("plain"), "plain");
        assert_eq!(without_eval("[%eval 1] a [%eval 2] b [%eval 3"), "a  b [%eval 3");
    }

    #[test]
    fn a_million_old_evaluations_make_room_in_one_go() {
        let begun = Instant::now();
        assert_eq!(without_eval(&"[%eval 1]-".repeat(1 << 20)), "-".repeat(1 << 20));
        // Moving the rest of the comment for each takes minutes.
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
