//! A table of all moves.

use super::report::{Evaluation, EvaluationKind, GameReview};
use crate::spreadsheet::harmless;

/// The columns, in order.
pub(super) const CSV_HEADER: [&str; 20] = [
    "file",
    "game",
    "white",
    "black",
    "ply",
    "move_number",
    "color",
    "mainline",
    "san",
    "uci",
    "fen_before",
    "fen_after",
    "classification",
    "point_loss",
    "accuracy",
    "centipawn_loss",
    "cp",
    "mate",
    "phase",
    "reason",
];

/// The moves of a game as rows.
pub(super) fn rows(review: &GameReview) -> impl Iterator<Item = [String; CSV_HEADER.len()]> + '_ {
    review.moves.iter().map(|one| {
        let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
        [
            harmless(&review.file),
            review.game.to_string(),
            harmless(&review.white.name),
            harmless(&review.black.name),
            one.ply.to_string(),
            one.move_number.to_string(),
            shakmaty::Color::from(one.move_color).to_string(),
            one.mainline.to_string(),
            one.san.clone(),
            one.uci.clone(),
            one.fen_before.clone(),
            one.fen_after.clone(),
            one.classification.map(|class| class.0.to_string()).unwrap_or_default(),
            number(one.point_loss),
            number(one.accuracy),
            one.centipawn_loss.map(|loss| loss.to_string()).unwrap_or_default(),
            of_kind(one.evaluation, EvaluationKind::Centipawn),
            of_kind(one.evaluation, EvaluationKind::Mate),
            one.phase.clone(),
            harmless(one.reason.as_deref().unwrap_or_default()),
        ]
    })
}

fn of_kind(evaluation: Option<Evaluation>, kind: EvaluationKind) -> String {
    let found = evaluation.filter(|evaluation| evaluation.kind == kind);
    found.map(|evaluation| evaluation.value.to_string()).unwrap_or_default()
}
