//! What positions are called and lead to: openings, families, structures, collections.

use std::collections::{BTreeMap, HashMap};

use shakmaty::Chess;
use tabiya_chess::{NamingSystem, PositionId, Structure, slug};
use tabiya_store::{Collection, OpeningRow, OpeningView, Store, StoreError, StructureView};
use uuid::Uuid;

use crate::AppError;

/// All openings that share the part of their name before the colon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// `Italian Game`.
    pub name: String,
    /// `italian-game`.
    pub slug: String,
    /// Places of its openings, by ECO code, then by name.
    pub openings: Vec<usize>,
}

/// Openings and structures, and who asks for them by what.
#[derive(Debug, Default)]
pub struct Catalogue {
    openings: Vec<OpeningView>,
    by_id: HashMap<Uuid, usize>,
    by_slug: HashMap<String, usize>,
    /// What positions are called by a name of their own.
    named: HashMap<PositionId, usize>,
    families: BTreeMap<String, Family>,
    structures: Vec<StructureView>,
    collections: Vec<Collection>,
}

impl Catalogue {
    pub async fn load(store: &Store) -> Result<Catalogue, StoreError> {
        Ok(Catalogue::new(
            store.openings().await?,
            store.structures().await?,
            store.collections().await?,
        ))
    }

    pub fn new(
        mut openings: Vec<OpeningView>,
        structures: Vec<StructureView>,
        collections: Vec<Collection>,
    ) -> Catalogue {
        openings.sort_by(|a, b| {
            let (a, b) = (&a.opening, &b.opening);
            (&a.eco, &a.name, a.id).cmp(&(&b.eco, &b.name, b.id))
        });
        let mut families: BTreeMap<String, Family> = BTreeMap::new();
        for (place, view) in openings.iter().enumerate() {
            let slug = slug(&view.opening.family);
            let family = families.entry(slug.clone()).or_insert_with(|| Family {
                name: view.opening.family.clone(),
                slug,
                openings: Vec::new(),
            });
            family.openings.push(place);
        }
        Catalogue {
            by_id: (openings.iter().enumerate())
                .map(|(place, view)| (view.opening.id, place))
                .collect(),
            by_slug: openings
                .iter()
                .enumerate()
                .map(|(place, view)| (view.opening.slug.clone(), place))
                .collect(),
            named: own_names(&openings),
            families,
            structures,
            collections,
            openings,
        }
    }

    /// By ECO code, then by name.
    pub fn openings(&self) -> &[OpeningView] {
        &self.openings
    }

    pub fn opening(&self, id: Uuid) -> Option<&OpeningView> {
        self.by_id.get(&id).map(|place| &self.openings[*place])
    }

    pub fn opening_by_slug(&self, slug: &str) -> Option<&OpeningView> {
        self.by_slug.get(slug).map(|place| &self.openings[*place])
    }

    /// The opening that is named after a position.
    pub fn name_of(&self, position: PositionId) -> Option<&OpeningView> {
        self.named.get(&position).map(|place| &self.openings[*place])
    }

    /// What a line is called: after the last of its positions that has a name of its own.
    pub fn name_on_path(&self, path: &[Chess]) -> Option<&OpeningView> {
        path.iter()
            .rev()
            .find_map(|position| self.name_of(PositionId::of(position)))
    }

    /// All openings with a code, by name.
    pub fn openings_by_eco(&self, eco: &str) -> &[OpeningView] {
        let start = self.openings.partition_point(|view| view.opening.eco.as_str() < eco);
        let end = self.openings.partition_point(|view| view.opening.eco.as_str() <= eco);
        &self.openings[start..end]
    }

    /// By slug.
    pub fn families(&self) -> impl ExactSizeIterator<Item = &Family> {
        self.families.values()
    }

    pub fn family(&self, slug: &str) -> Option<&Family> {
        self.families.get(slug)
    }

    /// The openings of a family, by ECO code, then by name.
    pub fn openings_of<'a>(&'a self, family: &'a Family) -> impl ExactSizeIterator<Item = &'a OpeningView> {
        family.openings.iter().map(|place| &self.openings[*place])
    }

    pub fn structures(&self) -> &[StructureView] {
        &self.structures
    }

    /// By name, as people write it, or by slug.
    pub fn structure(&self, name: &str) -> Option<&StructureView> {
        let asked = Structure::find(name).map_or_else(|| slug(name), |found| found.slug.to_owned());
        self.structures.iter().find(|view| view.structure.slug == asked)
    }

    /// By name.
    pub fn collections(&self) -> &[Collection] {
        &self.collections
    }

    /// Refuses a collection that is not there: its games would be none, without a word.
    pub(crate) fn check_collection(&self, asked: Option<&str>) -> Result<(), AppError> {
        let Some(asked) = asked else { return Ok(()) };
        match self.collections.iter().any(|known| known.name == asked) {
            true => Ok(()),
            false => Err(AppError::NoCollection {
                name: asked.to_owned(),
                known: self.counted().map(str::to_owned).collect(),
            }),
        }
    }

    /// The names of those collections that are of games, not of lines.
    pub fn counted(&self) -> impl Iterator<Item = &str> {
        let counted = self.collections.iter().filter(|collection| collection.is_of_games());
        counted.map(|collection| collection.name.as_str())
    }
}

/// Which of some openings each named position is called after, by their places: by the rank of whose names they are; then the
/// smaller code and name.
pub(crate) fn own_names(openings: &[OpeningView]) -> HashMap<PositionId, usize> {
    let rank = |place: usize| {
        let opening = &openings[place].opening;
        (rank_of(opening), &opening.eco, &opening.name, opening.id)
    };
    let mut names: HashMap<PositionId, usize> = HashMap::new();
    for (place, view) in openings.iter().enumerate() {
        for named in &view.opening.positions {
            let known = names.entry(named.id).or_insert(place);
            if rank(place) < rank(*known) {
                *known = place;
            }
        }
    }
    names
}

/// Whose name it bears. What no system of ours has written comes last.
pub fn rank_of(opening: &OpeningRow) -> NamingSystem {
    opening.system.parse().unwrap_or(NamingSystem::Alias)
}

#[cfg(test)]
mod tests {
    use tabiya_chess::NodeId;
    use tabiya_store::{NamedPosition, StructureRow};

    use super::*;

    fn opening(system: &str, eco: &str) -> OpeningView {
        let root = PositionId::from(1);
        OpeningView {
            opening: OpeningRow {
                id: Uuid::from_u128(1),
                eco: eco.to_owned(),
                name: "Name".to_owned(),
                family: "Name".to_owned(),
                variation: None,
                slug: "name".to_owned(),
                category: "opening".to_owned(),
                primary_color: 'W',
                system: system.to_owned(),
                root,
                aliases: Vec::new(),
                tags: Vec::new(),
                positions: vec![NamedPosition {
                    id: root,
                    line: "1.e4".to_owned(),
                }],
            },
            root_node_id: NodeId::from(root),
            resolution_node_ids: Vec::new(),
            related_opening_ids: Vec::new(),
        }
    }

    #[test]
    fn names_go_by_whose_they_are_and_then_by_code() {
        let first = |systems: [(&str, &str); 2]| {
            let openings = systems.map(|(system, eco)| opening(system, eco));
            own_names(&openings)[&PositionId::from(1)]
        };
        assert_eq!(first([("lichess", "A00"), ("own", "E99")]), 1);
        assert_eq!(first([("eco", "A00"), ("own", "E99")]), 1);
        assert_eq!(first([("alias", "A00"), ("eco", "E99")]), 1);
        assert_eq!(first([("somebody's", "A00"), ("eco", "E99")]), 1);
        assert_eq!(first([("eco", "E99"), ("eco", "A00")]), 1);
        assert_eq!(first([("lichess", "E99"), ("eco", "A00")]), 0);
    }

    #[test]
    fn a_structure_is_found_as_people_write_it() {
        let structure = Structure::find("grunfeld-center").expect("a structure");
        let view = StructureView {
            structure: StructureRow {
                id: structure.id(),
                slug: structure.slug.to_owned(),
                name: structure.name.to_owned(),
                description: String::new(),
                plans_white: Vec::new(),
                plans_black: Vec::new(),
            },
            arising_from: Vec::new(),
        };
        let catalogue = Catalogue::new(Vec::new(), vec![view], Vec::new());
        for name in ["Gruenfeld Centre", "grünfeld", "grunfeld-center"] {
            assert!(catalogue.structure(name).is_some(), "{name}");
        }
        assert!(catalogue.structure("hedgehog").is_none());
    }
}
