//! Which path to a position is its own, whatever order the edges came in.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use tabiya_chess::fen_at;

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
        children
            .entry(edge.parent_id)
            .or_default()
            .push((edge.child_id, edge.is_zeroing()));
    }
    // Level by level, so that a position's parents are final before it is looked at.
    // A map, because a FEN may claim any move number.
    let mut by_ply: BTreeMap<u32, Vec<u64>> = BTreeMap::new();
    for position in positions.values() {
        by_ply.entry(position.ply).or_default().push(position.id);
    }
    // A child's best parent so far: its EPD and the counter it gives.
    let mut nearest: HashMap<u64, (String, u32)> = HashMap::new();
    while let Some((ply, mut level)) = by_ply.pop_first() {
        level.retain(|id| positions[id].ply == ply);
        level.sort_unstable();
        level.dedup();
        for id in level {
            let counter = match nearest.remove(&id) {
                Some((_, counter)) => counter,
                None => halfmoves_of(&positions[&id].fen),
            };
            let Some(position) = positions.get_mut(&id) else {
                continue;
            };
            position.fen = with_counters(&position.fen, counter, position.ply);
            let epd = epd_of(&position.fen).to_owned();
            let child_ply = position.ply.saturating_add(1);
            for (child, zeroing) in children.get(&id).into_iter().flatten() {
                let counter = if *zeroing { 0 } else { counter.saturating_add(1) };
                let Some(position) = positions.get_mut(child) else {
                    continue;
                };
                if position.ply > child_ply {
                    position.ply = child_ply;
                    nearest.remove(child);
                    by_ply.entry(child_ply).or_default().push(*child);
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
    }
}

fn halfmoves_of(fen: &str) -> u32 {
    fen.split(' ').nth(4).and_then(|field| field.parse().ok()).unwrap_or(0)
}

fn with_counters(fen: &str, halfmoves: u32, ply: u32) -> String {
    fen_at(epd_of(fen), halfmoves, ply)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "4k3/8/8/8/8/8/8/4K3";

    /// A position with a made-up board, so that ids and EPDs are easy to read.
    fn position(id: u64, halfmoves: u32, ply: u32) -> Position {
        let side = if ply.is_multiple_of(2) { 'w' } else { 'b' };
        let fen = format!("{BOARD}/{id} {side} - - {halfmoves} {}", ply / 2 + 1);
        Position {
            id,
            fen,
            side_to_move: side,
            ply,
        }
    }

    fn edge(parent_id: u64, child_id: u64, san: &str) -> Edge {
        Edge {
            id: parent_id * 100 + child_id,
            parent_id,
            move_uci: String::new(),
            move_san: san.to_owned(),
            child_id,
            source_hint: None,
        }
    }

    fn settled(positions: &[Position], edges: &[Edge]) -> Vec<(u64, u32, String)> {
        let mut map = positions
            .iter()
            .map(|position| (position.id, position.clone()))
            .collect();
        settle(&mut map, edges.iter());
        let mut all: Vec<_> = map
            .into_values()
            .map(|position| {
                (
                    position.id,
                    position.ply,
                    position.fen.rsplitn(3, ' ').take(2).collect::<Vec<_>>().join("/"),
                )
            })
            .collect();
        all.sort();
        all
    }

    #[test]
    fn fields_of_a_fen() {
        assert_eq!(epd_of("a w - - 3 7"), "a w - -");
        assert_eq!(epd_of("a w - -"), "a w - -");
        assert_eq!(halfmoves_of("a w - - 3 7"), 3);
        assert_eq!(halfmoves_of("a w - -"), 0);
        assert_eq!(with_counters("a w - - 3 7", 4, 9), "a w - - 4 5");
    }

    #[test]
    fn a_shorter_way_found_later_is_passed_on() {
        // 0 → 1 → 2 → 3 → 4, and then 0 → 3 directly by a pawn's move.
        let positions = [
            position(0, 0, 0),
            position(1, 1, 1),
            position(2, 2, 2),
            position(3, 3, 3),
            position(4, 4, 4),
        ];
        let mut edges = vec![
            edge(0, 1, "Nf3"),
            edge(1, 2, "Nf6"),
            edge(2, 3, "Ng1"),
            edge(3, 4, "Ng8"),
        ];
        let long: Vec<_> = settled(&positions, &edges).iter().map(|p| p.1).collect();
        assert_eq!(long, [0, 1, 2, 3, 4]);
        edges.push(edge(0, 3, "e4"));
        assert_eq!(
            settled(&positions, &edges)[3..],
            [(3, 1, "1/0".to_owned()), (4, 2, "2/1".to_owned())]
        );
    }

    #[test]
    fn of_equally_near_parents_the_smaller_epd_gives_the_counter() {
        let positions = [
            position(0, 0, 0),
            position(1, 0, 1),
            position(2, 1, 1),
            position(3, 9, 2),
        ];
        let one = edge(1, 3, "Nf6");
        let other = edge(2, 3, "e5");
        let first = [edge(0, 1, "e4"), edge(0, 2, "Nf3"), one.clone(), other.clone()];
        let last = [other, one, edge(0, 2, "Nf3"), edge(0, 1, "e4")];
        assert_eq!(settled(&positions, &first)[3], (3, 2, "2/1".to_owned()));
        assert_eq!(settled(&positions, &first), settled(&positions, &last));
    }

    #[test]
    fn settling_twice_changes_nothing_and_loops_end() {
        let positions = [position(0, 0, 0), position(1, 5, 7), position(2, 6, 8)];
        let edges = [edge(0, 1, "Nf3"), edge(1, 2, "Nf6"), edge(2, 0, "Ng1")];
        let mut map: HashMap<u64, Position> = positions.iter().map(|p| (p.id, p.clone())).collect();
        settle(&mut map, edges.iter());
        let once = map.clone();
        settle(&mut map, edges.iter());
        assert_eq!(map, once);
        assert_eq!((map[&1].ply, map[&2].ply), (1, 2));
    }

    #[test]
    fn a_root_keeps_its_own_counters_and_any_ply_fits() {
        let positions = [position(0, 7, 12), position(1, 0, u32::MAX), position(2, 0, u32::MAX)];
        let edges = [edge(1, 2, "Kd2"), edge(0, 9, "into nowhere")];
        let all = settled(&positions, &edges);
        assert_eq!(all[0], (0, 12, "7/7".to_owned()));
        assert_eq!(all.len(), 3);
    }
}
