//! Reading requests: what cannot be read is said in the same shape as every other error.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request, rejection::BytesRejection};
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri, header};
use serde::de::DeserializeOwned;
use shakmaty::Chess;
use tabiya_app::AppError;
use tabiya_app::explore::{Asked, Catalogue, KnowledgeBase, View};
use tabiya_chess::PositionId;

use crate::problem::{Located, Problem};

/// The parameters behind the `?`.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Query<T>, Problem> {
        query(&parts.uri).map(Query)
    }
}

/// What stands behind the `?` of an address.
pub(crate) fn query<T: DeserializeOwned>(uri: &Uri) -> Result<T, Problem> {
    match axum::extract::Query::try_from_uri(uri) {
        Ok(axum::extract::Query(value)) => Ok(value),
        Err(rejection) => {
            let reason = rejection.body_text();
            let reason = reason.trim_start_matches("Failed to deserialize query string: ");
            if let Some((name, given)) = whole_number(uri, reason) {
                let range = if given.starts_with('-') { "0 or more" } else { "smaller" };
                return Err(out_of_range(&name, given, range));
            }
            Err(Problem::bad_request("bad-parameter", reason).hint("see /docs for the parameters"))
        }
    }
}

/// The parameter that could not be read, if it is a whole number: then it is beyond what the program counts with, which is no other
/// mistake than being beyond what a route takes.
fn whole_number(uri: &Uri, reason: &str) -> Option<(String, String)> {
    let (named, why) = reason.split_once(": ")?;
    // As the standard library says it of numbers.
    if !matches!(
        why,
        "invalid digit found in string" | "number too large to fit in target type"
    ) {
        return None;
    }
    let axum::extract::Query(all) = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(uri).ok()?;
    all.into_iter().find(|(name, given)| {
        let digits = given.strip_prefix('-').unwrap_or(given);
        name == named && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// A part of the path.
#[derive(Debug)]
pub(crate) struct Path(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Path {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Path, Problem> {
        match axum::extract::Path::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Path(value)),
            Err(rejection) => Err(Problem::bad_request("bad-path", rejection.body_text())
                .hint("what follows a % in a path has to be UTF-8")),
        }
    }
}

/// A JSON body.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Json<T>, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let essence = kind.split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            let detail = match essence {
                "" => "the body has no content type".to_owned(),
                other => format!("the body is {other}"),
            };
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", detail)
                .hint("send JSON, with `content-type: application/json`"));
        }
        let body = Bytes::from_request(request, state).await;
        let body = body.map_err(|rejection| unreadable(&rejection, ONE_GAME))?;
        serde_json::from_slice(&body)
            .map(Json)
            .map_err(|error| match error.classify() {
                serde_json::error::Category::Data => {
                    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-body", error.to_string())
                }
                _ => Problem::bad_request("not-json", format!("the body is not JSON: {error}")),
            })
    }
}

/// For whoever sends more than one line or game comes to.
pub(crate) const ONE_GAME: &str = "send one line of moves, or one game without long comments";

/// A body that did not come whole; the hint is for whoever sent too much.
pub(crate) fn unreadable(rejection: &BytesRejection, too_large_hint: &'static str) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(too_large_hint),
        _ => Problem::bad_request("body-cut-short", "the body did not arrive whole"),
    }
}

pub(crate) fn too_large(hint: &'static str) -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        "body-too-large",
        "the body is larger than this server takes",
    )
    .hint(hint)
}

/// A value that is a number and cannot be that number.
pub(crate) fn out_of_range(name: &str, given: impl std::fmt::Display, range: &str) -> Problem {
    Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "out-of-range",
        format!("{name} is {given}, and has to be {range}"),
    )
    .hint("see /docs for the limits")
}

/// A position given as FEN, EPD or a line.
pub(crate) fn asked(text: &str) -> Result<Asked, Problem> {
    Asked::parse(text).map_err(|error| {
        Problem::bad_request("bad-position", error.to_string())
            .hint("give a FEN, with or without its counters, spaces as %20 or _; or a line of moves")
    })
}

/// Something went wrong that is not the client's fault, unless it is.
pub(crate) fn failed(error: AppError) -> Problem {
    if let AppError::Store(tabiya_app::explore::StoreError::NoCollection { .. }) = &error {
        return Problem::not_found("unknown-collection", error.to_string()).hint("/stats lists the collections");
    }
    tracing::error!(%error, "the database could not be asked");
    match &error {
        AppError::Store(store) if store.is_transient() => {
            Problem::unavailable("database", "the database does not answer at the moment", 2)
        }
        _ => Problem::internal(),
    }
}

/// There is such a position, but not in the graph.
pub(crate) fn unknown_position(catalogue: &Catalogue, asked: &Asked, last_known: Option<Located>) -> Problem {
    let name = catalogue.name_on_path(asked.positions());
    let here = Located::called(name, asked.position(), None);
    let called = match (&here.opening_name, &here.variation_name) {
        (Some(opening), Some(variation)) => format!(", in the {opening}: {variation}"),
        (Some(opening), None) => format!(", in the {opening}"),
        _ => String::new(),
    };
    Problem::not_found(
        "unknown-position",
        format!("no game of this knowledge base reached {}{called}", here.fen),
    )
    .hint("positions are left out beyond the depth of the build and below its number of games; /stats tells both")
    .at(here)
    .last_known(last_known)
}

/// The last position of a line that a view has, before the one that it lacks.
pub(crate) fn last_known(catalogue: &Catalogue, view: &View, asked: &Asked) -> Option<Located> {
    let positions = asked.positions();
    let ply = (0..positions.len().saturating_sub(1))
        .rev()
        .find(|ply| view.find(PositionId::of(&positions[*ply])).is_some())?;
    Some(located(catalogue, positions, ply))
}

/// The same by asking the database, for as long as nothing is in memory.
pub(crate) async fn not_in_the_database(knowledge: &KnowledgeBase, asked: &Asked, collection: Option<&str>) -> Problem {
    let catalogue = knowledge.catalogue();
    let positions = asked.positions();
    let mut known = None;
    for ply in (0..positions.len().saturating_sub(1)).rev() {
        match knowledge.node(PositionId::of(&positions[ply]), collection).await {
            Ok(None) => {}
            Ok(Some(_)) => {
                known = Some(located(&catalogue, positions, ply));
                break;
            }
            Err(error) => return failed(error),
        }
    }
    unknown_position(&catalogue, asked, known)
}

fn located(catalogue: &Catalogue, positions: &[Chess], ply: usize) -> Located {
    let name = catalogue.name_on_path(&positions[..=ply]);
    Located::called(name, &positions[ply], u32::try_from(ply).ok())
}
