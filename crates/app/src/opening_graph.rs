//! The knowledge base in memory, for whoever has to look at all of it.

use tabiya_chess::PositionId;
use tabiya_store::{KnowledgeEdge, KnowledgeGraph, KnowledgeNode};

/// Nodes and edges with places instead of ids.
#[derive(Debug)]
pub(crate) struct OpeningGraph {
    pub(crate) nodes: Vec<KnowledgeNode>,
    pub(crate) edges: Vec<KnowledgeEdge>,
    /// Where each edge leads from and to.
    ends: Vec<(u32, u32)>,
    /// For each node, where its edges begin in `edges`.
    outward: Vec<u32>,
    /// Edges by child, and for each node where its own begin there.
    by_child: Vec<u32>,
    inward: Vec<u32>,
}

impl OpeningGraph {
    /// Edges that lead to or from nowhere are left out; an audit finds them elsewhere.
    pub(crate) fn new(graph: KnowledgeGraph) -> OpeningGraph {
        let KnowledgeGraph { nodes, mut edges } = graph;
        let place = |id: PositionId| nodes.binary_search_by_key(&id, |node| node.id).ok();
        edges.retain(|edge| place(edge.parent).is_some() && place(edge.child).is_some());
        let ends: Vec<(u32, u32)> = edges
            .iter()
            .filter_map(|edge| Some((place(edge.parent)? as u32, place(edge.child)? as u32)))
            .collect();
        let outward = starts(nodes.len(), ends.iter().map(|(parent, _)| *parent));
        let inward = starts(nodes.len(), ends.iter().map(|(_, child)| *child));
        let mut next = inward.clone();
        let mut by_child = vec![0; ends.len()];
        for (edge, (_, child)) in ends.iter().enumerate() {
            let at = &mut next[*child as usize];
            by_child[*at as usize] = edge as u32;
            *at += 1;
        }
        OpeningGraph {
            nodes,
            edges,
            ends,
            outward,
            by_child,
            inward,
        }
    }

    pub(crate) fn place(&self, id: PositionId) -> Option<usize> {
        self.nodes.binary_search_by_key(&id, |node| node.id).ok()
    }

    /// The places of the edges from a node.
    pub(crate) fn edges_from(&self, node: usize) -> std::ops::Range<usize> {
        self.outward[node] as usize..self.outward[node + 1] as usize
    }

    /// The places of the edges to a node.
    pub(crate) fn edges_to(&self, node: usize) -> impl ExactSizeIterator<Item = usize> {
        let range = self.inward[node] as usize..self.inward[node + 1] as usize;
        self.by_child[range].iter().map(|edge| *edge as usize)
    }

    pub(crate) fn parent(&self, edge: usize) -> usize {
        self.ends[edge].0 as usize
    }

    pub(crate) fn child(&self, edge: usize) -> usize {
        self.ends[edge].1 as usize
    }

    pub(crate) fn is_terminal(&self, node: usize) -> bool {
        self.edges_from(node).is_empty()
    }

    /// Half-moves beyond the nearest named position or the initial one; `None` where none leads there.
    pub(crate) fn depths(&self) -> Vec<Option<u16>> {
        let mut depths = vec![None; self.nodes.len()];
        let seeds = (0..self.nodes.len()).filter(|node| self.nodes[*node].named || self.nodes[*node].ply == 0);
        let mut level: Vec<usize> = seeds.collect();
        for node in &level {
            depths[*node] = Some(0);
        }
        for depth in 1..=u16::MAX {
            let mut next = Vec::new();
            for node in level {
                for edge in self.edges_from(node) {
                    let child = self.child(edge);
                    if depths[child].is_none() {
                        depths[child] = Some(depth);
                        next.push(child);
                    }
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        depths
    }

    /// For each node the move that ends a shortest way to it from the initial position; of equally short ways that over
    /// the parent with the smaller EPD. `None` for the initial position, and where no way leads.
    pub(crate) fn ways(&self) -> Vec<Option<usize>> {
        let mut ways: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut reached: Vec<bool> = self.nodes.iter().map(|node| node.ply == 0).collect();
        let mut level: Vec<usize> = (0..self.nodes.len()).filter(|node| reached[*node]).collect();
        while !level.is_empty() {
            let mut next = Vec::new();
            for node in level {
                for edge in self.edges_from(node) {
                    let child = self.child(edge);
                    if reached[child] {
                        continue;
                    }
                    match ways[child] {
                        None => next.push(child),
                        Some(other) if self.nodes[self.parent(other)].epd <= self.nodes[node].epd => continue,
                        Some(_) => {}
                    }
                    ways[child] = Some(edge);
                }
            }
            for node in &next {
                reached[*node] = true;
            }
            level = next;
        }
        ways
    }

    /// For each node the named one it takes its name from: itself, or its nearest named ancestor; of equally near
    /// ones that with more games, then that with the smaller EPD.
    pub(crate) fn namesakes(&self) -> Vec<Option<usize>> {
        let mut namesakes: Vec<Option<usize>> = vec![None; self.nodes.len()];
        let mut level: Vec<usize> = (0..self.nodes.len()).filter(|node| self.nodes[*node].named).collect();
        for node in &level {
            namesakes[*node] = Some(*node);
        }
        let mut settled: Vec<bool> = namesakes.iter().map(Option::is_some).collect();
        while !level.is_empty() {
            let mut next = Vec::new();
            for node in &level {
                let Some(mine) = namesakes[*node] else { continue };
                for edge in self.edges_from(*node) {
                    let child = self.child(edge);
                    if settled[child] {
                        continue;
                    }
                    match namesakes[child] {
                        None => next.push(child),
                        Some(other) if !self.names_before(mine, other) => continue,
                        Some(_) => {}
                    }
                    namesakes[child] = Some(mine);
                }
            }
            for node in &next {
                settled[*node] = true;
            }
            level = next;
        }
        namesakes
    }

    fn names_before(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.nodes[one], &self.nodes[other]);
        (other.stats.games(), &one.epd) < (one.stats.games(), &other.epd)
    }
}

/// Where each node's share begins in a list of `owners`' things, and where the last one ends.
fn starts(nodes: usize, owners: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; nodes + 1];
    for owner in owners {
        starts[owner as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    starts
}
