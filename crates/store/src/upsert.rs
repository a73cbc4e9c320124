//! Rows of one kind, upserted as the batch that they are a part of.

/// Implements `Storage` for a store by its own `upsert`, which takes a whole batch.
macro_rules! upserts_batches {
    ($store:ty) => {
        #[async_trait::async_trait]
        impl pgn_import::Storage for $store {
            async fn upsert_positions(&mut self, positions: Vec<pgn_import::Position>) -> anyhow::Result<()> {
                let batch = pgn_import::Batch {
                    positions,
                    ..Default::default()
                };
                Ok(self.upsert(batch).await?)
            }

            async fn upsert_edges(&mut self, edges: Vec<pgn_import::Edge>) -> anyhow::Result<()> {
                let batch = pgn_import::Batch {
                    edges,
                    ..Default::default()
                };
                Ok(self.upsert(batch).await?)
            }

            async fn upsert_repertoire_edges(
                &mut self,
                repertoire_edges: Vec<pgn_import::RepertoireEdge>,
            ) -> anyhow::Result<()> {
                let batch = pgn_import::Batch {
                    repertoire_edges,
                    ..Default::default()
                };
                Ok(self.upsert(batch).await?)
            }

            async fn upsert_tactics(&mut self, tactics: Vec<pgn_import::Tactic>) -> anyhow::Result<()> {
                let batch = pgn_import::Batch {
                    tactics,
                    ..Default::default()
                };
                Ok(self.upsert(batch).await?)
            }
        }
    };
}

pub(crate) use upserts_batches;
