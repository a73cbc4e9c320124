//! From what is kept to what is stored.

use std::collections::{BTreeMap, HashMap};

use shakmaty::Chess;
use tabiya_chess::{Stats, to_uci};
use tabiya_counts::{CollectionKept, GameRef, Graph, GraphEdge, PackedMove, State};
use tabiya_store::{
    Collection, CollectionCounts, GameHeader, GameList, Graph as StoredGraph, GraphEdge as StoredEdge,
    GraphNode as StoredNode, Load, NodeGame,
};

use crate::AppError;

/// One collection's share.
pub(super) struct Part<'a> {
    pub(super) collection: Collection,
    pub(super) state: &'a State,
    pub(super) kept: &'a CollectionKept,
}

pub(super) fn load(graph: &Graph, parts: &[Part<'_>]) -> Result<Load, AppError> {
    let stored = StoredGraph {
        nodes: graph
            .nodes
            .iter()
            .map(|node| StoredNode {
                id: node.id,
                epd: node.epd.clone(),
                ply: node.ply,
                halfmove: node.halfmove,
            })
            .collect(),
        edges: graph
            .edges
            .iter()
            .map(|edge| StoredEdge {
                parent: graph.nodes[edge.parent as usize].id,
                child: graph.nodes[edge.child as usize].id,
                uci: edge.uci.clone(),
                san: edge.san.clone(),
            })
            .collect(),
    };
    let counts = parts.iter().map(|part| counts(graph, part)).collect::<Result<_, _>>()?;
    Ok(Load { graph: stored, counts })
}

fn counts(graph: &Graph, part: &Part<'_>) -> Result<CollectionCounts, AppError> {
    let mut counts = CollectionCounts::new(part.collection.clone());
    // Which games are listed anywhere. Lists hold their numbers until the identities are read, which is done once for each.
    let mut listed: BTreeMap<u32, GameRef> = BTreeMap::new();
    let mut edges = graph.edges.iter().peekable();
    for (place, node) in graph.nodes.iter().enumerate() {
        let mut outward = Vec::new();
        while let Some(edge) = edges.next_if(|edge| edge.parent as usize == place) {
            outward.push(edge);
        }
        let Some(position) = part.kept.position(node.key) else {
            continue;
        };
        counts.nodes.push((node.id, position.total));
        let moves = part.kept.moves(position);
        for edge in &outward {
            let mut sum = Stats::default();
            for known in moves.iter().filter(|known| known.by == edge.by) {
                sum += known.stats;
                if part.collection.facets.any() {
                    counts
                        .facets
                        .push((node.id, edge.uci.clone(), known.facet, known.stats));
                }
            }
            if sum.games() > 0 {
                counts.edges.push((node.id, edge.uci.clone(), sum));
            }
        }
        if part.collection.facets.any() {
            // Whatever leaves by no edge of this node stands under the empty move, so that facets add up to the node.
            let mut rest: Vec<_> = Vec::new();
            for known in moves
                .iter()
                .filter(|known| !outward.iter().any(|edge| edge.by == known.by))
            {
                match rest.iter_mut().find(|(facet, _)| *facet == known.facet) {
                    Some((_, sum)) => *sum += known.stats,
                    None => rest.push((known.facet, known.stats)),
                }
            }
            let rest = rest
                .into_iter()
                .map(|(facet, sum)| (node.id, String::new(), facet, sum));
            counts.facets.extend(rest);
        }
        let mut moves_here = Moves::new(&node.epd, &outward);
        for (kind, games) in [
            (GameList::Top, part.kept.top(position)),
            (GameList::Recent, part.kept.recent(position)),
        ] {
            for (rank, game) in games.iter().enumerate() {
                listed.insert(game.game, *game);
                counts.node_games.push(NodeGame {
                    node: node.id,
                    kind,
                    rank: rank as u8,
                    game: u64::from(game.game),
                    uci: moves_here.uci(game.by),
                });
            }
        }
    }
    let numbers: Vec<u32> = listed.keys().copied().collect();
    let headers = part.state.headers(&numbers)?;
    let mut identities = HashMap::with_capacity(numbers.len());
    for ((number, game), (identity, header)) in listed.into_iter().zip(headers) {
        identities.insert(number, identity);
        counts.games.push(GameHeader {
            id: identity,
            white: header.white,
            black: header.black,
            white_elo: header.white_elo,
            black_elo: header.black_elo,
            outcome: game.info.outcome(),
            date: header.date,
            event: header.event,
            site: header.site,
            round: header.round,
        });
    }
    for listed in &mut counts.node_games {
        listed.game = identities.get(&(listed.game as u32)).copied().unwrap_or_default();
    }
    Ok(counts)
}

/// The moves of the games that are listed for one position, as UCI.
struct Moves<'a> {
    epd: &'a str,
    outward: &'a [&'a GraphEdge],
    /// Set up when a game leaves by a move that is not kept, and once for all of them.
    position: Option<Chess>,
    others: Vec<(PackedMove, String)>,
}

impl<'a> Moves<'a> {
    fn new(epd: &'a str, outward: &'a [&'a GraphEdge]) -> Moves<'a> {
        Moves {
            epd,
            outward,
            position: None,
            others: Vec::new(),
        }
    }

    /// The UCI of a listed game's move, which need not be one that is kept; empty where the game was not followed on.
    fn uci(&mut self, by: PackedMove) -> String {
        if by == PackedMove::NONE {
            return String::new();
        }
        if let Some(edge) = self.outward.iter().find(|edge| edge.by == by) {
            return edge.uci.clone();
        }
        if let Some((_, known)) = self.others.iter().find(|(other, _)| *other == by) {
            return known.clone();
        }
        let position = match self.position.take() {
            Some(position) => Some(position),
            None => tabiya_chess::parse_fen(self.epd).ok().map(|start| start.position),
        };
        let uci = position.as_ref().and_then(|pos| Some(to_uci(pos, by.retrace(pos)?)));
        self.position = position;
        let uci = uci.unwrap_or_default();
        self.others.push((by, uci.clone()));
        uci
    }
}
