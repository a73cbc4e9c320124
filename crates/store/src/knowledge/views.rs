//! What is read from the knowledge base.

use tabiya_chess::{Facet, NodeId, PositionId, Stats};
use uuid::Uuid;

use super::evaluation::{BestMove, NodeEvaluation};
use super::rows::{GameHeader, GraphNode, NodeSource, OpeningRow, StructureBy, StructureLink, StructureRow};

/// The whole knowledge base, or as much of it as one collection and the named lines make up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KnowledgeGraph {
    /// By id.
    pub nodes: Vec<KnowledgeNode>,
    /// By parent and UCI.
    pub edges: Vec<KnowledgeEdge>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnowledgeNode {
    pub id: PositionId,
    pub epd: String,
    pub ply: u16,
    pub halfmove: u16,
    pub source: NodeSource,
    pub stats: Stats,
    /// The opening it belongs to, by a name of its own or by its nearest named ancestor.
    pub opening: Option<Uuid>,
    /// Whether an opening is named after it.
    pub named: bool,
    pub structure: Option<String>,
    pub is_branching: bool,
    pub stub_count: u64,
    /// What an engine says of it.
    pub evaluation: Option<NodeEvaluation>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnowledgeEdge {
    pub parent: PositionId,
    pub child: PositionId,
    pub uci: String,
    pub san: String,
    pub stats: Stats,
}

/// All there is to say of one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeView {
    pub node_id: NodeId,
    /// With the counters along the chain of nearest parents.
    pub fen: String,
    pub ply: u16,
    /// The SAN of the move that leads here from the parent; `None` at a root.
    pub pgn_move: Option<String>,
    /// The number of that move; 0 at the initial position.
    pub move_number: u16,
    /// Who played it, `W` or `B`; `None` at a root.
    pub side: Option<char>,
    pub opening: Option<OpeningName>,
    pub named: bool,
    /// Of the parents within the knowledge base the nearest to the initial position, of equally near ones the one with the
    /// smaller EPD.
    pub parent: Option<NodeId>,
    /// By games, most first, then by UCI.
    pub children: Vec<ChildView>,
    /// Whether at least two moves go on from here in all collections together.
    pub is_branching: bool,
    /// The other parents.
    pub transpositions: Vec<OtherParent>,
    pub structure: Option<String>,
    pub structure_by: Option<StructureBy>,
    /// What an engine says of it; `None` until one was asked.
    pub evaluation: Option<NodeEvaluation>,
    pub stats: Stats,
    pub source: NodeSource,
    pub flagged: Option<String>,
    pub stub_count: u64,
    pub created_at: String,
    pub updated_at: String,
    pub top_games: Vec<ListedGame>,
    pub recent_games: Vec<ListedGame>,
}

/// What an opening is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningName {
    pub id: Uuid,
    pub eco: String,
    pub name: String,
    pub family: String,
    pub variation: Option<String>,
    pub slug: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildView {
    pub node_id: NodeId,
    pub uci: String,
    pub san: String,
    /// Of the move, not of the position it leads to.
    pub stats: Stats,
}

/// Another way to a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherParent {
    pub node_id: NodeId,
    pub uci: String,
    pub san: String,
    pub stats: Stats,
    /// The parent's opening.
    pub opening: Option<OpeningName>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedGame {
    pub game: GameHeader,
    /// The move it went on with.
    pub uci: String,
}

/// The games that are listed at a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedGames {
    /// Those of the strongest players, strongest first.
    pub top: Vec<ListedGame>,
    /// Latest first.
    pub recent: Vec<ListedGame>,
}

/// The games of one year, band and speed that went on with a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveFacet {
    pub uci: String,
    pub facet: Facet,
    pub stats: Stats,
}

/// By what an opening is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpeningKey {
    Id(Uuid),
    Slug(String),
}

/// An opening and what was found out about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningView {
    pub opening: OpeningRow,
    pub root_node_id: NodeId,
    /// Where its trees end, by id.
    pub resolution_node_ids: Vec<NodeId>,
    /// By id.
    pub related_opening_ids: Vec<Uuid>,
}

/// An opening whose tree meets that of the one asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedOpening {
    pub opening: Uuid,
    pub nodes: u64,
    pub games: u64,
    pub example: NodeId,
}

/// A structure and the openings it arises from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureView {
    pub structure: StructureRow,
    /// By games, most first, then by opening.
    pub arising_from: Vec<StructureLink>,
}

/// A question for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    pub node: PositionId,
    pub epd: String,
    pub reason: String,
    pub detail: String,
    pub answer: Option<String>,
}

/// A field of a node that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub changed_at: String,
    pub field: String,
    pub old_value: Option<String>,
    pub new_value: Option<String>,
}

/// A position that an explorer has answered for, and the moves that were kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawledNode {
    pub node: GraphNode,
    pub depth: u16,
    pub stats: Stats,
    pub edges: Vec<CrawledEdge>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawledEdge {
    pub uci: String,
    pub child: PositionId,
    pub stats: Stats,
}

impl NodeView {
    /// Games that reached it.
    pub fn game_count(&self) -> u64 {
        self.stats.games()
    }

    pub fn white_win_pct(&self) -> Option<f64> {
        self.stats.white_percent()
    }

    pub fn draw_pct(&self) -> Option<f64> {
        self.stats.draw_percent()
    }

    /// Mean of both players, over the games in which both have a rating.
    pub fn average_rating(&self) -> Option<u64> {
        self.stats.average_rating()
    }

    /// The years of the first and the last game, where any is known.
    pub fn years(&self) -> Option<(u16, u16)> {
        (self.stats.first_year > 0).then_some((self.stats.first_year, self.stats.last_year))
    }

    /// White's centipawns within ±1500, a mate as ±1000.
    pub fn stockfish_eval(&self) -> Option<i32> {
        Some(self.evaluation.as_ref()?.eval.cp)
    }

    /// Signed moves to mate; 0 for checkmate on the board.
    pub fn mate(&self) -> Option<i32> {
        self.evaluation.as_ref()?.eval.mate
    }

    pub fn stockfish_depth(&self) -> Option<u8> {
        Some(self.evaluation.as_ref()?.depth)
    }

    pub fn best_move(&self) -> Option<&BestMove> {
        self.evaluation.as_ref()?.best_move.as_ref()
    }

    /// Whether the side that moved here stands at −50 or worse.
    pub fn is_dubious(&self) -> bool {
        self.evaluation.as_ref().is_some_and(|e| e.is_dubious)
    }

    /// Whether the side that moved here stands at −150 or worse.
    pub fn is_busted(&self) -> bool {
        self.evaluation.as_ref().is_some_and(|e| e.is_busted)
    }

    pub fn eco_code(&self) -> Option<&str> {
        Some(self.opening.as_ref()?.eco.as_str())
    }

    /// The family's name.
    pub fn opening_name(&self) -> Option<&str> {
        Some(self.opening.as_ref()?.family.as_str())
    }

    pub fn variation_name(&self) -> Option<&str> {
        self.opening.as_ref()?.variation.as_deref()
    }
}
