//! What a game says about every position it reached, in four bytes.

use tabiya_chess::{Facet, FacetKinds, Outcome, Speed, Stats};

/// A month of a year; the month is 0 where only the year is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month {
    year: u16,
    month: u16,
}

/// No game that is known is older. Dates such as 0001.01.01 are what programs write that know none.
const FIRST_YEAR: u16 = 1400;
/// The bits would do for years to 3919; but 2991 is a slip for 1991, and would be the latest game of all.
const LAST_YEAR: u16 = 2199;

/// A year has thirteen of them, one for its games of no known month; 0 is a game without a year.
const MONTH_BITS: u32 = 15;
const _: () = assert!((LAST_YEAR - FIRST_YEAR + 1) as u32 * 13 < 1 << MONTH_BITS);

impl Month {
    /// `None` for years outside of what games have.
    pub fn new(year: u16, month: Option<u16>) -> Option<Month> {
        let month = month.filter(|month| *month <= 12).unwrap_or(0);
        (FIRST_YEAR..=LAST_YEAR)
            .contains(&year)
            .then_some(Month { year, month })
    }

    /// From a PGN date such as `2013.01.??`.
    pub fn from_date(date: &str) -> Option<Month> {
        let mut parts = date.split(['.', '-', '/']);
        let year = parts.next()?.trim().parse().ok()?;
        Month::new(year, parts.next().and_then(|month| month.trim().parse().ok()))
    }

    pub fn year(self) -> u16 {
        self.year
    }
}

/// Result, mean rating, month and speed of a game: from the highest bit on, 12 of the rating, 15 of the month, 3 of the speed and
/// 2 of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameInfo(u32);

impl GameInfo {
    pub fn new(outcome: Outcome, rating: Option<u16>, month: Option<Month>, speed: Speed) -> GameInfo {
        let outcome = match outcome {
            Outcome::White => 0,
            Outcome::Draw => 1,
            Outcome::Black => 2,
        };
        let month = month.map_or(0, |at| 1 + u32::from(at.year - FIRST_YEAR) * 13 + u32::from(at.month));
        let rating = u32::from(rating.unwrap_or(0).min(4095));
        GameInfo(rating << 20 | month << 5 | (speed as u32) << 2 | outcome)
    }

    pub fn outcome(self) -> Outcome {
        match self.0 & 3 {
            0 => Outcome::White,
            1 => Outcome::Draw,
            _ => Outcome::Black,
        }
    }

    pub fn rating(self) -> Option<u16> {
        Some((self.0 >> 20) as u16).filter(|rating| *rating > 0)
    }

    /// 0, 1 and 2 for White, a draw and Black. A damaged file may hold a 3, which [`outcome`](GameInfo::outcome) takes for
    /// the last of them.
    pub(crate) fn outcome_number(self) -> usize {
        (self.0 & 3) as usize
    }

    pub fn month(self) -> Option<Month> {
        let at = self.month_order() as u16;
        at.checked_sub(1).map(|at| Month {
            year: FIRST_YEAR + at / 13,
            month: at % 13,
        })
    }

    /// The year of what [`month_order`](GameInfo::month_order) gave.
    pub(crate) fn year_of_month(order: u32) -> Option<u16> {
        GameInfo(order << 5).year()
    }

    pub fn year(self) -> Option<u16> {
        self.month().map(Month::year)
    }

    /// Higher for a higher rating, 0 for none.
    pub(crate) fn rating_order(self) -> u32 {
        self.0 >> 20
    }

    /// Higher for a later month, 0 for none.
    pub(crate) fn month_order(self) -> u32 {
        self.0 >> 5 & ((1 << MONTH_BITS) - 1)
    }

    pub fn speed(self) -> Speed {
        Speed::ALL.get((self.0 >> 2 & 7) as usize).copied().unwrap_or_default()
    }

    pub fn stats(self) -> Stats {
        Stats::of(self.outcome(), self.rating(), self.year())
    }

    pub fn facet(self, kinds: FacetKinds) -> Facet {
        kinds.of(self.year(), self.rating(), self.speed())
    }

    pub(crate) fn bits(self) -> u32 {
        self.0
    }

    pub(crate) fn from_bits(bits: u32) -> GameInfo {
        GameInfo(bits)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn everything_comes_back(
            outcome in prop_oneof![Just(Outcome::White), Just(Outcome::Draw), Just(Outcome::Black)],
            rating in prop::option::of(1u16..4096),
            date in prop::option::of((FIRST_YEAR..=LAST_YEAR, 0u16..=12)),
            speed in prop::sample::select(Speed::ALL.to_vec()),
        ) {
            let month = date.and_then(|(year, month)| Month::new(year, Some(month)));
            let info = GameInfo::from_bits(GameInfo::new(outcome, rating, month, speed).bits());
            prop_assert_eq!(info.outcome(), outcome);
            prop_assert_eq!(info.rating(), rating);
            prop_assert_eq!(info.month(), month);
            prop_assert_eq!(info.speed(), speed);
        }
    }

    #[test]
    fn dates_are_read_as_far_as_they_are_known() {
        let of = |text| Month::from_date(text).map(|at| (at.year, at.month));
        assert_eq!(of("2013.01.31"), Some((2013, 1)));
        assert_eq!(of("1924.??.??"), Some((1924, 0)));
        assert_eq!(of("1750.??.??"), Some((1750, 0)));
        assert_eq!(of("1475.01.01"), Some((1475, 1)));
        assert_eq!(of("????.??.??"), None);
        assert_eq!(of("0001.01.01"), None);
        assert_eq!(of("2991.01.01"), None);
    }

    #[test]
    fn months_are_in_the_order_of_the_calendar() {
        let order = |date: &str| {
            let info = GameInfo::new(Outcome::Draw, None, Month::from_date(date), Speed::Correspondence);
            info.month_order()
        };
        assert_eq!(order("????.??.??"), 0);
        let dates = [
            "1400.??.??",
            "1750.??.??",
            "1750.06.??",
            "1800.12.31",
            "1801.01.01",
            "1851.06.21",
            "2114.12.31",
            "2199.12.31",
        ];
        for (earlier, later) in dates.iter().zip(&dates[1..]) {
            assert!(
                0 < order(earlier) && order(earlier) < order(later),
                "{earlier}, {later}"
            );
        }
        for date in dates {
            assert_eq!(
                GameInfo::year_of_month(order(date)),
                date[..4].parse::<u16>().ok(),
                "{date}"
            );
        }
    }
}
