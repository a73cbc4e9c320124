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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_are_won_drawn_or_lost() {
        let tally = Tally::new(3, 4, 1).expect("a few games");
        assert_eq!(tally.games(), 8);
    }

    #[test]
    fn nobody_has_counted_so_many() {
        assert!(Tally::new(MOST_GAMES - 2, 1, 1).is_some());
        assert_eq!(Tally::new(MOST_GAMES, 1, 0), None);
        assert_eq!(Tally::new(i64::MAX as u64, 0, 0), None);
        assert_eq!(Tally::new(u64::MAX, u64::MAX, u64::MAX), None);
    }
}
