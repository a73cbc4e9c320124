//! How much of an opening is written.

use std::{fmt, str::FromStr};

use tabiya_chess::{Eco, NotAnEcoCode};

/// A range of ECO codes; all of them by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EcoRange(Option<(Eco, Eco)>);

impl EcoRange {
    /// Whether nothing is left out.
    pub fn is_all(self) -> bool {
        self.0.is_none()
    }

    /// Whether a code lies in it. What is no code lies in the whole only.
    pub fn contains(self, eco: &str) -> bool {
        match self.0 {
            None => true,
            Some((first, last)) => eco.parse().is_ok_and(|eco| first <= eco && eco <= last),
        }
    }
}

/// A text that is no range of ECO codes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EcoRangeError {
    #[error(transparent)]
    Code(#[from] NotAnEcoCode),
    #[error("the range `{0}` is empty: its first code comes after its last")]
    Backwards(String),
}

/// `C50`, `C50-C99`, or `ALL`.
impl FromStr for EcoRange {
    type Err = EcoRangeError;

    fn from_str(text: &str) -> Result<EcoRange, EcoRangeError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("all") {
            return Ok(EcoRange(None));
        }
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last): (Eco, Eco) = (first.trim().parse()?, last.trim().parse()?);
        if last < first {
            return Err(EcoRangeError::Backwards(text.to_owned()));
        }
        Ok(EcoRange(Some((first, last))))
    }
}

impl fmt::Display for EcoRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("ALL"),
            Some((first, last)) if first == last => first.fmt(f),
            Some((first, last)) => write!(f, "{first}-{last}"),
        }
    }
}

/// How far a tree goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Half-moves below the opening's own position; all there are where this is none.
    pub max_depth: Option<u16>,
    /// Moves with fewer games are left out; the way to the opening is not.
    pub min_games: u64,
    /// A JSON file that would be larger is cut by depth.
    pub max_bytes: usize,
}

impl Limits {
    /// What an app bundles: twelve half-moves, five megabytes.
    pub const BUNDLE: Limits = Limits {
        max_depth: Some(12),
        min_games: 0,
        max_bytes: 5_000_000,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_read_as_they_are_written() {
        for text in ["ALL", "C50", "C50-C99", "A00-E99"] {
            assert_eq!(text.parse::<EcoRange>().expect(text).to_string(), text);
        }
        for (text, same) in [("all", "ALL"), (" c50 - c99 ", "C50-C99"), ("B20-B20", "B20")] {
            assert_eq!(text.parse::<EcoRange>().expect(text).to_string(), same);
        }
        let range: EcoRange = "C50-C59".parse().expect("a range");
        assert_eq!(
            ["C49", "C50", "C59", "C60", ""].map(|eco| range.contains(eco)),
            [false, true, true, false, false]
        );
        assert!(EcoRange::default().contains("") && EcoRange::default().is_all());
    }

    #[test]
    fn what_is_no_range_says_why() {
        for (text, reason) in [
            ("F00", "`F00` is not an ECO code from A00 to E99"),
            ("C50-", "`` is not an ECO code from A00 to E99"),
            (
                "C50-C49",
                "the range `C50-C49` is empty: its first code comes after its last",
            ),
        ] {
            assert_eq!(text.parse::<EcoRange>().expect_err(text).to_string(), reason);
        }
    }
}
