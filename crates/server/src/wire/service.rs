//! The server about itself.

use serde::Serialize;
use tabiya_app::explore::{Catalogue, Snapshot};
use utoipa::ToSchema;

/// Whether all is well.
#[derive(Debug, Serialize, ToSchema)]
pub struct Health {
    /// `ok`, or `loading` while answers still come from the database.
    #[schema(example = "ok")]
    pub status: &'static str,
}

/// What is in the knowledge base.
#[derive(Debug, Serialize, ToSchema)]
pub struct Stats<'a> {
    /// Positions; null while they are being loaded.
    pub nodes: Option<usize>,
    /// Moves between them.
    pub edges: Option<usize>,
    /// Positions that an engine has evaluated.
    pub evaluated: Option<usize>,
    pub openings: usize,
    /// Openings that differ by more than what stands behind a colon.
    pub families: usize,
    pub structures: usize,
    pub collections: Vec<Collection<'a>>,
    /// Of the program.
    #[schema(example = "0.1.0")]
    pub version: &'static str,
}

/// A body of games, or the named lines.
#[derive(Debug, Serialize, ToSchema)]
pub struct Collection<'a> {
    #[schema(example = "games")]
    pub name: &'a str,
    /// `pgn`, `explorer`, `counts`, `openings` or `validation`.
    #[schema(example = "pgn")]
    pub source: &'static str,
    pub games: u64,
    /// Moves with fewer games were left out.
    pub min_games: u64,
    /// Half-moves beyond each named position.
    pub depth: u16,
    pub max_ply: Option<u16>,
    /// By what its games can be told apart: `year`, `rating`, `speed`.
    pub facets: String,
}

impl<'a> Stats<'a> {
    pub fn of(catalogue: &'a Catalogue, snapshot: Option<&Snapshot>) -> Stats<'a> {
        let view = snapshot.map(Snapshot::all);
        Stats {
            nodes: view.map(|view| view.len()),
            edges: view.map(|view| view.edge_count()),
            evaluated: view.map(|view| {
                let evaluated = view.places().filter(|place| view.node(*place).evaluation.is_some());
                evaluated.count()
            }),
            openings: catalogue.openings().len(),
            families: catalogue.families().len(),
            structures: catalogue.structures().len(),
            collections: catalogue
                .collections()
                .iter()
                .map(|collection| Collection {
                    name: &collection.name,
                    source: collection.source.as_str(),
                    games: collection.games,
                    min_games: collection.min_games,
                    depth: collection.depth,
                    max_ply: collection.max_ply,
                    facets: collection.facets.to_string(),
                })
                .collect(),
            version: env!("CARGO_PKG_VERSION"),
        }
    }
}
