//! Bodies arrive before their requests are counted among those that are being answered: how long one takes is up to its sender.

use std::net::{IpAddr, Ipv4Addr};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{FromRequest, Request};
use axum::http::Method;

use crate::asking::{ONE_GAME, unreadable};
use crate::guests::{Guests, client};
use crate::options::Limits;
use crate::problem::Problem;
use crate::shared::Shared;

/// Each may take as much memory as a body may have, so there is a limit to them too, and one client has this part of it.
const SHARE: usize = 8;

/// Games come in larger bodies, and are counted where they are read.
pub(super) const UPLOADS: &str = "/games/analyze";

/// How many may arrive at the same time.
pub(crate) fn bodies(limits: &Limits) -> Guests {
    Guests::new(limits.in_flight, (limits.in_flight / SHARE).max(1))
}

/// The request with all of its body.
pub(super) async fn arrived(shared: &Shared, route: Option<&str>, request: Request) -> Result<Request, Problem> {
    let is_waited_for = request.method() == Method::POST
        && !request.body().is_end_stream()
        && route.is_some_and(|route| route != UPLOADS);
    if !is_waited_for {
        return Ok(request);
    }
    let client = client(request.extensions()).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let _guest = Guests::admit(&shared.bodies, client)
        .ok_or_else(|| Problem::unavailable("busy", "too many bodies are arriving at the moment", 1))?;
    let (parts, body) = request.into_parts();
    let whole = Bytes::from_request(Request::from_parts(parts.clone(), body), &()).await;
    let whole = whole.map_err(|rejection| unreadable(&rejection, ONE_GAME))?;
    Ok(Request::from_parts(parts, Body::from(whole)))
}
