//! A month, as archives are named.

use std::{fmt, str::FromStr};

/// A month of a year.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: u16,
    month: u8,
}

/// A text that is no month.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no month such as 2024-01")]
pub struct ParseMonthError(pub String);

impl Month {
    /// Nothing for what is no month.
    #[must_use]
    pub const fn new(year: u16, month: u8) -> Option<Month> {
        if year >= 1000 && year <= 9999 && month >= 1 && month <= 12 {
            Some(Month { year, month })
        } else {
            None
        }
    }

    #[must_use]
    pub fn year(self) -> u16 {
        self.year
    }

    /// From 1.
    #[must_use]
    pub fn number(self) -> u8 {
        self.month
    }
}

impl FromStr for Month {
    type Err = ParseMonthError;

    fn from_str(text: &str) -> Result<Month, ParseMonthError> {
        let bad = || ParseMonthError(text.to_owned());
        let (year, month) = text.split_once('-').ok_or_else(bad)?;
        // The parsers of numbers take a sign as well.
        let is_number = |text: &str, digits| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(year, 4) || !is_number(month, 2) {
            return Err(bad());
        }
        let (year, month) = (year.parse().map_err(|_| bad())?, month.parse().map_err(|_| bad())?);
        Month::new(year, month).ok_or_else(bad)
    }
}

impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.month)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_round_trip_and_nonsense_is_refused() {
        for text in ["2013-01", "2024-12"] {
            assert_eq!(text.parse::<Month>().expect(text).to_string(), text);
        }
        for text in [
            "",
            "2024",
            "2024-13",
            "2024-00",
            "24-01",
            "2024-1",
            "2024-01-02",
            "abcd-ef",
            "2024-+1",
            "+202-01",
        ] {
            assert!(text.parse::<Month>().is_err(), "{text}");
        }
        assert!("2023-12".parse::<Month>().expect("a month") < "2024-01".parse().expect("a month"));
    }
}
