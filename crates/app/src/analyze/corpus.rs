//! A knowledge base to compare games with.

use std::collections::{HashMap, HashSet};

use shakmaty::{Chess, Position as _};
use tabiya_chess::{PositionId, to_uci};
use tabiya_counts::PackedMove;

use crate::{AppError, database};

/// The moves of a knowledge base.
#[derive(Debug)]
pub(super) struct Corpus {
    name: String,
    moves: HashMap<PositionId, HashSet<String>>,
}

impl Corpus {
    pub(super) async fn open(database: &str) -> Result<Corpus, AppError> {
        let store = database::open(database).await?;
        let graph = store.knowledge_graph(None).await;
        let name = store.name().to_owned();
        store.close().await;
        let graph = graph?;
        if graph.edges.is_empty() {
            return Err(AppError::NoOpenings);
        }
        let mut moves: HashMap<PositionId, HashSet<String>> = HashMap::new();
        for edge in graph.edges {
            moves.entry(edge.parent).or_default().insert(edge.uci);
        }
        Ok(Corpus { name, moves })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The half-moves that the knowledge base does not have, though it has others in the same position. Where it has none
    /// it ends, and says nothing about what is new.
    pub(super) fn novelty_plies(&self, moves: &[PackedMove]) -> Vec<u32> {
        let mut pos = Chess::default();
        let mut plies = Vec::new();
        for (ply, packed) in (1..).zip(moves) {
            let Some(m) = packed.retrace(&pos) else {
                break;
            };
            if let Some(known) = self.moves.get(&PositionId::of(&pos))
                && !known.contains(&to_uci(&pos, m))
            {
                plies.push(ply);
            }
            pos.play_unchecked(m);
        }
        plies
    }
}
