//! Which path to a position is its own, whatever order the edges came in.

use hashbrown::HashMap;

use crate::{Edge, Position};

/// The first four fields of a FEN.
pub(super) fn epd_of(fen: &str) -> &str {
    fen.match_indices(' ').nth(3).map_or(fen, |(end, _)| &fen[..end])
}

/// Gives every position the ply and move counters of the path that leads to it over nearest parents: the parent
/// nearest to the root, of equally near ones that with the smaller EPD.
pub(super) fn settle<'a>(positions: &mut HashMap<u64, Position>, edges: impl Iterator<Item = &'a Edge>) {
    let mut children: HashMap<u64, Vec<(u64, bool)>> = HashMap::new();
    for edge in edges {
        children.entry(edge.parent_id).or_default().push((edge.child_id, edge.is_zeroing()));
    }
    // Level by level, so that a position's parents are final before it is looked at.
    let mut by_ply: Vec<Vec<u64>> = Vec::new();
    let enlist = |levels: &mut Vec<Vec<u64>>, ply: u32, id: u64| {
        if levels.len() <= ply as usize {
            levels.resize_with(ply as usize + 1, Vec::new);
        }
        levels[ply as usize].push(id);
    };
    for position in positions.values() {
        enlist(&mut by_ply, position.ply, position.id);
    }
    // A child's best parent so far: its EPD and the counter it gives.
    let mut nearest: HashMap<u64, (String, u32)> = HashMap::new();
    let mut ply = 0;
    while ply < by_ply.len() {
        let mut level = std::mem::take(&mut by_ply[ply]);
        level.retain(|id| positions[id].ply as usize == ply);
        level.sort_unstable();
        level.dedup();
        for id in level {
            let counter = match nearest.remove(&id) {
                Some((_, counter)) => counter,
                None => halfmoves_of(&positions[&id].fen),
            };
            let Some(position) = positions.get_mut(&id) else { continue };
            position.fen = with_counters(&position.fen, counter, position.ply);
            let epd = epd_of(&position.fen).to_owned();
            let child_ply = position.ply + 1;
            for (child, zeroing) in children.get(&id).into_iter().flatten() {
                let counter = if *zeroing { 0 } else { counter + 1 };
                let Some(position) = positions.get_mut(child) else { continue };
                if position.ply > child_ply {
                    position.ply = child_ply;
                    nearest.remove(child);
                    enlist(&mut by_ply, child_ply, *child);
                }
                if position.ply == child_ply {
                    let candidate = (epd.clone(), counter);
                    let best = nearest.entry(*child).or_insert_with(|| candidate.clone());
                    if candidate.0 < best.0 {
                        *best = candidate;
                    }
                }
            }
        }
        ply += 1;
    }
}

fn halfmoves_of(fen: &str) -> u32 {
    fen.split(' ').nth(4).and_then(|field| field.parse().ok()).unwrap_or(0)
}

fn with_counters(fen: &str, halfmoves: u32, ply: u32) -> String {
    format!("{} {halfmoves} {}", epd_of(fen), ply / 2 + 1)
}
