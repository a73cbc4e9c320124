//! From what a server wrote to lines that can be played.

use shakmaty::{Chess, Position as _, uci::UciMove};
use tabiya_chess::{Analysis, EngineLine, Eval, SearchLimit, UciError, from_uci};
use thiserror::Error;

use super::{
    CLOUD_ENGINE,
    wire::{Pv, Searched},
};

/// Why a search says nothing about the position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NoAnalysis {
    /// It has no lines at all.
    #[error("there are no lines in it")]
    Empty,
    /// Its best line cannot be used, and the others are not the best.
    #[error("its first line cannot be used: {0}")]
    FirstLine(#[source] BadLine),
}

/// Why a line cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BadLine {
    /// Its first move cannot be played.
    #[error(transparent)]
    Move(#[from] UciError),
    /// No move is written.
    #[error("it has no moves")]
    NoMoves,
    /// Its first move is that of a line before.
    #[error("`{0}` has a line already")]
    Twice(UciMove),
    /// Neither `cp` nor `mate` is there, or one that cannot be.
    #[error("it has no evaluation")]
    NoEval,
}

/// What the search says of `pos`.
///
/// A line is as long as its moves are legal. From the first line that cannot be used at all the rest are left out too:
/// the third best move must not pass for the second.
pub(crate) fn analysis(pos: &Chess, searched: &Searched<'_>) -> Result<Analysis, NoAnalysis> {
    let depth = u8::try_from(searched.depth).unwrap_or(u8::MAX);
    let mut lines: Vec<EngineLine> = Vec::with_capacity(searched.pvs.len());
    for (index, pv) in (1..=u8::MAX).zip(&searched.pvs) {
        match usable(pos, pv, &lines) {
            Ok((eval, moves)) => lines.push(EngineLine {
                index,
                eval,
                depth,
                seldepth: None,
                wdl: None,
                moves,
            }),
            Err(bad) if lines.is_empty() => return Err(NoAnalysis::FirstLine(bad)),
            Err(_) => break,
        }
    }
    if lines.is_empty() {
        return Err(NoAnalysis::Empty);
    }
    Ok(Analysis {
        engine: CLOUD_ENGINE.to_owned(),
        limit: SearchLimit::depth(depth),
        // There are at most 255, as there are indices.
        multipv: lines.len() as u8,
        lines,
        nodes: searched.knodes.saturating_mul(1000),
        millis: 0,
        hashfull: None,
        tbhits: 0,
    })
}

fn usable(pos: &Chess, pv: &Pv<'_>, before: &[EngineLine]) -> Result<(Eval, Vec<UciMove>), BadLine> {
    let eval = eval(pv).ok_or(BadLine::NoEval)?;
    let moves = legal(pos, &pv.line)?;
    let first = moves.first().ok_or(BadLine::NoMoves)?;
    if before.iter().any(|line| line.moves.first() == Some(first)) {
        return Err(BadLine::Twice(*first));
    }
    Ok((eval, moves))
}

/// Where a mate is announced, a number of centipawns beside it says nothing.
fn eval(pv: &Pv<'_>) -> Option<Eval> {
    match (pv.mate, pv.cp) {
        (Some(0), _) => None,
        (Some(moves), _) => Some(Eval::Mate(i32::try_from(moves).ok()?)),
        (None, Some(cp)) => Some(Eval::Cp(i32::try_from(cp).ok()?)),
        (None, None) => None,
    }
}

/// The moves up to the first that cannot be played, castling as the position's mode has it (`e1g1`).
fn legal(pos: &Chess, line: &str) -> Result<Vec<UciMove>, UciError> {
    let mut moves = Vec::with_capacity(line.len() / 5 + 1);
    let mut now = pos.clone();
    for text in line.split_ascii_whitespace() {
        match from_uci(&now, text) {
            Ok(m) => {
                moves.push(UciMove::from_move(m, now.castles().mode()));
                now.play_unchecked(m);
            }
            Err(error) if moves.is_empty() => return Err(error),
            Err(_) => break,
        }
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use tabiya_chess::parse_fen;

    use super::*;

    const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    /// A rook stands where a king would castle from.
    const ROOK: &str = "3k4/8/8/8/8/8/8/K3R3 w - - 0 1";

    /// Checks the lines that are left of `pvs`, each as its index, evaluation and moves.
    #[track_caller]
    fn check(fen: &str, pvs: &str, expected: Result<&[&str], &str>) {
        let pos = parse_fen(fen).expect(fen).position;
        let json = format!(r#"{{"pvs":[{pvs}],"knodes":12,"depth":30}}"#);
        let searched: Searched<'_> = serde_json::from_str(&json).expect(&json);
        let found = analysis(&pos, &searched).map(|analysis| {
            assert_eq!((analysis.engine.as_str(), analysis.nodes), (CLOUD_ENGINE, 12_000));
            assert_eq!((analysis.limit, analysis.depth()), (SearchLimit::depth(30), 30));
            assert_eq!(usize::from(analysis.multipv), analysis.lines.len());
            let line = |line: &EngineLine| {
                let moves: Vec<String> = line.moves.iter().map(ToString::to_string).collect();
                format!("{} {:?} {}", line.index, line.eval, moves.join(" "))
            };
            analysis.lines.iter().map(line).collect::<Vec<_>>()
        });
        let expected = expected.map(|lines| lines.iter().map(ToString::to_string).collect());
        assert_eq!(found.map_err(|err| err.to_string()), expected.map_err(str::to_owned));
    }

    #[test]
    fn castling_is_the_king_s_two_steps() {
        check(
            CASTLING,
            r#"{"cp":7,"moves":"e1h1 e8a8"},{"cp":5,"line":"e1a1"},{"cp":3,"line":"e1d1"}"#,
            Ok(&["1 Cp(7) e1g1 e8c8", "2 Cp(5) e1c1", "3 Cp(3) e1d1"]),
        );
    }

    #[test]
    fn only_castling_is_castling() {
        check(
            ROOK,
            r#"{"cp":500,"line":"e1h1 d8d7 h1e1"}"#,
            Ok(&["1 Cp(500) e1h1 d8d7 h1e1"]),
        );
    }

    #[test]
    fn a_mate_is_white_s_and_before_centipawns() {
        check(
            "startpos",
            r#"{"mate":-4,"cp":3,"line":"e2e4"}"#,
            Ok(&["1 Mate(-4) e2e4"]),
        );
        check(
            "startpos",
            r#"{"mate":0,"line":"e2e4"}"#,
            Err("its first line cannot be used: it has no evaluation"),
        );
    }

    #[test]
    fn a_line_ends_before_its_first_illegal_move() {
        check(
            "startpos",
            r#"{"cp":1,"line":"e2e4 e7e5 e4e5 g1f3"}"#,
            Ok(&["1 Cp(1) e2e4 e7e5"]),
        );
        check(
            "startpos",
            r#"{"cp":1,"line":"e2e5 e7e5"}"#,
            Err("its first line cannot be used: `e2e5` is not a legal move here"),
        );
    }

    #[test]
    fn nothing_passes_for_better_than_it_is() {
        check(
            "startpos",
            r#"{"cp":9,"line":"e2e4"},{"cp":8,"line":"e2e5"},{"cp":7,"line":"d2d4"}"#,
            Ok(&["1 Cp(9) e2e4"]),
        );
        check(
            "startpos",
            r#"{"cp":9,"line":"e2e4"},{"cp":8,"line":"e2e4 e7e5"}"#,
            Ok(&["1 Cp(9) e2e4"]),
        );
        check("startpos", "", Err("there are no lines in it"));
    }
}
