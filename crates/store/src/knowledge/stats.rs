//! Sums of games as columns.

use tabiya_chess::Stats;

use super::tx::Column;
use crate::rows::{bits, id};

/// White's wins, draws, Black's wins, sum of ratings, rated games, first year, last year.
pub(super) type StatsRow = (i64, i64, i64, i64, i64, i32, i32);

pub(super) fn stats(row: StatsRow) -> Stats {
    Stats {
        white: id(row.0),
        draws: id(row.1),
        black: id(row.2),
        rating_sum: id(row.3),
        rated: id(row.4),
        first_year: small(row.5),
        last_year: small(row.6),
    }
}

/// A year, a ply, a rating: whatever was a `u16` when it was stored.
pub(super) fn small(stored: i32) -> u16 {
    u16::try_from(stored).unwrap_or_default()
}

pub(super) fn columns<'a>(all: impl Iterator<Item = &'a Stats> + Clone) -> [Column; 7] {
    let [white, draws, black, rating_sum, rated] = counts(all.clone());
    [
        white,
        draws,
        black,
        rating_sum,
        rated,
        Column::ints(all.clone().map(|stats| stats.first_year)),
        Column::ints(all.map(|stats| stats.last_year)),
    ]
}

/// The columns without years.
pub(super) fn counts<'a>(all: impl Iterator<Item = &'a Stats> + Clone) -> [Column; 5] {
    [
        Column::ids(all.clone().map(|stats| bits(stats.white))),
        Column::ids(all.clone().map(|stats| bits(stats.draws))),
        Column::ids(all.clone().map(|stats| bits(stats.black))),
        Column::ids(all.clone().map(|stats| bits(stats.rating_sum))),
        Column::ids(all.map(|stats| bits(stats.rated))),
    ]
}
