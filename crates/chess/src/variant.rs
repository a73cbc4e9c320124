//! The kinds of chess that are told apart here.

use std::{fmt, str::FromStr};

use shakmaty::CastlingMode;

/// Standard chess, or Chess960: the same rules from another start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variant {
    #[default]
    Standard,
    Chess960,
}

impl Variant {
    /// As Lichess writes it in addresses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Variant::Standard => "standard",
            Variant::Chess960 => "chess960",
        }
    }

    /// How castling is to be read.
    #[must_use]
    pub const fn castling_mode(self) -> CastlingMode {
        match self {
            Variant::Standard => CastlingMode::Standard,
            Variant::Chess960 => CastlingMode::Chess960,
        }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A variant that is not played here, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not taken: {reason}")]
pub struct OtherVariant {
    pub name: String,
    pub reason: &'static str,
}

impl FromStr for Variant {
    type Err = OtherVariant;

    fn from_str(text: &str) -> Result<Variant, OtherVariant> {
        let name: String = text
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_lowercase())
            .collect();
        let reason = match name.as_str() {
            "standard" | "chess" => return Ok(Variant::Standard),
            "chess960" | "fischerandom" | "fischerrandom" => return Ok(Variant::Chess960),
            "crazyhouse" => "captured pieces come back, so a board alone is no position; it needs a model of its own",
            "threecheck" => "the checks given so far belong to the position; it needs a model of its own",
            "antichess" | "atomic" | "horde" | "kingofthehill" | "racingkings" => {
                "other rules decide who wins, so its games say nothing about chess; it needs a model of its own"
            }
            _ => "there are standard and chess960",
        };
        Err(OtherVariant {
            name: text.to_owned(),
            reason,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_others_are_refused_with_a_reason() {
        for variant in [Variant::Standard, Variant::Chess960] {
            assert_eq!(variant.to_string().parse(), Ok(variant));
        }
        assert_eq!("Fischer Random".parse(), Ok(Variant::Chess960));
        for (name, word) in [
            ("crazyhouse", "come back"),
            ("Three-check", "checks"),
            ("atomic", "rules"),
            ("bughouse", "standard and chess960"),
        ] {
            let refused = name.parse::<Variant>().expect_err(name);
            assert!(refused.to_string().contains(word), "{refused}");
            assert!(refused.to_string().contains(name), "{refused}");
        }
    }
}
