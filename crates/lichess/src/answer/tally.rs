//! Results of games, counted.

/// How many games White won, nobody won and Black won. Sums over a whole tree fit into an `i64`, as databases count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    white: u64,
    draws: u64,
    black: u64,
}

/// More than all games that were ever played.
const MOST_GAMES: u64 = 1_000_000_000_000;

impl Tally {
    /// `None` if there are more games than anybody can have counted.
    #[must_use]
    pub fn new(white: u64, draws: u64, black: u64) -> Option<Tally> {
        let games = white.checked_add(draws)?.checked_add(black)?;
        (games <= MOST_GAMES).then_some(Tally { white, draws, black })
    }

    /// Games that White won.
    #[must_use]
    pub const fn white(self) -> u64 {
        self.white
    }

    /// Games that nobody won.
    #[must_use]
    pub const fn draws(self) -> u64 {
        self.draws
    }

    /// Games that Black won.
    #[must_use]
    pub const fn black(self) -> u64 {
        self.black
    }

    /// All games.
    #[must_use]
    pub const fn games(self) -> u64 {
        self.white + self.draws + self.black
    }

    /// Per cent of the games that White won; `None` without games.
    #[must_use]
    pub fn white_pct(self) -> Option<f64> {
        self.pct(self.white)
    }

    /// Per cent of the games that nobody won; `None` without games.
    #[must_use]
    pub fn draw_pct(self) -> Option<f64> {
        self.pct(self.draws)
    }

    fn pct(self, part: u64) -> Option<f64> {
        let games = self.games();
        (games > 0).then(|| part as f64 * 100.0 / games as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_games() {
        let tally = Tally::new(3, 4, 1).expect("a few games");
        assert_eq!(tally.games(), 8);
        assert_eq!((tally.white_pct(), tally.draw_pct()), (Some(37.5), Some(50.0)));
        assert_eq!(Tally::default().white_pct(), None);
    }

    #[test]
    fn nobody_has_counted_so_many() {
        assert!(Tally::new(MOST_GAMES - 2, 1, 1).is_some());
        assert_eq!(Tally::new(MOST_GAMES, 1, 0), None);
        assert_eq!(Tally::new(i64::MAX as u64, 0, 0), None);
        assert_eq!(Tally::new(u64::MAX, u64::MAX, u64::MAX), None);
    }
}
