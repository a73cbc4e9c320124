//! Our games: what they have in common and what was new in each.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use axum::body::Bytes;
use axum::extract::{FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use tabiya_app::AppError;
use tabiya_app::analyze::{UploadLimits, analyze_pgn};

use crate::asking::unreadable;
use crate::games::written;
use crate::guests::client;
use crate::problem::{Problem, ProblemBody};
use crate::shared::Tabiya;
use crate::written::takes_gzip;

/// PGN that is sent, packed or not.
pub(crate) const MAX_UPLOAD: usize = 8 << 20;
/// For whoever sends more.
pub(crate) const LARGE_FILES: &str = "send 8 MB at the most; `tabiya analyze` takes files of any size";

/// What is made of it.
const LIMITS: UploadLimits = UploadLimits {
    bytes: 32 << 20,
    games: 5_000,
    plies: 1_000,
};

/// Bytes of the answer: twice what that many usual games come to.
const MAX_ANSWER: usize = 96 << 20;

/// The games that the server was given
///
/// As `tabiya analyze` writes them: games with annotated moves, novelties, branches, common sequences.
#[utoipa::path(
    get, path = "/data/db.json", tag = "games",
    responses(
        (status = 200, description = "The games", body = serde_json::Value),
        (status = 404, description = "The server was given none", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "They are being read", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn our_games(State(shared): Tabiya, headers: HeaderMap) -> Result<Response, Problem> {
    shared.games.present(takes_gzip(&headers))
}

/// Compare games
///
/// PGN, packed or not, in the body; the answer is as `/data/db.json`. Games of more than 1,000 half-moves are left out. Nothing of it
/// is kept.
#[utoipa::path(
    post, path = "/games/analyze", tag = "games",
    request_body(content = String, content_type = "text/plain", description = "Games; any content type will do"),
    responses(
        (status = 200, description = "The games", body = serde_json::Value),
        (status = 413, description = "More than 8 MB (32 MB unpacked), 5,000 games, or 96 MB to be said about them", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "No games in it that can be compared", body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, description = "Others are at it", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn analyze_games(State(shared): Tabiya, request: Request) -> Result<Response, Problem> {
    let upload = shared.games.uploads.admit(client(request.extensions()))?;
    let body = Bytes::from_request(request, &()).await;
    let body = body.map_err(|rejection| unreadable(&rejection, LARGE_FILES))?;
    let turn = upload.turn().await?;
    let wanted = Wanted::default();
    let unwanted = Arc::clone(&wanted.0);
    let analysed = tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let analysis = analyze_pgn("the games", body.into(), LIMITS, 1, &unwanted)?;
        written(&analysis, MAX_ANSWER, &unwanted)
    });
    match analysed.await {
        Ok(Ok(answer)) => Ok(upload.until_sent(answer.into_response())),
        Ok(Err(error)) => Err(refused(error)),
        Err(error) => {
            tracing::error!(%error, "games could not be compared");
            Err(Problem::internal())
        }
    }
}

/// Work that nobody waits for any more is told so: a thread does not end with the request it works for.
#[derive(Default)]
struct Wanted(Arc<AtomicBool>);

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn refused(error: AppError) -> Problem {
    match error {
        AppError::TooMuchPgn { .. } => Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-many-games", error.to_string())
            .hint("use `tabiya analyze` for large collections"),
        error => {
            let hint = error.hints().into_iter().next();
            let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "no-games", error.to_string());
            match hint {
                Some(hint) => problem.hint(hint),
                None => problem,
            }
        }
    }
}
