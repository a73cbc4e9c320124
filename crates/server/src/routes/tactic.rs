//! Tactics to solve.

use axum::extract::State;
use serde::Deserialize;
use tabiya_app::explore::TacticFilter;
use utoipa::IntoParams;

use crate::answer::Answer;
use crate::asking::{Query, failed, out_of_range};
use crate::problem::{Problem, ProblemBody};
use crate::shared::Tabiya;
use crate::wire::{Tactics, Themes};

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TacticsQuery {
    /// Only those with this motif
    #[param(example = "fork")]
    motif: Option<String>,
    /// Only those from this source
    source: Option<String>,
    /// At most so many
    #[param(minimum = 1, maximum = 100, default = 20)]
    limit: Option<usize>,
    /// Only those behind this id: `next` of the answer before
    after: Option<String>,
}

/// Tactics
///
/// In an order that is as good as none, and stays the same.
#[utoipa::path(
    get, path = "/tactics", tag = "tactics",
    params(TacticsQuery),
    responses(
        (status = 200, description = "Some, perhaps none", body = Tactics),
        (status = 400, description = "Not a number", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "Too many", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn tactics(State(shared): Tabiya, Query(query): Query<TacticsQuery>) -> Result<Answer, Problem> {
    let limit = query.limit.unwrap_or(20);
    if !(1..=100).contains(&limit) {
        return Err(out_of_range("limit", limit, "between 1 and 100"));
    }
    let after = match query.after.as_deref().map(str::parse::<u64>) {
        None => None,
        Some(Ok(after)) => Some(after),
        Some(Err(_)) => {
            return Err(Problem::bad_request("bad-parameter", "after is not the id of a tactic")
                .hint("it is what `next` was in the answer before"));
        }
    };
    let filter = TacticFilter {
        tag: query.motif.as_deref().filter(|motif| !motif.is_empty()),
        source: query.source.as_deref().filter(|source| !source.is_empty()),
    };
    // One more than asked for tells whether there are more.
    let found = shared.knowledge.tactics(filter, after, limit + 1).await;
    let found = found.map_err(failed)?;
    let shown = &found[..found.len().min(limit)];
    Answer::of(&Tactics::of(shown, found.len() > limit))
}

/// What tactics can be asked for
#[utoipa::path(
    get, path = "/tactics/themes", tag = "tactics",
    responses((status = 200, description = "Motifs and sources", body = Themes)),
)]
pub(crate) async fn tactic_themes(State(shared): Tabiya) -> Result<Answer, Problem> {
    let themes = shared.knowledge.tactic_themes().await.map_err(failed)?;
    Answer::of(&Themes::of(&themes))
}
