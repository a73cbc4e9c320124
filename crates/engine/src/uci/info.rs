//! `info`, read without building anything: a line that will be thrown away costs a walk over its words.

use shakmaty::Color;
use tabiya_chess::{Eval, Wdl};

use super::{shown, words};

/// Everything an `info` line says that we know of; the mover's view, as it came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Info<'a> {
    pub(crate) depth: Option<u8>,
    pub(crate) seldepth: Option<u8>,
    /// 1 where the engine does not say.
    pub(crate) multipv: Option<u16>,
    pub(crate) score: Option<Score>,
    pub(crate) bound: Option<Bound>,
    /// Win, draw, loss of the mover.
    pub(crate) wdl: Option<[u16; 3]>,
    pub(crate) nodes: Option<u64>,
    pub(crate) nps: Option<u64>,
    pub(crate) hashfull: Option<u16>,
    pub(crate) tbhits: Option<u64>,
    pub(crate) millis: Option<u64>,
    /// The moves, as text.
    pub(crate) pv: &'a [u8],
}

/// A score as it came, the mover's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Score {
    Cp(i32),
    Mate(i32),
}

impl Score {
    /// White's view.
    pub(crate) fn eval(self, mover: Color) -> Eval {
        match self {
            Score::Cp(cp) => Eval::from_uci_cp(cp, mover),
            Score::Mate(moves) => Eval::from_uci_mate(moves, mover),
        }
    }
}

/// A score that is no result: the true one lies beyond it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Lower,
    Upper,
}

/// An `info` line that contradicts the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is no {field}")]
pub(crate) struct BadInfo {
    field: &'static str,
    value: String,
}

impl<'a> Info<'a> {
    /// Reads what follows the word `info`. Words that the protocol does not know are passed over, as it asks for.
    pub(crate) fn parse(rest: &'a [u8]) -> Result<Info<'a>, BadInfo> {
        let mut info = Info::default();
        let mut at = 0;
        while let Some(word) = next_word(rest, &mut at) {
            match word {
                b"depth" => info.depth = Some(depth(rest, &mut at, "depth")?),
                b"seldepth" => info.seldepth = Some(depth(rest, &mut at, "seldepth")?),
                b"multipv" => info.multipv = Some(number(rest, &mut at, "multipv")?),
                b"score" => info.score = score(rest, &mut at)?.or(info.score),
                b"lowerbound" => info.bound = Some(Bound::Lower),
                b"upperbound" => info.bound = Some(Bound::Upper),
                b"wdl" => {
                    let mut chance = || number(rest, &mut at, "wdl");
                    info.wdl = Some([chance()?, chance()?, chance()?]);
                }
                b"nodes" => info.nodes = Some(number(rest, &mut at, "nodes")?),
                b"nps" => info.nps = Some(number(rest, &mut at, "nps")?),
                b"hashfull" => info.hashfull = Some(number(rest, &mut at, "hashfull")?),
                b"tbhits" => info.tbhits = Some(number(rest, &mut at, "tbhits")?),
                b"time" => info.millis = Some(number(rest, &mut at, "time")?),
                b"pv" => info.pv = moves(rest, &mut at),
                // Free text to the end of the line; it may contain any of the words above.
                b"string" => break,
                _ => {}
            }
        }
        Ok(info)
    }

    /// The moves, one by one.
    pub(crate) fn moves(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        words(self.pv)
    }

    /// White's chances.
    pub(crate) fn white_wdl(&self, mover: Color) -> Option<Wdl> {
        self.wdl.map(|[win, draw, loss]| match mover {
            Color::White => Wdl { win, draw, loss },
            Color::Black => Wdl {
                win: loss,
                draw,
                loss: win,
            },
        })
    }
}

fn next_word<'a>(line: &'a [u8], at: &mut usize) -> Option<&'a [u8]> {
    let rest = &line[*at..];
    let begin = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let length = rest[begin..]
        .iter()
        .position(u8::is_ascii_whitespace)
        .unwrap_or(rest.len() - begin);
    *at += begin + length;
    Some(&rest[begin..begin + length])
}

fn number<T: std::str::FromStr>(line: &[u8], at: &mut usize, field: &'static str) -> Result<T, BadInfo> {
    let word = next_word(line, at).unwrap_or_default();
    std::str::from_utf8(word)
        .ok()
        .and_then(|text| text.parse().ok())
        .ok_or_else(|| BadInfo {
            field,
            value: shown(word),
        })
}

/// Depths beyond 255 are some engines' way of saying "to the end".
fn depth(line: &[u8], at: &mut usize, field: &'static str) -> Result<u8, BadInfo> {
    number::<u32>(line, at, field).map(|depth| u8::try_from(depth).unwrap_or(u8::MAX))
}

fn score(line: &[u8], at: &mut usize) -> Result<Option<Score>, BadInfo> {
    match next_word(line, at).unwrap_or_default() {
        b"cp" => number(line, at, "score").map(|cp| Some(Score::Cp(cp))),
        b"mate" => number(line, at, "score").map(|moves| Some(Score::Mate(moves))),
        word => Err(BadInfo {
            field: "score",
            value: shown(word),
        }),
    }
}

/// Moves up to the end of the line. Moves are told from the protocol's other words by their digits, so that a field behind
/// them is still read.
fn moves<'a>(line: &'a [u8], at: &mut usize) -> &'a [u8] {
    let begin = *at;
    let mut end = begin;
    while let Some(word) = next_word(line, at) {
        if !word.iter().any(u8::is_ascii_digit) {
            *at = end;
            break;
        }
        end = *at;
    }
    line[begin..end].trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Info<'_> {
        Info::parse(line.as_bytes()).expect(line)
    }

    #[test]
    fn everything_is_read() {
        let line = "depth 22 seldepth 31 multipv 2 score cp -13 wdl 12 950 38 nodes 1234567 nps 987654 hashfull 431 tbhits 7 \
                    time 1250 pv e2e4 e7e5 g1f3";
        let expected = Info {
            depth: Some(22),
            seldepth: Some(31),
            multipv: Some(2),
            score: Some(Score::Cp(-13)),
            bound: None,
            wdl: Some([12, 950, 38]),
            nodes: Some(1_234_567),
            nps: Some(987_654),
            hashfull: Some(431),
            tbhits: Some(7),
            millis: Some(1250),
            pv: b"e2e4 e7e5 g1f3",
        };
        assert_eq!(parse(line), expected);
    }

    #[test]
    fn bounds_are_seen_wherever_they_stand() {
        let bound = |line| parse(line).bound;
        assert_eq!(
            bound("depth 13 score cp 18 upperbound nodes 9 pv b1c3"),
            Some(Bound::Upper)
        );
        assert_eq!(
            bound("depth 13 score cp 18 wdl 37 954 9 lowerbound pv b1c3"),
            Some(Bound::Lower)
        );
    }

    #[test]
    fn free_text_is_not_read() {
        assert_eq!(parse("string depth 3 score cp 900 pv e2e4"), Info::default());
        let current = parse("depth 20 currmove e2e4 currmovenumber 3");
        assert_eq!((current.depth, current.score, current.pv), (Some(20), None, &b""[..]));
    }

    #[test]
    fn fields_may_follow_the_moves() {
        let info = parse("depth 3 score cp 1 pv e2e4 e7e5 nodes 44 string over");
        assert_eq!((info.pv, info.nodes), (&b"e2e4 e7e5"[..], Some(44)));
        assert_eq!(parse("depth 3 score cp 1 pv").pv, b"");
        assert_eq!(parse("pv e2e4 refutation d1h5").moves().count(), 1);
    }

    #[test]
    fn unknown_words_are_passed_over() {
        let info = parse("depth 5 novelty 3 score cp 4 frobnicate cpuload 900 pv a2a3");
        assert_eq!((info.depth, info.score), (Some(5), Some(Score::Cp(4))));
    }

    #[test]
    fn nonsense_is_named() {
        for (line, expected) in [
            ("depth deep score cp 3", "`deep` is no depth"),
            ("depth 3 score cp", "`` is no score"),
            ("depth 3 score pawns 3", "`pawns` is no score"),
            ("depth 3 score cp 99999999999", "`99999999999` is no score"),
            ("nodes -4", "`-4` is no nodes"),
            ("wdl 1 2", "`` is no wdl"),
        ] {
            assert_eq!(
                Info::parse(line.as_bytes()).unwrap_err().to_string(),
                expected,
                "{line}"
            );
        }
        assert_eq!(
            Info::parse(b"depth \xff\xfe").unwrap_err().to_string(),
            "`\u{fffd}\u{fffd}` is no depth"
        );
    }

    #[test]
    fn very_deep_is_as_deep_as_can_be_said() {
        assert_eq!(parse("depth 1000").depth, Some(255));
    }

    #[test]
    fn white_s_view() {
        let info = parse("depth 1 score mate -3 wdl 0 10 990 pv e7e5");
        assert_eq!(info.score.map(|score| score.eval(Color::Black)), Some(Eval::Mate(3)));
        let white = Wdl {
            win: 990,
            draw: 10,
            loss: 0,
        };
        assert_eq!(info.white_wdl(Color::Black), Some(white));
    }

    proptest::proptest! {
        #[test]
        fn no_line_panics(line in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            let _ = Info::parse(&line).map(|info| info.moves().count());
        }

        #[test]
        fn no_jumble_of_words_panics(line in "((depth|score|cp|mate|wdl|pv|nodes|e2e4|-1|7|string|upperbound) ?){0,30}") {
            let _ = Info::parse(line.as_bytes()).map(|info| info.moves().count());
        }
    }
}
