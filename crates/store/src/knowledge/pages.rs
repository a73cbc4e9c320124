//! A build that is written a page at a time: all of it at once may be more than memory should hold.

use std::fmt;

use tabiya_chess::{Facet, PositionId, Stats};

use super::rows::{Collection, CollectionCounts, GameHeader, Graph, GraphEdge, GraphNode, Load, NodeGame};
use crate::error::Cause;
use crate::fault::Trouble;

/// Rows that are made when they are wanted. From page to page their keys rise, in the order of the database: ids as signed
/// numbers. Within a page they may come in any order.
pub struct Pages<T>(Box<dyn Iterator<Item = Result<Vec<T>, Cause>> + Send>);

impl<T> Pages<T> {
    pub fn new(pages: impl Iterator<Item = Result<Vec<T>, Cause>> + Send + 'static) -> Pages<T> {
        Pages(Box::new(pages))
    }

    /// The next page that has rows.
    pub(super) fn turn(&mut self) -> Result<Option<Vec<T>>, Trouble> {
        let has_rows = |page: &Result<Vec<T>, Cause>| page.as_ref().map_or(true, |rows| !rows.is_empty());
        self.0.find(has_rows).transpose().map_err(Trouble::Source)
    }
}

impl<T: Send + 'static> From<Vec<T>> for Pages<T> {
    fn from(rows: Vec<T>) -> Pages<T> {
        Pages::new(std::iter::once(Ok(rows)))
    }
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pages")
    }
}

/// Positions and the moves between them, as in [`Graph`].
#[derive(Debug)]
pub struct GraphPages {
    /// By id.
    pub nodes: Pages<GraphNode>,
    /// By parent and UCI.
    pub edges: Pages<GraphEdge>,
}

impl From<Graph> for GraphPages {
    fn from(graph: Graph) -> GraphPages {
        GraphPages {
            nodes: graph.nodes.into(),
            edges: graph.edges.into(),
        }
    }
}

/// All that one collection says, as in [`CollectionCounts`].
#[derive(Debug)]
pub struct CountPages {
    pub collection: Collection,
    /// By id.
    pub nodes: Pages<(PositionId, Stats)>,
    /// By parent and UCI.
    pub edges: Pages<(PositionId, String, Stats)>,
    /// By parent, UCI and facet.
    pub facets: Pages<(PositionId, String, Facet, Stats)>,
    /// By id.
    pub games: Pages<GameHeader>,
    /// All of a node on one page, by node.
    pub node_games: Pages<NodeGame>,
}

impl From<CollectionCounts> for CountPages {
    fn from(counts: CollectionCounts) -> CountPages {
        CountPages {
            collection: counts.collection,
            nodes: counts.nodes.into(),
            edges: counts.edges.into(),
            facets: counts.facets.into(),
            games: counts.games.into(),
            node_games: counts.node_games.into(),
        }
    }
}

/// One build, as in [`Load`].
#[derive(Debug)]
pub struct LoadPages {
    pub graph: GraphPages,
    pub counts: Vec<CountPages>,
}

impl From<Load> for LoadPages {
    fn from(load: Load) -> LoadPages {
        LoadPages {
            graph: load.graph.into(),
            counts: load.counts.into_iter().map(CountPages::from).collect(),
        }
    }
}
