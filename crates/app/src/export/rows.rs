//! Nodes and moves as rows of a table.

use tabiya_chess::NodeId;
use tabiya_store::{KnowledgeNode, OpeningRow};

use super::{EcoRange, Limits, json::rounded};
use crate::explore::{Catalogue, Place, Step, View};

/// What is in a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Selection<'a> {
    pub(super) view: &'a View,
    pub(super) catalogue: &'a Catalogue,
    pub(super) eco: EcoRange,
    /// Here depth is that of a position: half-moves from the initial one.
    pub(super) limits: Limits,
}

impl<'a> Selection<'a> {
    /// The nodes that are in it, by id: whose opening has such a code, which are not too deep and have enough games. The
    /// initial position, which has neither, is in it where everything is.
    pub(super) fn nodes(self) -> impl Iterator<Item = Place> {
        self.view.places().filter(move |place| self.has(*place))
    }

    pub(super) fn has(self, place: Place) -> bool {
        let node = self.view.node(place);
        let in_range = self.eco.is_all()
            || self
                .opening(node)
                .is_some_and(|opening| self.eco.contains(&opening.eco));
        in_range
            && self.limits.max_depth.is_none_or(|max| node.ply <= max)
            && node.stats.games() >= self.limits.min_games
    }

    /// The moves from a node that are in it.
    pub(super) fn moves(self, place: Place) -> impl Iterator<Item = Step<'a>> {
        let moves = self.view.moves(place);
        moves.filter(move |step| step.edge.stats.games() >= self.limits.min_games && self.has(step.child))
    }

    pub(super) fn opening(self, node: &KnowledgeNode) -> Option<&'a OpeningRow> {
        Some(&self.catalogue.opening(node.opening?)?.opening)
    }

    pub(super) fn row(self, place: Place) -> NodeRow<'a> {
        let node = self.view.node(place);
        let opening = self.opening(node);
        let before = self.view.from_parent(place);
        NodeRow {
            node_id: id(node),
            fen: self.view.fen(place),
            pgn_move: before.map(|step| step.edge.san.as_str()),
            move_number: node.ply.div_ceil(2),
            side: before.map(|_| if node.ply % 2 == 1 { "W" } else { "B" }),
            opening,
            parent_node_id: before.map(|step| id(self.view.node(step.parent))),
            child_node_ids: self.moves(place).map(|step| id(self.view.node(step.child))).collect(),
            transposition_ids: (self.view.transpositions(place).iter())
                .map(|step| id(self.view.node(step.parent)))
                .collect(),
            white_win_pct: node.stats.white_percent().map(rounded),
            draw_pct: node.stats.draw_percent().map(rounded),
            node,
        }
    }
}

/// A node with everything a table says of it.
#[derive(Debug)]
pub(super) struct NodeRow<'a> {
    pub(super) node_id: String,
    pub(super) fen: String,
    pub(super) pgn_move: Option<&'a str>,
    pub(super) move_number: u16,
    pub(super) side: Option<&'static str>,
    pub(super) opening: Option<&'a OpeningRow>,
    pub(super) parent_node_id: Option<String>,
    pub(super) child_node_ids: Vec<String>,
    /// The other nodes from which a move leads here.
    pub(super) transposition_ids: Vec<String>,
    pub(super) white_win_pct: Option<f64>,
    pub(super) draw_pct: Option<f64>,
    pub(super) node: &'a KnowledgeNode,
}

impl NodeRow<'_> {
    /// Whether at least two of its moves are in the table: the database's own flag goes by all collections, without limits.
    pub(super) fn is_branching(&self) -> bool {
        self.child_node_ids.len() >= 2
    }

    pub(super) fn eco_code(&self) -> Option<&str> {
        self.opening.map(|opening| opening.eco.as_str())
    }

    pub(super) fn opening_name(&self) -> Option<&str> {
        self.opening.map(|opening| opening.family.as_str())
    }

    pub(super) fn variation_name(&self) -> Option<&str> {
        self.opening.and_then(|opening| opening.variation.as_deref())
    }

    pub(super) fn eval(&self) -> Option<i32> {
        self.node.evaluation.as_ref().map(|shown| shown.eval.cp)
    }

    pub(super) fn mate(&self) -> Option<i32> {
        self.node.evaluation.as_ref().and_then(|shown| shown.eval.mate)
    }

    pub(super) fn depth(&self) -> Option<i32> {
        self.node.evaluation.as_ref().map(|shown| shown.depth.into())
    }

    pub(super) fn best_move(&self) -> Option<&str> {
        let best = self.node.evaluation.as_ref()?.best_move.as_ref();
        best.map(|best| best.san.as_str())
    }

    pub(super) fn best_move_uci(&self) -> Option<&str> {
        let best = self.node.evaluation.as_ref()?.best_move.as_ref();
        best.map(|best| best.uci.as_str())
    }

    pub(super) fn is_dubious(&self) -> bool {
        self.node.evaluation.as_ref().is_some_and(|shown| shown.is_dubious)
    }

    pub(super) fn is_busted(&self) -> bool {
        self.node.evaluation.as_ref().is_some_and(|shown| shown.is_busted)
    }
}

pub(super) fn id(node: &KnowledgeNode) -> String {
    NodeId::from(node.id).to_string()
}
