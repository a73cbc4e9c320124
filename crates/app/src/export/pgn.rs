//! An opening as one game with variations: every move once, with names and evaluations as comments.

use std::collections::HashMap;

use pgn_import::{Game, ROOT};
use shakmaty::Position as _;
use tabiya_chess::{Eval, from_uci};

use super::{Subject, reach::Reach};
use crate::AppError;
use crate::{
    explore::{Catalogue, Place, Step, View},
    set_up::SetUp,
};

/// The text of the game.
///
/// Where two lines meet, the moves behind stand with the shorter one, and the other ends in a comment that says so. Reading
/// the game again gives the same moves.
pub(super) fn game(
    view: &View,
    catalogue: &Catalogue,
    subject: &Subject<'_>,
    reach: &Reach<'_>,
) -> Result<String, AppError> {
    let set_up = SetUp::of(&view.fen(subject.start)).map_err(AppError::does_not_hold_together)?;
    let start = set_up.start.clone();
    let mut game = Game::new(Some(set_up.start));
    game.tags = tags(subject, set_up.tags);
    let about = [evaluation(view, subject.start), Some(subject.description.clone())];
    let about: Vec<String> = about.into_iter().flatten().collect();
    game.node_mut(ROOT).comments.push(about.join(" "));

    let mut moves: HashMap<Place, Vec<&Step<'_>>> = HashMap::new();
    // The one move over which a position is entered: the steps come nearest first.
    let mut entered: HashMap<Place, usize> = HashMap::from([(subject.start, usize::MAX)]);
    for step in &reach.steps {
        moves.entry(step.parent).or_default().push(step);
        entered.entry(step.child).or_insert(step.index);
    }
    // An explicit stack: lines may be longer than a thread's reaches.
    let mut open = vec![(subject.start, ROOT, start.position)];
    while let Some((here, node, position)) = open.pop() {
        for step in moves.get(&here).into_iter().flatten() {
            let played = from_uci(&position, &step.edge.uci).map_err(AppError::does_not_hold_together)?;
            let child = game.add(node, Some(played), step.edge.san.clone());
            let goes_on = entered.get(&step.child) == Some(&step.index);
            if let Some(comment) = comment(view, catalogue, step.child, goes_on) {
                game.node_mut(child).comments.push(comment);
            }
            if goes_on {
                let mut after = position.clone();
                after.play_unchecked(played);
                open.push((step.child, child, after));
            }
        }
    }
    Ok(game.to_string().trim_end().to_owned() + "\n")
}

fn tags(subject: &Subject<'_>, set_up: Vec<(&'static str, String)>) -> Vec<(String, String)> {
    let mut tags = vec![
        ("Event", subject.name.clone()),
        ("Site", "?".to_owned()),
        ("Date", "????.??.??".to_owned()),
        ("Round", "?".to_owned()),
        ("White", "?".to_owned()),
        ("Black", "?".to_owned()),
        ("Result", "*".to_owned()),
    ];
    if !subject.eco.is_empty() {
        tags.push(("ECO", subject.eco.clone()));
        tags.push(("Opening", subject.name.clone()));
    }
    tags.extend(set_up);
    tags.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// `[%eval 0.32] Italian Game: Evans Gambit`, or as much of it as there is.
fn comment(view: &View, catalogue: &Catalogue, place: Place, goes_on: bool) -> Option<String> {
    let node = view.node(place);
    let mut words = Vec::from_iter(evaluation(view, place));
    let name = node.opening.filter(|_| node.named);
    if let Some(opening) = name.and_then(|id| catalogue.opening(id)) {
        words.push(opening.opening.name.clone());
    }
    if !goes_on {
        words.push("transposes".to_owned());
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn evaluation(view: &View, place: Place) -> Option<String> {
    let shown = view.node(place).evaluation.as_ref()?;
    Some(format!("[%eval {}]", Eval::from(shown.eval)))
}
