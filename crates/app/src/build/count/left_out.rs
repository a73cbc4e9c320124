//! Games that do not count, by reason.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Why games were left out of the counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// `*` or no result at all.
    pub no_result: u64,
    /// An illegal or unreadable move within the counted depth.
    pub broken: u64,
    /// Another start than the initial position.
    pub other_start: u64,
    /// Chess960 and other variants.
    pub other_variant: u64,
    /// A player below the asked-for rating, or without one.
    pub rating: u64,
    /// Outside of the asked-for dates, or without one.
    pub date: u64,
}

impl LeftOut {
    pub fn total(&self) -> u64 {
        self.no_result + self.broken + self.other_start + self.other_variant + self.rating + self.date
    }

    /// Each reason in words, with its number of games, leaving out those that did not occur.
    pub fn reasons(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("without a result", self.no_result),
            ("with a move that cannot be played", self.broken),
            ("from another start", self.other_start),
            ("of another variant", self.other_variant),
            ("below the rating asked for", self.rating),
            ("outside of the dates asked for", self.date),
        ]
        .into_iter()
        .filter(|(_, games)| *games > 0)
    }
}

impl AddAssign for LeftOut {
    fn add_assign(&mut self, other: LeftOut) {
        self.no_result += other.no_result;
        self.broken += other.broken;
        self.other_start += other.other_start;
        self.other_variant += other.other_variant;
        self.rating += other.rating;
        self.date += other.date;
    }
}
