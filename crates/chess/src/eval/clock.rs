//! `[%clk …]` in PGN comments.

use std::time::Duration;

use super::comment::command_arguments;

/// The first readable `[%clk h:mm:ss]` of a comment, with or without hours and decimals.
///
/// ```
/// use std::time::Duration;
/// use tabiya_chess::clock_in_comment;
///
/// let left = clock_in_comment("[%eval 0.32] [%clk 0:03:12.4]");
/// assert_eq!(left, Some(Duration::from_millis(192_400)));
/// ```
#[must_use]
pub fn clock_in_comment(comment: &str) -> Option<Duration> {
    command_arguments(comment, "[%clk").find_map(parse)
}

fn parse(text: &str) -> Option<Duration> {
    let (minutes, seconds) = text.rsplit_once(':')?;
    let (hours, minutes) = minutes.rsplit_once(':').unwrap_or(("0", minutes));
    let (seconds, decimals) = seconds.split_once('.').unwrap_or((seconds, ""));

    let total = number(hours)?
        .checked_mul(60)?
        .checked_add(number(minutes)?)?
        .checked_mul(60)?
        .checked_add(number(seconds)?)?;
    Some(Duration::new(total, nanoseconds(decimals)?))
}

fn number(text: &str) -> Option<u64> {
    // `parse` alone would read a sign.
    text.bytes().all(|byte| byte.is_ascii_digit()).then_some(())?;
    text.parse().ok()
}

fn nanoseconds(decimals: &str) -> Option<u32> {
    let mut scale = 1_000_000_000;
    let mut total = 0;
    for byte in decimals.bytes() {
        if !byte.is_ascii_digit() {
            return None;
        }
        scale /= 10;
        total += scale * u32::from(byte - b'0');
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(comment: &str, millis: Option<u64>) {
        let expected = millis.map(Duration::from_millis);
        assert_eq!(clock_in_comment(comment), expected, "{comment}");
    }

    #[test]
    fn is_hours_minutes_and_seconds() {
        check("[%clk 0:03:12]", Some(192_000));
        check("[%clk 0:03:12.4]", Some(192_400));
        check("[%clk 1:59:56.000]", Some(7_196_000));
        check("[%clk 3:12]", Some(192_000));
        check("[%eval 0.1] [%clk 0:00:00.1] ok", Some(100));
        check("[%clk 0:00:01.0000000000009]", Some(1000));
    }

    #[test]
    fn is_not_made_up() {
        for comment in [
            "",
            "0:03:12",
            "[%clk]",
            "[%clk 12]",
            "[%clk -0:03:12]",
            "[%clk 0:03:+12]",
            "[%clk 0:03:12.4x]",
            "[%clk ::]",
            "[%clk 99999999999999999999:00:00]",
            "[%clk 9999999999999999999:00:00]",
            "[%emt 0:03:12]",
        ] {
            check(comment, None);
        }
    }

    proptest! {
        #[test]
        fn is_read_back(millis in 0u64..360_000_000) {
            let (seconds, rest) = (millis / 1000, millis % 1000);
            let (h, m, s) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            check(&format!("[%clk {h}:{m:02}:{s:02}.{rest:03}]"), Some(millis));
        }
    }
}
