//! What many games have in common, for people.

use std::fmt::Write as _;

use tabiya_app::analyze::{PopularLine, Score, Summary};

use super::report::Report;
use crate::numbers::{count, duration, rate, thousands};

/// So many players, openings, lines and novelties are shown.
const PLAYERS: usize = 10;
const OPENINGS: usize = 10;
const LINES: usize = 12;
pub(super) const NOVELTIES: usize = 5;
/// And so many moves of a line.
const MOVES: usize = 12;

pub(super) fn text(summary: &Summary, report: &Report) -> String {
    let mut text = String::new();
    players(summary, &mut text);
    openings(summary, &mut text);
    tree(&summary.lines, &[], &mut text);
    novelties(summary, report, &mut text);
    let half_moves = count(report.half_moves, "half-move");
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{} of {}, {half_moves}, {} read in {} ({} games/s)",
        count(u64::from(report.games), "game"),
        count(report.players as u64, "player"),
        count(report.files as u64, "file"),
        duration(report.elapsed),
        rate(u64::from(report.games), report.elapsed)
    );
    let _ = writeln!(
        text,
        "{}, {} where they part",
        count(report.novelties as u64, "novelty").replace("noveltys", "novelties"),
        count(report.branches as u64, "place")
    );
    if let Some(output) = &report.output {
        let _ = writeln!(text, "written to {output}");
    }
    text
}

fn players(summary: &Summary, text: &mut String) {
    let players = &summary.players;
    let shown = &players[..players.len().min(PLAYERS)];
    let width = shown
        .iter()
        .map(|player| player.name.chars().count())
        .max()
        .unwrap_or(0)
        .max(6);
    let _ = writeln!(text, "{:width$}  {:>6}  {:<17} as Black", "player", "games", "as White");
    for player in shown {
        let line = format!(
            "{:width$}  {:>6}  {:<17} {}",
            player.name,
            thousands(u64::from(player.games())),
            score(&player.white),
            score(&player.black)
        );
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if players.len() > PLAYERS {
        let _ = writeln!(text, "and {} more players", thousands((players.len() - PLAYERS) as u64));
    }
    text.push('\n');
}

/// `+21 =60 -15  53 %`.
fn score(score: &Score) -> String {
    match score.percent() {
        Some(percent) => format!("+{} ={} -{} {percent:.0} %", score.wins, score.draws, score.losses),
        None => String::new(),
    }
}

fn openings(summary: &Summary, text: &mut String) {
    for opening in summary.openings.iter().take(OPENINGS) {
        let name = match opening.name.as_str() {
            "" => "no name".to_owned(),
            name => format!("{} {name}", opening.eco),
        };
        let _ = writeln!(
            text,
            "{:>6}  {name}  (White +{} ={} -{})",
            thousands(u64::from(opening.games)),
            opening.white,
            opening.draws,
            opening.black
        );
    }
    text.push('\n');
}

/// The most played lines as a tree: what a line has in common with the one above it is not said again.
///
/// `before` are the moves that everybody knows.
pub(super) fn tree(lines: &[PopularLine], before: &[String], text: &mut String) {
    let mut lines: Vec<&PopularLine> = lines.iter().take(LINES).collect();
    let path = |line: &PopularLine| line.moves.iter().map(|(san, _)| san.clone()).collect::<Vec<_>>();
    // The line that more games begin comes first, and all that begin the same way stand together.
    let key = |line: &PopularLine| -> Vec<(std::cmp::Reverse<u32>, String)> {
        let moves = line.moves.iter();
        moves
            .map(|(san, games)| (std::cmp::Reverse(*games), san.clone()))
            .collect()
    };
    lines.sort_by_cached_key(|line| key(line));
    let mut before = before.to_vec();
    for line in lines {
        let moves = path(line);
        let shared = moves
            .iter()
            .zip(&before)
            .take_while(|(one, other)| one == other)
            .count();
        let _ = writeln!(text, "{}", shown(line, shared));
        before = moves;
    }
    text.push('\n');
}

/// `1. e4 (42 games) 1... e5 (38) 2. Nf3 (30) ★`.
fn shown(line: &PopularLine, shared: usize) -> String {
    let mut parts = Vec::new();
    if shared > 0 {
        parts.push("…".to_owned());
    }
    for (ply, (san, games)) in line.moves.iter().enumerate().skip(shared).take(MOVES) {
        let games = match ply == shared {
            true => count(u64::from(*games), "game"),
            false => thousands(u64::from(*games)),
        };
        parts.push(format!("{} ({games})", numbered(ply + 1, san)));
    }
    if line.moves.len() > shared + MOVES {
        parts.push("…".to_owned());
    }
    if let Some(novelty) = &line.novelty {
        parts.push(format!("{} (1) ★", numbered(line.moves.len() + 1, novelty)));
    }
    parts.join(" ")
}

/// `3. Bb5`, `3... a6`.
pub(super) fn numbered(ply: usize, san: &str) -> String {
    let dots = if ply % 2 == 1 { "." } else { "..." };
    format!("{}{dots} {san}", ply.div_ceil(2))
}

/// Those that left the most games behind.
fn novelties(summary: &Summary, report: &Report, text: &mut String) {
    for novelty in &summary.novelties {
        let anybody = if report.players == 2 {
            "either of the two"
        } else {
            "anybody"
        };
        let after = match &novelty.after {
            Some(after) => format!("after {}", numbered(novelty.ply as usize - 1, after)),
            None => "at the first move".to_owned(),
        };
        let _ = writeln!(
            text,
            "★ In game {}, {} played {}, the first time {anybody} tried this {after} ({} reached that position)",
            novelty.game,
            novelty.played_by,
            numbered(novelty.ply as usize, &novelty.san),
            count(u64::from(novelty.games_at_parent), "game")
        );
    }
    if !summary.novelties.is_empty() {
        text.push('\n');
    }
}
