//! Numbers as people read them.

use std::time::Duration;

pub(crate) use tabiya_app::thousands;

/// `1 game`, `2 games`, `1,234 games`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// How much per second, without decimals.
pub(crate) fn rate(amount: u64, time: Duration) -> String {
    thousands((amount as f64 / time.as_secs_f64().max(0.001)).round() as u64)
}

/// Bytes per second as MB/s.
pub(crate) fn megabytes_per_second(bytes: u64, time: Duration) -> String {
    format!("{:.1} MB/s", bytes as f64 / 1e6 / time.as_secs_f64().max(0.001))
}

/// `512 bytes`, `7 kB`, `12.3 MB`.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => count(bytes, "byte"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

/// `0.42 s`, `12.3 s`, `4 min 05 s`, `2 h 03 min`.
pub(crate) fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match time.as_secs() {
        0..10 => format!("{seconds:.2} s"),
        10..60 => format!("{seconds:.1} s"),
        whole @ 60..3600 => format!("{} min {:02} s", whole / 60, whole % 60),
        whole => format!("{} h {:02} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `0:07`, `12:34`, `1:02:03`.
pub(crate) fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

/// Whole milliseconds, as reports for machines have them.
pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_grow_coarser() {
        assert_eq!(
            [1, 512, 7_900, 12_345_678].map(size),
            ["1 byte", "512 bytes", "7 kB", "12.3 MB"]
        );
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(
            [0, 1, 2_000].map(|n| count(n, "game")),
            ["0 games", "1 game", "2,000 games"]
        );
    }

    #[test]
    fn clocks_show_hours_only_where_there_are_any() {
        let texts = [7, 754, 3_723].map(|s| clock(Duration::from_secs(s)));
        assert_eq!(texts, ["0:07", "12:34", "1:02:03"]);
    }

    #[test]
    fn durations_grow_coarser() {
        let texts = [420, 12_340, 245_000, 7_390_000].map(|ms| duration(Duration::from_millis(ms)));
        assert_eq!(texts, ["0.42 s", "12.3 s", "4 min 05 s", "2 h 03 min"]);
    }
}
