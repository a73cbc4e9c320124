//! `lookup`: all that the knowledge base has to say of one position.

pub use tabiya_chess::Stats;
pub use tabiya_store::{ListedGame, NodeEvaluation, NodeView, OpeningName, OtherParent};

pub use crate::explore::{After, Asked, Facts};

use crate::{AppError, explore::KnowledgeBase};

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Looked {
    Up(Box<Facts>),
    /// The graph lacks the position.
    InVain {
        /// How many half-moves of the line lead to a position that it has; `None` where no line was given, or none does.
        known_plies: Option<usize>,
    },
}

/// Looks a position up, as one collection or all of them know it.
pub async fn lookup(database: &str, asked: &Asked, collection: Option<&str>) -> Result<Looked, AppError> {
    let base = KnowledgeBase::open(database).await?;
    let looked = look(&base, asked, collection).await;
    base.close().await;
    looked
}

async fn look(base: &KnowledgeBase, asked: &Asked, collection: Option<&str>) -> Result<Looked, AppError> {
    let catalogue = base.catalogue();
    catalogue.check_collection(collection)?;
    if let Some(facts) = base.facts(asked, collection).await? {
        return Ok(Looked::Up(Box::new(facts)));
    }
    if catalogue.openings().is_empty() {
        return Err(AppError::NoOpenings);
    }
    let mut known_plies = None;
    for (plies, position) in asked.positions().iter().enumerate() {
        let id = tabiya_chess::PositionId::of(position);
        // Lines that leave the graph and come back to it are known up to where they left it.
        if base.node(id, collection).await?.is_none() {
            break;
        }
        known_plies = Some(plies);
    }
    Ok(Looked::InVain { known_plies })
}
