//! Every position takes a name: its own, or that of its nearest named ancestor.

use std::collections::HashMap;

use tabiya_store::Store;
use uuid::Uuid;

use super::opening_graph::OpeningGraph;
use crate::AppError;

/// Enters each node's opening, and where each opening's tree ends.
pub(super) async fn settle(store: &Store) -> Result<OpeningGraph, AppError> {
    let graph = OpeningGraph::new(store.knowledge_graph(None).await?);
    let own = own_names(store).await?;
    let namesakes = graph.namesakes();
    let mut lineage = Vec::with_capacity(graph.nodes.len());
    let mut resolutions = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        let Some(opening) = namesakes[place].and_then(|named| own.get(&graph.nodes[named].id)) else {
            continue;
        };
        lineage.push((node.id, *opening));
        if graph.is_terminal(place) {
            resolutions.push((*opening, node.id));
        }
    }
    store.set_lineage(lineage).await?;
    store.replace_resolutions(resolutions).await?;
    Ok(graph)
}

/// Which opening a named position is called after; of several, the first in the order of the table.
async fn own_names(store: &Store) -> Result<HashMap<tabiya_chess::PositionId, Uuid>, AppError> {
    let mut names: HashMap<_, (bool, String, String, Uuid)> = HashMap::new();
    for view in store.openings().await? {
        let opening = view.opening;
        // Lichess's names are primary; then the smaller code and name.
        let rank = (
            opening.system != "lichess",
            opening.eco.clone(),
            opening.name.clone(),
            opening.id,
        );
        for named in &opening.positions {
            match names.get_mut(&named.id) {
                Some(known) if *known <= rank => {}
                Some(known) => *known = rank.clone(),
                None => {
                    names.insert(named.id, rank.clone());
                }
            }
        }
    }
    Ok(names
        .into_iter()
        .map(|(id, (_, _, _, opening))| (id, opening))
        .collect())
}
