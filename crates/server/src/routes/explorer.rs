//! The Lichess explorer's two addresses, from our own games.

use axum::extract::State;
use tabiya_app::explore::{self, AskError, ExplorerQuery};
use utoipa::IntoParams;

use crate::answer::Answer;
use crate::asking::{Query, failed};
use crate::problem::{Problem, ProblemBody};
use crate::shared::Tabiya;
use crate::wire::ExplorerAnswer;

/// As [`ExplorerQuery`] reads them.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
#[expect(dead_code, reason = "only described; app reads the parameters")]
pub(crate) struct ExplorerParams {
    /// `standard`: there are no others here
    variant: Option<String>,
    /// Where the line begins [default: the initial position]
    #[param(example = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")]
    fen: Option<String>,
    /// The line, as UCI moves with commas between them
    #[param(example = "e2e4,e7e5")]
    play: Option<String>,
    /// How many moves are listed
    #[param(default = 12)]
    moves: Option<usize>,
    /// How many top games are listed [default: all that are kept]
    top_games: Option<usize>,
    /// How many recent games are listed [default: all that are kept]
    recent_games: Option<usize>,
    /// The first year (`1998`, `1998-01`); needs a build with `--facets year`
    since: Option<String>,
    /// The last year (`2004`, `2004-12`); needs a build with `--facets year`
    until: Option<String>,
    /// Rating bands by their lower ends; needs a build with `--facets rating`
    #[param(example = "2200,2500")]
    ratings: Option<String>,
    /// Speeds; needs a build with `--facets speed`
    #[param(example = "blitz,rapid")]
    speeds: Option<String>,
}

/// As Lichess's `/masters`
///
/// From the collection `masters`, else from all games. A position that nobody has played is answered with no games.
#[utoipa::path(
    get, path = "/masters", tag = "explorer",
    params(ExplorerParams),
    responses(
        (status = 200, description = "What was played", body = ExplorerAnswer),
        (status = 400, description = "Not a question, or not with these data", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "A number that is too large, or negative", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn masters(State(shared): Tabiya, Query(query): Query<ExplorerQuery>) -> Result<Answer, Problem> {
    let answer = explore::masters(&shared.knowledge, &query).await.map_err(no_answer)?;
    Answer::with_room(&answer, 4 << 10)
}

/// As Lichess's `/lichess`
///
/// From the collection `lichess`, else from all games.
#[utoipa::path(
    get, path = "/lichess", tag = "explorer",
    params(ExplorerParams),
    responses(
        (status = 200, description = "What was played", body = ExplorerAnswer),
        (status = 400, description = "Not a question, or not with these data", body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, description = "A number that is too large, or negative", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn lichess(State(shared): Tabiya, Query(query): Query<ExplorerQuery>) -> Result<Answer, Problem> {
    let answer = explore::lichess(&shared.knowledge, &query).await.map_err(no_answer)?;
    Answer::with_room(&answer, 4 << 10)
}

fn no_answer(error: AskError) -> Problem {
    match error {
        AskError::App(error) => failed(error),
        error => {
            let problem = Problem::bad_request("bad-parameter", error.to_string());
            match error.hints().into_iter().next() {
                Some(hint) => problem.hint(hint),
                None => problem,
            }
        }
    }
}
