//! `lookup`: all that the knowledge base has to say of one position.

pub use tabiya_chess::Stats;
use tabiya_chess::{PositionId, parse_fen, parse_line};
pub use tabiya_store::{ListedGame, NodeEvaluation, NodeView, OpeningName};

use crate::{AppError, database};

/// The node of a position, given as FEN, EPD or a line of moves; `None` where the graph lacks it.
pub async fn lookup(database: &str, asked: &str, collection: Option<&str>) -> Result<Option<NodeView>, AppError> {
    let id = position(asked)?;
    let store = database::open(database).await?;
    let node = store.node(id, collection).await?;
    store.close().await;
    Ok(node)
}

fn position(asked: &str) -> Result<PositionId, AppError> {
    // A placement has slashes, a line of moves has none but in a result.
    let fen = parse_fen(asked);
    match fen {
        Ok(start) => Ok(PositionId::of(&start.position)),
        Err(error)
            if asked
                .split(' ')
                .next()
                .is_some_and(|word| word.matches('/').count() == 7) =>
        {
            Err(AppError::BadFen {
                fen: asked.to_owned(),
                reason: error.to_string(),
            })
        }
        Err(_) => match parse_line(asked) {
            Ok(line) => Ok(PositionId::of(&line.last())),
            Err(error) => Err(AppError::BadFen {
                fen: asked.to_owned(),
                reason: error.to_string(),
            }),
        },
    }
}
