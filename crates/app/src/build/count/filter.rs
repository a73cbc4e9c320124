//! Which games count.

use std::{fmt, str::FromStr};

use crate::AppError;

/// A day, or the year or month that it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateBound {
    year: u16,
    month: Option<u8>,
    day: Option<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a date such as 1999, 1999-07 or 1999-07-31")]
pub struct ParseDateError(String);

impl FromStr for DateBound {
    type Err = ParseDateError;

    fn from_str(text: &str) -> Result<DateBound, ParseDateError> {
        let bad = || ParseDateError(text.to_owned());
        let mut parts = text.trim().split(['-', '.', '/']);
        let year = parts.next().and_then(|year| year.parse().ok()).ok_or_else(bad)?;
        let mut within = |most: u8| match parts.next() {
            None => Ok(None),
            Some(part) => match part.parse() {
                Ok(part) if (1..=most).contains(&part) => Ok(Some(part)),
                _ => Err(bad()),
            },
        };
        let (month, day) = (within(12)?, within(31)?);
        if parts.next().is_some() || !(1..=9999).contains(&year) {
            return Err(bad());
        }
        Ok(DateBound { year, month, day })
    }
}

impl fmt::Display for DateBound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        for part in [self.month, self.day].into_iter().flatten() {
            write!(f, "-{part:02}")?;
        }
        Ok(())
    }
}

impl DateBound {
    fn first_day(self) -> (u16, u8, u8) {
        (self.year, self.month.unwrap_or(1), self.day.unwrap_or(1))
    }

    fn last_day(self) -> (u16, u8, u8) {
        (self.year, self.month.unwrap_or(12), self.day.unwrap_or(31))
    }
}

/// Which games count, by their players and dates.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GameFilter {
    /// Both players have at least this rating.
    pub min_elo: Option<u16>,
    pub since: Option<DateBound>,
    pub until: Option<DateBound>,
}

impl GameFilter {
    /// Refuses what no game can pass.
    pub(in crate::build) fn check(&self) -> Result<(), AppError> {
        match (self.since, self.until) {
            (Some(since), Some(until)) if since.first_day() > until.last_day() => Err(AppError::OutOfRange(format!(
                "--since {since} is later than --until {until}"
            ))),
            _ => Ok(()),
        }
    }

    pub(super) fn wants_ratings(&self, white: Option<u16>, black: Option<u16>) -> bool {
        match self.min_elo {
            None => true,
            Some(least) => white.is_some_and(|elo| elo >= least) && black.is_some_and(|elo| elo >= least),
        }
    }

    /// What a date does not say, it says of its first day: `1999.??.??` is the first of January.
    pub(super) fn wants_date(&self, date: &str) -> bool {
        if self.since.is_none() && self.until.is_none() {
            return true;
        }
        let mut parts = date.split(['.', '-', '/']).map(|part| part.trim().parse::<u16>().ok());
        let Some(year) = parts.next().flatten() else {
            return false;
        };
        let mut part = || parts.next().flatten().filter(|part| *part > 0).unwrap_or(1) as u8;
        let day = (year, part(), part());
        self.since.is_none_or(|since| since.first_day() <= day)
            && self.until.is_none_or(|until| day <= until.last_day())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_round_trip_and_nonsense_is_refused() {
        for text in ["1999", "1999-07", "1999-07-31"] {
            assert_eq!(text.parse::<DateBound>().expect("a date").to_string(), text);
        }
        for text in ["", "x", "1999-13", "1999-07-32", "1999-07-31-1", "0", "1999-"] {
            assert!(text.parse::<DateBound>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_bound_includes_the_whole_of_what_it_names() {
        let filter = |since: &str, until: &str| GameFilter {
            min_elo: None,
            since: since.parse().ok(),
            until: until.parse().ok(),
        };
        let wants = |filter: GameFilter, date| filter.wants_date(date);
        assert!(wants(filter("1999", "1999"), "1999.12.31"));
        assert!(wants(filter("1999-07", ""), "1999.07.01"));
        assert!(!wants(filter("1999-07", ""), "1999.??.??"));
        assert!(wants(filter("", "1999-07"), "1999.??.??"));
        assert!(!wants(filter("1999", ""), "????.??.??"));
        assert!(wants(filter("", ""), "????.??.??"));
        assert!(!wants(filter("2000", ""), "1999.12.31"));
        assert!(filter("1999-07", "1999").check().is_ok() && filter("1999", "1999-07").check().is_ok());
        let never = filter("1999-07-02", "1999-07-01").check().expect_err("no such day");
        assert_eq!(never.to_string(), "--since 1999-07-02 is later than --until 1999-07-01");
    }

    #[test]
    fn both_players_need_the_rating() {
        let filter = GameFilter {
            min_elo: Some(2400),
            ..GameFilter::default()
        };
        assert!(filter.wants_ratings(Some(2400), Some(2800)));
        assert!(!filter.wants_ratings(Some(2399), Some(2800)));
        assert!(!filter.wants_ratings(None, Some(2800)));
    }
}
