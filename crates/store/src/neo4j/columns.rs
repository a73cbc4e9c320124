//! How what several collections count lies in one node or relationship.

use tabiya_chess::Stats;

use super::bolt::{BoltError, Packer, Row};
use crate::rows::{bits, id};

/// How many values [`pack`] packs.
pub(super) const PACKED: usize = 10;

/// The sums; then the collections, the one with games first; then, unless that one has them all, what each counts. A property costs the
/// server more than anything else does, so nothing says what it mostly would: that all games are rated, that the last year is
/// the first, that the collections are the usual ones.
pub(super) fn pack(counts: &[(i64, Stats)], usual: Option<&[i64]>, packer: &mut Packer) {
    let mut counts: Vec<&(i64, Stats)> = counts.iter().collect();
    // The sort is stable, so collections with games stay in the order of their ids.
    counts.sort_by_key(|(_, stats)| *stats == Stats::default());
    let mut sum = Stats::default();
    for (_, stats) in &counts {
        sum += *stats;
    }
    packer.int(bits(sum.games()));
    let [white, draws, black, rating_sum, rated, first_year, last_year] = numbers(&sum);
    for number in [white, draws, black, rating_sum] {
        packer.int(number);
    }
    packer.opt_int((sum.rated != sum.games()).then_some(rated));
    packer.int(first_year);
    packer.opt_int((last_year != first_year).then_some(last_year));
    let ids: Vec<i64> = counts.iter().map(|(collection, _)| *collection).collect();
    match usual == Some(&*ids) {
        true => packer.null(),
        false => packer.ints(&ids),
    }
    if counts.iter().skip(1).all(|(_, stats)| *stats == Stats::default()) {
        packer.null();
    } else {
        let all: Vec<i64> = counts.iter().flat_map(|(_, stats)| numbers(stats)).collect();
        packer.ints(&all);
    }
}

/// The lists of games of each collection that has some, as one text: a line for each, behind the collection's id. A list
/// of texts took the server a seventh longer for each position.
pub(super) fn lists(of: &[(i64, String)]) -> Option<String> {
    let lines: Vec<String> = of
        .iter()
        .map(|(collection, list)| format!("{collection} {list}"))
        .collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What [`lists`] wrote.
pub(super) fn read_lists(text: &str) -> Result<Vec<(i64, String)>, BoltError> {
    let line = |line: &str| {
        let (collection, list) = line.split_once(' ')?;
        Some((collection.parse().ok()?, list.to_owned()))
    };
    let unreadable = || BoltError::Unreadable(format!("`{text}` are no lists of games"));
    text.lines().map(|one| line(one).ok_or_else(unreadable)).collect()
}

fn numbers(stats: &Stats) -> [i64; 7] {
    [
        bits(stats.white),
        bits(stats.draws),
        bits(stats.black),
        bits(stats.rating_sum),
        bits(stats.rated),
        stats.first_year.into(),
        stats.last_year.into(),
    ]
}

fn stats(numbers: &[i64]) -> Stats {
    let at = |place: usize| numbers.get(place).copied().unwrap_or_default();
    Stats {
        white: id(at(0)),
        draws: id(at(1)),
        black: id(at(2)),
        rating_sum: id(at(3)),
        rated: id(at(4)),
        first_year: small(at(5)),
        last_year: small(at(6)),
    }
}

/// A year, a ply, a rating: whatever was a `u16` when it was stored.
pub(super) fn small(stored: i64) -> u16 {
    u16::try_from(stored).unwrap_or_default()
}

/// Whose games are asked for.
#[derive(Debug, Clone)]
pub(super) enum Wanted {
    All,
    /// Those of these collections.
    Only(Vec<i64>),
}

/// What was packed, without the number of games.
#[derive(Debug)]
pub(super) struct Counted {
    sum: Stats,
    collections: Vec<i64>,
    counts: Vec<i64>,
}

impl Counted {
    /// Takes the seven numbers of the sum, the collections and the counts.
    pub(super) fn take(row: &mut Row) -> Result<Counted, BoltError> {
        let (white, draws, black, rating_sum) = (row.int()?, row.int()?, row.int()?, row.int()?);
        let rated = row.opt_int()?.unwrap_or(white + draws + black);
        let first_year = row.int()?;
        let last_year = row.opt_int()?.unwrap_or(first_year);
        Ok(Counted {
            sum: stats(&[white, draws, black, rating_sum, rated, first_year, last_year]),
            collections: row.ints()?,
            counts: row.ints()?,
        })
    }

    /// What the wanted collections count together; `None` where none of them speaks of it.
    pub(super) fn of(&self, wanted: &Wanted) -> Option<Stats> {
        let Wanted::Only(wanted) = wanted else {
            return Some(self.sum);
        };
        let mut found = None;
        for (place, _) in (self.collections.iter().enumerate()).filter(|(_, known)| wanted.contains(known)) {
            let counted = match self.counts.get(7 * place..7 * place + 7) {
                Some(numbers) => stats(numbers),
                None if place == 0 => self.sum,
                None => Stats::default(),
            };
            *found.get_or_insert_default() += counted;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::bolt::Value;
    use super::*;

    fn counted(counts: &[(i64, Stats)]) -> (Counted, bool) {
        let mut packer = Packer::default();
        packer.list(PACKED);
        pack(counts, None, &mut packer);
        let Value::List(values) = super::super::bolt::read(packer.bytes()).unwrap() else {
            panic!("no list");
        };
        let has_counts = values[PACKED - 1] != Value::Null;
        (Counted::take(&mut Row::new(values[1..].to_vec())).unwrap(), has_counts)
    }

    #[test]
    fn lists_of_games_come_back() {
        assert_eq!(lists(&[]), None);
        let two = vec![(1, "7:e7e5 -4:|7:e7e5".to_owned()), (-2, "|".to_owned())];
        let text = lists(&two).unwrap();
        assert_eq!(text, "1 7:e7e5 -4:|7:e7e5\n-2 |");
        assert_eq!(read_lists(&text).unwrap(), two);
        assert!(read_lists("7:e7e5|").is_err() && read_lists("x 7:e7e5|").is_err());
    }

    #[test]
    fn collections_are_told_apart_again() {
        let stats = |white, first_year| Stats {
            white,
            draws: 2,
            rating_sum: 5000,
            rated: 2,
            first_year,
            last_year: 2001,
            ..Stats::default()
        };
        let (masters, club, none) = (stats(5, 1998), stats(1, 1990), Stats::default());
        let only = |ids: &[i64]| Wanted::Only(ids.to_vec());

        let (one, has_counts) = counted(&[(1, none), (2, masters)]);
        assert!(!has_counts);
        assert_eq!(one.of(&Wanted::All), Some(masters));
        assert_eq!(one.of(&only(&[2])), Some(masters));
        assert_eq!(one.of(&only(&[1])), Some(none));
        assert_eq!(one.of(&only(&[3])), None);

        let (two, has_counts) = counted(&[(1, none), (2, masters), (7, club)]);
        assert!(has_counts);
        let mut sum = masters;
        sum += club;
        assert_eq!(two.of(&Wanted::All), Some(sum));
        assert_eq!(two.of(&only(&[7])), Some(club));
        assert_eq!(two.of(&only(&[1, 7])), Some(club));
        assert_eq!(two.of(&only(&[2, 7])), Some(sum));

        let all_rated = Stats {
            rated: 7,
            last_year: 1998,
            ..masters
        };
        let (one, _) = counted(&[(2, all_rated)]);
        assert_eq!(one.of(&Wanted::All), Some(all_rated));

        let (nobody, has_counts) = counted(&[(1, none), (3, none)]);
        assert!(!has_counts);
        assert_eq!(nobody.of(&Wanted::All), Some(none));
        assert_eq!(nobody.of(&only(&[3])), Some(none));
    }
}
