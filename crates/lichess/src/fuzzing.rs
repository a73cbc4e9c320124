//! What any bytes must satisfy; the fuzz targets call this.

use shakmaty::{Chess, Position as _};
use tabiya_chess::{Analysis, full_fen, parse_fen, to_san, to_uci};

use crate::{ExplorerAnswer, cloud};

pub use crate::eval_file::fuzzing::eval_file;

/// Any bytes are an explorer's answer about a position or refused; all its moves can be played there, each once, both
/// notations agree, and they have no more games than it. A first line without a brace is the position's FEN.
///
/// # Panics
///
/// If not.
pub fn explorer_json(bytes: &[u8]) {
    let (position, json) = question(bytes);
    let Ok(answer) = ExplorerAnswer::from_json(&position, json) else {
        return;
    };
    let mut seen = Vec::new();
    for entry in &answer.moves {
        assert!(position.is_legal(entry.played), "{entry:?}");
        assert_eq!(entry.uci, to_uci(&position, entry.played));
        assert_eq!(entry.san, to_san(&position, entry.played));
        assert!(!seen.contains(&entry.played), "{entry:?} comes twice");
        seen.push(entry.played);
    }
    let played: u64 = answer.moves.iter().map(|entry| entry.tally.games()).sum();
    assert!(played <= answer.tally.games(), "{answer:?}");
}

/// Any bytes are a cloud's answer about a position or refused; its lines can be played.
///
/// # Panics
///
/// If not.
pub fn cloud_json(bytes: &[u8]) {
    let (position, json) = question(bytes);
    if let Ok(analysis) = cloud::read(&position, json) {
        assert_playable(&position, &analysis);
    }
}

/// The position that was asked about, and what came back.
fn question(bytes: &[u8]) -> (Chess, &[u8]) {
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(0);
    let start = str::from_utf8(&bytes[..end]).ok().filter(|line| !line.contains('{'));
    match start.and_then(|line| parse_fen(line).ok()) {
        Some(start) => (start.position, &bytes[end..]),
        None => (Chess::default(), bytes),
    }
}

/// Lines are numbered, have moves, and can be played from here.
pub(crate) fn assert_playable(position: &Chess, analysis: &Analysis) {
    assert!(!analysis.lines.is_empty());
    for (index, line) in (1..).zip(&analysis.lines) {
        assert_eq!(line.index, index);
        assert!(!line.moves.is_empty());
        let mut now = position.clone();
        for uci in &line.moves {
            now.play_unchecked(
                uci.to_move(&now)
                    .unwrap_or_else(|_| panic!("{uci} in {}", full_fen(&now))),
            );
        }
    }
}
