//! By what else games are told apart when they are counted: year, rating band, speed.

use std::{fmt, str::FromStr};

use super::Speed;

/// Which of year, rating band and speed are told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FacetKinds {
    pub year: bool,
    pub rating: bool,
    pub speed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no facet `{0}`: there are year, rating and speed")]
pub struct ParseFacetsError(String);

impl FromStr for FacetKinds {
    type Err = ParseFacetsError;

    /// A list such as `year,rating`; the empty text asks for none.
    fn from_str(text: &str) -> Result<FacetKinds, ParseFacetsError> {
        let mut kinds = FacetKinds::default();
        for name in text.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            match name {
                "year" => kinds.year = true,
                "rating" => kinds.rating = true,
                "speed" => kinds.speed = true,
                _ => return Err(ParseFacetsError(name.to_owned())),
            }
        }
        Ok(kinds)
    }
}

impl fmt::Display for FacetKinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [(self.year, "year"), (self.rating, "rating"), (self.speed, "speed")];
        let names: Vec<&str> = named
            .into_iter()
            .filter_map(|(asked, name)| asked.then_some(name))
            .collect();
        f.pad(&names.join(","))
    }
}

impl FacetKinds {
    pub fn any(self) -> bool {
        self.year || self.rating || self.speed
    }

    /// Whether everything that is told apart here is told apart there too.
    pub fn within(self, other: FacetKinds) -> bool {
        self.common(other) == self
    }

    /// What both tell apart.
    #[must_use]
    pub fn common(self, other: FacetKinds) -> FacetKinds {
        FacetKinds {
            year: self.year && other.year,
            rating: self.rating && other.rating,
            speed: self.speed && other.speed,
        }
    }

    /// The facet of one game; what is not told apart stays at its default.
    pub fn of(self, year: Option<u16>, rating: Option<u16>, speed: Speed) -> Facet {
        Facet {
            year: if self.year { year.unwrap_or(0) } else { 0 },
            band: if self.rating {
                RatingBand::of(rating)
            } else {
                RatingBand::default()
            },
            speed: if self.speed { speed } else { Speed::Unknown },
        }
    }
}

/// The lower end of a rating band, as the Lichess explorer divides them; 0 for everything below 1000 and for games
/// without ratings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RatingBand(u16);

impl RatingBand {
    pub const LOWER_ENDS: [u16; 9] = [0, 1000, 1200, 1400, 1600, 1800, 2000, 2200, 2500];

    pub fn of(rating: Option<u16>) -> RatingBand {
        let rating = rating.unwrap_or(0);
        let lower = RatingBand::LOWER_ENDS.into_iter().rev().find(|lower| *lower <= rating);
        RatingBand(lower.unwrap_or(0))
    }

    pub fn lower_end(self) -> u16 {
        self.0
    }
}

/// The games of one year, rating band and speed, as far as they are told apart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Facet {
    pub year: u16,
    pub band: RatingBand,
    pub speed: Speed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_round_trip_and_a_wrong_one_is_named() {
        for text in ["", "year", "rating,speed", "year,rating,speed"] {
            assert_eq!(text.parse::<FacetKinds>().expect("known").to_string(), text);
        }
        let wrong = "year,colour".parse::<FacetKinds>().expect_err("unknown");
        assert_eq!(
            wrong.to_string(),
            "there is no facet `colour`: there are year, rating and speed"
        );
    }

    #[test]
    fn bands_begin_at_their_lower_end() {
        let cases = [
            (None, 0),
            (Some(999), 0),
            (Some(1000), 1000),
            (Some(2499), 2200),
            (Some(2800), 2500),
        ];
        for (rating, lower) in cases {
            assert_eq!(RatingBand::of(rating).lower_end(), lower);
        }
    }
}
