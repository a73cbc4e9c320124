//! Openings: by code, by id, by name.

use axum::extract::State;
use serde::Deserialize;
use tabiya_app::explore::{Catalogue, EndedGames, OpeningView, SearchIndex, Snapshot, Tree, TreeLimits};
use tabiya_app::export::{self, Subject};
use tabiya_chess::Eco;
use utoipa::IntoParams;
use uuid::Uuid;

use super::{OfCollection, unknown_collection};
use crate::answer::Answer;
use crate::asking::{Path, Query, failed, out_of_range};
use crate::problem::{Problem, ProblemBody};
use crate::shared::Tabiya;
use crate::wire::{AppOpening, EcoTree, OpeningEntry, Openings, SearchResult};

/// Half-moves below a root.
const MAX_DEPTH: u16 = 15;

/// No build goes deeper below a name and a stem.
const MAX_APP_DEPTH: u16 = 40;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct TreeQuery {
    /// Half-moves below each root
    #[param(minimum = 0, maximum = 15, default = 15)]
    depth: Option<u16>,
    /// Leave out moves with fewer games [default: what the build left out]
    #[param(value_type = Option<usize>)]
    min_games: Option<u64>,
    /// Only the games of this collection; of all by default
    collection: Option<String>,
}

/// The move tree of an ECO code
///
/// Roots are the positions where the code begins; below them is whatever was played, other codes included. Where a tree is too
/// large, what is nearest to the roots is kept and `truncated` is true.
#[utoipa::path(
    get, path = "/opening/eco/{code}", tag = "openings",
    params(("code" = String, Path, description = "A00 to E99", pattern = "^[A-Ea-e][0-9][0-9]$", example = "C50"), TreeQuery),
    responses(
        (status = 200, description = "The tree", body = EcoTree),
        (status = 400, description = "Not a code", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "No opening has it", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "Too deep", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "Still loading", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn eco_tree(
    State(shared): Tabiya,
    Path(code): Path,
    Query(query): Query<TreeQuery>,
) -> Result<Answer, Problem> {
    let code: Eco = code.to_ascii_uppercase().parse().map_err(|_| {
        Problem::bad_request("bad-eco", format!("{code:?} is not an ECO code")).hint("codes go from A00 to E99")
    })?;
    let depth = query.depth.unwrap_or(MAX_DEPTH);
    if depth > MAX_DEPTH {
        return Err(out_of_range("depth", depth, "at most 15"));
    }
    let limits = TreeLimits {
        depth,
        min_games: query.min_games,
        nodes: shared.limits.tree_nodes,
    };
    let snapshot = shared.snapshot().await?;
    in_background(move || grow(&snapshot, &code.to_string(), query.collection.as_deref(), limits)).await
}

fn grow(snapshot: &Snapshot, code: &str, collection: Option<&str>, limits: TreeLimits) -> Result<Answer, Problem> {
    let catalogue = snapshot.catalogue();
    let view = snapshot
        .view(collection)
        .ok_or_else(|| unknown_collection(collection))?;
    let openings = catalogue.openings_by_eco(code);
    if openings.is_empty() {
        return Err(
            Problem::not_found("unknown-eco", format!("no opening here has the code {code}"))
                .hint("`tabiya build eco` brings the names of all 500 codes"),
        );
    }
    let ids: Vec<Uuid> = openings.iter().map(|view| view.opening.id).collect();
    let named = openings.iter().flat_map(|view| &view.opening.positions);
    let roots = view.first_of(&ids, named.filter_map(|named| view.find(named.id)).collect());
    let tree = Tree::grow(view, roots, limits);
    Answer::with_room(&EcoTree::of(code, catalogue, &tree), 512 * tree.len().max(2))
}

/// All openings, with their games
///
/// Every opening with the games that reached it, and every ECO code with the games that left the graph in it.
#[utoipa::path(
    get, path = "/openings", tag = "openings",
    params(OfCollection),
    responses(
        (status = 200, description = "All openings", body = Openings),
        (status = 404, description = "No such collection", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "Still loading", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn all_openings(State(shared): Tabiya, Query(of): Query<OfCollection>) -> Result<Answer, Problem> {
    let snapshot = shared.snapshot().await?;
    in_background(move || {
        let collection = of.collection.as_deref();
        let view = snapshot.view(collection);
        let view = view.ok_or_else(|| unknown_collection(collection))?;
        let ended = EndedGames::of(view);
        Answer::with_room(&Openings::of(snapshot.catalogue(), view, &ended), 1 << 20)
    })
    .await
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SearchQuery {
    /// A name, or part of one; an ECO code
    #[param(example = "najdorf", min_length = 1, max_length = 200)]
    q: String,
    /// At most so many
    #[param(minimum = 1, maximum = 100, default = 20)]
    limit: Option<usize>,
}

/// Openings by name
///
/// Typing errors, accents, the order of words and other names of an opening do not stand in the way. The best match comes
/// first.
#[utoipa::path(
    get, path = "/opening/search", tag = "openings",
    params(SearchQuery),
    responses(
        (status = 200, description = "What was found, perhaps nothing", body = Vec<SearchResult>),
        (status = 400, description = "Nothing asked", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "Too much asked", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn search_openings(
    State(shared): Tabiya,
    Query(query): Query<SearchQuery>,
) -> Result<Answer, Problem> {
    let limit = query.limit.unwrap_or(20);
    if !(1..=100).contains(&limit) {
        return Err(out_of_range("limit", limit, "between 1 and 100"));
    }
    if query.q.trim().is_empty() {
        return Err(Problem::bad_request("empty-query", "q is empty").hint("ask for a name, such as q=najdorf"));
    }
    if query.q.chars().count() > 200 {
        return Err(out_of_range("the length of q", query.q.chars().count(), "at most 200"));
    }
    match shared.knowledge.snapshot() {
        Some(snapshot) => matches(snapshot.catalogue(), snapshot.search(), &query.q, limit),
        // Until the games are known, ranked without them.
        None => {
            let catalogue = shared.knowledge.catalogue();
            matches(&catalogue, &SearchIndex::new(&catalogue, |_| 0), &query.q, limit)
        }
    }
}

fn matches(catalogue: &Catalogue, index: &SearchIndex, asked: &str, limit: usize) -> Result<Answer, Problem> {
    let found = index.search(asked, limit);
    let openings = found
        .iter()
        .map(|found| SearchResult::of(&catalogue.openings()[found.place].opening, found));
    Answer::with_room(&openings.collect::<Vec<_>>(), 8 << 10)
}

/// All about an opening
///
/// By its id, its slug (`c50-italian-game`) or its family's (`italian-game`).
#[utoipa::path(
    get, path = "/opening/{id}", tag = "openings",
    params(("id" = String, Path, description = "Id or slug", example = "c50-italian-game")),
    responses(
        (status = 200, description = "The opening", body = OpeningEntry),
        (status = 404, description = "No such opening", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "Still loading", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn opening_entry(State(shared): Tabiya, Path(id): Path) -> Result<Answer, Problem> {
    let snapshot = shared.snapshot().await?;
    let catalogue = snapshot.catalogue();
    let opening = find_opening(catalogue, &id)?;
    let links = shared.knowledge.store().transpositions_of(opening.opening.id).await;
    let links = links.map_err(|error| failed(error.into()))?;
    Answer::of(&OpeningEntry::of(catalogue, opening, &links, snapshot.all()))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct AppTreeQuery {
    /// Half-moves below the opening's own position
    #[param(minimum = 0, maximum = 40, default = 12)]
    depth: Option<u16>,
    /// Leave out moves with fewer games; the way to the opening is not
    #[param(default = 0, value_type = Option<usize>)]
    min_games: Option<u64>,
    /// Only the games of this collection; of all by default
    collection: Option<String>,
}

/// An opening as an app bundles it
///
/// The family's tree for a family's slug, else that of the one opening: the file that `tabiya export --format json` writes. What
/// would be more than 5 MB is cut by depth.
#[utoipa::path(
    get, path = "/opening/{id}/tree", tag = "openings",
    params(("id" = String, Path, description = "Id or slug", example = "italian-game"), AppTreeQuery),
    responses(
        (status = 200, description = "The tree", body = AppOpening),
        (status = 400, description = "Not a number", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "No such opening", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "Too deep", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "Still loading", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn opening_tree(
    State(shared): Tabiya,
    Path(id): Path,
    Query(query): Query<AppTreeQuery>,
) -> Result<Answer, Problem> {
    let limits = export::Limits {
        max_depth: query.depth.or(export::Limits::BUNDLE.max_depth),
        min_games: query.min_games.unwrap_or(export::Limits::BUNDLE.min_games),
        max_bytes: export::Limits::BUNDLE.max_bytes,
    };
    if let Some(depth) = query.depth
        && depth > MAX_APP_DEPTH
    {
        return Err(out_of_range("depth", depth, "at most 40"));
    }
    let snapshot = shared.snapshot().await?;
    in_background(move || app_tree(&snapshot, &id, query.collection.as_deref(), &limits)).await
}

fn app_tree(
    snapshot: &Snapshot,
    id: &str,
    collection: Option<&str>,
    limits: &export::Limits,
) -> Result<Answer, Problem> {
    let catalogue = snapshot.catalogue();
    let view = snapshot
        .view(collection)
        .ok_or_else(|| unknown_collection(collection))?;
    let subject = match catalogue.family(id) {
        Some(family) => Subject::of_family(view, catalogue, family),
        None => Subject::of_opening(view, catalogue, find_opening(catalogue, id)?),
    };
    let subject = subject.ok_or_else(|| {
        Problem::not_found("unknown-opening", format!("no game of this collection reached {id:?}"))
            .hint("leave out collection to see all games")
    })?;
    Ok(Answer::written(
        export::app_tree(view, catalogue, &subject, limits).json,
    ))
}

/// Large trees take a while; meanwhile others want to be answered.
async fn in_background(grow: impl FnOnce() -> Result<Answer, Problem> + Send + 'static) -> Result<Answer, Problem> {
    tokio::task::spawn_blocking(grow).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a tree did not grow");
        Err(Problem::internal())
    })
}

/// By id, slug or family slug; of a family the opening that bears its name.
pub(crate) fn find_opening<'a>(catalogue: &'a Catalogue, id: &str) -> Result<&'a OpeningView, Problem> {
    let found = match id.parse::<Uuid>() {
        Ok(id) => catalogue.opening(id),
        Err(_) => catalogue.opening_by_slug(id).or_else(|| {
            let family = catalogue.family(id)?;
            let mut openings = catalogue.openings_of(family);
            let first = openings.next()?;
            let named = |view: &&OpeningView| view.opening.variation.is_none();
            Some(std::iter::once(first).chain(openings).find(named).unwrap_or(first))
        }),
    };
    found.ok_or_else(|| {
        Problem::not_found("unknown-opening", format!("there is no opening {id:?}"))
            .hint("/opening/search?q= finds openings by name")
    })
}
