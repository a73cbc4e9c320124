//! How fast a game was played, as Lichess divides it.

use std::fmt;

/// Nobody sits that long at the board for forty moves, in seconds.
const CORRESPONDENCE: u32 = 21_600;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Speed {
    #[default]
    Unknown,
    UltraBullet,
    Bullet,
    Blitz,
    Rapid,
    Classical,
    Correspondence,
}

impl Speed {
    pub const ALL: [Speed; 7] = [
        Speed::Unknown,
        Speed::UltraBullet,
        Speed::Bullet,
        Speed::Blitz,
        Speed::Rapid,
        Speed::Classical,
        Speed::Correspondence,
    ];

    /// From a `TimeControl` tag: the clock and forty increments, in seconds. Periods (`40/7200:3600`) are classical, unless
    /// forty moves may take longer than that: chess.com writes a day a move as `1/86400`.
    pub fn from_time_control(text: &str) -> Speed {
        let text = text.trim();
        if text == "-" {
            return Speed::Correspondence;
        }
        if let Some((moves, rest)) = text.split_once('/') {
            let seconds = rest.split([':', '+']).next().unwrap_or(rest);
            return match (moves.parse::<u32>(), seconds.parse::<u32>()) {
                (Ok(moves), Ok(seconds)) if (seconds / moves.max(1)).saturating_mul(40) >= CORRESPONDENCE => {
                    Speed::Correspondence
                }
                _ => Speed::Classical,
            };
        }
        let (clock, increment) = text.split_once('+').unwrap_or((text, "0"));
        let (Ok(clock), Ok(increment)) = (clock.parse::<u32>(), increment.parse::<u32>()) else {
            return Speed::Unknown;
        };
        match clock.saturating_add(increment.saturating_mul(40)) {
            0..=29 => Speed::UltraBullet,
            30..=179 => Speed::Bullet,
            180..=479 => Speed::Blitz,
            480..=1499 => Speed::Rapid,
            1500..CORRESPONDENCE => Speed::Classical,
            _ => Speed::Correspondence,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Speed::Unknown => "unknown",
            Speed::UltraBullet => "ultraBullet",
            Speed::Bullet => "bullet",
            Speed::Blitz => "blitz",
            Speed::Rapid => "rapid",
            Speed::Classical => "classical",
            Speed::Correspondence => "correspondence",
        }
    }

    pub fn from_name(name: &str) -> Option<Speed> {
        Speed::ALL.into_iter().find(|speed| speed.as_str() == name)
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_controls_have_the_speed_that_lichess_gives_them() {
        let cases = [
            ("15+0", Speed::UltraBullet),
            ("60+0", Speed::Bullet),
            ("120+1", Speed::Bullet),
            ("180+2", Speed::Blitz),
            ("300", Speed::Blitz),
            ("600+0", Speed::Rapid),
            ("1800+20", Speed::Classical),
            ("40/7200:3600", Speed::Classical),
            ("40/5400+30:1800+30", Speed::Classical),
            ("1/86400", Speed::Correspondence),
            ("1/1209600", Speed::Correspondence),
            ("1/4294967295", Speed::Correspondence),
            ("40/21599", Speed::Classical),
            ("40/21600", Speed::Correspondence),
            ("0/0", Speed::Classical),
            ("?/86400", Speed::Classical),
            ("-", Speed::Correspondence),
            ("?", Speed::Unknown),
            ("", Speed::Unknown),
        ];
        for (text, speed) in cases {
            assert_eq!(Speed::from_time_control(text), speed, "{text}");
        }
    }

    #[test]
    fn names_round_trip() {
        for speed in Speed::ALL {
            assert_eq!(Speed::from_name(speed.as_str()), Some(speed));
        }
    }
}
