//! The PGN form: pawns with two decimals, mates behind `#`.

use std::{fmt, str::FromStr};

use shakmaty::Color;
use thiserror::Error;

use super::Eval;

/// A text that is not an evaluation.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not an evaluation such as `0.32`, `-1.05` or `#-3`")]
pub struct ParseEvalError(pub String);

/// `0.32`, `-1.05`, `#5`, `#-3`. Checkmate on the board is `#0` if White delivered it and
/// `#-0` if Black did, the only place where the sign of a zero counts.
impl fmt::Display for Eval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Eval::Cp(cp) => {
                let sign = if cp < 0 { "-" } else { "" };
                let cp = cp.unsigned_abs();
                write!(f, "{sign}{}.{:02}", cp / 100, cp % 100)
            }
            Eval::Mate(moves) => write!(f, "#{moves}"),
            Eval::Checkmate(Color::White) => f.write_str("#0"),
            Eval::Checkmate(Color::Black) => f.write_str("#-0"),
        }
    }
}

impl Eval {
    /// `+0.32`, `-1.05`, `#5`: a sign where there could be one.
    #[must_use]
    pub fn signed(self) -> String {
        match self {
            Eval::Cp(cp) if cp > 0 => format!("+{self}"),
            _ => self.to_string(),
        }
    }
}

/// Reads what `Display` writes, and also a leading `+`, any number of decimals (rounded to
/// centipawns) and the sign before the `#`.
impl FromStr for Eval {
    type Err = ParseEvalError;

    fn from_str(text: &str) -> Result<Eval, ParseEvalError> {
        parse(text).ok_or_else(|| ParseEvalError(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<Eval> {
    let (negative, rest) = sign(text);
    let Some(moves) = rest.strip_prefix('#') else {
        let cp = centipawns(rest)?;
        return Some(Eval::Cp(if negative { -cp } else { cp }));
    };
    let (negative, moves) = match sign(moves) {
        (inner, moves) if moves.len() == rest.len() - 1 => (negative || inner, moves),
        // A sign on both sides of the `#` is a typing error.
        _ if rest.len() < text.len() => return None,
        (inner, moves) => (inner, moves),
    };
    let moves = digits(moves)?;
    Some(match (moves, negative) {
        (0, false) => Eval::Checkmate(Color::White),
        (0, true) => Eval::Checkmate(Color::Black),
        (moves, false) => Eval::Mate(moves),
        (moves, true) => Eval::Mate(-moves),
    })
}

fn sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

fn digits(text: &str) -> Option<i32> {
    // `parse` alone would read a second sign.
    text.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
    text.parse().ok()
}

fn centipawns(text: &str) -> Option<i32> {
    let (pawns, decimals) = text.split_once('.').unwrap_or((text, ""));
    if pawns.is_empty() && decimals.is_empty() {
        return None;
    }
    let pawns = if pawns.is_empty() { 0 } else { digits(pawns)? };
    if !decimals.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut decimals = decimals.bytes().map(|byte| i32::from(byte - b'0'));
    let mut next = || decimals.next().unwrap_or(0);
    let (tenths, hundredths, thousandths) = (next(), next(), next());
    pawns
        .checked_mul(100)?
        .checked_add(10 * tenths + hundredths + i32::from(thousandths >= 5))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, eval: Eval) {
        assert_eq!(text.parse(), Ok(eval), "{text}");
        assert_eq!(eval.to_string(), text);
    }

    fn check_lenient(text: &str, eval: Eval) {
        assert_eq!(text.parse(), Ok(eval), "{text}");
    }

    #[test]
    fn has_the_form_of_pgn() {
        check("0.00", Eval::Cp(0));
        check("0.32", Eval::Cp(32));
        check("-0.05", Eval::Cp(-5));
        check("-1.05", Eval::Cp(-105));
        check("13.70", Eval::Cp(1370));
        check("#5", Eval::Mate(5));
        check("#-3", Eval::Mate(-3));
        check("#0", Eval::Checkmate(Color::White));
        check("#-0", Eval::Checkmate(Color::Black));
    }

    #[test]
    fn reads_a_little_more_than_it_writes() {
        check_lenient("+0.32", Eval::Cp(32));
        check_lenient("1", Eval::Cp(100));
        check_lenient("1.", Eval::Cp(100));
        check_lenient(".5", Eval::Cp(50));
        check_lenient("-0.0", Eval::Cp(0));
        check_lenient("0.125", Eval::Cp(13));
        check_lenient("-0.1249", Eval::Cp(-12));
        check_lenient("#+5", Eval::Mate(5));
        check_lenient("-#3", Eval::Mate(-3));
        check_lenient("-#0", Eval::Checkmate(Color::Black));
    }

    #[test]
    fn refuses_the_rest_by_name() {
        for text in [
            "",
            ".",
            "-",
            "#",
            "#-",
            "--1",
            "+-1",
            "-#-3",
            "+#3-",
            "#--3",
            "#1.5",
            "1.2.3",
            "1,5",
            "abc",
            "0x10",
            "99999999999",
            "#99999999999",
            "21474836.48",
            " 1",
            "½",
        ] {
            assert_eq!(text.parse::<Eval>(), Err(ParseEvalError(text.to_owned())));
        }
        assert_eq!(
            "good".parse::<Eval>().unwrap_err().to_string(),
            "`good` is not an evaluation such as `0.32`, `-1.05` or `#-3`"
        );
    }

    proptest! {
        #[test]
        fn reads_back_what_it_writes(number in -i32::MAX..=i32::MAX) {
            prop_assert_eq!(Eval::Cp(number).to_string().parse(), Ok(Eval::Cp(number)));
            if number != 0 {
                prop_assert_eq!(Eval::Mate(number).to_string().parse(), Ok(Eval::Mate(number)));
            }
        }

        #[test]
        fn never_panics(text: String) {
            let _any_answer_will_do = text.parse::<Eval>();
        }
    }
}
