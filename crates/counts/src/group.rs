//! All departures from one position, gathered.

use tabiya_chess::{Facet, FacetKinds, Stats};

use crate::{GameInfo, PackedMove, parts::Tallied};

/// How many games a list shows.
const LISTED: usize = 8;

/// A game in a position's list, with the move that was played there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameRef {
    /// The game's number in its state.
    pub game: u32,
    pub by: PackedMove,
    pub info: GameInfo,
}

/// The departures by one move, of one facet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptMove {
    pub by: PackedMove,
    pub facet: Facet,
    pub stats: Stats,
}

/// Whether games are listed, or counted only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lists {
    With,
    Without,
}

/// The departures of one collection from one position.
#[derive(Debug, Clone, Default)]
pub(crate) struct Group {
    /// Of all moves, once they are [added up](Group::add_up).
    pub(crate) total: Stats,
    /// By move; within a move by order of appearance.
    pub(crate) moves: Vec<KeptMove>,
    pub(crate) top: Vec<GameRef>,
    pub(crate) recent: Vec<GameRef>,
}

impl Group {
    pub(crate) fn clear(&mut self) {
        self.total = Stats::default();
        self.moves.clear();
        self.top.clear();
        self.recent.clear();
    }

    pub(crate) fn add(&mut self, game: GameRef, kinds: FacetKinds, lists: Lists) {
        self.sum(game.by, game.info.facet(kinds), game.info.stats());
        if lists == Lists::With {
            list(&mut self.top, game, by_rating);
            list(&mut self.recent, game, by_month);
        }
    }

    pub(crate) fn add_tallied(&mut self, tallied: &Tallied, kinds: FacetKinds) {
        self.sum(tallied.by, tallied.facet(kinds), tallied.stats);
    }

    /// To be called when all are there.
    pub(crate) fn add_up(&mut self) {
        self.total = Stats::default();
        self.moves.iter().for_each(|known| self.total += known.stats);
    }

    fn sum(&mut self, by: PackedMove, facet: Facet, stats: Stats) {
        // Departures come sorted by move more often than not, so the last entries are looked at first.
        match self
            .moves
            .iter_mut()
            .rev()
            .find(|known| known.by == by && known.facet == facet)
        {
            Some(known) => known.stats += stats,
            None => self.moves.push(KeptMove { by, facet, stats }),
        }
    }
}

/// The best mean rating first; of equals, the game that was counted first.
fn by_rating(game: &GameRef) -> u64 {
    u64::from(game.info.rating_order()) << 32 | u64::from(!game.game)
}

/// The latest month first; of equals, the game that was counted last.
fn by_month(game: &GameRef) -> u64 {
    u64::from(game.info.month_order()) << 32 | u64::from(game.game)
}

/// Puts a game into a list of at most [`LISTED`], the one of the highest rank first.
fn list(games: &mut Vec<GameRef>, game: GameRef, rank: impl Fn(&GameRef) -> u64) {
    let own = rank(&game);
    if games.len() == LISTED && rank(&games[LISTED - 1]) > own {
        return;
    }
    let at = games.partition_point(|known| rank(known) > own);
    games.truncate(LISTED - usize::from(games.len() == LISTED));
    games.insert(at, game);
}

#[cfg(test)]
mod tests {
    use tabiya_chess::{Outcome, Speed};

    use super::*;
    use crate::Month;

    fn game(game: u32, rating: u16, year: u16) -> GameRef {
        GameRef {
            game,
            by: PackedMove::NONE,
            info: GameInfo::new(Outcome::Draw, Some(rating), Month::new(year, None), Speed::Unknown),
        }
    }

    #[test]
    fn lists_do_not_depend_on_the_order_of_games() {
        let games: Vec<GameRef> = (0..40)
            .map(|n| game(n, 2000 + (n % 7) as u16 * 10, 1990 + (n % 5) as u16))
            .collect();
        let gather = |games: &mut dyn Iterator<Item = &GameRef>| {
            let mut group = Group::default();
            games.for_each(|game| group.add(*game, FacetKinds::default(), Lists::With));
            (group.top, group.recent)
        };
        let (top, recent) = gather(&mut games.iter());
        assert_eq!(gather(&mut games.iter().rev()), (top.clone(), recent.clone()));
        assert_eq!(
            top.iter().map(|game| game.game).collect::<Vec<_>>(),
            [6, 13, 20, 27, 34, 5, 12, 19]
        );
        assert_eq!(
            recent.iter().map(|game| game.game).collect::<Vec<_>>(),
            [39, 34, 29, 24, 19, 14, 9, 4]
        );
    }
}
