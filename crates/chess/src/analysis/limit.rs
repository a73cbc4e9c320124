//! How long an engine may think.

use std::fmt;
use std::str::FromStr;

/// How long an engine may think: until the first of these is reached. With none of them it thinks until it is stopped.
///
/// ```
/// use tabiya_chess::SearchLimit;
///
/// let limit: SearchLimit = "depth 22 nodes 1000000".parse()?;
/// assert_eq!(limit.depth, Some(22));
/// assert_eq!(limit.to_string(), "depth 22 nodes 1000000");
/// # Ok::<(), tabiya_chess::ParseLimitError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SearchLimit {
    /// Half-moves.
    pub depth: Option<u8>,
    /// Positions searched.
    pub nodes: Option<u64>,
    /// Milliseconds.
    pub millis: Option<u32>,
}

impl SearchLimit {
    /// Until a depth is reached.
    #[must_use]
    pub const fn depth(depth: u8) -> SearchLimit {
        SearchLimit {
            depth: Some(depth),
            nodes: None,
            millis: None,
        }
    }

    /// Until so many positions were searched.
    #[must_use]
    pub const fn nodes(nodes: u64) -> SearchLimit {
        SearchLimit {
            depth: None,
            nodes: Some(nodes),
            millis: None,
        }
    }

    /// For so many milliseconds.
    #[must_use]
    pub const fn millis(millis: u32) -> SearchLimit {
        SearchLimit {
            depth: None,
            nodes: None,
            millis: Some(millis),
        }
    }

    /// Whether nothing ends the search.
    #[must_use]
    pub const fn is_unlimited(&self) -> bool {
        self.depth.is_none() && self.nodes.is_none() && self.millis.is_none()
    }
}

/// The words of UCI's `go`, in one order: `depth 22 nodes 1000000 movetime 500`.
impl fmt::Display for SearchLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_unlimited() {
            return f.write_str("infinite");
        }
        let mut gap = "";
        if let Some(depth) = self.depth {
            write!(f, "depth {depth}")?;
            gap = " ";
        }
        if let Some(nodes) = self.nodes {
            write!(f, "{gap}nodes {nodes}")?;
            gap = " ";
        }
        if let Some(millis) = self.millis {
            write!(f, "{gap}movetime {millis}")?;
        }
        Ok(())
    }
}

/// A text that is no limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no limit; write it as `depth 22`, `nodes 1000000`, `movetime 500` or several of these")]
pub struct ParseLimitError(pub String);

impl FromStr for SearchLimit {
    type Err = ParseLimitError;

    fn from_str(text: &str) -> Result<SearchLimit, ParseLimitError> {
        let wrong = || ParseLimitError(text.to_owned());
        let mut limit = SearchLimit::default();
        let mut words = text.split_ascii_whitespace();
        while let Some(word) = words.next() {
            if word == "infinite" {
                return match (limit.is_unlimited(), words.next()) {
                    (true, None) => Ok(limit),
                    _ => Err(wrong()),
                };
            }
            let number = words.next().ok_or_else(wrong)?;
            let taken = match word {
                "depth" => limit.depth.replace(number.parse().map_err(|_| wrong())?).is_some(),
                "nodes" => limit.nodes.replace(number.parse().map_err(|_| wrong())?).is_some(),
                "movetime" => limit.millis.replace(number.parse().map_err(|_| wrong())?).is_some(),
                _ => true,
            };
            if taken {
                return Err(wrong());
            }
        }
        if limit.is_unlimited() { Err(wrong()) } else { Ok(limit) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn refuses_what_is_no_limit() {
        for text in [
            "",
            "depth",
            "depth x",
            "depth 300",
            "depth 1 depth 2",
            "mate 3",
            "infinite depth 3",
            "depth 3 infinite",
        ] {
            assert_eq!(text.parse::<SearchLimit>(), Err(ParseLimitError(text.to_owned())));
        }
    }

    proptest! {
        #[test]
        fn text_and_value_are_one(
            depth in option::of(any::<u8>()), nodes in option::of(any::<u64>()), millis in option::of(any::<u32>())
        ) {
            let limit = SearchLimit { depth, nodes, millis };
            prop_assert_eq!(limit.to_string().parse(), Ok(limit));
        }
    }
}
