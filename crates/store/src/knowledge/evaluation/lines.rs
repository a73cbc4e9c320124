//! The lines of an answer, as one text.

use std::fmt::Write as _;

use shakmaty::Color;
use shakmaty::uci::UciMove;
use tabiya_chess::{EngineLine, Eval, Wdl};

use crate::fault::Trouble;

/// `1 32 22 30 500/400/100 e2e4 e7e5|2 #-3 22 - - d2d4`: index, White's centipawns, depth, the deepest half-move looked at,
/// White's chances, moves. A mate is `#3`, checkmate on the board `#W` or `#B` after who won.
pub(super) fn write(lines: &[EngineLine]) -> String {
    let mut text = String::with_capacity(lines.len() * 64);
    for (place, line) in lines.iter().enumerate() {
        if place > 0 {
            text.push('|');
        }
        // Writing to a String cannot fail.
        let _ = write!(text, "{} ", line.index);
        let _ = match line.eval {
            Eval::Cp(cp) => write!(text, "{cp}"),
            Eval::Mate(moves) => write!(text, "#{moves}"),
            Eval::Checkmate(Color::White) => write!(text, "#W"),
            Eval::Checkmate(Color::Black) => write!(text, "#B"),
        };
        let _ = write!(text, " {}", line.depth);
        let _ = match line.seldepth {
            Some(seldepth) => write!(text, " {seldepth}"),
            None => write!(text, " -"),
        };
        let _ = match line.wdl {
            Some(Wdl { win, draw, loss }) => write!(text, " {win}/{draw}/{loss}"),
            None => write!(text, " -"),
        };
        for uci in &line.moves {
            let _ = write!(text, " {uci}");
        }
    }
    text
}

pub(super) fn read(text: &str) -> Result<Vec<EngineLine>, Trouble> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    text.split('|')
        .map(|line| read_line(line).ok_or_else(|| Trouble::Malformed(format!("`{line}` is not an engine's line"))))
        .collect()
}

fn read_line(line: &str) -> Option<EngineLine> {
    let mut words = line.split(' ');
    Some(EngineLine {
        index: words.next()?.parse().ok()?,
        eval: read_eval(words.next()?)?,
        depth: words.next()?.parse().ok()?,
        seldepth: match words.next()? {
            "-" => None,
            number => Some(number.parse().ok()?),
        },
        wdl: match words.next()? {
            "-" => None,
            chances => Some(read_wdl(chances)?),
        },
        moves: words
            .map(|word| UciMove::from_ascii(word.as_bytes()).ok())
            .collect::<Option<_>>()?,
    })
}

fn read_eval(word: &str) -> Option<Eval> {
    Some(match word.strip_prefix('#') {
        None => Eval::Cp(word.parse().ok()?),
        Some("W") => Eval::Checkmate(Color::White),
        Some("B") => Eval::Checkmate(Color::Black),
        Some(moves) => Eval::Mate(moves.parse().ok()?),
    })
}

fn read_wdl(word: &str) -> Option<Wdl> {
    let mut chances = word.split('/').map(|chance| chance.parse().ok());
    let wdl = Wdl {
        win: chances.next()??,
        draw: chances.next()??,
        loss: chances.next()??,
    };
    chances.next().is_none().then_some(wdl)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(index: u8, eval: Eval, moves: &[&str]) -> EngineLine {
        EngineLine {
            index,
            eval,
            depth: 22,
            seldepth: None,
            wdl: None,
            moves: moves
                .iter()
                .map(|uci| UciMove::from_ascii(uci.as_bytes()).expect("a move"))
                .collect(),
        }
    }

    #[test]
    fn lines_come_back() {
        let first = EngineLine {
            seldepth: Some(30),
            wdl: Some(Wdl {
                win: 500,
                draw: 400,
                loss: 100,
            }),
            ..line(1, Eval::Cp(32), &["e2e4", "e7e5"])
        };
        let lines = [
            first,
            line(2, Eval::Mate(-3), &["a7a8q"]),
            line(3, Eval::Cp(-1), &["e1g1"]),
            line(4, Eval::Checkmate(Color::White), &[]),
            line(5, Eval::Checkmate(Color::Black), &[]),
        ];
        let text = write(&lines);
        assert_eq!(
            text,
            "1 32 22 30 500/400/100 e2e4 e7e5|2 #-3 22 - - a7a8q|3 -1 22 - - e1g1|4 #W 22 - -|5 #B 22 - -"
        );
        assert_eq!(read(&text).expect("lines"), lines);
        assert_eq!(read(&write(&[])).expect("no lines"), []);
    }

    #[test]
    fn what_is_no_line_is_refused() {
        for text in [
            "1",
            "x 0 1 - -",
            "1 e4 1 - -",
            "1 #x 1 - -",
            "1 0 1 - 1/2 e2e4",
            "1 0 1 - 1/2/3/4",
            "1 0 1 - - e9e4",
            "1 0 1 - -|",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
