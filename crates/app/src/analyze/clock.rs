//! Times as text.

use std::time::{SystemTime, UNIX_EPOCH};

/// `2026-01-31T12:00:00Z`.
pub fn time_text(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    seconds_text(since.as_secs())
}

/// Seconds since 1970 as a date and a time of day.
fn seconds_text(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Years that begin in March have their odd day last; 400 of them have 146,097 days.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        of_day / 3_600,
        of_day / 60 % 60,
        of_day % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_calendar_has_them() {
        let texts = [0, 951_782_400, 951_868_800, 1_798_761_599, 4_102_444_800].map(seconds_text);
        assert_eq!(
            texts,
            [
                "1970-01-01T00:00:00Z",
                "2000-02-29T00:00:00Z",
                "2000-03-01T00:00:00Z",
                "2026-12-31T23:59:59Z",
                "2100-01-01T00:00:00Z",
            ]
        );
    }
}
