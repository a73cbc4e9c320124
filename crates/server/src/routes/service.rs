//! About the server itself.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::answer::Answer;
use crate::problem::{Problem, ProblemBody};
use crate::shared::Tabiya;
use crate::wire::{Health, Stats};

/// What is in the knowledge base
#[utoipa::path(
    get, path = "/stats", tag = "service",
    responses((status = 200, description = "Counts and collections", body = Stats)),
)]
pub(crate) async fn stats(State(shared): Tabiya) -> Result<Answer, Problem> {
    let catalogue = shared.knowledge.catalogue();
    let snapshot = shared.knowledge.snapshot();
    Answer::of(&Stats::of(&catalogue, snapshot.as_deref()))
}

/// Whether the server runs
#[utoipa::path(
    get, path = "/healthz", tag = "service",
    responses((status = 200, description = "It does", body = Health)),
)]
pub(crate) async fn healthz() -> Response {
    fresh(Health { status: "ok" })
}

/// Whether it can answer
#[utoipa::path(
    get, path = "/readyz", tag = "service",
    responses(
        (status = 200, description = "From memory, or from the database while it loads", body = Health),
        (status = 503, description = "The database does not answer", body = ProblemBody, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn readyz(State(shared): Tabiya) -> Result<Response, Problem> {
    let loaded = shared.knowledge.snapshot().is_some();
    shared.knowledge.store().collections().await.map_err(|error| {
        tracing::warn!(%error, "not ready");
        Problem::unavailable("database", "the database does not answer", 5)
    })?;
    Ok(fresh(Health {
        status: if loaded { "ok" } else { "loading" },
    }))
}

/// An answer that is true at this moment only.
fn fresh(health: Health) -> Response {
    let mut response = axum::Json(health).into_response();
    let never = axum::http::HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, never);
    response
}

/// Counters for Prometheus
#[utoipa::path(
    get, path = "/metrics", tag = "service",
    responses((status = 200, description = "Prometheus text", body = String, content_type = "text/plain")),
)]
pub(crate) async fn metrics(State(shared): Tabiya) -> Response {
    let headers = [
        (header::CONTENT_TYPE, "text/plain; version=0.0.4"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, shared.meters.render()).into_response()
}

/// Load the data again
///
/// The server does so by itself after every build. Only with the key that the server was started with.
#[utoipa::path(
    post, path = "/reload", tag = "service",
    security(("api_key" = [])),
    responses(
        (status = 202, description = "It will be done"),
        (status = 401, description = "No key, or another", body = ProblemBody, content_type = "application/problem+json"),
        (status = 403, description = "The server has no key", body = ProblemBody, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn reload(State(shared): Tabiya, headers: HeaderMap) -> Result<StatusCode, Problem> {
    let Some(key) = &shared.api_key else {
        return Err(
            Problem::new(StatusCode::FORBIDDEN, "no-key", "this server takes no orders")
                .hint("start it with --api-key-file"),
        );
    };
    let given = headers.get(header::AUTHORIZATION).and_then(|given| given.to_str().ok());
    let is_right = given.and_then(|given| given.split_once(' '));
    let is_right =
        is_right.is_some_and(|(scheme, given)| scheme.eq_ignore_ascii_case("bearer") && key.fits(given.trim()));
    if !is_right {
        return Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "bad-key",
            "the key is missing or not the right one",
        )
        .hint("send `authorization: Bearer KEY`"));
    }
    shared.reload.notify_one();
    Ok(StatusCode::ACCEPTED)
}
