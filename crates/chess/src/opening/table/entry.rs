//! What stands in the table: openings, their other names, and their families.

use shakmaty::Color;

use crate::opening::{
    Category, Eco, NamingSystem, OpeningId,
    character::Character,
    names::{opening_name, variation_name},
};

/// Another name of an opening.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alias {
    pub name: String,
    /// The code that goes with it, which need not be the opening's own.
    pub eco: Eco,
    /// Whose name it is.
    pub system: NamingSystem,
}

/// An opening: an ECO code and a full name, with one or more lines.
#[derive(Clone, Debug)]
pub struct Opening {
    pub(super) id: OpeningId,
    pub(super) eco: Eco,
    pub(super) name: String,
    pub(super) slug: String,
    pub(super) system: NamingSystem,
    pub(super) aliases: Vec<Alias>,
    pub(super) character: Character,
    /// Into the table's lines; the first is the shortest.
    pub(super) lines: Vec<usize>,
}

impl Opening {
    /// The id, made of code and name.
    #[must_use]
    pub const fn id(&self) -> OpeningId {
        self.id
    }

    /// The ECO code.
    #[must_use]
    pub const fn eco(&self) -> Eco {
        self.eco
    }

    /// The full name: `Sicilian Defense: Najdorf Variation`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name before the first `:`, which is that of the family: `Sicilian Defense`.
    #[must_use]
    pub fn opening_name(&self) -> &str {
        opening_name(&self.name)
    }

    /// The name behind the first `:`, if there is one: `Najdorf Variation`.
    #[must_use]
    pub fn variation_name(&self) -> Option<&str> {
        variation_name(&self.name)
    }

    /// Code and name as they stand in addresses: `c50-italian-game`. No other opening of the table has it.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// Whose name it is.
    #[must_use]
    pub const fn system(&self) -> NamingSystem {
        self.system
    }

    /// Other names, sorted.
    #[must_use]
    pub fn aliases(&self) -> &[Alias] {
        &self.aliases
    }

    /// Its kind.
    #[must_use]
    pub const fn category(&self) -> Category {
        self.character.category
    }

    /// The side that chooses it.
    #[must_use]
    pub const fn color(&self) -> Color {
        self.character.color
    }

    /// What else can be said of it in a word, sorted.
    #[must_use]
    pub fn tags(&self) -> &[&'static str] {
        &self.character.tags
    }
}

/// All openings with one name before the `:`.
#[derive(Clone, Debug)]
pub struct Family {
    pub(super) name: String,
    pub(super) slug: String,
    pub(super) color: Color,
    /// Into the table's openings; the first has the shortest line.
    pub(super) openings: Vec<usize>,
}

impl Family {
    /// The name: `Italian Game`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name as it stands in addresses: `italian-game`.
    #[must_use]
    pub fn slug(&self) -> &str {
        &self.slug
    }

    /// The side that chooses it.
    #[must_use]
    pub const fn color(&self) -> Color {
        self.color
    }
}
