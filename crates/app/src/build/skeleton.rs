//! The named lines of a database, as counting needs them.

use tabiya_chess::{from_uci, parse_fen};
use tabiya_counts::Skeleton;
use tabiya_store::{Collection, Store};

use crate::AppError;
use crate::opening_graph::OpeningGraph;

/// Where expansion starts: every named position, and every move on the way to one.
pub(super) async fn skeleton(store: &Store) -> Result<Skeleton, AppError> {
    if store.openings().await?.is_empty() {
        return Err(AppError::NoOpenings);
    }
    let graph = OpeningGraph::new(store.knowledge_graph(Some(Collection::OPENINGS)).await?);
    let mut skeleton = Skeleton::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let broken = |error: &dyn std::fmt::Display| AppError::Corrupt(format!("the position {}: {error}", node.epd));
        let pos = parse_fen(&node.epd).map_err(|error| broken(&error))?.position;
        if node.named {
            skeleton.seed(&pos, u32::from(node.ply));
        }
        for edge in graph.edges_from(place) {
            let m = from_uci(&pos, &graph.edges[edge].uci).map_err(|error| broken(&error))?;
            skeleton.lead(&pos, m);
        }
    }
    Ok(skeleton)
}
