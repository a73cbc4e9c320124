//! Every position takes a name: its own, or that of its nearest named ancestor.

use tabiya_store::Store;

use crate::AppError;
use crate::explore::own_names;
use crate::opening_graph::OpeningGraph;

/// Enters each node's opening, and where each opening's tree ends. Where first moves have no name, a node may lie below a named one
/// no longer, though it is still there.
pub(super) async fn settle(store: &Store) -> Result<OpeningGraph, AppError> {
    let graph = OpeningGraph::new(store.knowledge_graph(None).await?);
    let openings = store.openings().await?;
    let own = own_names(&openings);
    let namesakes = graph.namesakes();
    let mut lineage = Vec::with_capacity(graph.nodes.len());
    let mut lost = Vec::new();
    let mut resolutions = Vec::new();
    for (place, node) in graph.nodes.iter().enumerate() {
        if let (None, Some(opening)) = (namesakes[place], node.opening) {
            lost.push((node.id, opening));
        }
        let Some(opening) = namesakes[place].and_then(|named| own.get(&graph.nodes[named].id)) else {
            continue;
        };
        let opening = &openings[*opening].opening.id;
        lineage.push((node.id, *opening));
        if graph.is_terminal(place) {
            resolutions.push((*opening, node.id));
        }
    }
    store.set_lineage(lineage, lost).await?;
    store.replace_resolutions(resolutions).await?;
    Ok(graph)
}
