//! `[%eval …]` in PGN comments.

use std::{fmt, str::FromStr};

use super::{Eval, ParseEvalError};

/// What stands in `[%eval …]`: an evaluation and the depth it was searched to, if given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EvalComment {
    /// The evaluation, from White's point of view.
    pub eval: Eval,
    /// The search depth in half-moves.
    pub depth: Option<u32>,
}

/// `0.32` or `0.32,20`: the inside of `[%eval …]`.
impl fmt::Display for EvalComment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.eval.fmt(f)?;
        match self.depth {
            Some(depth) => write!(f, ",{depth}"),
            None => Ok(()),
        }
    }
}

impl FromStr for EvalComment {
    type Err = ParseEvalError;

    fn from_str(text: &str) -> Result<EvalComment, ParseEvalError> {
        let (eval, depth) = match text.split_once(',') {
            Some((eval, depth)) => (eval, Some(depth)),
            None => (text, None),
        };
        let depth = depth
            .map(|depth| depth.trim().parse())
            .transpose()
            .map_err(|_| ParseEvalError(text.to_owned()))?;
        Ok(EvalComment {
            eval: eval.trim().parse()?,
            depth,
        })
    }
}

/// The first readable `[%eval …]` of a comment.
///
/// ```
/// use tabiya_chess::{Eval, eval_in_comment};
///
/// let found = eval_in_comment("better [%eval -1.05,20] [%clk 0:03:12]").expect("an eval");
/// assert_eq!((found.eval, found.depth), (Eval::Cp(-105), Some(20)));
/// ```
#[must_use]
pub fn eval_in_comment(comment: &str) -> Option<EvalComment> {
    command_arguments(comment, "[%eval").find_map(|text| text.parse().ok())
}

/// What stands between `command` and the `]` behind it, for every such `]` in `comment`.
///
/// Of several commands before one `]` only the last has arguments that can be read. So every byte is looked at once, where
/// looking for a `]` behind each command takes quadratic time if there is none, or none but at the end.
fn command_arguments<'a>(comment: &'a str, command: &'a str) -> impl Iterator<Item = &'a str> {
    comment.split_inclusive(']').filter_map(move |piece| {
        let (_, arguments) = piece.strip_suffix(']')?.rsplit_once(command)?;
        // `[%evalx` is another command.
        Some(arguments.strip_prefix(char::is_whitespace)?.trim())
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn check(comment: &str, expected: Option<(Eval, Option<u32>)>) {
        let found = eval_in_comment(comment).map(|found| (found.eval, found.depth));
        assert_eq!(found, expected, "{comment}");
    }

    #[test]
    fn is_found_among_other_things() {
        check("[%eval 0.32]", Some((Eval::Cp(32), None)));
        check("[%eval 0.32,20]", Some((Eval::Cp(32), Some(20))));
        check("[%eval #-3, 31 ]", Some((Eval::Mate(-3), Some(31))));
        check("[%clk 0:01:00][%eval  1]!", Some((Eval::Cp(100), None)));
        check("[%eval\n-2.5]", Some((Eval::Cp(-250), None)));
        check("[%eval ?] [%eval 1.0]", Some((Eval::Cp(100), None)));
        check("[%eval 2.0 [%eval 1.0]", Some((Eval::Cp(100), None)));
    }

    #[test]
    fn is_not_made_up() {
        for comment in [
            "",
            "0.32",
            "[%eval]",
            "[%eval ]",
            "[%eval 0.32",
            "[%evals 0.32]",
            "[%eval 0.32,x]",
            "[%eval 0.32,-1]",
            "[%evp 0,34]",
        ] {
            check(comment, None);
        }
    }

    #[test]
    fn many_that_are_never_closed_are_read_once() {
        let many = "[%eval x".repeat(1 << 20);
        let begun = Instant::now();
        check(&many, None);
        check(&format!("{many}]"), None);
        check(&format!("{many}] [%eval 1.0]"), Some((Eval::Cp(100), None)));
        // Quadratic time would be many minutes.
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }

    proptest! {
        #[test]
        fn is_read_back(cp in -100_000..100_000, depth: Option<u32>, before in "[^\\[]*") {
            let comment = EvalComment { eval: Eval::Cp(cp), depth };
            prop_assert_eq!(comment.to_string().parse(), Ok(comment));
            let text = format!("{before}[%eval {comment}]");
            prop_assert_eq!(eval_in_comment(&text), Some(comment));
        }
    }
}
