//! The columns of partial counts.

use tabiya_chess::{Facet, Stats};
use tabiya_counts::{CountedSource, Departed};
use tabiya_dataset::table::{Column, Kind, Value};

/// Facets always have their columns, so that one statement merges any parts; what is not told apart is 0 or `unknown`.
pub(super) const COLUMNS: [Column; 14] = [
    Column::new("epd", Kind::Text),
    Column::new("uci", Kind::Text),
    Column::new("year", Kind::U32),
    Column::new("band", Kind::U32),
    Column::new("speed", Kind::Text),
    Column::new("games", Kind::U64),
    Column::new("white", Kind::U64),
    Column::new("draws", Kind::U64),
    Column::new("black", Kind::U64),
    Column::new("rating_sum", Kind::U64),
    Column::new("rated", Kind::U64),
    Column::new("first_year", Kind::U32),
    Column::new("last_year", Kind::U32),
    Column::new("rules", Kind::Text),
];

/// Places in [`COLUMNS`].
pub(super) mod column {
    pub(crate) const EPD: usize = 0;
    pub(crate) const UCI: usize = 1;
    pub(crate) const YEAR: usize = 2;
    pub(crate) const BAND: usize = 3;
    pub(crate) const SPEED: usize = 4;
    pub(crate) const GAMES: usize = 5;
    pub(crate) const WHITE: usize = 6;
    pub(crate) const DRAWS: usize = 7;
    pub(crate) const BLACK: usize = 8;
    pub(crate) const RATING_SUM: usize = 9;
    pub(crate) const RATED: usize = 10;
    pub(crate) const FIRST_YEAR: usize = 11;
    pub(crate) const LAST_YEAR: usize = 12;
    pub(crate) const RULES: usize = 13;
}

/// The key in a Parquet file's metadata under which the counted files stand, as JSON.
pub(super) const SOURCES_KEY: &str = "tabiya.counts.sources";
/// And the rules, for whoever looks at the metadata alone.
pub(super) const RULES_KEY: &str = "tabiya.counts.rules";

pub(super) type Sources = Vec<CountedSource>;

pub(super) fn row<'a>(departed: &Departed<'a>, rules: &'a str) -> [Value<'a>; COLUMNS.len()] {
    let Departed { epd, uci, facet, stats } = *departed;
    let Facet { year, band, speed } = facet;
    let Stats {
        white,
        draws,
        black,
        rating_sum,
        rated,
        first_year,
        last_year,
    } = stats;
    [
        Value::Text(epd),
        Value::Text(uci),
        Value::U32(year.into()),
        Value::U32(band.lower_end().into()),
        Value::Text(speed.as_str()),
        Value::U64(stats.games()),
        Value::U64(white),
        Value::U64(draws),
        Value::U64(black),
        Value::U64(rating_sum),
        Value::U64(rated),
        Value::U32(first_year.into()),
        Value::U32(last_year.into()),
        Value::Text(rules),
    ]
}
