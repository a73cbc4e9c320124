//! Reviews: a game is handed in, waits its turn, is looked at by an engine, and can be had for a while.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::State;
use axum::http::{Extensions, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tabiya_app::review::{Refusal, Stage};
use tokio::sync::watch;
use utoipa::ToSchema;

use crate::asking::{Json, Path, out_of_range};
use crate::guests::client;
use crate::problem::{Problem, ProblemBody};
use crate::shared::{Shared, Tabiya};

/// A game to be reviewed.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ReviewOrder {
    /// One game; of several the first is taken
    #[schema(example = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0", min_length = 1)]
    pgn: String,
    /// Positions that the engine searches about each of the game [default: as the server was told]
    #[schema(example = 100_000, minimum = 1_000)]
    nodes: Option<u64>,
}

/// Where a review can be had.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReviewTicket {
    /// For the other addresses; nobody can guess it.
    id: String,
}

/// Something that happened.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only described; events are written as text")]
pub(crate) struct ReviewEvent {
    /// `queued`, `progress`, `done`, `failed` or `cancelled`.
    event: String,
    /// JSON.
    data: String,
}

/// Have a game reviewed
///
/// It is kept in memory for half an hour and nowhere else.
#[utoipa::path(
    post, path = "/review", tag = "review",
    request_body = ReviewOrder,
    responses(
        (status = 202, description = "It is in the queue", body = ReviewTicket),
        (status = 400, description = "Not JSON", body = ProblemBody, content_type = "application/problem+json"),
        (status = 413, description = "More than 64 kB", body = ProblemBody, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "Not a game, or more nodes than can be had", body = ProblemBody, content_type = "application/problem+json"),
        (status = 429, description = "You have reviews under way already", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "The queue is full, or there is no engine", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn order_review(
    State(shared): Tabiya,
    extensions: Extensions,
    Json(order): Json<ReviewOrder>,
) -> Result<Response, Problem> {
    let id = shared
        .desk
        .submit(&order.pgn, order.nodes, client(&extensions))
        .await
        .map_err(refused)?;
    let location = HeaderValue::try_from(format!("/review/{id}")).map_err(|_| Problem::internal())?;
    let mut response = (StatusCode::ACCEPTED, axum::Json(ReviewTicket { id })).into_response();
    response.headers_mut().insert(header::LOCATION, location);
    Ok(response)
}

fn refused(refusal: Refusal) -> Problem {
    let detail = refusal.to_string();
    match refusal {
        Refusal::NotAGame(_) => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "not-a-game", detail)
            .hint("send the PGN of one game, with legal moves"),
        Refusal::TooLong { .. } => Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "game-too-long", detail)
            .hint("`tabiya review` reviews games of any length"),
        Refusal::Nodes { asked, least, most } => out_of_range("nodes", asked, &format!("between {least} and {most}")),
        Refusal::TooMany(_) => Problem::new(StatusCode::TOO_MANY_REQUESTS, "too-many-reviews", detail)
            .hint("wait for one of them, or cancel it")
            .retry_after(10),
        Refusal::Full(_) => Problem::unavailable("queue-full", detail, 30),
        Refusal::NoEngine(error) => {
            tracing::error!(%error, "no engine for reviews");
            Problem::unavailable("no-engine", "this server has no engine to review games with", 60)
                .hint("whoever runs it can name one with --engine; `tabiya doctor` looks for it")
        }
    }
}

fn find(shared: &Shared, id: &str) -> Result<watch::Receiver<Stage>, Problem> {
    shared.desk.watch(id).ok_or_else(|| {
        Problem::not_found("unknown-review", "there is no such review, or not any more")
            .hint("reviews are kept for half an hour; hand the game in again with POST /review")
    })
}

/// How far a review is
///
/// `status` is `queued` (with `position`), `working` (with `done` and `total`), `done` (with `review`), `failed` (with `reason`) or
/// `cancelled`.
#[utoipa::path(
    get, path = "/review/{id}", tag = "review",
    params(("id" = String, Path, description = "What POST /review gave")),
    responses(
        (status = 200, description = "How far it is", body = serde_json::Value),
        (status = 404, description = "No such review", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn review_state(State(shared): Tabiya, Path(id): Path) -> Result<Response, Problem> {
    let stage = find(&shared, &id)?.borrow().clone();
    let (status, mut data) = told(&stage);
    if let Some(data) = data.as_object_mut() {
        data.insert("status".to_owned(), status.into());
    }
    let mut response = axum::Json(data).into_response();
    let never = HeaderValue::from_static("no-store");
    response.headers_mut().insert(header::CACHE_CONTROL, never);
    Ok(response)
}

/// A review as it goes on
///
/// Server-sent events: `queued` {position}, `progress` {done, total}, then one of `done` {review}, `failed` {problem}, `cancelled`.
#[utoipa::path(
    get, path = "/review/{id}/events", tag = "review",
    params(("id" = String, Path, description = "What POST /review gave")),
    responses(
        (status = 200, description = "Events", body = ReviewEvent, content_type = "text/event-stream"),
        (status = 404, description = "No such review", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn review_events(
    State(shared): Tabiya,
    Path(id): Path,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    let watch = find(&shared, &id)?;
    let events = stream::unfold(Some((watch, true)), |state| async {
        let (mut watch, is_first) = state?;
        if !is_first && watch.changed().await.is_err() {
            return None;
        }
        let stage = watch.borrow_and_update().clone();
        let (name, data) = event(&stage);
        let mut event = Event::default().event(name).data(data.to_string());
        if is_first {
            event = event.retry(TRY_AGAIN);
        }
        let next = (!stage.is_last()).then_some((watch, false));
        Some((Ok(event), next))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// After so long a client whose connection was interrupted asks again. Left to themselves, some browsers wait for longer than
/// people do.
const TRY_AGAIN: Duration = Duration::from_secs(1);

fn told(stage: &Stage) -> (&'static str, serde_json::Value) {
    match stage {
        Stage::Queued { position } => ("queued", json!({ "position": position })),
        Stage::Working { done, total } => ("working", json!({ "done": done, "total": total })),
        Stage::Done(reviewed) => ("done", json!({ "review": reviewed.review })),
        Stage::Failed(reason) => ("failed", json!({ "reason": reason })),
        Stage::Cancelled => ("cancelled", json!({})),
    }
}

fn event(stage: &Stage) -> (&'static str, serde_json::Value) {
    match stage {
        Stage::Working { done, total } => ("progress", json!({ "done": done, "total": total })),
        Stage::Failed(reason) => {
            let problem = json!({ "type": "about:blank", "title": "The review failed", "status": 500, "detail": reason,
                "code": "review-failed", "hint": "hand the game in again" });
            ("failed", json!({ "problem": problem }))
        }
        other => told(other),
    }
}

/// Call a review off
#[utoipa::path(
    delete, path = "/review/{id}", tag = "review",
    params(("id" = String, Path, description = "What POST /review gave")),
    responses(
        (status = 204, description = "It is forgotten"),
        (status = 404, description = "No such review", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn cancel_review(State(shared): Tabiya, Path(id): Path) -> Result<StatusCode, Problem> {
    find(&shared, &id)?;
    shared.desk.cancel(&id);
    Ok(StatusCode::NO_CONTENT)
}

/// The game with its annotations
#[utoipa::path(
    get, path = "/review/{id}/pgn", tag = "review",
    params(("id" = String, Path, description = "What POST /review gave")),
    responses(
        (status = 200, description = "PGN", body = String, content_type = "application/x-chess-pgn"),
        (status = 404, description = "No such review", body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, description = "It is not done yet", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn review_pgn(State(shared): Tabiya, Path(id): Path) -> Result<Response, Problem> {
    let stage = find(&shared, &id)?.borrow().clone();
    let Stage::Done(reviewed) = stage else {
        return Err(
            Problem::new(StatusCode::CONFLICT, "not-done", "the review is not done").hint("wait for the event `done`")
        );
    };
    let headers = [
        (header::CONTENT_TYPE, "application/x-chess-pgn; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"review.pgn\""),
        (header::CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, reviewed.pgn.clone()).into_response())
}
