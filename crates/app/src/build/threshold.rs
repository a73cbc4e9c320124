//! How many games make a move worth keeping.

/// A number of games, or one that fits the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MinGames {
    Fixed(u64),
    BySize,
}

impl MinGames {
    /// Enough where there are millions of games.
    pub const DEFAULT: MinGames = MinGames::Fixed(50);

    pub fn for_games(self, games: u64) -> u64 {
        match self {
            MinGames::Fixed(games) => games,
            MinGames::BySize => match games {
                0..1_000 => 1,
                1_000..10_000 => 2,
                10_000..100_000 => 3,
                100_000..500_000 => 5,
                500_000..2_000_000 => 20,
                _ => 50,
            },
        }
    }
}
