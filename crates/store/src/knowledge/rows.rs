//! What is written into the knowledge base.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use tabiya_chess::{Facet, FacetKinds, Outcome, PositionId, Stats};
use uuid::Uuid;

/// An enum that lies in the database under these words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name {
            $($(#[$variant_doc])* $variant),*
        }

        impl $name {
            pub fn as_str(self) -> &'static str {
                match self {
                    $($name::$variant => $word),*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = String;

            fn from_str(text: &str) -> Result<$name, String> {
                match text {
                    $($word => Ok($name::$variant),)*
                    _ => Err(format!("`{text}` is none of {}", [$($word),*].join(", "))),
                }
            }
        }
    };
}

words! {
    /// Where a collection's counts come from.
    CollectionSource {
        /// Named lines, without games.
        Openings = "openings",
        /// Games counted here.
        Pgn = "pgn",
        /// Counts asked of an explorer, position by position.
        Explorer = "explorer",
        /// Counts made elsewhere and brought as a table.
        Counts = "counts",
        /// Lines that a check against a corpus found missing, without games.
        Validation = "validation",
    }
}

words! {
    /// How a position came to be a node. Of several ways the first of these: so the order of builds does not show.
    NodeSource {
        Openings = "openings",
        Corpus = "corpus",
        Explorer = "explorer",
        Validation = "validation",
    }
}

words! {
    /// Who named a pawn structure. A person's answer is never overwritten by a rule's.
    StructureBy {
        Rule = "rule",
        Person = "person",
    }
}

impl CollectionSource {
    /// The source of the nodes it brings.
    pub fn of_nodes(self) -> NodeSource {
        match self {
            CollectionSource::Openings => NodeSource::Openings,
            CollectionSource::Pgn | CollectionSource::Counts => NodeSource::Corpus,
            CollectionSource::Explorer => NodeSource::Explorer,
            CollectionSource::Validation => NodeSource::Validation,
        }
    }
}

/// A named body of games, counted apart from all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collection {
    pub name: String,
    pub source: CollectionSource,
    /// Games counted, those included that left no move above the threshold.
    pub games: u64,
    /// Moves with fewer games were left out.
    pub min_games: u64,
    /// Half-moves beyond each named position.
    pub depth: u16,
    /// Half-moves from the initial position, where that was limited too.
    pub max_ply: Option<u16>,
    /// What can be told apart in it.
    pub facets: FacetKinds,
}

impl Collection {
    /// The collection of named lines.
    pub const OPENINGS: &'static str = "openings";
    /// The collection of lines that a check against a corpus found missing.
    pub const VALIDATION: &'static str = "validation";

    /// Whether games stand behind it, be they counted here or by an explorer, and not lines that were entered.
    pub fn is_of_games(&self) -> bool {
        !matches!(self.source, CollectionSource::Openings | CollectionSource::Validation)
    }

    pub(crate) fn without_games(name: &str, source: CollectionSource) -> Collection {
        Collection {
            name: name.to_owned(),
            source,
            games: 0,
            min_games: 0,
            depth: 0,
            max_ply: None,
            facets: FacetKinds::default(),
        }
    }
}

/// A position, with its distance from the initial one and its halfmove clock along the chain of nearest parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphNode {
    pub id: PositionId,
    pub epd: String,
    pub ply: u16,
    pub halfmove: u16,
}

/// A move between two positions. Whether it resets the halfmove clock is read off the SAN.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphEdge {
    pub parent: PositionId,
    pub child: PositionId,
    pub uci: String,
    pub san: String,
}

/// Positions and the moves between them, each once, in any order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    pub nodes: Vec<GraphNode>,
    pub edges: Vec<GraphEdge>,
}

/// One build: a graph, and what one or more collections say of it.
///
/// Whatever a collection has a row about belongs to the knowledge base, the rest of the graph does not; and every
/// position and move that is counted is in the graph or was stored before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Load {
    pub graph: Graph,
    pub counts: Vec<CollectionCounts>,
}

/// All that one collection says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollectionCounts {
    pub collection: Collection,
    pub nodes: Vec<(PositionId, Stats)>,
    /// By parent and UCI.
    pub edges: Vec<(PositionId, String, Stats)>,
    /// The same once more, told apart by year, rating band and speed. Years within the stats are not kept.
    pub facets: Vec<(PositionId, String, Facet, Stats)>,
    /// The games that `node_games` speak of.
    pub games: Vec<GameHeader>,
    pub node_games: Vec<NodeGame>,
}

impl CollectionCounts {
    /// A collection about which nothing is said yet.
    pub fn new(collection: Collection) -> CollectionCounts {
        CollectionCounts {
            collection,
            nodes: Vec::new(),
            edges: Vec::new(),
            facets: Vec::new(),
            games: Vec::new(),
            node_games: Vec::new(),
        }
    }

    /// Every position and move of a graph, without games.
    pub(crate) fn without_games(collection: Collection, graph: &Graph) -> CollectionCounts {
        CollectionCounts {
            nodes: graph.nodes.iter().map(|node| (node.id, Stats::default())).collect(),
            edges: graph
                .edges
                .iter()
                .map(|edge| (edge.parent, edge.uci.clone(), Stats::default()))
                .collect(),
            ..CollectionCounts::new(collection)
        }
    }
}

/// A game, as a list of games shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameHeader {
    pub id: u64,
    pub white: String,
    pub black: String,
    pub white_elo: Option<u16>,
    pub black_elo: Option<u16>,
    pub outcome: Outcome,
    pub date: String,
    pub event: String,
    pub site: String,
    pub round: String,
}

/// Which of a position's games are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GameList {
    /// Those of the strongest players.
    Top,
    Recent,
}

/// A game listed at a position, and the move it went on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeGame {
    pub node: PositionId,
    pub kind: GameList,
    pub rank: u8,
    pub game: u64,
    pub uci: String,
}

/// What an explorer said of one position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrawlAnswer {
    pub node: GraphNode,
    /// Half-moves from where the crawl began.
    pub depth: u16,
    pub stats: Stats,
    /// The moves that are kept, each with the position it leads to.
    pub edges: Vec<(GraphEdge, GraphNode, Stats)>,
    /// What a person should look at.
    pub flagged: Option<String>,
}

/// A line that many games play and the tree lacks: the way from a known position, and the position it ends in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    pub line: Graph,
    pub node: PositionId,
    /// Games that were seen to reach it.
    pub count: u64,
}

/// A named opening or variation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningRow {
    pub id: Uuid,
    pub eco: String,
    /// The whole name, `Italian Game: Evans Gambit`.
    pub name: String,
    /// The part before the colon.
    pub family: String,
    /// The part behind it.
    pub variation: Option<String>,
    pub slug: String,
    pub category: String,
    /// `W` or `B`.
    pub primary_color: char,
    /// The set of names it is from.
    pub system: String,
    /// The named position with the shortest line.
    pub root: PositionId,
    pub aliases: Vec<String>,
    pub tags: Vec<String>,
    pub positions: Vec<NamedPosition>,
}

/// A position an opening is named after.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct NamedPosition {
    pub id: PositionId,
    /// The moves, as the source of the name gives them.
    pub line: String,
}

/// Two openings whose trees meet. They may be given in either order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpeningLink {
    pub a: Uuid,
    pub b: Uuid,
    /// Positions in both.
    pub nodes: u64,
    pub games: u64,
    /// One of them.
    pub example: PositionId,
}

/// A named pawn structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureRow {
    pub id: Uuid,
    pub slug: String,
    pub name: String,
    pub description: String,
    pub plans_white: Vec<String>,
    pub plans_black: Vec<String>,
}

/// How often an opening leads to a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StructureLink {
    /// The structure's slug.
    pub structure: String,
    pub opening: Uuid,
    pub nodes: u64,
    pub games: u64,
}

/// A move of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookMove {
    pub parent: PositionId,
    pub uci: String,
    pub weight: u16,
}

/// A phase of a build that is done.
#[derive(Debug, Clone, PartialEq)]
pub struct PhaseRecord {
    /// What it worked on: when that is the same again, so is the outcome.
    pub input: String,
    pub figures: Value,
    pub done_at: String,
}
