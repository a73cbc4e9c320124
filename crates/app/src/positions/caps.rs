//! How many positions at most, and how many of each rating band. Applied in file order, so that every shard and every
//! resumed run come to the same ones.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use tabiya_dataset::training::Sample;

use super::PositionReason;

/// `1000,1200,1400=500`: at most 500 positions of each band of mean ratings, each band up to the next; the last is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Strata {
    bounds: Vec<u16>,
    each: u64,
}

/// Not a list of rating bands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no list of rating bands such as 1000,1200,1400=50000: ascending ratings, and how many of each band")]
pub struct ParseStrataError(String);

impl FromStr for Strata {
    type Err = ParseStrataError;

    fn from_str(text: &str) -> Result<Strata, ParseStrataError> {
        let bad = || ParseStrataError(text.to_owned());
        let (bounds, each) = text.split_once('=').ok_or_else(bad)?;
        let bounds: Vec<u16> = bounds
            .split(',')
            .map(|bound| bound.trim().parse().map_err(|_| bad()))
            .collect::<Result<_, _>>()?;
        let each = each.trim().replace('_', "").parse().map_err(|_| bad())?;
        if each == 0 || !bounds.is_sorted_by(|one, other| one < other) {
            return Err(bad());
        }
        Ok(Strata { bounds, each })
    }
}

impl fmt::Display for Strata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds: Vec<String> = self.bounds.iter().map(u16::to_string).collect();
        write!(f, "{}={}", bounds.join(","), self.each)
    }
}

impl From<Strata> for String {
    fn from(strata: Strata) -> String {
        strata.to_string()
    }
}

impl TryFrom<String> for Strata {
    type Error = ParseStrataError;

    fn try_from(text: String) -> Result<Strata, ParseStrataError> {
        text.parse()
    }
}

/// How much was taken so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Taken {
    pub(super) all: u64,
    bands: Vec<u64>,
}

/// What becomes of a position.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It is taken, as the position of this number.
    Number(u64),
    PassedOver(PositionReason),
    /// Nothing more is wanted, of anything.
    Full,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Caps {
    pub(super) max: Option<u64>,
    pub(super) strata: Option<Strata>,
}

impl Caps {
    pub(super) fn decide(&self, taken: &mut Taken, sample: &Sample) -> Fate {
        if self.max.is_some_and(|max| taken.all >= max) {
            return Fate::Full;
        }
        if let Some(strata) = &self.strata {
            taken.bands.resize(strata.bounds.len(), 0);
            if taken.bands.iter().all(|band| *band >= strata.each) {
                return Fate::Full;
            }
            let elo = sample.elo_avg.unwrap_or(0);
            let above = strata.bounds.partition_point(|bound| *bound <= elo);
            let Some(band) = above.checked_sub(1) else {
                return Fate::PassedOver(PositionReason::OutsideBands);
            };
            if taken.bands[band] >= strata.each {
                return Fate::PassedOver(PositionReason::BandFull);
            }
            taken.bands[band] += 1;
        }
        let number = taken.all;
        taken.all += 1;
        Fate::Number(number)
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::Chess;
    use tabiya_chess::Variant;

    use super::*;

    fn rated(elo: Option<u16>) -> Sample {
        Sample {
            elo_avg: elo,
            ..Sample::bare(Chess::default(), Variant::Standard)
        }
    }

    #[test]
    fn each_band_is_filled_and_then_everything_ends() {
        let caps = Caps {
            max: None,
            strata: "1000,1500=2".parse().ok(),
        };
        let mut taken = Taken::default();
        let mut decide = |elo| caps.decide(&mut taken, &rated(elo));
        assert_eq!(decide(Some(999)), Fate::PassedOver(PositionReason::OutsideBands));
        assert_eq!(decide(None), Fate::PassedOver(PositionReason::OutsideBands));
        assert_eq!(decide(Some(1000)), Fate::Number(0));
        assert_eq!(decide(Some(1499)), Fate::Number(1));
        assert_eq!(decide(Some(1499)), Fate::PassedOver(PositionReason::BandFull));
        assert_eq!(decide(Some(3000)), Fate::Number(2));
        assert_eq!(decide(Some(1500)), Fate::Number(3));
        assert_eq!(decide(Some(1500)), Fate::Full);
    }

    #[test]
    fn bands_are_read_and_written() {
        let strata: Strata = "1000, 1200,1400=50_000".parse().expect("bands");
        assert_eq!(strata.to_string(), "1000,1200,1400=50000");
        for text in ["", "1000", "1000=", "1000=0", "1200,1000=5", "1000,1000=5", "x=5"] {
            assert!(text.parse::<Strata>().is_err(), "{text}");
        }
    }
}
