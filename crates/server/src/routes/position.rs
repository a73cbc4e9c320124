//! Everything about a position.

use axum::extract::State;
use serde::Deserialize;
use shakmaty::Chess;
use tabiya_app::explore::{Asked, Facts, KnowledgeBase};
use tabiya_chess::from_uci;
use utoipa::IntoParams;

use super::check_collection;
use crate::answer::Answer;
use crate::asking::{Query, asked, failed, last_known, not_in_the_database, unknown_position};
use crate::problem::{Problem, ProblemBody};
use crate::shared::Tabiya;
use crate::wire::Position;

/// Longer lines are no openings.
const MAX_LINE: usize = 300;

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct PositionQuery {
    /// A FEN or EPD, or a line of moves [default: the initial position]
    #[param(example = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -")]
    fen: Option<String>,
    /// Moves from there in UCI, with commas between them
    #[param(example = "e2e4,e7e5,g1f3")]
    play: Option<String>,
    /// Only the games of this collection; of all by default
    collection: Option<String>,
}

/// Everything about a position
///
/// All fields of `/node/fen`, names by position and by path, results per move and per position behind it, by collection,
/// the engine's lines, parents, structure and games.
#[utoipa::path(
    get, path = "/position", tag = "positions",
    params(PositionQuery),
    responses(
        (status = 200, description = "The position", body = Position),
        (status = 400, description = "Not a position, or not its moves", body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, description = "Not in the graph", body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn position(State(shared): Tabiya, Query(query): Query<PositionQuery>) -> Result<Answer, Problem> {
    let asked = line(query.fen.as_deref(), query.play.as_deref())?;
    let facts = look_up(&shared.knowledge, &asked, query.collection.as_deref()).await?;
    Answer::with_room(&Position::of(&facts), 8 << 10)
}

/// All there is to say of a position, or why there is nothing.
async fn look_up(knowledge: &KnowledgeBase, asked: &Asked, collection: Option<&str>) -> Result<Facts, Problem> {
    check_collection(knowledge, collection)?;
    match knowledge.facts(asked, collection).await.map_err(failed)? {
        Some(facts) => Ok(facts),
        None => match knowledge.snapshot() {
            Some(snapshot) => {
                let known = snapshot.view(collection);
                let known = known.and_then(|view| last_known(snapshot.catalogue(), view, asked));
                Err(unknown_position(snapshot.catalogue(), asked, known))
            }
            None => Err(not_in_the_database(knowledge, asked, collection).await),
        },
    }
}

/// A position and moves from it.
pub(crate) fn line(fen: Option<&str>, play: Option<&str>) -> Result<Asked, Problem> {
    let start = match fen.map(str::trim) {
        None | Some("" | "startpos") => Asked::from(Chess::default()),
        Some(text) => asked(text)?,
    };
    let mut position = start.position().clone();
    let mut played = Vec::new();
    for uci in play.unwrap_or_default().split([',', ' ']).filter(|uci| !uci.is_empty()) {
        let bad = |reason: String| {
            Problem::bad_request("bad-move", reason)
                .hint("play takes moves in UCI with commas between them, such as e2e4,e7e5")
        };
        if played.len() == MAX_LINE {
            return Err(bad(format!("the line has more than {MAX_LINE} moves")));
        }
        let m = from_uci(&position, uci)
            .map_err(|error| bad(format!("move {} of play, {uci:?}: {error}", played.len() + 1)))?;
        shakmaty::Position::play_unchecked(&mut position, m);
        played.push(position.clone());
    }
    Ok(start.then(played))
}
