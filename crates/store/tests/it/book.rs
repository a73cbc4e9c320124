//! A small graph of real positions, and what two collections say of it.

use std::collections::BTreeMap;

use pgn_import::{Edge, Position, Storage};
use shakmaty::{Chess, Position as _};
use tabiya_chess::{
    Facet, FacetKinds, Outcome, PositionId, RatingBand, Speed, Stats, edge_id, epd, parse_san, resolve, to_san, to_uci,
};
use tabiya_store::{
    Collection, CollectionCounts, CollectionSource, GameHeader, GameList, Graph, GraphEdge, GraphNode, Load,
    NamedPosition, NodeGame, OpeningRow, Store,
};
use uuid::Uuid;

/// The position after a line.
pub(crate) fn after(line: &str) -> PositionId {
    *path(line).last().map(|step| &step.id).unwrap()
}

/// The board after a line.
pub(crate) fn board(line: &str) -> Chess {
    let mut board = Chess::default();
    for text in line.split_whitespace() {
        let (san, _, _) = parse_san(text.as_bytes()).unwrap();
        board.play_unchecked(resolve(&board, san).unwrap());
    }
    board
}

pub(crate) fn graph_node(line: &str) -> GraphNode {
    path(line).pop().unwrap()
}

/// The last move of a line.
pub(crate) fn last_move(line: &str) -> GraphEdge {
    walk(line).1.pop().unwrap()
}

fn path(line: &str) -> Vec<GraphNode> {
    walk(line).0
}

fn walk(line: &str) -> (Vec<GraphNode>, Vec<GraphEdge>) {
    let mut board = Chess::default();
    let mut nodes = vec![node(&board, 0)];
    let mut edges = Vec::new();
    for (text, ply) in line.split_whitespace().zip(1..) {
        let (san, _, _) = parse_san(text.as_bytes()).unwrap();
        let played = resolve(&board, san).unwrap();
        let (uci, san) = (to_uci(&board, played), to_san(&board, played));
        board.play_unchecked(played);
        nodes.push(node(&board, ply));
        edges.push(GraphEdge {
            parent: nodes[nodes.len() - 2].id,
            child: nodes[nodes.len() - 1].id,
            uci,
            san,
        });
    }
    (nodes, edges)
}

fn node(board: &Chess, ply: u16) -> GraphNode {
    GraphNode {
        id: PositionId::of(board),
        epd: epd(board),
        ply,
        halfmove: board.halfmoves().try_into().unwrap(),
    }
}

/// The graph of some lines, settled: a position has the ply and the clock of its nearest parent, of equally near ones
/// that with the smaller EPD.
pub(crate) fn graph(lines: &[&str]) -> Graph {
    let mut nodes: BTreeMap<u64, (String, GraphNode)> = BTreeMap::new();
    let mut edges: BTreeMap<(u64, String), GraphEdge> = BTreeMap::new();
    for line in lines {
        let (steps, moves) = walk(line);
        let mut parent = String::new();
        for step in steps {
            let known = nodes
                .entry(step.id.get())
                .or_insert_with(|| (parent.clone(), step.clone()));
            if (step.ply, &parent) < (known.1.ply, &known.0) {
                *known = (parent, step.clone());
            }
            parent = step.epd;
        }
        for edge in moves {
            edges.insert((edge.parent.get(), edge.uci.clone()), edge);
        }
    }
    Graph {
        nodes: nodes.into_values().map(|(_, node)| node).collect(),
        edges: edges.into_values().collect(),
    }
}

/// Writes a line as an import does: positions and moves that no collection has counted.
pub(crate) async fn import(store: &mut Store, line: &str) {
    let line = graph(&[line]);
    let positions = line.nodes.iter().map(|n| Position {
        id: n.id.get(),
        fen: format!("{} {} {}", n.epd, n.halfmove, n.ply / 2 + 1),
        side_to_move: if n.ply % 2 == 0 { 'w' } else { 'b' },
        ply: n.ply.into(),
    });
    let edges = line.edges.iter().map(|e| Edge {
        id: edge_id(e.parent, &e.uci),
        parent_id: e.parent.get(),
        move_uci: e.uci.clone(),
        move_san: e.san.clone(),
        child_id: e.child.get(),
        source_hint: None,
    });
    store.upsert_positions(positions.collect()).await.unwrap();
    store.upsert_edges(edges.collect()).await.unwrap();
}

pub(crate) fn collection(name: &str) -> Collection {
    Collection {
        name: name.to_owned(),
        source: CollectionSource::Pgn,
        games: 12,
        min_games: 1,
        depth: 15,
        max_ply: Some(40),
        facets: FacetKinds {
            year: true,
            rating: true,
            speed: false,
        },
    }
}

/// Games that follow lines: every position and move on the way counts, with a result and a year.
pub(crate) fn load(collection: Collection, games: &[(&str, Outcome, u16)]) -> Load {
    let lines: Vec<&str> = games.iter().map(|game| game.0).collect();
    let mut counts = CollectionCounts::new(collection);
    let mut nodes: BTreeMap<PositionId, Stats> = BTreeMap::new();
    let mut edges: BTreeMap<(PositionId, String), Stats> = BTreeMap::new();
    let mut facets: BTreeMap<(PositionId, String, Facet), Stats> = BTreeMap::new();
    for ((line, outcome, year), rating) in games.iter().zip(2400..) {
        let stats = Stats::of(*outcome, Some(rating), Some(*year));
        let (steps, moves) = walk(line);
        for step in steps {
            *nodes.entry(step.id).or_default() += stats;
        }
        for edge in moves {
            let facet = Facet {
                year: *year,
                band: RatingBand::of(Some(rating)),
                speed: Speed::Blitz,
            };
            *edges.entry((edge.parent, edge.uci.clone())).or_default() += stats;
            *facets.entry((edge.parent, edge.uci, facet)).or_default() += stats;
        }
    }
    counts.nodes = nodes.into_iter().collect();
    counts.edges = edges
        .into_iter()
        .map(|((parent, uci), stats)| (parent, uci, stats))
        .collect();
    counts.facets = facets
        .into_iter()
        .map(|((parent, uci, facet), stats)| (parent, uci, facet, stats))
        .collect();
    Load {
        graph: graph(&lines),
        counts: vec![counts],
    }
}

/// Four games, two of which meet by transposition.
pub(crate) const GAMES: [(&str, Outcome, u16); 4] = [
    ("e4 e5 Nf3 Nc6 Bc4", Outcome::White, 2001),
    ("e4 e5 Bc4 Nc6 Nf3", Outcome::Draw, 1998),
    ("e4 c5 Nf3", Outcome::Black, 2020),
    ("d4 d5 c4", Outcome::White, 2011),
];

pub(crate) fn masters() -> Load {
    let mut load = load(collection("masters"), &GAMES);
    load.counts[0].games = vec![game(7, "Morphy"), game(u64::MAX - 3, "Anderssen")];
    load.counts[0].node_games = vec![
        listed("e4", GameList::Top, 0, 7, "e7e5"),
        listed("e4", GameList::Top, 1, u64::MAX - 3, "c7c5"),
        listed("e4", GameList::Recent, 0, u64::MAX - 3, "c7c5"),
    ];
    load
}

pub(crate) fn game(id: u64, white: &str) -> GameHeader {
    GameHeader {
        id,
        white: white.to_owned(),
        black: "Nomen\0Nescio".to_owned(),
        white_elo: Some(2690),
        black_elo: None,
        outcome: Outcome::White,
        date: "1857.11.??".to_owned(),
        event: "New York".to_owned(),
        site: "?".to_owned(),
        round: "2.1".to_owned(),
    }
}

pub(crate) fn listed(line: &str, kind: GameList, rank: u8, game: u64, uci: &str) -> NodeGame {
    NodeGame {
        node: after(line),
        kind,
        rank,
        game,
        uci: uci.to_owned(),
    }
}

pub(crate) const KINGS_PAWN: Uuid = Uuid::from_u128(0x9000_0000_0000_4000_8000_0000_0000_0001);
pub(crate) const ITALIAN: Uuid = Uuid::from_u128(0x1000_0000_0000_4000_8000_0000_0000_0002);
pub(crate) const BISHOPS: Uuid = Uuid::from_u128(0xf000_0000_0000_4000_8000_0000_0000_0003);

pub(crate) const LINES: [&str; 4] = ["e4", "e4 e5 Nf3 Nc6 Bc4", "e4 e5 Bc4", "e4 e5 Bc4 Nc6"];

pub(crate) fn openings() -> Vec<OpeningRow> {
    vec![
        opening(KINGS_PAWN, "B00", "King's Pawn Game", None, &["e4"]),
        opening(ITALIAN, "C50", "Italian Game", None, &["e4 e5 Nf3 Nc6 Bc4"]),
        opening(
            BISHOPS,
            "C23",
            "Bishop's Opening",
            Some("Some Variation, with a comma"),
            &["e4 e5 Bc4", "e4 e5 Bc4 Nc6"],
        ),
    ]
}

pub(crate) fn opening(id: Uuid, eco: &str, family: &str, variation: Option<&str>, lines: &[&str]) -> OpeningRow {
    OpeningRow {
        id,
        eco: eco.to_owned(),
        name: variation.map_or_else(|| family.to_owned(), |variation| format!("{family}: {variation}")),
        family: family.to_owned(),
        variation: variation.map(str::to_owned),
        slug: format!(
            "{}-{}",
            eco.to_lowercase(),
            family.to_lowercase().replace([' ', '\''], "-")
        ),
        category: "opening".to_owned(),
        primary_color: 'W',
        system: "lichess".to_owned(),
        root: after(lines[0]),
        aliases: vec!["Giuoco \"Piano\"".to_owned(), "Übung".to_owned()],
        tags: vec!["open".to_owned()],
        positions: {
            let mut positions: Vec<NamedPosition> = lines
                .iter()
                .map(|line| NamedPosition {
                    id: after(line),
                    line: (*line).to_owned(),
                })
                .collect();
            positions.sort();
            positions
        },
    }
}
