//! Nodes, by position and by line.

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use serde::Deserialize;
use tabiya_app::explore::{Asked, KnowledgeBase, Snapshot};
use tabiya_chess::PositionId;
use utoipa::{IntoParams, ToSchema};

use crate::answer::Answer;
use crate::asking::{Json, Query, asked, failed, last_known, not_in_the_database, query, unknown_position};
use crate::conduct::question;
use crate::problem::{Problem, ProblemBody};
use crate::shared::{Shared, Tabiya};
use crate::wire::Node;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OfCollection {
    /// Only the games of this collection; of all by default
    pub(crate) collection: Option<String>,
}

/// The node of a position
///
/// The FEN may be percent-encoded or written with its slashes, with `_` for spaces, with or without counters.
#[utoipa::path(
    get, path = "/node/fen/{fen}", tag = "positions",
    params(
        ("fen" = String, Path, description = "A FEN or EPD",
         example = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R_b_KQkq_-"),
        OfCollection,
    ),
    responses(
        (status = 200, description = "The node", body = Node),
        (status = 400, description = "Not a position", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "Not in the graph", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn node_by_fen(State(shared): Tabiya, uri: Uri) -> Result<Response, Problem> {
    let snapshot = shared.knowledge.generation();
    if let Some(written) = shared.kept.find(snapshot, question(&uri)) {
        return Ok(written.plain());
    }
    let (body, tag) = node_at(&shared, &uri).await?.parts();
    let kept = (shared.kept)
        .keep(&shared.knowledge, snapshot, question(&uri), &body, tag)
        .await;
    Ok(kept.plain())
}

async fn node_at(shared: &Shared, uri: &Uri) -> Result<Answer, Problem> {
    let path = uri.path();
    let fen = decode(path.strip_prefix("/node/fen/").unwrap_or(path))?;
    let collection = match uri.query() {
        None => None,
        Some(_) => query::<OfCollection>(uri)?.collection,
    };
    node(shared, &asked(&fen)?, collection.as_deref()).await
}

/// What stands in a path, with its escapes read.
fn decode(path: &str) -> Result<std::borrow::Cow<'_, str>, Problem> {
    if !path.contains('%') {
        return Ok(path.into());
    }
    percent_encoding::percent_decode_str(path).decode_utf8().map_err(|_| {
        Problem::bad_request("bad-path", "the escapes in the path are no text")
            .hint("what follows a % in a path has to be UTF-8")
    })
}

/// A line of moves.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct LineOfMoves {
    /// From the initial position, in SAN, with or without numbers
    #[schema(example = "1.e4 e5 2.Nf3 Nc6 3.Bc4")]
    moves: String,
}

/// The node at the end of a line
#[utoipa::path(
    post, path = "/node/pgn", tag = "positions",
    params(OfCollection),
    request_body = LineOfMoves,
    responses(
        (status = 200, description = "The node", body = Node),
        (status = 400, description = "Not a line of moves", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "The line leaves the graph", body = ProblemBody, content_type = "application/problem+json"),
        (status = 413, description = "More than 64 kB", body = ProblemBody, content_type = "application/problem+json"),
        (status = 415, description = "Not JSON", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "No line in it", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn node_by_line(
    State(shared): Tabiya,
    Query(of): Query<OfCollection>,
    Json(line): Json<LineOfMoves>,
) -> Result<Answer, Problem> {
    let asked = Asked::line(&line.moves).map_err(|error| {
        Problem::bad_request("bad-line", error.to_string())
            .hint("give moves in SAN from the initial position, such as 1.e4 e5 2.Nf3")
    })?;
    node(&shared, &asked, of.collection.as_deref()).await
}

async fn node(shared: &Shared, asked: &Asked, collection: Option<&str>) -> Result<Answer, Problem> {
    let id = asked.id();
    if let Some(snapshot) = &*shared.knowledge.glance() {
        return in_memory(snapshot, asked, id, collection);
    }
    check_collection(&shared.knowledge, collection)?;
    match shared.knowledge.node(id, collection).await.map_err(failed)? {
        Some(node) => Answer::of(&Node::of_view(&node)),
        None => Err(not_in_the_database(&shared.knowledge, asked, collection).await),
    }
}

fn in_memory(snapshot: &Snapshot, asked: &Asked, id: PositionId, collection: Option<&str>) -> Result<Answer, Problem> {
    let catalogue = snapshot.catalogue();
    let view = snapshot
        .view(collection)
        .ok_or_else(|| unknown_collection(collection))?;
    let Some(place) = view.find(id) else {
        return Err(unknown_position(catalogue, asked, last_known(catalogue, view, asked)));
    };
    Answer::of(&Node::of_place(catalogue, view, place))
}

/// The database knows collections of ours that nobody is to ask about.
pub(crate) fn check_collection(knowledge: &KnowledgeBase, collection: Option<&str>) -> Result<(), Problem> {
    match collection {
        Some(name) if !knowledge.catalogue().counted().any(|known| known == name) => {
            Err(unknown_collection(collection))
        }
        _ => Ok(()),
    }
}

pub(crate) fn unknown_collection(collection: Option<&str>) -> Problem {
    let name = collection.unwrap_or_default();
    Problem::not_found("unknown-collection", format!("there is no collection {name:?}"))
        .hint("/stats lists the collections")
}
