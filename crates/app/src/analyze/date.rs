//! Dates as PGN writes them, made comparable.

use std::num::NonZeroU32;

/// A date that can be compared: unknown parts are 0, so that a year comes before its months.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Date(NonZeroU32);

impl Date {
    /// `None` where not even the year is known.
    pub(super) fn parse(text: &str) -> Option<Date> {
        let mut parts = text.split(['.', '-', '/']).map(|part| part.trim().parse::<u32>().ok());
        let year = parts.next().flatten().filter(|year| (1..=9999).contains(year))?;
        let mut part = |most: u32| parts.next().flatten().filter(|part| *part <= most).unwrap_or(0);
        let (month, day) = (part(12), part(31));
        NonZeroU32::new((year * 100 + month) * 100 + day).map(Date)
    }

    /// `1991.??.??`.
    pub(super) fn text(self) -> String {
        let part = |number: u32| match number {
            0 => "??".to_owned(),
            known => format!("{known:02}"),
        };
        let date = self.0.get();
        format!("{:04}.{}.{}", date / 10_000, part(date / 100 % 100), part(date % 100))
    }
}

/// The earlier of two, where either may be unknown.
pub(super) fn earlier(one: Option<Date>, other: Option<Date>) -> Option<Date> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_and_written() {
        for text in ["1991.??.??", "1991.07.??", "1991.07.31"] {
            assert_eq!(Date::parse(text).expect(text).text(), text);
        }
        assert_eq!(Date::parse("2024-01-05").expect("a date").text(), "2024.01.05");
        for text in ["", "????.??.??", "x", "0.1.1"] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
        assert!(Date::parse("1991.??.??") < Date::parse("1991.01.01"));
        assert_eq!(earlier(None, Date::parse("1991")), Date::parse("1991"));
    }
}
