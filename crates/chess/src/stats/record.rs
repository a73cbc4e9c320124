//! Results, ratings and years, added up.

use std::ops::AddAssign;

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    White,
    Draw,
    Black,
}

impl Outcome {
    /// Of a PGN result; `None` for games without one.
    pub fn from_result(text: &[u8]) -> Option<Outcome> {
        match text {
            b"1-0" => Some(Outcome::White),
            b"1/2-1/2" => Some(Outcome::Draw),
            b"0-1" => Some(Outcome::Black),
            _ => None,
        }
    }

    /// As PGN writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Outcome::White => "1-0",
            Outcome::Draw => "1/2-1/2",
            Outcome::Black => "0-1",
        }
    }
}

/// The sum over any number of games. Adding is associative and commutative, so games may be split by file, thread or
/// machine and their sums merged in any order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    pub white: u64,
    pub draws: u64,
    pub black: u64,
    /// Over the games in which both players have a rating: the mean of the two, rounded down.
    pub rating_sum: u64,
    pub rated: u64,
    /// 0 where no game has a year.
    pub first_year: u16,
    pub last_year: u16,
}

impl Stats {
    /// One game.
    pub fn of(outcome: Outcome, rating: Option<u16>, year: Option<u16>) -> Stats {
        Stats {
            white: (outcome == Outcome::White).into(),
            draws: (outcome == Outcome::Draw).into(),
            black: (outcome == Outcome::Black).into(),
            rating_sum: rating.unwrap_or(0).into(),
            rated: rating.is_some().into(),
            first_year: year.unwrap_or(0),
            last_year: year.unwrap_or(0),
        }
    }

    pub fn games(&self) -> u64 {
        self.white + self.draws + self.black
    }

    /// Share of White's wins in percent; `None` without games.
    pub fn white_percent(&self) -> Option<f64> {
        self.percent(self.white)
    }

    pub fn draw_percent(&self) -> Option<f64> {
        self.percent(self.draws)
    }

    fn percent(&self, part: u64) -> Option<f64> {
        (self.games() > 0).then(|| part as f64 * 100.0 / self.games() as f64)
    }

    /// Rounded down; `None` without rated games.
    pub fn average_rating(&self) -> Option<u64> {
        self.rating_sum.checked_div(self.rated)
    }
}

impl AddAssign for Stats {
    fn add_assign(&mut self, other: Stats) {
        self.white += other.white;
        self.draws += other.draws;
        self.black += other.black;
        self.rating_sum += other.rating_sum;
        self.rated += other.rated;
        self.first_year = match (self.first_year, other.first_year) {
            (0, year) | (year, 0) => year,
            (one, another) => one.min(another),
        };
        self.last_year = self.last_year.max(other.last_year);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn game() -> impl Strategy<Value = Stats> {
        let outcome = prop_oneof![Just(Outcome::White), Just(Outcome::Draw), Just(Outcome::Black)];
        (outcome, prop::option::of(600u16..3600), prop::option::of(1850u16..2100))
            .prop_map(|(outcome, rating, year)| Stats::of(outcome, rating, year))
    }

    fn sum(games: &[Stats]) -> Stats {
        games.iter().fold(Stats::default(), |mut sum, game| {
            sum += *game;
            sum
        })
    }

    proptest! {
        #[test]
        fn any_split_and_any_order_give_the_same_sum(games in prop::collection::vec(game(), 0..40), at in 0usize..40) {
            let whole = sum(&games);
            let (left, right) = games.split_at(at.min(games.len()));
            let mut parts = sum(right);
            parts += sum(left);
            prop_assert_eq!(parts, whole);
            prop_assert_eq!(whole.games(), games.len() as u64);
        }
    }

    #[test]
    fn years_that_are_not_known_do_not_count() {
        let mut stats = Stats::of(Outcome::Draw, None, None);
        stats += Stats::of(Outcome::White, Some(2500), Some(1999));
        assert_eq!((stats.first_year, stats.last_year), (1999, 1999));
        assert_eq!(stats.average_rating(), Some(2500));
        assert_eq!(stats.white_percent(), Some(50.0));
    }
}
