//! What many games say of one position or move, as values that add up.

mod facet;
mod record;
mod speed;

pub use facet::{Facet, FacetKinds, ParseFacetsError, RatingBand};
pub use record::{Outcome, Stats};
pub use speed::Speed;
