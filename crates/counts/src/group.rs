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

    /// The same for many; quickest where those by one move come together.
    pub(crate) fn add_all(&mut self, games: impl Iterator<Item = GameRef>, kinds: FacetKinds, lists: Lists) {
        if kinds.any() {
            return games.for_each(|game| self.add(game, kinds, lists));
        }
        let mut run = Run::default();
        let mut by = PackedMove::NONE;
        let (mut top, mut recent) = (lowest(&self.top, by_rating), lowest(&self.recent, by_month));
        for game in games {
            if game.by != by {
                self.end_run(by, run);
                (by, run) = (game.by, Run::default());
            }
            run.add(game.info);
            if lists == Lists::Without {
                continue;
            }
            if by_rating(&game) > top {
                list(&mut self.top, game, by_rating);
                top = lowest(&self.top, by_rating);
            }
            if by_month(&game) > recent {
                list(&mut self.recent, game, by_month);
                recent = lowest(&self.recent, by_month);
            }
        }
        self.end_run(by, run);
    }

    fn end_run(&mut self, by: PackedMove, run: Run) {
        if run.games() > 0 {
            self.sum(by, Facet::default(), run.stats());
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

/// Games that left by one move, added up as they come: a third of what adding [`Stats`] to each other costs.
#[derive(Clone, Copy, Default)]
struct Run {
    results: [u32; 4],
    rating_sum: u64,
    rated: u32,
    /// The earliest and the latest month, where any is known.
    first: u32,
    last: u32,
}

impl Run {
    fn add(&mut self, info: GameInfo) {
        self.results[info.outcome_number()] += 1;
        let rating = info.rating_order();
        self.rating_sum += u64::from(rating);
        self.rated += u32::from(rating > 0);
        let month = info.month_order();
        if month > 0 {
            self.first = if self.first == 0 { month } else { self.first.min(month) };
            self.last = self.last.max(month);
        }
    }

    fn games(&self) -> u32 {
        self.results.iter().sum()
    }

    fn stats(&self) -> Stats {
        let [white, draws, black, others] = self.results.map(u64::from);
        let year = |month| GameInfo::year_of_month(month).unwrap_or_default();
        Stats {
            white,
            draws,
            black: black + others,
            rating_sum: self.rating_sum,
            rated: u64::from(self.rated),
            first_year: year(self.first),
            last_year: year(self.last),
        }
    }
}

/// The rank that a game has to exceed to be listed.
fn lowest(games: &[GameRef], rank: impl Fn(&GameRef) -> u64) -> u64 {
    games.get(LISTED - 1).map_or(0, rank)
}

/// The best mean rating first; of equals, the game that was counted first.
fn by_rating(game: &GameRef) -> u64 {
    rank(game.info.rating_order(), !game.game)
}

/// The latest month first; of equals, the game that was counted last.
fn by_month(game: &GameRef) -> u64 {
    rank(game.info.month_order(), game.game)
}

/// Never zero, which a list with room to spare has for its lowest.
fn rank(order: u32, number: u32) -> u64 {
    u64::from(order) << 33 | (u64::from(number) + 1)
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
    fn many_are_added_as_one_by_one() {
        let games: Vec<GameRef> = (0..300_u32)
            .map(|n| {
                let (rating, year) = ((n % 3 > 0).then_some(2000 + (n % 11) as u16), 1990 + (n % 17) as u16);
                let month = Month::new(year, Some((n % 14) as u16)).filter(|_| n % 5 > 0);
                let outcome = [Outcome::White, Outcome::Draw, Outcome::Black][n as usize % 3];
                GameRef {
                    game: n,
                    by: PackedMove::from_bits((n / 40 % 5) as u16),
                    info: GameInfo::new(outcome, rating, month, Speed::Blitz),
                }
            })
            .collect();
        for kinds in ["", "year", "year,rating,speed"] {
            let kinds: FacetKinds = kinds.parse().expect("facets");
            // Lists that are full and lists that are not.
            for (lists, first) in [
                (Lists::With, 1),
                (Lists::With, 7),
                (Lists::With, 300),
                (Lists::Without, 300),
            ] {
                let games = &games[..first];
                let (mut one, mut all) = (Group::default(), Group::default());
                games.iter().for_each(|game| one.add(*game, kinds, lists));
                all.add_all(games.iter().copied(), kinds, lists);
                for group in [&mut one, &mut all] {
                    group.add_up();
                    group.moves.sort_unstable_by_key(|known| (known.by, known.facet));
                }
                assert_eq!((one.total, one.moves), (all.total, all.moves));
                assert_eq!((one.top, one.recent), (all.top, all.recent));
            }
        }
    }

    #[test]
    fn games_of_centuries_ago_have_their_years() {
        // The second has none.
        let games = [game(0, 2000, 1750), game(1, 2000, 0), game(2, 2000, 1851)];
        for kinds in ["", "year"] {
            let kinds: FacetKinds = kinds.parse().expect("facets");
            let mut group = Group::default();
            group.add_all(games.into_iter(), kinds, Lists::With);
            group.add_up();
            assert_eq!((group.total.first_year, group.total.last_year), (1750, 1851));
            let recent: Vec<u32> = group.recent.iter().map(|game| game.game).collect();
            assert_eq!(recent, [2, 0, 1]);
            let years: Vec<u16> = group.moves.iter().map(|known| known.facet.year).collect();
            assert_eq!(years, if kinds.year { vec![1750, 0, 1851] } else { vec![0] });
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
