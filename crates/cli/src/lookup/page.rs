//! The answer for people: a page of 80 columns, in one colour.

use std::fmt::Write as _;

use tabiya_app::lookup::{Facts, NodeEvaluation, NodeView, OpeningName};
use tabiya_chess::{Eval, Structure, UNKNOWN, classify, expected_points, parse_board, turn_of};

use super::moves;
use crate::{
    numbers::{count, thousands},
    prose::{cut, write_prose},
    terminal::plain,
};

/// What every terminal shows without breaking lines.
pub(super) const WIDTH: usize = 80;

/// How many ways and games are shown of very many.
const MOST_WAYS: usize = 8;
const MOST_GAMES: usize = 5;

pub(super) fn answer(facts: &Facts, most_moves: usize) -> String {
    let node = &facts.node;
    let mut text = format!("{}\n\n", node.fen);
    beside(&board(&node.fen), &about(facts), &mut text);
    if !node.children.is_empty() {
        text.push('\n');
        moves::write(facts, most_moves, &mut text);
    }
    structure(node, &mut text);
    ways(facts, &mut text);
    games(node, &mut text);
    text
}

/// The board with ranks and files, White below.
fn board(fen: &str) -> Vec<String> {
    let placement = fen.split(' ').next().unwrap_or_default();
    let mut lines: Vec<String> = (placement.split('/').zip((1..=8).rev()))
        .map(|(rank, number)| {
            let mut line = format!("  {number} ");
            for letter in rank.chars() {
                match letter.to_digit(10) {
                    Some(empty) => line.push_str(&" .".repeat(empty as usize)),
                    None => line.extend([' ', letter]),
                }
            }
            line
        })
        .collect();
    lines.push("     a b c d e f g h".to_owned());
    lines
}

/// Two columns, the left one as wide as a board.
fn beside(left: &[String], right: &[String], text: &mut String) {
    let width = left.iter().map(String::len).max().unwrap_or(0);
    for line in 0..left.len().max(right.len()) {
        let (left, right) = (left.get(line), right.get(line));
        let both = format!(
            "{:<width$}    {}",
            left.map_or("", String::as_str),
            right.map_or("", String::as_str)
        );
        text.push_str(both.trim_end());
        text.push('\n');
    }
}

fn called(opening: &OpeningName) -> String {
    format!("{}  {}", opening.eco, plain(&opening.name))
}

/// What stands beside the board: names, games, evaluation.
fn about(facts: &Facts) -> Vec<String> {
    let node = &facts.node;
    let mut lines = String::new();
    let width = WIDTH - 24;
    let mut say = |start: &str, words: &str| write_prose(width, start, words, &mut lines);
    match &node.opening {
        Some(opening) => say("", &called(opening)),
        None => say("", "no name"),
    }
    if let Some(path) = &facts.path_name
        && node.opening.as_ref().is_none_or(|own| own.id != path.id)
    {
        say("by its moves: ", &called(path));
    }
    say("", "");
    let to_move = turn_of(&node.fen).fold_wb("White", "Black");
    // Not after which move: the nearest way here need not be the one that was asked about.
    match node.ply {
        0 => say("", &format!("{to_move} to move")),
        ply => say(
            "",
            &format!("{to_move} to move after {}", count(ply.into(), "half-move")),
        ),
    }
    say("", &played(node));
    if let (Some(white), Some(draws)) = (node.white_win_pct(), node.draw_pct()) {
        // What is left of a hundred may be a little less than nothing.
        let black = (100.0 - white - draws).max(0.0);
        say(
            "",
            &format!("White {white:.1} %, draws {draws:.1} %, Black {black:.1} %"),
        );
    }
    if facts.collections.len() > 1 {
        let each = facts.collections.iter();
        let each: Vec<String> = each
            .map(|(name, stats)| format!("{} {}", plain(name), thousands(stats.games())))
            .collect();
        say("", &each.join(", "));
    }
    if let Some(shown) = &node.evaluation {
        say("", &worth(shown));
    }
    if let Some(why) = &node.flagged {
        say("flagged: ", &plain(why));
    }
    lines.lines().map(str::to_owned).collect()
}

fn played(node: &NodeView) -> String {
    let mut words = count(node.game_count(), "game");
    if let Some((first, last)) = node.years() {
        match first == last {
            true => words += &format!(", {first}"),
            false => words += &format!(", {first}-{last}"),
        }
    }
    if let Some(rating) = node.average_rating() {
        words += &format!(", rated {rating} on average");
    }
    words
}

/// `+0.32, 0.53 points expected for White; best Nf3 (Stockfish 17, depth 22)`.
fn worth(shown: &NodeEvaluation) -> String {
    let eval = Eval::from(shown.eval);
    let mut words = match shown.eval.mate {
        Some(0) => "checkmate".to_owned(),
        Some(moves) => {
            let winner = if moves > 0 { "White" } else { "Black" };
            format!("{winner} mates in {}", moves.abs())
        }
        None => format!(
            "{}, {:.2} points expected for White",
            value(shown),
            expected_points(eval)
        ),
    };
    match (shown.is_busted, shown.is_dubious) {
        (true, _) => words += "; the last move is busted",
        (false, true) => words += "; the last move is dubious",
        (false, false) => {}
    }
    if let Some(best) = &shown.best_move {
        words += &format!("; best {}", best.san);
    }
    words + &format!(" ({}, depth {})", plain(&shown.engine), shown.depth)
}

/// `+0.32`, `-1.05`, `#3`, `#-3`.
pub(super) fn value(shown: &NodeEvaluation) -> String {
    match shown.eval.mate {
        Some(_) => Eval::from(shown.eval).to_string(),
        None => format!("{:+.2}", f64::from(shown.eval.cp) / 100.0),
    }
}

/// The pawn structure with its plans: that which was entered, else that which the pawns have now.
fn structure(node: &NodeView, text: &mut String) {
    let found = parse_board(&node.fen).ok().and_then(|board| classify(&board));
    let name = match &node.structure {
        Some(name) if name != UNKNOWN => name.as_str(),
        _ => match found {
            Some(found) => found.structure.name,
            None => return,
        },
    };
    let Some(structure) = Structure::all().iter().find(|structure| structure.name == name) else {
        return;
    };
    // What a person entered may be what no rule sees.
    let reversed = found.is_some_and(|found| found.structure.name == name && found.side.is_black());
    let _ = writeln!(
        text,
        "\n{name}{}",
        if reversed { ", with colours reversed" } else { "" }
    );
    write_prose(WIDTH, "  ", structure.description, text);
    let (white, black) = match reversed {
        true => (structure.plans_black, structure.plans_white),
        false => (structure.plans_white, structure.plans_black),
    };
    for (side, plans) in [("White", white), ("Black", black)] {
        for (number, plan) in plans.iter().enumerate() {
            let start = if number == 0 { side } else { "" };
            write_prose(WIDTH, &format!("  {start:<5}  - "), plan, text);
        }
    }
    if reversed {
        text.push_str("  (the squares are those of the structure as it is known, seen from the other side)\n");
    }
}

/// The moves that lead here, where there are several.
fn ways(facts: &Facts, text: &mut String) {
    let node = &facts.node;
    if node.transpositions.is_empty() {
        return;
    }
    text.push_str("\nreached by\n");
    let all: Vec<_> = facts.parent.iter().chain(&node.transpositions).collect();
    for way in all.iter().take(MOST_WAYS) {
        let games = thousands(way.stats.games());
        let from = way.opening.as_ref().map_or("an unnamed line".to_owned(), called);
        let line = format!("  {:<8} {games:>10}  from {from}", way.san);
        let _ = writeln!(text, "{}", cut(&line, WIDTH));
    }
    more(all.len(), MOST_WAYS, "way", text);
}

fn games(node: &NodeView, text: &mut String) {
    if node.top_games.is_empty() {
        return;
    }
    text.push_str("\ngames\n");
    let player = |name: &str, elo: Option<u16>| {
        let name = if name.is_empty() { "?".to_owned() } else { plain(name) };
        elo.map_or(name.clone(), |elo| format!("{name} ({elo})"))
    };
    for listed in node.top_games.iter().take(MOST_GAMES) {
        let game = &listed.game;
        let (white, black) = (player(&game.white, game.white_elo), player(&game.black, game.black_elo));
        let players = cut(&format!("{white} - {black}"), WIDTH - 24);
        let line = format!("  {players:<56}  {:<7}  {}", game.outcome.as_str(), plain(&game.date));
        let _ = writeln!(text, "{}", line.trim_end());
    }
    more(node.top_games.len(), MOST_GAMES, "game", text);
}

/// What is there and not shown.
pub(super) fn more(all: usize, most: usize, noun: &str, text: &mut String) {
    if all > most {
        let _ = writeln!(text, "  and {}", count((all - most) as u64, &format!("more {noun}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_stands_with_white_below() {
        let lines = board("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
        assert_eq!(lines[0], "  8  r n b q k b n r");
        assert_eq!(lines[3], "  5  . . . . p . . .");
        assert_eq!(lines[8], "     a b c d e f g h");
    }

    #[test]
    fn names_do_not_command_the_terminal() {
        assert_eq!(plain("\u{1b}[31mRed\u{7}\n"), "[31mRed");
    }
}
