//! Stage 5: verdicts, with what is derived from the evaluations before and after a move: its loss and its accuracy.

use shakmaty::{Chess, Color, Move, Position as _};
use tabiya_chess::{
    After, Before, Eval, INITIAL_CP, Phase, Phases, RuleSet, Thresholds, Verdict, classify_move, expected_points,
    explain,
};

use super::{
    extract::{evaluation, extract_current, extract_previous, over, subjective},
    guard::settled,
    lines::{Line, texts},
    report::{ClassName, Evaluation, ExplanationReport, MotifReport, MoveReport, MoveText, rounded},
    theory::{Theory, opening},
    tree::{StateNode, StateTree, id},
};

/// By what moves are judged.
#[derive(Debug, Clone, PartialEq)]
pub struct Rules {
    pub rules: RuleSet,
    pub thresholds: Thresholds,
    pub theory: Theory,
    /// Whether variations are judged too.
    pub variations: bool,
    /// By how many expected points two searches of the same thing may differ.
    pub margin: f64,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            rules: RuleSet::default(),
            thresholds: Thresholds::default(),
            theory: Theory::default(),
            variations: false,
            margin: super::guard::DEFAULT_MARGIN,
        }
    }
}

/// A move that was looked at, with the numbers before they are rounded.
#[derive(Debug, Clone)]
pub(super) struct Judged {
    pub(super) report: MoveReport,
    pub(super) verdict: Option<Verdict>,
    pub(super) color: Color,
    pub(super) phase: Phase,
    /// Evaluations that the verdict goes by.
    pub(super) evals: Option<(Eval, Eval)>,
}

/// Judges every move of a tree, in the order of its chain.
pub(super) fn judge(tree: &StateTree, rules: &Rules) -> Vec<Judged> {
    let mut phases: Vec<Phases> = Vec::with_capacity(tree.nodes.len());
    let mut judged = Vec::with_capacity(tree.nodes.len().saturating_sub(1));
    for (place, node) in tree.nodes.iter().enumerate() {
        let mut here = node.parent.map_or_else(Phases::default, |parent| phases[parent]);
        // A move belongs to the phase in which it was made.
        let phase = match node.parent {
            Some(parent) => here.next(tree.nodes[parent].position.board()),
            None => Phase::Opening,
        };
        phases.push(here);
        judged.extend(judge_move(tree, place, phase, rules));
    }
    judged
}

fn judge_move(tree: &StateTree, place: usize, phase: Phase, rules: &Rules) -> Option<Judged> {
    let node = &tree.nodes[place];
    let played = node.played.as_ref()?;
    let before_node = &tree.nodes[node.parent?];
    let mover = played.color;
    let now = evaluation(&node.position, &node.lines);
    let mut report = MoveReport {
        node: id(place),
        mainline: node.mainline,
        ply: node.ply,
        move_number: before_node.position.fullmoves().get(),
        move_color: mover.into(),
        san: played.text.san.clone(),
        uci: played.text.uci.clone(),
        fen_before: before_node.fen.clone(),
        fen_after: node.fen.clone(),
        classification: None,
        point_loss: None,
        accuracy: None,
        centipawn_loss: None,
        evaluation: now.map(Evaluation::from),
        subjective_evaluation: now.map(|eval| mover_s(eval, mover)),
        previous_evaluation: evaluation(&before_node.position, &before_node.lines).map(Evaluation::from),
        expected_points: now.map(|eval| rounded(expected_points(eval), 6)),
        top_move: None,
        second_evaluation: None,
        phase: phase.as_str().to_owned(),
        reason: None,
        explanation: None,
        opening: opening(&node.position).map(|opening| opening.name().to_owned()),
        searched_again: node.again.as_ref().map(|line| line.eval.into()),
    };
    let mut judged = Judged {
        verdict: None,
        color: mover,
        phase,
        evals: None,
        report: report.clone(),
    };
    let previous = extract_previous(tree, place);
    let known = match rules.rules {
        // Whatever was said of it: comments come after moves, so they say nothing.
        RuleSet::Lichess if before_node.position == Chess::default() => Some(Eval::Cp(INITIAL_CP)),
        // Some play on where nobody can win.
        _ => over(&before_node.position).or_else(|| previous.as_ref().map(|previous| previous.evaluation)),
    };
    let (Some(known), Some(current)) = (known, extract_current(tree, place)) else {
        return Some(judged);
    };
    let top_line = previous.as_ref().map(|previous| previous.top_line);
    let top_move = previous.as_ref().and_then(|previous| previous.top_move);
    let second = previous.as_ref().and_then(|previous| previous.second_top_line);
    report.top_move = top_text(before_node, top_move);
    report.second_evaluation = second.map(|line| line.eval.into());
    // Lichess needs evaluations alone; by the other rules a line without a move says nothing.
    if rules.rules == RuleSet::Wintr && top_move.is_none() {
        judged.report = report;
        return Some(judged);
    }
    let (before_eval, after_eval) = settled(known, current.evaluation, node.again.as_ref(), mover.is_white());
    let before = Before {
        position: &before_node.position,
        eval: before_eval,
        top: top_move,
        second: second.map(|line| line.eval),
        played: played.m,
    };
    let after = After {
        position: current.board,
        eval: after_eval,
        theory: rules.rules == RuleSet::Wintr && rules.theory.has(current.board),
    };
    let verdict = classify_move(rules.rules, &rules.thresholds, &before, &after);
    report.classification = Some(ClassName(verdict.class));
    report.point_loss = Some(rounded(verdict.loss, 6));
    report.accuracy = Some(rounded(verdict.accuracy, 4));
    report.centipawn_loss = Some(verdict.centipawn_loss);
    let mut reason = verdict.reason.in_words(&before, &after);
    if let (tabiya_chess::Reason::Named, Some(name)) = (verdict.reason, &report.opening) {
        reason.clone_from(name);
    }
    if verdict.class.is_bad() {
        let explained = explain(
            &before,
            &after,
            &verdict.reason,
            moves(top_line),
            moves(current.top_line),
        );
        reason.clone_from(&explained.text);
        report.explanation = Some(ExplanationReport {
            text: explained.text,
            best: report.top_move.clone(),
            best_line: explained.best_line,
            refutation: explained.refutation,
            material: explained.material,
            mate: explained.mate,
            motifs: explained
                .motifs
                .iter()
                .map(|motif| MotifReport {
                    name: motif.as_str().to_owned(),
                    square: motif.square().to_string(),
                })
                .collect(),
        });
    }
    report.reason = Some(reason);
    Some(Judged {
        verdict: Some(verdict),
        evals: Some((before_eval, after_eval)),
        report,
        ..judged
    })
}

fn mover_s(eval: Eval, mover: Color) -> Evaluation {
    Evaluation {
        // Who has won does not depend on who looks.
        winner: Evaluation::from(eval).winner,
        ..subjective(eval, mover).into()
    }
}

fn moves(line: Option<&Line>) -> &[Move] {
    line.map_or(&[], |line| &line.moves)
}

fn top_text(before: &StateNode, top: Option<Move>) -> Option<MoveText> {
    texts(&before.position, &[top?]).pop()
}
