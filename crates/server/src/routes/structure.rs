//! Pawn structures.

use axum::extract::State;

use serde::Deserialize;
use tabiya_app::explore::{Catalogue, StructureView};
use tabiya_chess::{PawnRule, PawnRuleError};
use utoipa::IntoParams;

use crate::answer::Answer;
use crate::asking::{Path, Query, out_of_range};
use crate::problem::{Problem, ProblemBody};
use crate::shared::Tabiya;
use crate::wire::{SkeletonSearch, Structure, StructureOpening};

/// All pawn structures
#[utoipa::path(
    get, path = "/structures", tag = "structures",
    responses((status = 200, description = "In the order in which they are tried", body = Vec<Structure>)),
)]
pub(crate) async fn all_structures(State(shared): Tabiya) -> Result<Answer, Problem> {
    let catalogue = shared.knowledge.catalogue();
    let all: Vec<Structure<'_>> = catalogue.structures().iter().map(Structure::of).collect();
    Answer::of(&all)
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SkeletonQuery {
    /// A formation: White's pawns, `/`, Black's; `-d` for a file without a pawn, `.` for a side without conditions; `;` between
    /// alternatives, and `~` behind one that is meant with colours reversed too
    #[param(example = "d4 -ce / -d ~")]
    pawns: String,
    /// At most so many openings and skeletons
    #[param(minimum = 1, maximum = 100, default = 20)]
    limit: Option<usize>,
}

/// Openings by their pawns
///
/// Finds every position with a formation and tells in which openings they occur and how often. It is tried as it is written: `~`
/// behind it also tries it with colours reversed.
#[utoipa::path(
    get, path = "/structure/search", tag = "structures",
    params(SkeletonQuery),
    responses(
        (status = 200, description = "What was found, perhaps nothing", body = SkeletonSearch),
        (status = 400, description = "Not a formation", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "Too much asked", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "Still loading", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn search_structures(
    State(shared): Tabiya,
    Query(query): Query<SkeletonQuery>,
) -> Result<Answer, Problem> {
    let limit = query.limit.unwrap_or(20);
    if !(1..=100).contains(&limit) {
        return Err(out_of_range("limit", limit, "between 1 and 100"));
    }
    let rule: PawnRule = query.pawns.parse().map_err(|error: PawnRuleError| {
        Problem::bad_request("bad-pawns", error.to_string())
            .hint("for example pawns=d4 -ce / -d, an isolated pawn on d4")
    })?;
    let snapshot = shared.snapshot().await?;
    let matches = snapshot.skeletons().find(&rule, limit);
    Answer::with_room(&SkeletonSearch::of(&query.pawns, &snapshot, &matches), 16 << 10)
}

/// A pawn structure, with plans for both sides
#[utoipa::path(
    get, path = "/structure/{name}", tag = "structures",
    params(("name" = String, Path, description = "Name or slug", example = "carlsbad")),
    responses(
        (status = 200, description = "The structure", body = Structure),
        (status = 404, description = "No such structure", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one_structure(State(shared): Tabiya, Path(name): Path) -> Result<Answer, Problem> {
    let catalogue = shared.knowledge.catalogue();
    Answer::of(&Structure::of(find(&catalogue, &name)?))
}

/// The openings that lead to a pawn structure
///
/// Those that lead there most often come first.
#[utoipa::path(
    get, path = "/structure/{name}/openings", tag = "structures",
    params(("name" = String, Path, description = "Name or slug", example = "Isolated Queen's Pawn")),
    responses(
        (status = 200, description = "The openings", body = Vec<StructureOpening>),
        (status = 404, description = "No such structure", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn openings_of_structure(State(shared): Tabiya, Path(name): Path) -> Result<Answer, Problem> {
    let catalogue = shared.knowledge.catalogue();
    let structure = find(&catalogue, &name)?;
    let openings = structure.arising_from.iter();
    let openings: Vec<StructureOpening<'_>> = openings
        .filter_map(|link| StructureOpening::of(&catalogue, link))
        .collect();
    Answer::of(&openings)
}

fn find<'a>(catalogue: &'a Catalogue, name: &str) -> Result<&'a StructureView, Problem> {
    catalogue.structure(name).ok_or_else(|| {
        Problem::not_found("unknown-structure", format!("there is no pawn structure {name:?}"))
            .hint("/structures lists all of them; `tabiya build structures` makes them")
    })
}
