//! Pawn structures.

use serde::Serialize;
use tabiya_app::explore::{Catalogue, StructureLink, StructureView};
use utoipa::ToSchema;

use super::{Id, OpeningSummary};

/// A pawn structure and how to play it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Structure<'a> {
    pub structure_id: Id,
    #[schema(example = "Isolated Queen's Pawn")]
    pub name: &'a str,
    #[schema(example = "isolated-queens-pawn")]
    pub slug: &'a str,
    pub description: &'a str,
    pub typical_plans_white: &'a [String],
    pub typical_plans_black: &'a [String],
    /// The openings that lead there, the most frequent first.
    pub arising_from_opening_ids: Vec<Id>,
}

/// An opening that leads to a structure.
#[derive(Debug, Serialize, ToSchema)]
pub struct StructureOpening<'a> {
    #[serde(flatten)]
    pub opening: OpeningSummary<'a>,
    /// Positions where a line of the opening ends in the structure.
    pub nodes: u64,
    /// Games that reached them.
    pub games: u64,
}

impl<'a> Structure<'a> {
    pub fn of(view: &'a StructureView) -> Structure<'a> {
        let structure = &view.structure;
        Structure {
            structure_id: structure.id.into(),
            name: &structure.name,
            slug: &structure.slug,
            description: &structure.description,
            typical_plans_white: &structure.plans_white,
            typical_plans_black: &structure.plans_black,
            arising_from_opening_ids: view.arising_from.iter().map(|link| link.opening.into()).collect(),
        }
    }
}

impl<'a> StructureOpening<'a> {
    /// `None` where the catalogue is older than the link.
    pub fn of(catalogue: &'a Catalogue, link: &StructureLink) -> Option<StructureOpening<'a>> {
        Some(StructureOpening {
            opening: OpeningSummary::of(&catalogue.opening(link.opening)?.opening),
            nodes: link.nodes,
            games: link.games,
        })
    }
}
