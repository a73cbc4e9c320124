//! How the server behaves towards everybody: limits, tags, counting. One layer does it all, for each one costs more than
//! finding a position.

mod bodies;
mod kept;
mod meters;
mod rate;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub(crate) use bodies::bodies;
pub(crate) use kept::{Kept, keep, question};
pub(crate) use meters::Meters;
pub(crate) use rate::RateLimit;

use crate::asking::{ONE_GAME, too_large};
use crate::guests::client;
use crate::page::page;
use crate::problem::Problem;
use crate::routes::{LARGE_FILES, MAX_UPLOAD};
use crate::shared::Shared;

/// As it is written in [`router`](crate::routes::router).
const HEALTH: &str = "/healthz";

/// Around every request.
pub(crate) async fn conduct(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let asks = matches!(*request.method(), Method::GET | Method::HEAD);
    let path = route.as_ref().map(MatchedPath::as_str);
    let response = match admit(&shared, path, &request) {
        Err(problem) => problem.into_response(),
        Ok(()) => match page(&request, route.is_some()) {
            Some(page) => page,
            None => in_time(shared.limits.time, answer(&shared, path, request, next)).await,
        },
    };
    let mut response = match known {
        Some(known) if asks && is_known(&known, response.headers()) => unchanged(response),
        _ => response,
    };
    if !asks {
        not_kept(response.headers_mut());
    }
    // Nothing we say is a script or a page unless we call it one.
    let plain = HeaderValue::from_static("nosniff");
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, plain);
    let status = response.status();
    shared.meters.answered(path.unwrap_or("none"), status, begun.elapsed());
    response
}

/// A place is taken when there is nothing to wait for but ourselves: a client that sends its body slowly holds none.
async fn answer(shared: &Shared, route: Option<&str>, request: Request, next: Next) -> Response {
    let request = match bodies::arrived(shared, route, request).await {
        Ok(request) => request,
        Err(problem) => return problem.into_response(),
    };
    // Whoever asks whether we are alive must not be told that we are busy.
    if route == Some(HEALTH) {
        return next.run(request).await;
    }
    match InFlight::take(shared) {
        Ok(_place) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

async fn in_time(most: Duration, answer: impl Future<Output = Response>) -> Response {
    match tokio::time::timeout(most, answer).await {
        Ok(response) => response,
        Err(_) => Problem::unavailable("timeout", "the answer took too long", 1)
            .hint("ask for less, or again in a moment")
            .into_response(),
    }
}

/// Lets a request in, or says why not.
fn admit(shared: &Shared, route: Option<&str>, request: &Request) -> Result<(), Problem> {
    let length = request.uri().path_and_query().map_or(0, |uri| uri.as_str().len());
    if length > shared.limits.uri {
        let detail = format!(
            "{length} bytes are too long for an address, {} the most",
            shared.limits.uri
        );
        return Err(
            Problem::new(StatusCode::URI_TOO_LONG, "uri-too-long", detail).hint("send long lines to POST /node/pgn")
        );
    }
    // No route takes more, so there is no need to wait for it.
    let announced = request.headers().get(header::CONTENT_LENGTH);
    let announced = announced.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > shared.limits.body.max(MAX_UPLOAD) as u64) {
        let is_upload = route == Some(bodies::UPLOADS);
        return Err(too_large(if is_upload { LARGE_FILES } else { ONE_GAME }));
    }
    if let Some(rate) = &shared.rate {
        rate.admit(client(request.extensions()))?;
    }
    Ok(())
}

/// A request that is being answered.
struct InFlight<'a>(&'a AtomicUsize);

impl InFlight<'_> {
    fn take(shared: &Shared) -> Result<InFlight<'_>, Problem> {
        let before = shared.in_flight.fetch_add(1, Relaxed);
        let place = InFlight(&shared.in_flight);
        if before < shared.limits.in_flight {
            Ok(place)
        } else {
            Err(Problem::unavailable(
                "busy",
                "too many requests are being answered at the moment",
                1,
            ))
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Relaxed);
    }
}

/// Whether the client has this answer already.
fn is_known(known: &HeaderValue, headers: &HeaderMap) -> bool {
    let (Some(tag), Ok(known)) = (headers.get(header::ETAG), known.to_str()) else {
        return false;
    };
    let Ok(tag) = tag.to_str() else { return false };
    let plain = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    known.trim() == "*" || known.split(',').any(|one| plain(one) == plain(tag))
}

fn unchanged(response: Response) -> Response {
    let mut unchanged = StatusCode::NOT_MODIFIED.into_response();
    for name in [header::ETAG, header::CACHE_CONTROL, header::VARY] {
        for value in response.headers().get_all(&name) {
            unchanged.headers_mut().append(&name, value.clone());
        }
    }
    unchanged
}

/// What was said to a body that was sent is the answer to nothing else: nobody may ask for it again by its tag, or keep it for the
/// address.
fn not_kept(headers: &mut HeaderMap) {
    if headers.remove(header::ETAG).is_some() {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}
