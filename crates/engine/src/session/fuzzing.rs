//! What any bytes must satisfy; the fuzz target calls this.

use shakmaty::{Chess, Position as _};
use tabiya_chess::{from_uci, parse_fen_with_mode};

use super::{Totals, engine_line};
use crate::uci::{Info, KeptLines, Offered, shown, split_word};

/// How many lines are asked for.
const WANTED: usize = 3;

/// Any lines are the talk of some engine: each is understood, passed over or refused, and the moves of what is kept can be
/// played. A first line `position fen …` says where.
///
/// # Panics
///
/// If not.
pub fn uci_lines(bytes: &[u8]) {
    let mut lines = bytes.split(|byte| *byte == b'\n').peekable();
    let position = lines
        .next_if(|line| line.starts_with(b"position fen "))
        .and_then(|line| str::from_utf8(&line[13..]).ok())
        .and_then(|fen| parse_fen_with_mode(fen, shakmaty::CastlingMode::Chess960).ok())
        .map_or_else(Chess::default, |start| start.position);
    let (mut offered, mut kept, mut totals) = (Offered::default(), KeptLines::default(), Totals::default());
    kept.begin(WANTED);
    for line in lines {
        assert!(!shown(line).contains(char::is_control));
        let (word, rest) = split_word(line);
        match word {
            b"option" => offered.note(rest),
            b"info" => {
                if let Ok(info) = Info::parse(rest) {
                    totals.add(&info);
                    kept.take(&info, rest);
                }
            }
            b"bestmove" => {
                let _any_answer_will_do = from_uci(&position, &String::from_utf8_lossy(split_word(rest).0));
            }
            _ => {
                let _any_answer_will_do = totals.pass_over(line);
            }
        }
    }
    let _any_answer_will_do = offered.objection("Hash", "16");
    let mode = position.castles().mode();
    let mut depths = Vec::new();
    for rest in kept.lines() {
        let Ok(line) = engine_line(&position, mode, rest) else {
            continue;
        };
        depths.push(line.depth);
        let mut here = position.clone();
        for uci in &line.moves {
            here.play_unchecked(uci.to_move(&here).expect("a legal move"));
        }
    }
    assert!(depths.len() <= WANTED);
    assert!(depths.windows(2).all(|pair| pair[0] == pair[1]), "lines of one depth");
}
