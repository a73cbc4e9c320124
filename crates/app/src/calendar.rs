//! The calendar, as far as what users write is held against it.

/// How many days a month has.
pub fn days_of_month(year: u16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

pub(crate) fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_have_the_days_of_their_year() {
        let february = [1900, 2000, 2023, 2024].map(|year| days_of_month(year, 2));
        assert_eq!(february, [28, 29, 28, 29]);
        let days: u16 = (1..=12).map(|month| u16::from(days_of_month(2023, month))).sum();
        assert_eq!((days, days_of_month(2023, 4), days_of_month(2023, 12)), (365, 30, 31));
    }
}
