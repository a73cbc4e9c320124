//! A repertoire as a graph of its own, with what the knowledge base has to say of its positions and moves.

use std::collections::HashMap;

use shakmaty::Color;
use tabiya_chess::{PositionId, Stats, slug, turn_of};
use tabiya_store::{KnowledgeEdge, KnowledgeGraph, KnowledgeNode, NodeSource, RepertoireMove};

use super::{Difficulty, Subject};
use crate::explore::{Place, View};

/// The moves of a repertoire, each once.
pub(super) fn graph(mut moves: Vec<RepertoireMove>, known: &View) -> KnowledgeGraph {
    moves.sort_by(|a, b| (a.parent_id, &a.move_uci).cmp(&(b.parent_id, &b.move_uci)));
    // With every owner's repertoires together, a move may come more than once.
    moves.dedup_by(|a, b| (a.parent_id, &a.move_uci) == (b.parent_id, &b.move_uci));
    let mut nodes: HashMap<u64, KnowledgeNode> = HashMap::new();
    for m in &moves {
        for (id, fen, ply) in [
            (m.parent_id, &m.parent_fen, m.ply),
            (m.child_id, &m.child_fen, m.ply + 1),
        ] {
            let found = nodes.entry(id).or_insert_with(|| node(id, fen, ply, known));
            found.ply = found.ply.min(u16::try_from(ply).unwrap_or(u16::MAX));
        }
    }
    for leaving in moves.chunk_by(|a, b| a.parent_id == b.parent_id) {
        if let Some(parent) = nodes.get_mut(&leaving[0].parent_id) {
            parent.is_branching = leaving.len() > 1;
        }
    }
    let mut nodes: Vec<KnowledgeNode> = nodes.into_values().collect();
    nodes.sort_unstable_by_key(|node| node.id);
    KnowledgeGraph {
        nodes,
        edges: moves.into_iter().map(|m| edge(m, known)).collect(),
    }
}

fn node(id: u64, fen: &str, ply: u32, known: &View) -> KnowledgeNode {
    let fields: Vec<&str> = fen.split(' ').collect();
    let epd = fields[..fields.len().min(4)].join(" ");
    let known = known.find(PositionId::from_text(&epd)).map(|place| known.node(place));
    KnowledgeNode {
        id: PositionId::from(id),
        epd,
        ply: u16::try_from(ply).unwrap_or(u16::MAX),
        halfmove: fields.get(4).and_then(|clock| clock.parse().ok()).unwrap_or(0),
        source: known.map_or(NodeSource::Corpus, |known| known.source),
        stats: known.map(|known| known.stats).unwrap_or_default(),
        opening: known.and_then(|known| known.opening),
        named: known.is_some_and(|known| known.named),
        structure: known.and_then(|known| known.structure.clone()),
        is_branching: false,
        stub_count: 0,
        evaluation: known.and_then(|known| known.evaluation.clone()),
    }
}

fn edge(m: RepertoireMove, known: &View) -> KnowledgeEdge {
    let fields: Vec<&str> = m.parent_fen.split(' ').take(4).collect();
    let place = known.find(PositionId::from_text(&fields.join(" ")));
    let counted = place.and_then(|place| known.moves(place).find(|step| step.edge.uci == m.move_uci));
    KnowledgeEdge {
        parent: PositionId::from(m.parent_id),
        child: PositionId::from(m.child_id),
        uci: m.move_uci,
        san: m.move_san,
        stats: counted.map_or_else(Stats::default, |step| step.edge.stats),
    }
}

/// One subject for each position that the repertoire begins at.
pub(super) fn subjects<'a>(view: &'a View, label: &str) -> Vec<Subject<'a>> {
    let roots = roots(view);
    let stem = match slug(label) {
        empty if empty.is_empty() => "repertoire".to_owned(),
        stem => stem,
    };
    let color = color(view);
    let moves = view.edge_count();
    let several = roots.len() > 1;
    let numbered = roots.into_iter().enumerate();
    numbered
        .map(|(number, start)| Subject {
            id: match number {
                0 => stem.clone(),
                _ => format!("{stem}-{}", number + 1),
            },
            name: label.to_owned(),
            eco: String::new(),
            color,
            difficulty: match moves {
                0..100 => Difficulty::Beginner,
                100..500 => Difficulty::Intermediate,
                _ => Difficulty::Advanced,
            },
            description: match several {
                false => format!("The repertoire {label}: {moves} moves."),
                true => format!("The repertoire {label}, part {}: {moves} moves in all.", number + 1),
            },
            start,
            stem: Vec::new(),
            given: 0,
        })
        .collect()
}

/// The positions that no move leads to, the nearest to the initial one first; and one of each circle that has no way in.
fn roots(view: &View) -> Vec<Place> {
    let mut places: Vec<Place> = view.places().collect();
    places.sort_by_key(|place| (view.ways_to(*place).len() > 0, view.node(*place).ply, *place));
    let mut seen = vec![false; view.len()];
    let mut roots = Vec::new();
    for place in places {
        if seen[place.index()] {
            continue;
        }
        roots.push(place);
        seen[place.index()] = true;
        let mut open = vec![place];
        while let Some(here) = open.pop() {
            for step in view.moves(here) {
                if !std::mem::replace(&mut seen[step.child.index()], true) {
                    open.push(step.child);
                }
            }
        }
    }
    roots
}

/// Whose repertoire it is: a player prepares one answer to each of the other side's moves.
fn color(view: &View) -> Color {
    // Moves, and positions that are left by one, of each side.
    let mut moves = [0_u64; 2];
    let mut left = [0_u64; 2];
    for place in view.places() {
        let count = view.moves(place).len() as u64;
        let side = turn_of(&view.node(place).epd).fold_wb(0, 1);
        moves[side] += count;
        left[side] += u64::from(count > 0);
    }
    // Compared crosswise: whoever has fewer moves a position prepares, and of both White.
    Color::from_white(moves[0] * left[1].max(1) <= moves[1] * left[0].max(1))
}
