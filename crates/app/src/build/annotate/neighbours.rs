//! What a node's neighbours say about its evaluation.
//!
//! Whoever is to move may go to any child, so a position is worth at least as much to him as its best child; and it is
//! worth what the child behind the engine's own move is worth. An evaluation that says otherwise by much need not be
//! wrong: a person decides.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use shakmaty::Color;
use tabiya_chess::{PositionId, turn_of};
use tabiya_store::{NodeAnnotation, Review};

use crate::opening_graph::OpeningGraph;

/// Why an evaluation is put to a person.
pub const EVALUATION_REVIEW: &str = "evaluation";

/// By how many centipawns neighbours may differ; a deeper search often moves an evaluation by half of it.
pub const DEFAULT_GAP: u32 = 100;

/// A continuation that was evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Child {
    pub uci: String,
    pub san: String,
    /// Centipawns, White's.
    pub cp: i32,
}

/// The continuation that contradicts an evaluation, if one does.
pub(super) fn contradiction<'a>(
    mover: Color,
    cp: i32,
    best_uci: Option<&str>,
    children: &'a [Child],
    gap: u32,
) -> Option<&'a Child> {
    let own = |cp: i32| mover.fold_wb(cp, -cp);
    if let Some(choice) = children.iter().find(|child| Some(child.uci.as_str()) == best_uci)
        && disagree(cp, choice.cp, gap)
    {
        return Some(choice);
    }
    // A child may be worse than its parent for want of the best move, never better.
    let best = children.iter().max_by_key(|child| own(child.cp))?;
    (own(best.cp) > own(cp) && disagree(cp, best.cp, gap)).then_some(best)
}

/// Whether two evaluations are too far apart to be both right. Beyond six pawns the number says no more than that somebody
/// wins.
fn disagree(one: i32, other: i32, gap: u32) -> bool {
    let decided = |cp: i32| cp.clamp(-600, 600);
    decided(one).abs_diff(decided(other)) > gap
}

/// A node's continuations that were evaluated.
pub(super) fn children(graph: &OpeningGraph, place: usize) -> Vec<Child> {
    let evaluated = |edge: usize| {
        let shown = graph.nodes[graph.child(edge)].evaluation.as_ref()?;
        Some(Child {
            uci: graph.edges[edge].uci.clone(),
            san: graph.edges[edge].san.clone(),
            cp: shown.eval.cp,
        })
    };
    graph.edges_from(place).filter_map(evaluated).collect()
}

/// The questions that stored evaluations raise, over the whole graph.
pub(super) fn questions(graph: &OpeningGraph, gap: u32) -> Vec<(PositionId, String)> {
    let mut questions = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let Some(shown) = &node.evaluation else { continue };
        let best = shown.best_move.as_ref().map(|best| best.uci.as_str());
        let children = children(graph, place);
        if let Some(child) = contradiction(turn_of(&node.epd), shown.eval.cp, best, &children, gap) {
            questions.push((node.id, detail(shown.eval.cp, shown.depth, child)));
        }
    }
    questions
}

/// What is to be done with an answer about a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing speaks against it.
    Sound,
    /// Its continuations do: what a person is to be asked.
    Contradicted(String),
}

/// What the continuations say of an answer about a position with `mover` to move.
pub(super) fn verdict(mover: Color, answer: &NodeAnnotation, children: &[Child], gap: u32) -> Verdict {
    let best = answer.best_move.as_ref().map(|best| best.uci.as_str());
    match contradiction(mover, answer.eval.cp, best, children, gap) {
        Some(child) => Verdict::Contradicted(detail(answer.eval.cp, answer.depth, child)),
        None => Verdict::Sound,
    }
}

/// Those of the open questions that have settled themselves: they are about what a node shows, and are not among those that
/// stored evaluations raise now. One about an answer that was not let in stays.
pub(super) fn settled(graph: &OpeningGraph, open: &[Review], raised: &[(PositionId, String)]) -> Vec<PositionId> {
    let raised: HashSet<PositionId> = raised.iter().map(|(node, _)| *node).collect();
    let about_shown = |review: &&Review| {
        let node = graph.place(review.node).map(|place| &graph.nodes[place]);
        let shown = node.and_then(|node| node.evaluation.as_ref());
        shown.is_some_and(|shown| review.detail.starts_with(&opinion(shown.eval.cp, shown.depth)))
    };
    open.iter()
        .filter(|review| !raised.contains(&review.node))
        .filter(about_shown)
        .map(|review| review.node)
        .collect()
}

/// What is in question, in words.
fn opinion(cp: i32, depth: u8) -> String {
    format!("evaluated at {} (depth {depth}),", pawns(cp))
}

/// The question in words.
pub(super) fn detail(cp: i32, depth: u8, child: &Child) -> String {
    format!(
        "{} but the position behind {} at {}",
        opinion(cp, depth),
        child.san,
        pawns(child.cp)
    )
}

/// `+0.32`, as people write it.
fn pawns(cp: i32) -> String {
    format!("{:+.2}", f64::from(cp) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn child(uci: &str, cp: i32) -> Child {
        Child {
            uci: uci.to_owned(),
            san: uci.to_owned(),
            cp,
        }
    }

    /// The move whose evaluation contradicts that of its parent.
    fn check(mover: Color, cp: i32, best: &str, children: &[Child], contradicts: Option<&str>) {
        let found = contradiction(mover, cp, Some(best), children, DEFAULT_GAP);
        assert_eq!(
            found.map(|child| child.uci.as_str()),
            contradicts,
            "{mover} {cp} {best}"
        );
    }

    #[test]
    fn a_position_is_worth_at_least_its_best_child() {
        let children = [child("e2e4", 30), child("f2f3", -80)];
        check(Color::White, 20, "d2d4", &children, None);
        check(Color::White, -90, "d2d4", &children, Some("e2e4"));
        // A better move than all that were played is no contradiction.
        check(Color::White, 250, "d2d4", &children, None);
        check(Color::Black, 30, "d2d4", &children, Some("f2f3"));
        check(Color::Black, -300, "d2d4", &children, None);
    }

    #[test]
    fn a_position_is_worth_what_the_engine_s_own_move_is_worth() {
        let children = [child("e2e4", 30)];
        check(Color::White, 131, "e2e4", &children, Some("e2e4"));
        check(Color::White, 130, "e2e4", &children, None);
        check(Color::White, 131, "d2d4", &children, None);
    }

    #[test]
    fn a_decided_game_is_decided() {
        check(Color::White, 700, "e2e4", &[child("e2e4", 1500)], None);
        check(Color::White, 1000, "e2e4", &[child("e2e4", -1000)], Some("e2e4"));
        check(Color::White, 50, "e2e4", &[], None);
    }

    #[test]
    fn questions_are_in_words() {
        assert_eq!(
            detail(-90, 22, &child("e2e4", 30)),
            "evaluated at -0.90 (depth 22), but the position behind e2e4 at +0.30"
        );
    }
}
