//! Which address is answered by whom.

mod docs;
mod explorer;
mod games;
mod node;
mod opening;
mod position;
mod review;
mod service;
mod structure;
mod tactic;

use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, Method, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use axum::{Router, response::IntoResponse};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::cors::{AllowOrigin, CorsLayer};

pub(crate) use {
    explorer::*, games::*, node::*, opening::*, position::*, review::*, service::*, structure::*, tactic::*,
};

use crate::conduct::{conduct, keep};
use crate::problem::Problem;
use crate::server::ServeError;
use crate::shared::Shared;

/// Smaller answers gain nothing.
const COMPRESS_ABOVE: u16 = 860;

/// As they are written in [`router`], for counting.
pub(crate) const ROUTES: &[&str] = &[
    "/node/fen/{*fen}",
    "/node/pgn",
    "/openings",
    "/opening/eco/{code}",
    "/opening/search",
    "/opening/{id}",
    "/opening/{id}/tree",
    "/masters",
    "/lichess",
    "/position",
    "/structures",
    "/structure/search",
    "/structure/{name}",
    "/structure/{name}/openings",
    "/data/db.json",
    "/games/analyze",
    "/review",
    "/review/{id}",
    "/review/{id}/events",
    "/review/{id}/pgn",
    "/tactics",
    "/tactics/themes",
    "/stats",
    "/healthz",
    "/readyz",
    "/metrics",
    "/reload",
    "/openapi.json",
    "/docs",
    "/docs.js",
];

pub(crate) fn router(shared: Arc<Shared>, cors: &[String]) -> Result<Router, ServeError> {
    let made_once = Router::new()
        .route("/openings", get(all_openings))
        .route("/opening/eco/{code}", get(eco_tree))
        .route("/opening/search", get(search_openings))
        .route("/opening/{id}", get(opening_entry))
        .route("/opening/{id}/tree", get(opening_tree))
        .route("/structures", get(all_structures))
        .route("/structure/search", get(search_structures))
        .route("/structure/{name}", get(one_structure))
        .route("/structure/{name}/openings", get(openings_of_structure))
        .route_layer(from_fn_with_state(Arc::clone(&shared), keep));
    let router = Router::new()
        .merge(made_once)
        .route("/", get(docs::root))
        .route("/node/fen/{*fen}", get(node_by_fen))
        .route("/node/pgn", post(node_by_line))
        .route("/masters", get(masters))
        .route("/lichess", get(lichess))
        .route("/position", get(position))
        .route("/data/db.json", get(our_games))
        .route(
            "/games/analyze",
            post(analyze_games).layer(DefaultBodyLimit::max(MAX_UPLOAD)),
        )
        .route("/review", post(order_review))
        .route("/review/{id}", get(review_state).delete(cancel_review))
        .route("/review/{id}/events", get(review_events))
        .route("/review/{id}/pgn", get(review_pgn))
        .route("/tactics", get(tactics))
        .route("/tactics/themes", get(tactic_themes))
        .route("/stats", get(stats))
        .route("/healthz", get(healthz))
        .route("/readyz", get(readyz))
        .route("/metrics", get(metrics))
        .route("/reload", post(reload))
        .route("/openapi.json", get(docs::openapi))
        .route("/docs", get(docs::page))
        .route("/docs.js", get(docs::script))
        .fallback(no_such_route)
        .method_not_allowed_fallback(no_such_method)
        // The outermost first; together, for a router boxes what it wraps each time it is told to.
        .layer((
            CompressionLayer::new().compress_when(SizeAbove::new(COMPRESS_ABOVE).and(is_text)),
            CatchPanicLayer::custom(|_| {
                tracing::error!("an answer ended in a panic");
                Problem::internal().into_response()
            }),
            // Before bodies are read, which is done there.
            DefaultBodyLimit::max(shared.limits.body),
            from_fn_with_state(Arc::clone(&shared), conduct),
        ))
        .with_state(shared);
    match cors {
        [] => Ok(router),
        origins => Ok(router.layer(cross_origin(origins)?)),
    }
}

fn is_text(
    _: axum::http::StatusCode,
    _: axum::http::Version,
    headers: &axum::http::HeaderMap,
    _: &axum::http::Extensions,
) -> bool {
    // Events have to arrive when they happen.
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| !kind.as_bytes().starts_with(b"text/event-stream"))
}

fn cross_origin(origins: &[String]) -> Result<CorsLayer, ServeError> {
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        .allow_headers([header::CONTENT_TYPE, header::AUTHORIZATION, header::IF_NONE_MATCH])
        .expose_headers([header::ETAG, header::RETRY_AFTER]);
    if origins.iter().any(|origin| origin == "*") {
        return Ok(layer.allow_origin(tower_http::cors::Any));
    }
    let origins: Result<Vec<HeaderValue>, ServeError> = origins.iter().map(|origin| read_origin(origin)).collect();
    Ok(layer.allow_origin(AllowOrigin::list(origins?)))
}

/// A scheme, a host and perhaps a port: with a path behind it no browser would ever send it.
fn read_origin(origin: &str) -> Result<HeaderValue, ServeError> {
    let bad = || ServeError::Origin {
        origin: origin.to_owned(),
    };
    let uri: Uri = origin.parse().map_err(|_| bad())?;
    let whole = uri.scheme().is_some() && uri.authority().is_some() && !origin.ends_with('/') && uri.path() == "/";
    if !whole {
        return Err(bad());
    }
    origin.parse().map_err(|_| bad())
}

async fn no_such_route(uri: Uri) -> impl IntoResponse {
    let problem = Problem::not_found("no-such-address", format!("there is nothing at {}", uri.path()));
    // Browsers that navigate get the page instead.
    ([(header::VARY, "accept")], problem)
}

async fn no_such_method(method: Method, uri: Uri) -> Problem {
    Problem::new(
        axum::http::StatusCode::METHOD_NOT_ALLOWED,
        "no-such-method",
        format!("{} does not take {method}", uri.path()),
    )
}
