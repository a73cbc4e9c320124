//! The bank of tactics, a page at a time.

pub use pgn_import::Tactic;
pub use tabiya_store::{TacticFilter, TacticThemes};

use super::KnowledgeBase;
use crate::AppError;

impl KnowledgeBase {
    /// Up to `limit` tactics with ids above `after`, by id; ids are hashes, so that their order is as good as none.
    pub async fn tactics(
        &self,
        filter: TacticFilter<'_>,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Vec<Tactic>, AppError> {
        Ok(self.store().tactics_wanted(filter, after, limit).await?)
    }

    /// What tactics can be asked for.
    pub async fn tactic_themes(&self) -> Result<TacticThemes, AppError> {
        Ok(self.store().tactic_themes().await?)
    }
}
