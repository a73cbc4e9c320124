//! One line of the archive.

use std::{borrow::Cow, cmp::Reverse};

use serde::Deserialize;
use shakmaty::{Chess, Position as _};
use tabiya_chess::{Analysis, FenError, parse_fen};
use thiserror::Error;

use super::EvalFilter;
use crate::evaluation::{NoAnalysis, Searched, analysis};

/// A position and what is known of it.
#[derive(Clone, Debug)]
pub struct EvaluatedPosition {
    /// The position, without counters: the archive has none.
    pub position: Chess,
    /// The searches that say something the others do not: each is deeper than any other with as many lines. The deepest
    /// first.
    pub analyses: Vec<Analysis>,
}

/// No game has more, and stores have no room for more.
pub const MOST_PIECES: usize = 32;

/// Why a line is left out.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EvalLineError {
    /// It is not JSON, or not of this kind.
    #[error("not an evaluation: {}", within_line(.0))]
    Json(#[from] serde_json::Error),
    /// Its position cannot be.
    #[error("{0}")]
    Fen(#[from] FenError),
    /// Its position is from no game.
    #[error("there are {0} pieces on the board")]
    Pieces(usize),
    /// None of its searches can be used.
    #[error("{0}")]
    Analysis(#[from] NoAnalysis),
    /// Nobody writes such a line.
    #[error("it has more than {limit} bytes")]
    TooLong {
        /// As much would have been read.
        limit: usize,
    },
}

/// The parser counts lines too, and would call each of ours the first.
fn within_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((what, _)) => format!("{what}, column {}", error.column()),
        None => text,
    }
}

#[derive(Debug, Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    fen: Cow<'a, str>,
    #[serde(borrow)]
    evals: Vec<Searched<'a>>,
}

/// Reads one line; `None` where the filter wants nothing of it.
///
/// # Errors
///
/// [`EvalLineError`] where nothing of it can be used. A search that makes no sense costs the others nothing.
pub fn parse_eval_line(line: &[u8], filter: &EvalFilter) -> Result<Option<EvaluatedPosition>, EvalLineError> {
    let line: Line<'_> = serde_json::from_slice(line)?;
    let position = parse_fen(&line.fen)?.position;
    let pieces = position.board().occupied().count();
    if pieces > MOST_PIECES {
        return Err(EvalLineError::Pieces(pieces));
    }
    // Before the moves are looked at, which takes most of the time.
    if !filter.wants(&position) {
        return Ok(None);
    }
    let deep_enough = |searched: &&Searched<'_>| searched.depth >= u64::from(filter.min_depth);
    let mut searches: Vec<&Searched<'_>> = line.evals.iter().filter(deep_enough).collect();
    searches.sort_by_key(|searched| Reverse(searched.rank()));
    let mut analyses: Vec<Analysis> = Vec::new();
    let (mut most_lines, mut useless) = (0, None);
    for searched in searches {
        // What is no deeper and has no more lines than another says nothing new; its moves need no look either.
        if searched.lines() <= most_lines && most_lines > 0 {
            continue;
        }
        match analysis(&position, searched) {
            Ok(found) if found.lines.len() > most_lines => {
                most_lines = found.lines.len();
                analyses.push(found);
            }
            Ok(_) => {}
            Err(why) => useless = Some(why),
        }
    }
    match (analyses.is_empty(), useless) {
        (true, Some(why)) => Err(why.into()),
        (true, None) if line.evals.is_empty() => Err(NoAnalysis::Empty.into()),
        (true, None) => Ok(None),
        _ => Ok(Some(EvaluatedPosition { position, analyses })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FEN: &str = "2bq1rk1/pr3ppn/1p2p3/7P/2pP1B1P/2P5/PPQ2PB1/R3R1K1 w - -";

    fn read(line: &str, filter: &EvalFilter) -> Result<Option<Vec<String>>, String> {
        let found = parse_eval_line(line.as_bytes(), filter).map_err(|err| err.to_string())?;
        let shown = |found: &Analysis| {
            let evals: Vec<_> = found.lines.iter().map(|line| line.eval).collect();
            format!("{} {} {evals:?}", found.limit, found.nodes)
        };
        Ok(found.map(|found| found.analyses.iter().map(shown).collect()))
    }

    fn line(evals: &str) -> String {
        format!(r#"{{"fen":"{FEN}","evals":[{evals}]}}"#)
    }

    const DEEP: &str = r#"{"pvs":[{"cp":311,"line":"g2e4 f7f5"}],"knodes":206765,"depth":36}"#;
    const WIDE: &str = r#"{"pvs":[{"cp":292,"line":"g2e4"},{"cp":277,"line":"f4g3"}],"knodes":92958,"depth":34}"#;
    const OLD: &str = r#"{"pvs":[{"mate":9,"line":"g2e4"}],"knodes":7,"depth":20}"#;

    #[test]
    fn what_others_say_better_is_left_out() {
        let all = line(&[OLD, WIDE, DEEP].join(","));
        let found = read(&all, &EvalFilter::default()).expect("a line").expect("a position");
        assert_eq!(
            found,
            ["depth 36 206765000 [Cp(311)]", "depth 34 92958000 [Cp(292), Cp(277)]"]
        );
    }

    #[test]
    fn depth_and_position_are_asked_for() {
        let all = line(&[OLD, WIDE].join(","));
        assert_eq!(read(&all, &EvalFilter::from_depth(35)), Ok(None));
        let from_34 = EvalFilter::from_depth(34);
        assert_eq!(read(&all, &from_34).expect("a line").expect("a position").len(), 1);
        let nobody = EvalFilter::default().only(|_| false);
        assert_eq!(read(&all, &nobody), Ok(None));
    }

    #[test]
    fn a_bad_search_costs_the_others_nothing() {
        let bad = WIDE.replace("g2e4", "g2e5");
        let both = line(&[&bad, OLD].join(","));
        assert_eq!(
            read(&both, &EvalFilter::default()),
            Ok(Some(vec!["depth 20 7000 [Mate(9)]".to_owned()]))
        );
        let err = read(&line(&bad), &EvalFilter::default()).expect_err("nothing is left");
        assert_eq!(err, "its first line cannot be used: `g2e5` is not a legal move here");
    }

    #[test]
    fn what_is_no_line_is_said() {
        for (text, reason) in [
            ("", "not an evaluation: EOF"),
            ("\u{0}", "not an evaluation: expected value, column 1"),
            ("{\"fen\":\"startpos\"}", "not an evaluation: missing field `evals`"),
            ("{\"fen\":\"startpos\",\"evals\":[]}", "there are no lines in it"),
            (
                "{\"fen\":\"startpos\",\"evals\":[{\"pvs\":[],\"depth\":-1}]}",
                "not an evaluation: invalid value",
            ),
            ("{\"fen\":\"8/8/8/8/8/8/8/8 w - -\",\"evals\":[]}", "8/8/8/8/8/8/8/8"),
            (
                "{\"fen\":\"rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w - -\",\"evals\":[]}",
                "there are 33 pieces on the board",
            ),
            ("{\"fen\":\"x w - -\",\"evals\":[]}", "`x`"),
        ] {
            let err = read(text, &EvalFilter::default()).expect_err(text);
            assert!(err.contains(reason), "{text}: {err}");
        }
    }
}
