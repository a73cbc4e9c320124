//! Openings.

use serde::Serialize;
use tabiya_app::explore::{Catalogue, Found, LinkedOpening, OpeningRow, OpeningView, Place, View};
use utoipa::ToSchema;

use super::Id;

/// An opening, in short.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpeningSummary<'a> {
    pub opening_id: Id,
    #[schema(example = "c50-italian-game")]
    pub slug: &'a str,
    #[schema(example = "C50")]
    pub eco_code: &'a str,
    /// The whole name.
    #[schema(example = "Italian Game")]
    pub name: &'a str,
    /// The part before the colon.
    pub opening_name: &'a str,
    /// The part behind it.
    pub variation_name: Option<&'a str>,
    /// What else it is called.
    pub aliases: &'a [String],
    /// `opening`, `defense`, `gambit`, `structure` or `system`.
    pub category: &'a str,
    /// Whose opening it is, `W` or `B`.
    pub primary_color: char,
    pub tags: &'a [String],
    pub root_node_id: Id,
    /// The shortest line that is called so.
    #[schema(example = "1. e4 e5 2. Nf3 Nc6 3. Bc4")]
    pub line: &'a str,
}

/// An opening that was found.
#[derive(Debug, Serialize, ToSchema)]
pub struct SearchResult<'a> {
    #[serde(flatten)]
    pub opening: OpeningSummary<'a>,
    /// How near it is to the question, at most 1.
    pub score: f64,
    /// The alias that was found, where it is nearer than the name.
    pub matched_alias: Option<&'a str>,
}

/// An opening, with all that was found out about it.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpeningEntry<'a> {
    #[serde(flatten)]
    pub summary: OpeningSummary<'a>,
    /// All lines that are called so.
    pub lines: Vec<NamedLine<'a>>,
    /// Where its tree ends.
    pub resolution_node_ids: Vec<Id>,
    pub related_opening_ids: Vec<Id>,
    /// Openings whose trees meet its own.
    pub transpositions: Vec<RelatedOpening<'a>>,
}

/// A line with the opening's name.
#[derive(Debug, Serialize, ToSchema)]
pub struct NamedLine<'a> {
    pub node_id: Id,
    pub moves: &'a str,
}

/// An opening whose tree meets another's.
#[derive(Debug, Serialize, ToSchema)]
pub struct RelatedOpening<'a> {
    pub opening_id: Id,
    pub eco_code: &'a str,
    pub name: &'a str,
    /// Positions that both have.
    pub nodes: u64,
    pub games: u64,
    /// One of them.
    pub example_node_id: Id,
    /// Its FEN, and the moves to it in UCI as `play` takes them; null where the collections lack it.
    pub example_fen: Option<String>,
    pub example_play: Option<String>,
}

impl<'a> OpeningSummary<'a> {
    pub fn of(opening: &'a OpeningRow) -> OpeningSummary<'a> {
        let line = opening.positions.iter().find(|named| named.id == opening.root);
        OpeningSummary {
            opening_id: opening.id.into(),
            slug: &opening.slug,
            eco_code: &opening.eco,
            name: &opening.name,
            opening_name: &opening.family,
            variation_name: opening.variation.as_deref(),
            aliases: &opening.aliases,
            category: &opening.category,
            primary_color: opening.primary_color,
            tags: &opening.tags,
            root_node_id: opening.root.into(),
            line: line.map_or("", |named| named.line.as_str()),
        }
    }
}

impl<'a> SearchResult<'a> {
    pub fn of(opening: &'a OpeningRow, found: &'a Found) -> SearchResult<'a> {
        SearchResult {
            opening: OpeningSummary::of(opening),
            score: (found.score * 1000.0).round() / 1000.0,
            matched_alias: found.alias.as_deref(),
        }
    }
}

impl<'a> OpeningEntry<'a> {
    pub fn of(
        catalogue: &'a Catalogue,
        view: &'a OpeningView,
        links: &[LinkedOpening],
        graph: &View,
    ) -> OpeningEntry<'a> {
        let lines = view.opening.positions.iter();
        OpeningEntry {
            summary: OpeningSummary::of(&view.opening),
            lines: lines
                .map(|named| NamedLine {
                    node_id: named.id.into(),
                    moves: &named.line,
                })
                .collect(),
            resolution_node_ids: view.resolution_node_ids.iter().map(|id| (*id).into()).collect(),
            related_opening_ids: view.related_opening_ids.iter().map(|id| (*id).into()).collect(),
            transpositions: links
                .iter()
                .filter_map(|link| {
                    let opening = &catalogue.opening(link.opening)?.opening;
                    let example = graph.find(link.example.position());
                    Some(RelatedOpening {
                        opening_id: opening.id.into(),
                        eco_code: &opening.eco,
                        name: &opening.name,
                        nodes: link.nodes,
                        games: link.games,
                        example_node_id: link.example.into(),
                        example_fen: example.map(|place| graph.fen(place)),
                        example_play: example.map(|place| play(graph, place)),
                    })
                })
                .collect(),
        }
    }
}

/// The moves to a position, as `play` takes them.
fn play(graph: &View, place: Place) -> String {
    let line = graph.line_to(place);
    let line: Vec<&str> = line.iter().map(|step| step.edge.uci.as_str()).collect();
    line.join(",")
}
