//! Times as text.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::calendar::days_of_month;

/// `2026-01-31T12:00:00Z`.
pub fn time_text(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    seconds_text(since.as_secs())
}

/// Whether this is a time as RFC 3339 writes it: to the second or finer, and with how far its clock is from UTC.
///
/// Leap seconds and small letters are left out, which the RFC has and JavaScript's `Date` does not read.
pub fn is_time(text: &str) -> bool {
    let number = |from: usize, signs: usize, most: u16| {
        let part = text
            .get(from..from + signs)
            .filter(|part| part.bytes().all(|b| b.is_ascii_digit()));
        part.and_then(|part| part.parse().ok())
            .filter(|part: &u16| *part <= most)
    };
    let sign = |at: usize, sign: u8| text.as_bytes().get(at) == Some(&sign);
    let is_day = match (number(0, 4, 9999), number(5, 2, 12), number(8, 2, 31)) {
        (Some(year), Some(month @ 1..), Some(day @ 1..)) => day <= u16::from(days_of_month(year, month as u8)),
        _ => false,
    };
    let is_time_of_day = [(11, 23), (14, 59), (17, 59)]
        .iter()
        .all(|(from, most)| number(*from, 2, *most).is_some());
    let is_divided = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')]
        .iter()
        .all(|(at, between)| sign(*at, *between));
    if !is_day || !is_time_of_day || !is_divided {
        return false;
    }
    let digits = text[19..].strip_prefix('.').map(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then_some(1 + digits)
    });
    let Some(fraction) = digits.unwrap_or(Some(0)) else {
        return false;
    };
    let zone = 19 + fraction;
    match text.len() - zone {
        1 => sign(zone, b'Z'),
        6 => {
            (sign(zone, b'+') || sign(zone, b'-'))
                && sign(zone + 3, b':')
                && number(zone + 1, 2, 23).is_some()
                && number(zone + 4, 2, 59).is_some()
        }
        _ => false,
    }
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
    fn a_time_is_what_the_rfc_calls_one() {
        for time in [
            "2026-01-31T12:00:00Z",
            "2024-02-29T23:59:59.123456Z",
            "1999-12-31T00:00:00+05:30",
            "1999-12-31T00:00:00.5-23:59",
        ] {
            assert!(is_time(time), "{time}");
        }
        assert!(is_time(&time_text(SystemTime::now())));
        for other in [
            "",
            "x",
            "now",
            "2026-01-31",
            "2026-01-31 12:00:00Z",
            "2026-01-31T12:00:00",
            "2026-01-31T12:00Z",
            "2026-02-29T12:00:00Z",
            "2026-00-31T12:00:00Z",
            "2026-01-00T12:00:00Z",
            "2026-13-01T12:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T12:60:00Z",
            "2026-01-31T12:00:60Z",
            "2026-01-31T12:00:00.Z",
            "2026-01-31T12:00:00Zx",
            "2026-01-31T12:00:00+0530",
            "2026-01-31T12:00:00+24:00",
            "+026-01-31T12:00:00Z",
            "2026-01-31T12:00:00é",
            "2026-01-31T12:00:00ééé",
            "2026-01-31T12:00:0é",
        ] {
            assert!(!is_time(other), "{other}");
        }
    }

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
