//! One place in the games: the board, and what was played there.

use std::fmt::Write as _;

use serde_json::json;
use tabiya_app::analyze::{Analysis, Subtree};

use super::summary::{numbered, tree};
use crate::numbers::{count, thousands};

/// So many players are named behind a move.
const NAMED: usize = 3;

pub(super) fn text(analysis: &Analysis, place: &Subtree) -> String {
    let mut text = String::new();
    let ply = place.path.len();
    // Writing to a String cannot fail.
    if ply > 0 {
        let _ = writeln!(text, "{}", line(&place.path));
    }
    if let Some((eco, name)) = &place.opening {
        let _ = writeln!(text, "{eco} {name}");
    }
    let _ = writeln!(
        text,
        "{}: White +{} ={} -{}\n",
        count(u64::from(place.games), "game"),
        place.white,
        place.draws,
        place.black
    );
    text.push_str(&place.board);
    text.push('\n');
    for next in &place.continuations {
        let mut by: Vec<String> = next
            .played_by
            .iter()
            .take(NAMED)
            .map(|(name, games)| format!("{name} {games}"))
            .collect();
        if next.played_by.len() > NAMED {
            by.push("…".to_owned());
        }
        let star = if next.is_novelty { " ★" } else { "" };
        let first = match next.first_date.as_str() {
            "" => String::new(),
            date => format!(", first {date}"),
        };
        let _ = writeln!(
            text,
            "{:<12} {:>7}  White +{} ={} -{}  {}{first}{star}",
            numbered(ply + 1, &next.san),
            thousands(u64::from(next.games)),
            next.white,
            next.draws,
            next.black,
            by.join(", "),
        );
    }
    if !place.lines.is_empty() {
        text.push('\n');
        tree(&place.lines, &place.path, &mut text);
    } else if !place.continuations.is_empty() {
        text.push('\n');
    }
    for game in &place.first_games {
        let _ = writeln!(text, "game {game}: {}", analysis.headline(*game));
    }
    let more = u64::from(place.games) - place.first_games.len() as u64;
    if more > 0 {
        let _ = writeln!(text, "and {}", count(more, "more game"));
    }
    text
}

/// `1. e4 e5 2. Nf3`.
fn line(path: &[String]) -> String {
    let mut parts = Vec::new();
    for (ply, san) in path.iter().enumerate() {
        parts.push(match ply % 2 {
            0 => numbered(ply + 1, san),
            _ => san.clone(),
        });
    }
    parts.join(" ")
}

pub(super) fn json(place: &Subtree) -> String {
    let continuations: Vec<_> = place
        .continuations
        .iter()
        .map(|next| {
            let by: Vec<_> = next
                .played_by
                .iter()
                .map(|(name, games)| json!({"name": name, "games": games}))
                .collect();
            json!({"san": next.san, "gameCount": next.games, "white": next.white, "draws": next.draws,
                "black": next.black, "isNovelty": next.is_novelty, "firstDate": next.first_date, "playedBy": by})
        })
        .collect();
    let value = json!({
        "path": place.path,
        "ply": place.path.len(),
        "fen": place.fen,
        "eco": place.opening.as_ref().map(|(eco, _)| eco),
        "opening": place.opening.as_ref().map(|(_, name)| name),
        "gameCount": place.games,
        "white": place.white,
        "draws": place.draws,
        "black": place.black,
        "continuations": continuations,
        "firstGameIds": place.first_games,
    });
    crate::terminal::json(&value)
}
