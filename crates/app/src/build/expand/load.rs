//! From what is kept to what is stored, a page at a time: rows are made when they are written, so that only what they are made
//! of is held in memory.

mod games;

use std::{ops::Range, sync::Arc};

use tabiya_chess::Stats;
use tabiya_counts::{CollectionKept, Graph, GraphEdge, GraphNode, KeptPosition, State};
use tabiya_store::{
    Collection, CountPages, GraphEdge as StoredEdge, GraphNode as StoredNode, GraphPages, LoadPages, Pages,
};

use self::games::Listed;
use crate::AppError;

/// Nodes on a page.
const PAGE: usize = 20_000;

/// One collection's share.
pub(super) struct Part {
    pub(super) collection: Collection,
    pub(super) state: State,
    pub(super) kept: CollectionKept,
}

/// A part, and the games that its lists name.
struct Source {
    graph: Arc<Graph>,
    part: Part,
    listed: Listed,
}

pub(super) fn load(graph: Graph, parts: Vec<Part>) -> Result<LoadPages, AppError> {
    let graph = Arc::new(graph);
    let counts = parts
        .into_iter()
        .map(|part| counts(&graph, part))
        .collect::<Result<_, _>>()?;
    Ok(LoadPages {
        graph: GraphPages {
            nodes: pages(&graph, &graph, |graph, places, rows| {
                rows.extend(graph.nodes[places].iter().map(|node| StoredNode {
                    id: node.id,
                    epd: node.epd.clone(),
                    ply: node.ply,
                    halfmove: node.halfmove,
                }));
            }),
            edges: pages(&graph, &graph, |graph, places, rows| {
                rows.extend(graph.edges[leaving(graph, &places)].iter().map(|edge| StoredEdge {
                    parent: graph.nodes[edge.parent as usize].id,
                    child: graph.nodes[edge.child as usize].id,
                    uci: edge.uci.clone(),
                    san: edge.san.clone(),
                }));
            }),
        },
        counts,
    })
}

fn counts(graph: &Arc<Graph>, part: Part) -> Result<CountPages, AppError> {
    let listed = Listed::of(graph, &part)?;
    let source = Arc::new(Source {
        graph: Arc::clone(graph),
        part,
        listed,
    });
    Ok(CountPages {
        collection: source.part.collection.clone(),
        nodes: pages(graph, &source, |source, places, rows| {
            source.each(places, |here| rows.push((here.node.id, here.position.total)));
        }),
        edges: pages(graph, &source, |source, places, rows| {
            source.each(places, |here| here.edges(rows));
        }),
        facets: if source.part.collection.facets.any() {
            pages(graph, &source, |source, places, rows| {
                source.each(places, |here| here.facets(rows));
            })
        } else {
            Vec::new().into()
        },
        games: games::headers(&source),
        node_games: pages(graph, &source, |source, places, rows| {
            source.each(places, |here| source.listed.at(&here, rows));
        }),
    })
}

/// Pages of what `fill` makes of the nodes at some places.
fn pages<S: Send + Sync + 'static, T: 'static>(
    graph: &Graph,
    source: &Arc<S>,
    fill: impl Fn(&S, Range<usize>, &mut Vec<T>) + Send + 'static,
) -> Pages<T> {
    let source = Arc::clone(source);
    // Nodes are in the order of their ids, databases take these for signed numbers: the upper half comes first there.
    let signed = graph.nodes.partition_point(|node| node.id.to_i64() >= 0);
    let all = graph.nodes.len();
    let starts = (signed..all)
        .step_by(PAGE)
        .map(move |start| start..all.min(start + PAGE));
    let places = starts.chain(
        (0..signed)
            .step_by(PAGE)
            .map(move |start| start..signed.min(start + PAGE)),
    );
    Pages::new(places.map(move |places| {
        let mut rows = Vec::new();
        fill(&source, places, &mut rows);
        Ok(rows)
    }))
}

/// The moves from the nodes at some places.
fn leaving(graph: &Graph, places: &Range<usize>) -> Range<usize> {
    let from = |place: usize| graph.edges.partition_point(|edge| (edge.parent as usize) < place);
    from(places.start)..from(places.end)
}

/// A node that the collection has games of, with the moves from it.
struct Here<'a> {
    part: &'a Part,
    node: &'a GraphNode,
    position: &'a KeptPosition,
    outward: &'a [GraphEdge],
}

impl Source {
    fn each<'a>(&'a self, places: Range<usize>, mut visit: impl FnMut(Here<'a>)) {
        let edges = &self.graph.edges[leaving(&self.graph, &places)];
        each(
            &self.graph.nodes[places.clone()],
            edges,
            places.start,
            &self.part,
            &mut visit,
        );
    }
}

/// Visits those of some nodes that the collection has games of; `edges` leave them, and `first` is the place of the first.
fn each<'a>(
    nodes: &'a [GraphNode],
    mut edges: &'a [GraphEdge],
    first: usize,
    part: &'a Part,
    visit: &mut impl FnMut(Here<'a>),
) {
    for (place, node) in (first..).zip(nodes) {
        let own = edges.iter().take_while(|edge| edge.parent as usize == place).count();
        let (outward, others) = edges.split_at(own);
        edges = others;
        if let Some(position) = part.kept.position(node.key) {
            visit(Here {
                part,
                node,
                position,
                outward,
            });
        }
    }
}

impl Here<'_> {
    fn edges(&self, rows: &mut Vec<(tabiya_chess::PositionId, String, Stats)>) {
        let moves = self.part.kept.moves(self.position);
        for edge in self.outward {
            let mut sum = Stats::default();
            for known in moves.iter().filter(|known| known.by == edge.by) {
                sum += known.stats;
            }
            if sum.games() > 0 {
                rows.push((self.node.id, edge.uci.clone(), sum));
            }
        }
    }

    fn facets(&self, rows: &mut Vec<(tabiya_chess::PositionId, String, tabiya_chess::Facet, Stats)>) {
        let moves = self.part.kept.moves(self.position);
        // Whatever leaves by no edge of this node stands under the empty move, so that facets add up to the node.
        let mut rest: Vec<(tabiya_chess::Facet, Stats)> = Vec::new();
        for known in moves {
            if let Some(edge) = self.outward.iter().find(|edge| edge.by == known.by) {
                rows.push((self.node.id, edge.uci.clone(), known.facet, known.stats));
                continue;
            }
            match rest.iter_mut().find(|(facet, _)| *facet == known.facet) {
                Some((_, sum)) => *sum += known.stats,
                None => rest.push((known.facet, known.stats)),
            }
        }
        rows.extend(
            rest.into_iter()
                .map(|(facet, sum)| (self.node.id, String::new(), facet, sum)),
        );
    }
}
