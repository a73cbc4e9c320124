//! The structures: what they are called, and what to do in them.

mod centers;
mod kings_pawn;
mod queens_pawn;

use std::sync::LazyLock;

use uuid::Uuid;

use super::table::ROWS;
use crate::{
    identity::{fnv1a, uuid_v8},
    opening::slug,
};

/// A pawn structure with a name, and what a player needs to know about it.
///
/// Squares and sides are those of its rules as written. Where a board matches with colours reversed, White's plans are
/// Black's and ranks are flipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Structure {
    /// As it is shown: `Isolated Queen's Pawn`.
    pub name: &'static str,
    /// As it is written in addresses and files: `isolated-queens-pawn`.
    pub slug: &'static str,
    /// Where the pawns stand and what follows from it.
    pub description: &'static str,
    /// The openings it comes from, and how.
    pub arises_from: &'static str,
    /// What White usually aims for.
    pub plans_white: &'static [&'static str],
    /// What Black usually aims for.
    pub plans_black: &'static [&'static str],
}

static ALL: LazyLock<Vec<Structure>> = LazyLock::new(|| {
    let mut all = [centers::STRUCTURES, kings_pawn::STRUCTURES, queens_pawn::STRUCTURES].concat();
    all.sort_by_key(|structure| structure.rules().next().map(|(row, _)| row));
    all
});

impl Structure {
    /// All structures, in the order in which their first rules are tried.
    #[must_use]
    pub fn all() -> &'static [Structure] {
        &ALL
    }

    /// Finds a structure by name or slug, as people write them: upper or lower case, with or without apostrophes, accents
    /// and hyphens, and without the words `structure` or `center` at the end.
    ///
    /// ```
    /// use tabiya_chess::Structure;
    ///
    /// let found = Structure::find("grünfeld").expect("a structure");
    /// assert_eq!(found.name, "Grünfeld Center");
    /// assert_eq!(Structure::find("King’s Indian"), Structure::find("kings-indian-structure"));
    /// assert_eq!(Structure::find("Unknown"), None);
    /// ```
    #[must_use]
    pub fn find(name_or_slug: &str) -> Option<&'static Structure> {
        let slug = slug_of(name_or_slug);
        let full = |ending: &str| Structure::with_slug(&format!("{slug}{ending}"));
        full("").or_else(|| full("-structure")).or_else(|| full("-center"))
    }

    pub(super) fn with_slug(slug: &str) -> Option<&'static Structure> {
        ALL.iter().find(|structure| structure.slug == slug)
    }

    /// Its id in databases and interfaces: a UUIDv8 that follows from the slug alone.
    #[must_use]
    pub const fn id(&self) -> Uuid {
        uuid_v8(b"tabiya-structure", fnv1a(self.slug.as_bytes()))
    }

    /// The rows of the rule table that give this label: the number, counted from 1, and the text.
    pub fn rules(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let slug = self.slug;
        ROWS.iter()
            .enumerate()
            .filter(move |(_, (owner, _))| *owner == slug)
            .map(|(index, (_, rules))| (index + 1, *rules))
    }
}

/// As [`slug`], with the two other spellings that are common.
fn slug_of(name: &str) -> String {
    slug(name).replace("gruenfeld", "grunfeld").replace("centre", "center")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::PawnRule;

    #[test]
    fn there_are_36_labels_and_43_rows() {
        assert_eq!(Structure::all().len(), 36);
        assert_eq!(ROWS.len(), 43);
        let slugs: HashSet<&str> = Structure::all().iter().map(|structure| structure.slug).collect();
        let owners: HashSet<&str> = ROWS.iter().map(|(slug, _)| *slug).collect();
        assert_eq!(slugs.len(), 36);
        assert_eq!(slugs, owners);
        let rows: usize = Structure::all().iter().map(|structure| structure.rules().count()).sum();
        assert_eq!(rows, 43);
    }

    #[test]
    fn every_row_parses_and_is_written_as_it_is_printed() {
        for (slug, text) in ROWS {
            let rule: PawnRule = text.parse().unwrap_or_else(|error| panic!("{slug}: {error}"));
            assert_eq!(rule.to_string(), text, "{slug}");
        }
    }

    #[test]
    fn a_slug_follows_from_its_name() {
        for structure in Structure::all() {
            assert_eq!(slug_of(structure.name), structure.slug);
            for text in [structure.name, structure.slug, &structure.name.to_uppercase()] {
                assert_eq!(Structure::find(text), Some(structure), "{text}");
            }
        }
    }

    #[test]
    fn names_are_found_as_people_write_them() {
        let check = |text: &str, slug: &str| {
            let found = Structure::find(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(found.slug, slug, "{text}");
        };
        check("isolated queens pawn", "isolated-queens-pawn");
        check("ISOLATED QUEEN’S PAWN", "isolated-queens-pawn");
        check("Gru\u{308}nfeld Centre", "grunfeld-center");
        check("Gruenfeld", "grunfeld-center");
        check("Maróczy Bind", "maroczy-bind");
        check("  caro_kann ", "caro-kann-structure");
        check("Queen's Gambit", "queens-gambit-structure");
        check("Queen`s Gambit Accepted", "queens-gambit-accepted");
        for stranger in ["", "-", "structure", "isolated", "unknown"] {
            assert_eq!(Structure::find(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn ids_are_stable_and_differ() {
        let id = |text: &str| Structure::find(text).map(|structure| structure.id().to_string());
        assert_eq!(
            id("isolated-queens-pawn").as_deref(),
            Some("00e9c7a2-efe8-8b8f-9d2e-f9d6cadf1acd")
        );
        let ids: HashSet<Uuid> = Structure::all().iter().map(Structure::id).collect();
        assert_eq!(ids.len(), 36);
        assert!(ids.iter().all(|id| id.get_version_num() == 8));
    }

    #[test]
    fn every_structure_has_something_to_teach() {
        for structure in Structure::all() {
            for plans in [structure.plans_white, structure.plans_black] {
                assert!((2..=4).contains(&plans.len()), "{}", structure.name);
                assert!(plans.iter().all(|plan| plan.len() > 10), "{}", structure.name);
            }
            for prose in [structure.description, structure.arises_from] {
                assert!(prose.len() > 40 && prose.ends_with('.'), "{}", structure.name);
            }
        }
        let prose: HashSet<&str> = Structure::all().iter().map(|structure| structure.description).collect();
        assert_eq!(prose.len(), 36);
    }
}
