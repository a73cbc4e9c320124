//! Positions and moves as readers walk them.

use std::cmp::Reverse;

use shakmaty::Color;
use tabiya_chess::{PositionId, fen_at, turn_of};
use tabiya_store::{KnowledgeEdge, KnowledgeGraph, KnowledgeNode};

use crate::opening_graph::OpeningGraph;

/// A node of a [`View`]. It means nothing to another view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place(u32);

impl Place {
    /// Nodes are numbered from 0, by id.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A move between two nodes of a view.
#[derive(Debug, Clone, Copy)]
pub struct Step<'a> {
    pub parent: Place,
    pub child: Place,
    /// Moves are numbered from 0, by parent and UCI.
    pub index: usize,
    /// UCI, SAN, and the games that played it.
    pub edge: &'a KnowledgeEdge,
}

/// All positions and moves that one collection and the named lines have, or that all collections have together.
#[derive(Debug)]
pub struct View {
    graph: OpeningGraph,
    /// For each node its edges, the most played first, then by UCI.
    by_games: Vec<u32>,
    /// For each node the edge from its parent.
    from_parent: Vec<Option<u32>>,
}

impl View {
    pub fn new(graph: KnowledgeGraph) -> View {
        let graph = OpeningGraph::new(graph);
        let mut by_games: Vec<u32> = (0..graph.edges.len() as u32).collect();
        for node in 0..graph.nodes.len() {
            // The edges come by UCI, and the sort is stable.
            by_games[graph.edges_from(node)].sort_by_key(|edge| Reverse(graph.edges[*edge as usize].stats.games()));
        }
        let from_parent = (0..graph.nodes.len())
            .map(|node| {
                // Games that shuffle back make moves that lead to the initial position; it has no parent for that.
                let reached = graph.nodes[node].ply > 0;
                let nearest = graph.edges_to(node).min_by_key(|edge| {
                    let parent = &graph.nodes[graph.parent(*edge)];
                    (parent.ply, &parent.epd, &graph.edges[*edge].uci)
                });
                nearest.filter(|_| reached).map(|edge| edge as u32)
            })
            .collect();
        View {
            graph,
            by_games,
            from_parent,
        }
    }

    /// How many positions there are.
    pub fn len(&self) -> usize {
        self.graph.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.graph.nodes.is_empty()
    }

    /// How many moves there are.
    pub fn edge_count(&self) -> usize {
        self.graph.edges.len()
    }

    /// All nodes, by id.
    pub fn places(&self) -> impl ExactSizeIterator<Item = Place> + use<> {
        (0..self.graph.nodes.len() as u32).map(Place)
    }

    pub fn find(&self, id: PositionId) -> Option<Place> {
        self.graph.place(id).map(|node| Place(node as u32))
    }

    pub fn node(&self, place: Place) -> &KnowledgeNode {
        &self.graph.nodes[place.index()]
    }

    /// The moves from a node, the most played first, then by UCI.
    pub fn moves(&self, place: Place) -> impl ExactSizeIterator<Item = Step<'_>> {
        let range = self.graph.edges_from(place.index());
        self.by_games[range].iter().map(|edge| self.step(*edge))
    }

    /// The moves that lead to a node, in no particular order.
    pub fn ways_to(&self, place: Place) -> impl ExactSizeIterator<Item = Step<'_>> {
        self.graph.edges_to(place.index()).map(|edge| self.step(edge as u32))
    }

    /// The move that leads to a node from its parent: of all nodes before it the nearest to the initial position, then the
    /// one with the smaller EPD.
    pub fn from_parent(&self, place: Place) -> Option<Step<'_>> {
        self.from_parent[place.index()].map(|edge| self.step(edge))
    }

    /// The other moves that lead to a node, in the order in which they might have been from the parent.
    pub fn transpositions(&self, place: Place) -> Vec<Step<'_>> {
        let parent = self.from_parent[place.index()];
        let mut others: Vec<Step<'_>> = self
            .graph
            .edges_to(place.index())
            .filter(|edge| Some(*edge as u32) != parent)
            .map(|edge| self.step(edge as u32))
            .collect();
        others.sort_by_key(|step| {
            let before = self.node(step.parent);
            (before.ply, before.epd.as_str(), step.edge.uci.as_str())
        });
        others
    }

    /// The moves from the initial position along the chain of parents.
    pub fn line_to(&self, place: Place) -> Vec<Step<'_>> {
        let mut line = Vec::new();
        let mut at = place;
        while let Some(step) = self.from_parent(at) {
            // Plies fall along the chain; data in which they do not must not hold us here.
            if line.len() > usize::from(u16::MAX) {
                break;
            }
            line.push(step);
            at = step.parent;
        }
        line.reverse();
        line
    }

    /// The FEN along the chain of parents.
    pub fn fen(&self, place: Place) -> String {
        let node = self.node(place);
        fen_at(&node.epd, node.halfmove.into(), node.ply.into())
    }

    /// Who moved last; `None` at the initial position.
    pub fn mover(&self, place: Place) -> Option<Color> {
        self.from_parent(place)?;
        Some(turn_of(&self.node(place).epd).other())
    }

    fn step(&self, edge: u32) -> Step<'_> {
        let edge = edge as usize;
        Step {
            index: edge,
            parent: Place(self.graph.parent(edge) as u32),
            child: Place(self.graph.child(edge) as u32),
            edge: &self.graph.edges[edge],
        }
    }
}
