//! Days and seconds, as sites count them.

use std::{fmt, str::FromStr};

use tabiya_lichess::Month;

use crate::calendar::{days_of_month, is_leap};

/// A day, in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day {
    year: u16,
    month: u8,
    day: u8,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a day such as 2024-01-31")]
pub struct ParseDayError(String);

impl FromStr for Day {
    type Err = ParseDayError;

    fn from_str(text: &str) -> Result<Day, ParseDayError> {
        let bad = || ParseDayError(text.to_owned());
        let parts: Vec<&str> = text.trim().split(['-', '.']).collect();
        let [year, month, day] = parts[..] else {
            return Err(bad());
        };
        let day = Day {
            year: year.parse().map_err(|_| bad())?,
            month: month.parse().map_err(|_| bad())?,
            day: day.parse().map_err(|_| bad())?,
        };
        let exists = (1970..=9999).contains(&day.year)
            && (1..=12).contains(&day.month)
            && (1..=day.days_of_month()).contains(&day.day);
        if exists { Ok(day) } else { Err(bad()) }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

const DAY: u64 = 86_400;

impl Day {
    fn days_of_month(self) -> u8 {
        days_of_month(self.year, self.month)
    }

    /// Seconds from 1970 to its beginning.
    pub(super) fn first_second(self) -> u64 {
        let years = (1970..self.year).map(|year| if is_leap(year) { 366 } else { 365 });
        let months = (1..self.month).map(|month| Day { month, ..self }.days_of_month());
        let days = years.sum::<u64>() + months.map(u64::from).sum::<u64>() + u64::from(self.day) - 1;
        days * DAY
    }

    pub(super) fn last_second(self) -> u64 {
        self.first_second() + DAY - 1
    }

    /// Months begin with the year 1000 there, and no game was played on a site before.
    pub(super) fn month(self) -> Month {
        Month::new(self.year.clamp(1000, 9999), self.month).expect("a day is in a month")
    }
}

/// Seconds since 1970 of a date `2024.01.31` and a time `12:34:56`; without a time, of the day's beginning.
pub(super) fn seconds(date: &str, time: &str) -> Option<u64> {
    let day: Day = date.parse().ok()?;
    let mut parts = time.split(':').map(|part| part.parse::<u64>().ok());
    // What is no time of a day says nothing, however large it is.
    let mut part = |less_than: u64| parts.next().flatten().filter(|part| *part < less_than).unwrap_or(0);
    Some(day.first_second() + part(24) * 3_600 + part(60) * 60 + part(60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let first = |text: &str| text.parse::<Day>().expect(text).first_second();
        assert_eq!(first("1970-01-01"), 0);
        assert_eq!(first("2000-03-01"), 951_868_800);
        assert_eq!(first("2024-02-29"), 1_709_164_800);
        assert_eq!(seconds("2026.12.31", "23:59:59"), Some(1_798_761_599));
        assert_eq!(seconds("2026.12.31", ""), Some(1_798_675_200));
        assert_eq!(seconds("????.??.??", "1:2:3"), None);
        let day = Some(1_798_675_200);
        assert_eq!(seconds("2026.12.31", "9999999999999999999:0:0"), day);
        assert_eq!(seconds("2026.12.31", "24:60:60"), day);
        assert_eq!(seconds("2026.12.31", "0:0:18446744073709551615"), day);
        for text in [
            "",
            "2024",
            "2024-13-01",
            "2023-02-29",
            "2024-01-00",
            "1969-12-31",
            "2024-1-1-1",
        ] {
            assert!(text.parse::<Day>().is_err(), "{text}");
        }
        assert_eq!("2024.1.5".parse::<Day>().expect("a day").to_string(), "2024-01-05");
    }
}
