//! How the server behaves towards everybody: limits, tags, counting. One layer does it all, for each one costs more than
//! finding a position.

mod kept;
mod meters;
mod rate;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

pub(crate) use kept::{Kept, keep, question};
pub(crate) use meters::Meters;
pub(crate) use rate::RateLimit;

use crate::asking::too_large;
use crate::page::page;
use crate::problem::Problem;
use crate::routes::MAX_UPLOAD;
use crate::shared::Shared;

/// Around every request.
pub(crate) async fn conduct(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let response = match admit(&shared, &request) {
        Err(problem) => problem.into_response(),
        Ok(_place) => match page(&request) {
            Some(page) => page,
            None => in_time(shared.limits.time, next.run(request)).await,
        },
    };
    let mut response = match known {
        Some(known) if is_known(&known, response.headers()) => unchanged(response),
        _ => response,
    };
    // Nothing we say is a script or a page unless we call it one.
    let plain = HeaderValue::from_static("nosniff");
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, plain);
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    shared.meters.answered(route, response.status(), begun.elapsed());
    response
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
fn admit<'a>(shared: &'a Shared, request: &Request) -> Result<InFlight<'a>, Problem> {
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
        return Err(too_large());
    }
    if let Some(rate) = &shared.rate {
        let from = request.extensions().get::<ConnectInfo<SocketAddr>>();
        rate.admit(from.map(|ConnectInfo(address)| address.ip()))?;
    }
    let place = InFlight::take(&shared.in_flight);
    if place.before >= shared.limits.in_flight {
        return Err(Problem::unavailable(
            "busy",
            "too many requests are being answered at the moment",
            1,
        ));
    }
    Ok(place)
}

/// A request that is being answered.
struct InFlight<'a> {
    counter: &'a AtomicUsize,
    before: usize,
}

impl InFlight<'_> {
    fn take(counter: &AtomicUsize) -> InFlight<'_> {
        InFlight {
            before: counter.fetch_add(1, Relaxed),
            counter,
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.counter.fetch_sub(1, Relaxed);
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
        if let Some(value) = response.headers().get(&name) {
            unchanged.headers_mut().insert(name, value.clone());
        }
    }
    unchanged
}
