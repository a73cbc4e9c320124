//! Dates as users write them.

use tabiya_app::{build::count::DateBound, days_of_month};

/// A year, a month or a day that there is.
pub(crate) fn date_bound(text: &str) -> Result<DateBound, String> {
    let bound = text.parse::<DateBound>().map_err(|error| error.to_string())?;
    // As it writes itself, whatever stands between the parts of what the user wrote.
    let written = bound.to_string();
    let parts: Vec<u16> = written.split('-').filter_map(|part| part.parse().ok()).collect();
    if let [year, month, day] = parts[..] {
        let last = u16::from(days_of_month(year, month as u8));
        if day > last {
            return Err(format!("there is no {written}: that month has {last} days"));
        }
    }
    Ok(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_their_month() {
        for text in ["2014", "2014-02", "2014-02-28", "2024-02-29", "2000.2.29", "2014/12/31"] {
            assert!(date_bound(text).is_ok(), "{text}");
        }
        for text in [
            "2014-02-29",
            "2014-02-30",
            "1900.02.29",
            "2014/4/31",
            "2014-13",
            "2014-02-32",
            "x",
        ] {
            assert!(date_bound(text).is_err(), "{text}");
        }
        let error = date_bound("2014/2/30").expect_err("no such day");
        assert_eq!(error, "there is no 2014-02-30: that month has 28 days");
    }
}
