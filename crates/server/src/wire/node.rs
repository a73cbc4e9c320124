//! A node with its moves and the other ways to it.

use std::borrow::Cow;

use serde::Serialize;
use tabiya_app::explore::{Catalogue, NodeEvaluation, NodeView, OpeningRow, Place, View};
use utoipa::ToSchema;

use super::Id;
use super::numbers::percent;

/// A position of the opening graph.
#[derive(Debug, Serialize, ToSchema)]
pub struct Node<'a> {
    pub node_id: Id,
    /// The whole FEN, with the counters along the shortest way from the initial position.
    #[schema(example = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")]
    pub fen: Cow<'a, str>,
    /// Half-moves from the initial position.
    pub ply: u16,
    /// The move that led here from the parent, in SAN; null at the initial position.
    #[schema(example = "Bc4")]
    pub pgn_move: Option<&'a str>,
    /// The number of that move.
    pub move_number: u16,
    /// Who played it, `W` or `B`.
    #[schema(example = "W")]
    pub side: Option<char>,
    #[schema(example = "C50")]
    pub eco_code: Option<&'a str>,
    #[schema(example = "Italian Game")]
    pub opening_name: Option<&'a str>,
    pub variation_name: Option<&'a str>,
    pub opening_id: Option<Id>,
    pub parent_node_id: Option<Id>,
    /// Whether at least two moves go on from here.
    pub is_branching_node: bool,
    /// Centipawns from White's point of view within ±1500; a mate is ±1000.
    pub stockfish_eval: Option<i32>,
    /// Moves to mate, negative where Black mates; 0 where it is on the board.
    pub mate: Option<i32>,
    pub stockfish_depth: Option<u8>,
    /// In SAN.
    pub best_move: Option<&'a str>,
    pub best_move_uci: Option<&'a str>,
    /// Whether the side that just moved stands at −50 centipawns or worse.
    pub is_dubious: bool,
    /// Whether it stands at −150 centipawns or worse.
    pub is_busted: bool,
    /// Games that reached the position.
    pub game_count: u64,
    /// In percent; null without games.
    pub white_win_pct: Option<f64>,
    pub draw_pct: Option<f64>,
    /// The pawn structure, where lines end.
    pub resulting_structure: Option<&'a str>,
    /// The moves that go on, the most played first.
    pub children: Vec<Child<'a>>,
    /// Other positions from which a move leads here.
    pub transpositions: Vec<Transposition<'a>>,
}

/// A move and where it leads.
#[derive(Debug, Serialize, ToSchema)]
pub struct Child<'a> {
    pub node_id: Id,
    /// In SAN.
    #[schema(example = "Bc5")]
    pub pgn_move: &'a str,
    #[schema(example = "f8c5")]
    pub uci: &'a str,
    /// Games that played it here.
    pub game_count: u64,
}

/// Another way to a position.
#[derive(Debug, Serialize, ToSchema)]
pub struct Transposition<'a> {
    /// The position before the move.
    pub node_id: Id,
    pub pgn_move: &'a str,
    pub uci: &'a str,
    /// Games that came this way.
    pub game_count: u64,
    /// What that position is called.
    pub opening_name: Option<&'a str>,
    pub variation_name: Option<&'a str>,
    pub eco_code: Option<&'a str>,
}

impl<'a> Node<'a> {
    /// From memory.
    pub fn of_place(catalogue: &'a Catalogue, view: &'a View, place: Place) -> Node<'a> {
        let node = view.node(place);
        let name = |opening| catalogue.opening(opening).map(|view| &view.opening);
        let opening = node.opening.and_then(name);
        let parent = view.from_parent(place);
        let shown = node.evaluation.as_ref();
        Node {
            node_id: node.id.into(),
            fen: view.fen(place).into(),
            ply: node.ply,
            pgn_move: parent.map(|step| step.edge.san.as_str()),
            move_number: node.ply.div_ceil(2),
            side: view.mover(place).map(|mover| mover.fold_wb('W', 'B')),
            eco_code: opening.map(|opening| opening.eco.as_str()),
            opening_name: opening.map(|opening| opening.family.as_str()),
            variation_name: opening.and_then(|opening| opening.variation.as_deref()),
            opening_id: opening.map(|opening| opening.id.into()),
            parent_node_id: parent.map(|step| view.node(step.parent).id.into()),
            is_branching_node: view.moves(place).len() >= 2,
            stockfish_eval: shown.map(|shown| shown.eval.cp),
            mate: shown.and_then(|shown| shown.eval.mate),
            stockfish_depth: shown.map(|shown| shown.depth),
            best_move: best_move(shown).map(|(san, _)| san),
            best_move_uci: best_move(shown).map(|(_, uci)| uci),
            is_dubious: shown.is_some_and(|shown| shown.is_dubious),
            is_busted: shown.is_some_and(|shown| shown.is_busted),
            game_count: node.stats.games(),
            white_win_pct: node.stats.white_percent().map(percent),
            draw_pct: node.stats.draw_percent().map(percent),
            resulting_structure: node.structure.as_deref(),
            children: view
                .moves(place)
                .map(|step| Child {
                    node_id: step.edge.child.into(),
                    pgn_move: &step.edge.san,
                    uci: &step.edge.uci,
                    game_count: step.edge.stats.games(),
                })
                .collect(),
            transpositions: view
                .transpositions(place)
                .into_iter()
                .map(|step| {
                    let from = view.node(step.parent).opening.and_then(name);
                    transposition(step.edge.parent.into(), &step.edge.san, &step.edge.uci, from)
                        .played(step.edge.stats.games())
                })
                .collect(),
        }
    }

    /// From the database.
    pub fn of_view(view: &'a NodeView) -> Node<'a> {
        let shown = view.evaluation.as_ref();
        Node {
            node_id: view.node_id.into(),
            fen: view.fen.as_str().into(),
            ply: view.ply,
            pgn_move: view.pgn_move.as_deref(),
            move_number: view.move_number,
            side: view.side,
            eco_code: view.eco_code(),
            opening_name: view.opening_name(),
            variation_name: view.variation_name(),
            opening_id: view.opening.as_ref().map(|opening| opening.id.into()),
            parent_node_id: view.parent.map(Into::into),
            is_branching_node: view.children.len() >= 2,
            stockfish_eval: view.stockfish_eval(),
            mate: view.mate(),
            stockfish_depth: view.stockfish_depth(),
            best_move: best_move(shown).map(|(san, _)| san),
            best_move_uci: best_move(shown).map(|(_, uci)| uci),
            is_dubious: view.is_dubious(),
            is_busted: view.is_busted(),
            game_count: view.game_count(),
            white_win_pct: view.white_win_pct().map(percent),
            draw_pct: view.draw_pct().map(percent),
            resulting_structure: view.structure.as_deref(),
            children: view
                .children
                .iter()
                .map(|child| Child {
                    node_id: child.node_id.into(),
                    pgn_move: &child.san,
                    uci: &child.uci,
                    game_count: child.stats.games(),
                })
                .collect(),
            transpositions: view
                .transpositions
                .iter()
                .map(|other| {
                    let from = other.opening.as_ref();
                    Transposition {
                        opening_name: from.map(|from| from.family.as_str()),
                        variation_name: from.and_then(|from| from.variation.as_deref()),
                        eco_code: from.map(|from| from.eco.as_str()),
                        ..transposition(other.node_id.into(), &other.san, &other.uci, None)
                    }
                    .played(other.stats.games())
                })
                .collect(),
        }
    }
}

fn best_move(shown: Option<&NodeEvaluation>) -> Option<(&str, &str)> {
    let best = shown?.best_move.as_ref()?;
    Some((&best.san, &best.uci))
}

fn transposition<'a>(node_id: Id, san: &'a str, uci: &'a str, from: Option<&'a OpeningRow>) -> Transposition<'a> {
    Transposition {
        node_id,
        pgn_move: san,
        uci,
        game_count: 0,
        opening_name: from.map(|from| from.family.as_str()),
        variation_name: from.and_then(|from| from.variation.as_deref()),
        eco_code: from.map(|from| from.eco.as_str()),
    }
}

impl Transposition<'_> {
    fn played(mut self, games: u64) -> Self {
        self.game_count = games;
        self
    }
}
