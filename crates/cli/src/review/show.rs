//! A review as people read it.

use std::fmt::Write as _;

use tabiya_app::review::{ClassName, FailedGame, FileSummary, GameReview, MoveReport, Side, SideReport, expectations};
use tabiya_chess::{Class, Eval};

use super::curve::draw;
use crate::{
    numbers::count,
    terminal::{Paint, painted, plain},
};

/// One game: who played, every move, the graph, both sides.
pub(super) fn game(review: &GameReview) -> String {
    let mut text = format!("{}\n", heading(review));
    if let Some(opening) = &review.opening {
        let left = match opening.left_theory_ply {
            Some(ply) => {
                let first = review.moves.iter().find(|one| one.mainline && one.ply == ply);
                first.map_or(String::new(), |one| format!(", left with {}", numbered(one)))
            }
            None => String::new(),
        };
        let _ = writeln!(text, "{} {}{left}", opening.eco, opening.name);
    }
    if review.moves.is_empty() {
        text.push_str("no moves to judge\n");
        return text;
    }
    text.push('\n');
    for one in &review.moves {
        text.push_str(&row(one));
    }
    text.push('\n');
    // A graph of what nobody knows would be a straight line that says otherwise.
    if review.moves.iter().any(|one| one.evaluation.is_some()) {
        let _ = writeln!(text, "{}", draw(&expectations(review)));
    }
    text.push_str(&sides(&review.white, &review.black));
    for point in &review.turning_points {
        let one = review.moves.iter().find(|one| one.mainline && one.ply == point.ply);
        let _ = writeln!(
            text,
            "turning point     {} {}: {} to {}",
            one.map_or(point.san.clone(), numbered),
            point.classification.0,
            percent(point.before),
            percent(point.after)
        );
    }
    text
}

/// `White – Black, Event 1851, 1-0`.
fn heading(review: &GameReview) -> String {
    let tag = |name: &str| {
        let value = review.tags.get(name).map(String::as_str).unwrap_or_default();
        (!value.is_empty() && !value.starts_with('?')).then_some(value)
    };
    let year = tag("Date").and_then(|date| date.split('.').next());
    let place: Vec<&str> = [tag("Event"), year].into_iter().flatten().collect();
    let mut text = format!("{} – {}", plain(&review.white.name), plain(&review.black.name));
    if !place.is_empty() {
        let _ = write!(text, ", {}", plain(&place.join(" ")));
    }
    let _ = write!(text, ", {}", review.result);
    painted(Paint::Bold, &text)
}

/// `12.Nf3` or `12...Nc6`.
fn numbered(one: &MoveReport) -> String {
    let dots = match one.move_color {
        Side::White => ".",
        Side::Black => "...",
    };
    format!("{}{dots}{}", one.move_number, one.san)
}

/// A move: number, evaluation, class, accuracy, reason.
fn row(one: &MoveReport) -> String {
    let name = format!("{}{}", if one.mainline { "" } else { "  ( " }, numbered(one));
    let eval = one
        .evaluation
        .map(|evaluation| Eval::from(evaluation).signed())
        .unwrap_or_default();
    let class = one.classification.map_or("not judged", |class| class.0.as_str());
    let shown = painted(
        one.classification.map_or(Paint::Plain, |class| paint(class.0)),
        &format!("{class:<11}"),
    );
    let accuracy = one
        .accuracy
        .map(|accuracy| format!("{accuracy:.1}"))
        .unwrap_or_default();
    let reason = one.reason.as_deref().unwrap_or_default();
    let line = format!("{name:<12} {eval:>7}  {shown} {accuracy:>5}  {reason}");
    format!("{}\n", line.trim_end())
}

fn paint(class: Class) -> Paint {
    match class {
        Class::Brilliant => Paint::Cyan,
        Class::Critical => Paint::Blue,
        Class::Best | Class::Excellent => Paint::Green,
        Class::Okay | Class::Forced | Class::Theory => Paint::Plain,
        Class::Inaccuracy => Paint::Yellow,
        Class::Mistake => Paint::Magenta,
        Class::Blunder => Paint::Red,
    }
}

fn percent(points: f64) -> String {
    format!("{:.0} %", points * 100.0)
}

fn number(value: Option<f64>, decimals: usize) -> String {
    value.map_or("–".to_owned(), |value| format!("{value:.decimals$}"))
}

/// Both sides beside each other.
fn sides(white: &SideReport, black: &SideReport) -> String {
    let mut text = String::new();
    let mut line = |name: &str, left: String, right: String| {
        let _ = writeln!(text, "{}", format!("{name:<17} {left:<24} {right}").trim_end());
    };
    line("", plain(&white.name), plain(&black.name));
    line("accuracy", number(white.accuracy, 1), number(black.accuracy, 1));
    line(
        "centipawn loss",
        number(white.average_centipawn_loss, 0),
        number(black.average_centipawn_loss, 0),
    );
    for class in Class::ALL {
        let of = |side: &SideReport| side.counts.get(&ClassName(class)).copied().unwrap_or(0);
        if of(white) + of(black) > 0 {
            line(class.as_str(), of(white).to_string(), of(black).to_string());
        }
    }
    for phase in ["opening", "middlegame", "endgame"] {
        let of = |side: &SideReport| {
            let phase = side.phases.get(phase).filter(|phase| phase.moves > 0)?;
            Some(format!(
                "{} ({})",
                number(phase.accuracy, 1),
                count(u64::from(phase.moves), "move")
            ))
        };
        if of(white).is_some() || of(black).is_some() {
            line(phase, of(white).unwrap_or_default(), of(black).unwrap_or_default());
        }
    }
    text
}

/// What the columns of [`line`] are.
pub(super) const HEAD: &str = " game  White  in/mi/bl  Black  in/mi/bl\n";

/// A game among many: accuracy, and how many inaccuracies, mistakes and blunders.
pub(super) fn line(review: &GameReview) -> String {
    let bad = |side: &SideReport| {
        let of = |class| side.counts.get(&ClassName(class)).copied().unwrap_or(0);
        format!(
            "{}/{}/{}",
            of(Class::Inaccuracy),
            of(Class::Mistake),
            of(Class::Blunder)
        )
    };
    format!(
        "{:>5}  {:>5} {:>9}  {:>5} {:>9}  {} – {}, {}\n",
        review.game,
        number(review.white.accuracy, 1),
        bad(&review.white),
        number(review.black.accuracy, 1),
        bad(&review.black),
        plain(&review.white.name),
        plain(&review.black.name),
        review.result,
    )
}

/// How many players, and how many openings, a table has at most.
const SHOWN: usize = 20;

/// Who plays how well, and what is played.
pub(super) fn summary(summary: &FileSummary) -> String {
    let mut text = players(summary);
    if !summary.openings.is_empty() {
        text.push('\n');
        text.push_str(&openings(summary));
    }
    let _ = writeln!(
        text,
        "\n{} games, {} moves, {} turning points, {} not reviewed",
        summary.games, summary.moves, summary.turning_points, summary.failed
    );
    text
}

fn openings(summary: &FileSummary) -> String {
    let mut text = String::from(
        "opening                                          games  White wins/draws/Black wins  accuracy  theory\n",
    );
    for opening in summary.openings.iter().take(SHOWN) {
        let name: String = opening.name.chars().take(43).collect();
        let results = format!("{}/{}/{}", opening.won, opening.drawn, opening.lost);
        let _ = writeln!(
            text,
            "{} {name:<43} {:>6} {results:>28} {:>9} {:>7}",
            opening.eco,
            opening.games,
            number(opening.accuracy, 1),
            // Half-moves that were theory: all before the one that left it.
            number(opening.left_theory_ply.map(|ply| ply - 1.0), 1),
        );
    }
    if summary.openings.len() > SHOWN {
        let more = summary.openings.len() - SHOWN;
        let _ = writeln!(text, "and {more} more; --report has all of them");
    }
    text
}

fn players(summary: &FileSummary) -> String {
    let mut text = String::from(
        "player                     games  moves  accuracy  cp loss  inacc.  mist.  blund.  brill.  turning points\n",
    );
    for player in summary.players.iter().take(SHOWN) {
        let side = &player.side;
        let of = |class| side.counts.get(&ClassName(class)).copied().unwrap_or(0);
        let name: String = plain(&side.name).chars().take(25).collect();
        let _ = writeln!(
            text,
            "{name:<25} {:>6} {:>6} {:>9} {:>8} {:>7} {:>6} {:>7} {:>7} {:>15}",
            player.games,
            side.moves,
            number(side.accuracy, 1),
            number(side.average_centipawn_loss, 0),
            of(Class::Inaccuracy),
            of(Class::Mistake),
            of(Class::Blunder),
            of(Class::Brilliant),
            player.turning_points.len()
        );
    }
    if summary.players.len() > SHOWN {
        let _ = writeln!(
            text,
            "and {} more; --report has all of them",
            summary.players.len() - SHOWN
        );
    }
    text
}

/// What was not reviewed and why, a line for each game. Text that is no game has no number or players that anybody would know
/// it by, and there may be much of it: a line for each file.
pub(super) fn failures(failures: &[FailedGame]) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rubbish: Vec<(&FailedGame, u64)> = Vec::new();
    for failed in failures {
        if !failed.is_rubbish() {
            lines.push(failure(failed));
            continue;
        }
        match rubbish.iter_mut().find(|(first, _)| first.file == failed.file) {
            Some((_, more)) => *more += 1,
            None => rubbish.push((failed, 0)),
        }
    }
    lines.extend(rubbish.into_iter().map(|(first, more)| {
        let places = match more {
            0 => String::new(),
            more => format!(" and at {} behind it", count(more, "place")),
        };
        format!(
            "{}: no game at byte {}{places}: {}",
            first.file, first.offset, first.reason
        )
    }));
    lines
}

/// Why a game was not reviewed.
fn failure(failed: &FailedGame) -> String {
    let mut text = format!(
        "{}: game {} ({} – {}) not reviewed: {}",
        failed.file, failed.game, failed.white, failed.black, failed.reason
    );
    if let Some(ply) = failed.ply {
        let _ = write!(text, ", at half-move {ply}");
    }
    if let Some(fen) = &failed.fen {
        let _ = write!(text, ", in {fen}");
    }
    text
}
