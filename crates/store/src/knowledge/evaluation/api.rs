//! What a store answers to about engines.

use shakmaty::Chess;
use tabiya_chess::{Analysis, PositionId, Question};

use super::rows::{EvaluationCounts, EvaluationCoverage, NodeAnnotation, Quarantined};
use super::{analyses, annotations, quarantine};
use crate::knowledge::api::{Touches, change, glance, look};
use crate::{Store, StoreError};

impl Store {
    /// Remembers answers about any positions, in one transaction. Of two for the same position, engine, limit and number of
    /// lines the deeper one stays, then that with more nodes, then that with the smaller text: so the same again changes
    /// nothing, and the order of writers does not show. Gives the number of answers that were new or better.
    pub async fn put_analyses(&self, analyses: Vec<(Chess, Analysis)>) -> Result<u64, StoreError> {
        let positions: Vec<Chess> = analyses.iter().map(|(position, _)| position.clone()).collect();
        let put = change!(self, Touches::Evaluations, tx => analyses::put(tx, analyses));
        if let Err(StoreError::Collision { .. }) = put {
            // The database says that there is one; this says between what.
            glance!(self, tx => analyses::name_collision(tx, &positions))?;
        }
        put
    }

    /// The best stored answer that serves a question; see [`find_analyses`](Store::find_analyses).
    pub async fn find_analysis(&self, position: &Chess, question: &Question) -> Result<Option<Analysis>, StoreError> {
        let found = self.find_analyses(&[(position.clone(), question.clone())]).await?;
        Ok(found.into_iter().next().flatten())
    }

    /// The best stored answer to each question, in their order. Of all that [serve](Analysis::serves) it, whoever gave
    /// them: the deepest, then that with more lines, then more nodes, then the engine whose name comes first.
    pub async fn find_analyses(&self, asked: &[(Chess, Question)]) -> Result<Vec<Option<Analysis>>, StoreError> {
        if let Store::Neo4j(graph) = self {
            return graph.find_analyses(asked).await;
        }
        glance!(self, tx => analyses::find(tx, asked))
    }

    /// How much engines have said.
    pub async fn evaluation_counts(&self) -> Result<EvaluationCounts, StoreError> {
        glance!(self, tx => analyses::counts(tx))
    }

    /// Enters evaluations that nodes are to show, in one transaction. What is no node gets none. A field that replaces
    /// another value is logged and dated; first values are not changes, the same again is none.
    pub async fn annotate_nodes(&self, evaluations: Vec<NodeAnnotation>) -> Result<(), StoreError> {
        change!(self, Touches::Knowledge, tx => annotations::annotate(tx, evaluations))
    }

    /// How many nodes show an evaluation.
    pub async fn evaluation_coverage(&self) -> Result<EvaluationCoverage, StoreError> {
        look!(self, tx => annotations::coverage(tx))
    }

    /// Remembers that no engine could answer. Tries are added to those before.
    pub async fn quarantine(
        &self,
        position: &Chess,
        question: &Question,
        tries: u32,
        reason: &str,
    ) -> Result<(), StoreError> {
        change!(self, Touches::Evaluations, tx => quarantine::put(tx, position, question, tries, reason))
    }

    /// All that is in quarantine, by EPD and question.
    pub async fn quarantined(&self) -> Result<Vec<Quarantined>, StoreError> {
        glance!(self, tx => quarantine::list(tx))
    }

    /// Releases one position from quarantine, or all, and gives the number of questions that may be asked again.
    pub async fn release_quarantine(&self, position: Option<PositionId>) -> Result<u64, StoreError> {
        change!(self, Touches::Evaluations, tx => quarantine::release(tx, position))
    }
}
