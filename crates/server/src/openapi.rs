//! The API's own description.

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::routes;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Tabiya",
        description = "What a chess position is called, what is played in it, how good that is, what it becomes.",
        license(name = "GPL-3.0-or-later", identifier = "GPL-3.0-or-later"),
    ),
    paths(
        routes::node_by_fen,
        routes::node_by_line,
        routes::position,
        routes::all_openings,
        routes::eco_tree,
        routes::search_openings,
        routes::opening_entry,
        routes::opening_tree,
        routes::all_structures,
        routes::search_structures,
        routes::one_structure,
        routes::openings_of_structure,
        routes::masters,
        routes::lichess,
        routes::our_games,
        routes::analyze_games,
        routes::order_review,
        routes::review_state,
        routes::review_events,
        routes::cancel_review,
        routes::review_pgn,
        routes::tactics,
        routes::tactic_themes,
        routes::stats,
        routes::healthz,
        routes::readyz,
        routes::metrics,
        routes::reload,
    ),
    tags(
        (name = "positions", description = "Positions and what is played in them"),
        (name = "openings", description = "Names, and the trees below them"),
        (name = "structures", description = "Pawn structures and how to play them"),
        (name = "tactics", description = "Positions to solve"),
        (name = "games", description = "Games compared with each other"),
        (name = "review", description = "Every move of a game judged"),
        (name = "explorer", description = "As the Lichess opening explorer answers"),
        (name = "service", description = "The server itself"),
    ),
    modifiers(&Keys),
)]
struct Description;

struct Keys;

impl Modify for Keys {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("api_key", SecurityScheme::Http(scheme));
    }
}

/// OpenAPI 3.1, as `openapi.json` has it.
pub fn openapi_json() -> String {
    let mut text = Description::openapi().to_pretty_json().unwrap_or_default();
    text.push('\n');
    text
}
