//! Lines as an engine might have them, made up in no time: what judging costs does not depend on their being good.

use std::{fmt::Write as _, path::Path};

use anyhow::{Context, Result};
use pgn_import::{Game, Input, Source, read_trees};
use shakmaty::{Chess, Move, Position};
use tabiya_chess::{Fnv1a, full_fen, to_uci};

/// All games of a file.
pub(super) fn games(path: &Path) -> Result<Vec<Game>> {
    let mut games = Vec::new();
    read_trees(Source::open(&Input::Path(path.to_owned()))?, |game| games.push(game))?;
    Ok(games)
}

/// The first game with enough moves, and its lines.
pub(super) fn one_game(path: &Path) -> Result<(String, String)> {
    let long = |game: &Game| game.faults.is_empty() && game.main_line().count() >= 80;
    let game = games(path)?
        .into_iter()
        .find(long)
        .context("no game has 80 half-moves")?;
    let mut text = String::new();
    write_lines(&game, None, &mut text);
    Ok((game.to_string(), text))
}

/// Appends three lines for every position of a game's main line.
pub(super) fn write_lines(game: &Game, number: Option<u64>, text: &mut String) {
    let Some(start) = &game.start else { return };
    let mut here = start.position.clone();
    let played: Vec<Move> = game.main_line().filter_map(|node| game.node(node).m).collect();
    for place in 0..=played.len() {
        write_position(&here, played.get(place).copied(), number, text);
        if let Some(m) = played.get(place) {
            here.play_unchecked(*m);
        }
    }
}

fn write_position(position: &Chess, played: Option<Move>, number: Option<u64>, text: &mut String) {
    let mut moves: Vec<Move> = position.legal_moves().to_vec();
    if moves.is_empty() {
        return;
    }
    let fen = full_fen(position);
    let mut hash = Fnv1a::new();
    hash.update(fen.as_bytes());
    let chance = hash.value();
    // Strong players find the best move more often than not.
    moves.sort_by_key(|m| chance % 10 < 6 && Some(*m) != played);
    let game = number.map(|number| format!(",\"game\":{number}")).unwrap_or_default();
    let _ = write!(text, "{{\"fen\":\"{fen}\",\"source\":\"nobody-1\"{game},\"lines\":[");
    for (index, m) in (1..=3).zip(&moves) {
        let cp = (chance % 301) as i64 - 150;
        let worse = 30 * (index - 1) * position.turn().fold_wb(1, -1);
        let line = continuation(position, *m);
        let gap = if index == 1 { "" } else { "," };
        let _ = write!(
            text,
            "{gap}{{\"depth\":20,\"index\":{index},\"cp\":{},\"moves\":[{line}]}}",
            cp - worse
        );
    }
    text.push_str("]}\n");
}

/// Eight half-moves, as engines give about that many and more.
fn continuation(position: &Chess, first: Move) -> String {
    let mut here = position.clone();
    let mut next = Some(first);
    let mut words = Vec::new();
    while let Some(m) = next.filter(|_| words.len() < 8) {
        words.push(format!("\"{}\"", to_uci(&here, m)));
        here.play_unchecked(m);
        let moves = here.legal_moves();
        next = moves
            .iter()
            .copied()
            .find(|m| m.is_capture())
            .or(moves.first().copied());
    }
    words.join(",")
}
