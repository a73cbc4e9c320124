//! What a game says as a whole.

use std::collections::BTreeMap;

use shakmaty::{Chess, Color};
use tabiya_chess::{
    Class, Eval, INITIAL_CP, OpeningTable, Phase, RuleSet, expected_points, lichess_game_accuracy, move_accuracy,
    shown_accuracy,
};

use super::{
    extract::evaluation,
    judge::Judged,
    report::{ClassName, Counts, OpeningReport, PhaseReport, SideReport, TurningPoint, rounded},
    tree::StateTree,
};

/// Adds up moves.
#[derive(Debug, Clone, Default)]
struct Sum {
    moves: u32,
    accuracy: f64,
    centipawns: u64,
}

impl Sum {
    fn accuracy(&self) -> Option<f64> {
        (self.moves > 0).then(|| rounded(shown_accuracy(self.accuracy / f64::from(self.moves)), 4))
    }

    fn centipawn_loss(&self) -> Option<f64> {
        (self.moves > 0).then(|| rounded(self.centipawns as f64 / f64::from(self.moves), 2))
    }
}

pub(super) fn all_classes() -> Counts {
    Class::ALL.into_iter().map(|class| (ClassName(class), 0)).collect()
}

/// One side's moves of the main line.
pub(super) fn side(
    name: &str,
    color: Color,
    judged: &[Judged],
    rules: RuleSet,
    game_accuracy: Option<f64>,
) -> SideReport {
    let mut counts = all_classes();
    let mut whole = Sum::default();
    let mut parts: BTreeMap<Phase, Sum> = Phase::ALL.into_iter().map(|phase| (phase, Sum::default())).collect();
    for one in judged.iter().filter(|one| one.report.mainline && one.color == color) {
        let Some(verdict) = &one.verdict else { continue };
        // Means are taken of the formula's own number, not of what is shown of it.
        let accuracy = match rules {
            RuleSet::Wintr => move_accuracy(verdict.loss),
            RuleSet::Lichess => verdict.accuracy,
        };
        for sum in [&mut whole, parts.entry(one.phase).or_default()] {
            sum.moves += 1;
            sum.accuracy += accuracy;
            sum.centipawns += u64::from(verdict.centipawn_loss);
        }
        *counts.entry(ClassName(verdict.class)).or_default() += 1;
    }
    SideReport {
        name: name.to_owned(),
        moves: whole.moves,
        accuracy: match rules {
            RuleSet::Wintr => whole.accuracy(),
            RuleSet::Lichess => game_accuracy.map(|accuracy| rounded(accuracy, 4)),
        },
        average_centipawn_loss: whole.centipawn_loss(),
        counts,
        phases: parts
            .into_iter()
            .map(|(phase, sum)| {
                let report = PhaseReport {
                    moves: sum.moves,
                    accuracy: sum.accuracy(),
                    average_centipawn_loss: sum.centipawn_loss(),
                };
                (phase.as_str().to_owned(), report)
            })
            .collect(),
    }
}

/// Lichess's accuracy of a game: nothing unless every position that a move leads to has an evaluation.
pub(super) fn lichess_accuracies(tree: &StateTree) -> [Option<f64>; 2] {
    let evals: Option<Vec<Eval>> = tree
        .main_line()
        .skip(1)
        .map(|node| evaluation(&node.position, &node.lines))
        .collect();
    let root = &tree.nodes[0];
    // Comments stand behind moves, so they say nothing of where a game begins. Lichess takes it for the initial position then, wherever it is.
    let said = match root.position == Chess::default() {
        true => None,
        false => evaluation(&root.position, &root.lines),
    };
    let start = said.unwrap_or(Eval::Cp(INITIAL_CP));
    match evals {
        Some(evals) => lichess_game_accuracy(start, shakmaty::Position::turn(&root.position), &evals),
        None => [None, None],
    }
}

/// The name of the last position on the main line that has one.
pub(super) fn opening(tree: &StateTree) -> Option<OpeningReport> {
    let path: Vec<&Chess> = tree.main_line().skip(1).map(|node| &node.position).collect();
    let (index, opening) = OpeningTable::embedded().name_on_path(path.iter().copied())?;
    let ply = index as u32 + 1;
    Some(OpeningReport {
        eco: opening.eco().to_string(),
        name: opening.name().to_owned(),
        ply,
        left_theory_ply: (path.len() as u32 > ply).then_some(ply + 1),
    })
}

/// Whose game it is: nobody's between 0.35 and 0.65 of a point.
fn standing(points: f64) -> i8 {
    match points {
        points if points >= 0.65 => 1,
        points if points <= 0.35 => -1,
        _ => 0,
    }
}

/// The moves that gave away a tenth of a point or more and made the game another's.
pub(super) fn turning_points(judged: &[Judged]) -> Vec<TurningPoint> {
    let turned = |one: &Judged| {
        let verdict = one.verdict.as_ref()?;
        let (before, after) = one.evals?;
        let (before, after) = (expected_points(before), expected_points(after));
        (one.report.mainline && verdict.loss >= 0.10 && standing(before) != standing(after)).then(|| TurningPoint {
            ply: one.report.ply,
            san: one.report.san.clone(),
            move_color: one.report.move_color,
            classification: ClassName(verdict.class),
            before: rounded(before, 4),
            after: rounded(after, 4),
        })
    };
    judged.iter().filter_map(turned).collect()
}
