//! Where evaluations go.

use shakmaty::Chess;
use tabiya_chess::Analysis;
use tabiya_store::Store;

use crate::AppError;

/// Keeps evaluations. Of two that answer the same question the deeper one stays, so nothing changes when they come again.
pub(super) trait EvaluationSink {
    /// Gives the number of those that were new or better.
    async fn put(&self, evaluations: Vec<(Chess, Analysis)>) -> Result<u64, AppError>;
}

impl EvaluationSink for Store {
    async fn put(&self, evaluations: Vec<(Chess, Analysis)>) -> Result<u64, AppError> {
        Ok(self.put_analyses(evaluations).await?)
    }
}
