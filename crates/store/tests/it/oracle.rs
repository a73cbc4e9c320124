//! What settling must arrive at, computed as plainly as the rule is written.

use std::collections::{BTreeMap, BTreeSet};

use pgn_import::Position;

use crate::rows::{Line, is_zeroing, key, position};

pub(crate) fn settled(lines: &[Line]) -> Vec<Position> {
    let mut written: BTreeMap<u32, Vec<(u32, u32)>> = BTreeMap::new();
    let mut edges: BTreeSet<(u32, u32)> = BTreeSet::new();
    for line in lines {
        for (node, ply, halfmove) in line.positions() {
            written.entry(node).or_default().push((ply, halfmove));
        }
        edges.extend(line.nodes.windows(2).map(|pair| (pair[0], pair[1])));
    }

    let mut plies: BTreeMap<u32, u32> = written
        .iter()
        .map(|(node, paths)| (*node, paths.iter().map(|p| p.0).min().unwrap()))
        .collect();
    loop {
        let mut changed = false;
        for (a, b) in &edges {
            let through = plies[a] + 1;
            if through < plies[b] {
                plies.insert(*b, through);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }

    let mut by_ply: Vec<u32> = plies.keys().copied().collect();
    by_ply.sort_by_key(|node| plies[node]);
    let mut halfmoves: BTreeMap<u32, u32> = BTreeMap::new();
    for node in by_ply {
        let parent = edges
            .iter()
            .filter(|(a, b)| *b == node && plies[a] + 1 == plies[&node])
            .map(|(a, _)| *a)
            .min_by_key(|a| key(*a));
        let halfmove = match parent {
            Some(parent) if is_zeroing(parent, node) => 0,
            Some(parent) => halfmoves[&parent] + 1,
            None => written[&node]
                .iter()
                .filter(|(ply, _)| *ply == plies[&node])
                .map(|(_, halfmove)| *halfmove)
                .min_by_key(u32::to_string)
                .unwrap(),
        };
        halfmoves.insert(node, halfmove);
    }

    let mut positions: Vec<Position> = plies
        .iter()
        .map(|(node, ply)| position(*node, *ply, halfmoves[node]))
        .collect();
    positions.sort_by_key(|p| p.id);
    positions
}
