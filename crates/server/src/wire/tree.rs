//! Trees of moves. They are written as they are walked: no copy of them is made in between.

use serde::ser::{Serialize, SerializeSeq, Serializer};
use tabiya_app::explore::{Branch, Catalogue, Tree};
use utoipa::ToSchema;

use super::Id;
use super::numbers::percent;

/// The tree of an ECO code.
#[derive(Debug, serde::Serialize, ToSchema)]
pub struct EcoTree<'a> {
    #[schema(example = "C50")]
    pub eco_code: &'a str,
    /// Nodes in the answer.
    pub nodes: usize,
    /// Whether there would have been more.
    pub truncated: bool,
    #[schema(value_type = Vec<TreeNode>)]
    pub roots: Branches<'a>,
}

/// A position in a tree.
#[derive(Debug, serde::Serialize, ToSchema)]
pub struct TreeNode<'a> {
    pub node_id: Id,
    /// With the counters along the path in this tree.
    pub fen: String,
    /// The move that leads here; at a root that from its parent.
    pub pgn_move: Option<&'a str>,
    pub uci: Option<&'a str>,
    pub move_number: u16,
    pub side: Option<char>,
    pub eco_code: Option<&'a str>,
    pub opening_name: Option<&'a str>,
    pub variation_name: Option<&'a str>,
    pub stockfish_eval: Option<i32>,
    pub mate: Option<i32>,
    pub stockfish_depth: Option<u8>,
    pub best_move: Option<&'a str>,
    pub is_dubious: bool,
    pub is_busted: bool,
    /// Games that played the move; at a root, that reached the position.
    pub game_count: u64,
    /// Games that reached the position by any move.
    pub position_game_count: u64,
    pub white_win_pct: Option<f64>,
    pub draw_pct: Option<f64>,
    pub resulting_structure: Option<&'a str>,
    #[schema(value_type = Vec<TreeNode>, no_recursion)]
    pub children: Branches<'a>,
}

/// The roots of a tree, or a node's children.
#[derive(Debug, Clone, Copy)]
pub struct Branches<'a> {
    catalogue: &'a Catalogue,
    below: Below<'a>,
}

#[derive(Debug, Clone, Copy)]
enum Below<'a> {
    Tree(&'a Tree<'a>),
    Branch(Branch<'a>),
}

impl<'a> EcoTree<'a> {
    pub fn of(eco_code: &'a str, catalogue: &'a Catalogue, tree: &'a Tree<'a>) -> EcoTree<'a> {
        EcoTree {
            eco_code,
            nodes: tree.len(),
            truncated: tree.is_truncated(),
            roots: Branches {
                catalogue,
                below: Below::Tree(tree),
            },
        }
    }
}

impl Serialize for Branches<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        fn all<'a, S: Serializer>(
            catalogue: &'a Catalogue,
            branches: impl ExactSizeIterator<Item = Branch<'a>>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            let mut list = serializer.serialize_seq(Some(branches.len()))?;
            for branch in branches {
                list.serialize_element(&TreeNode::of(catalogue, branch))?;
            }
            list.end()
        }
        match self.below {
            Below::Tree(tree) => all(self.catalogue, tree.roots(), serializer),
            Below::Branch(branch) => all(self.catalogue, branch.children(), serializer),
        }
    }
}

impl<'a> TreeNode<'a> {
    fn of(catalogue: &'a Catalogue, branch: Branch<'a>) -> TreeNode<'a> {
        let (view, place) = (branch.view(), branch.place());
        let node = view.node(place);
        let opening = node.opening.and_then(|opening| catalogue.opening(opening));
        let opening = opening.map(|view| &view.opening);
        let edge = branch.edge().or_else(|| Some(view.from_parent(place)?.edge));
        let shown = node.evaluation.as_ref();
        let games = node.stats.games();
        TreeNode {
            node_id: node.id.into(),
            fen: branch.fen(),
            pgn_move: edge.map(|edge| edge.san.as_str()),
            uci: edge.map(|edge| edge.uci.as_str()),
            move_number: branch.ply().div_ceil(2),
            side: view.mover(place).map(|mover| mover.fold_wb('W', 'B')),
            eco_code: opening.map(|opening| opening.eco.as_str()),
            opening_name: opening.map(|opening| opening.family.as_str()),
            variation_name: opening.and_then(|opening| opening.variation.as_deref()),
            stockfish_eval: shown.map(|shown| shown.eval.cp),
            mate: shown.and_then(|shown| shown.eval.mate),
            stockfish_depth: shown.map(|shown| shown.depth),
            best_move: shown.and_then(|shown| Some(shown.best_move.as_ref()?.san.as_str())),
            is_dubious: shown.is_some_and(|shown| shown.is_dubious),
            is_busted: shown.is_some_and(|shown| shown.is_busted),
            game_count: branch.edge().map_or(games, |edge| edge.stats.games()),
            position_game_count: games,
            white_win_pct: node.stats.white_percent().map(percent),
            draw_pct: node.stats.draw_percent().map(percent),
            resulting_structure: node.structure.as_deref(),
            children: Branches {
                catalogue,
                below: Below::Branch(branch),
            },
        }
    }
}
