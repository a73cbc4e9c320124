use pgn_import::{Batch, Edge, Journal, Position, Storage};

use crate::fixture::{Fixture, Kind};
use crate::oracle;
use crate::rows::{Line, Random, at, hash, job, join, position, random_lines};

fn real(fen: &str, ply: u32) -> Position {
    let epd: Vec<&str> = fen.split(' ').take(4).collect();
    Position {
        id: hash(epd.join(" ").bytes()),
        fen: fen.to_owned(),
        side_to_move: if epd[1] == "b" { 'b' } else { 'w' },
        ply,
    }
}

fn real_line(moves: &[(&str, &str, &str)]) -> Batch {
    let mut batch = Batch::default();
    for (ply, (uci, san, fen)) in (0..).zip(moves) {
        let child = real(fen, ply);
        if let Some(parent) = batch.positions.last() {
            batch.edges.push(Edge {
                id: hash(parent.id.to_le_bytes().into_iter().chain(uci.bytes())),
                parent_id: parent.id,
                move_uci: (*uci).to_owned(),
                move_san: (*san).to_owned(),
                child_id: child.id,
                source_hint: None,
            });
        }
        batch.positions.push(child);
    }
    batch
}

/// 1.Nf3 d5 2.d4 and 1.d4 d5 2.Nf3 meet with the clock at 0 and at 1. The parent after 1.d4 d5 has the smaller EPD.
pub(crate) async fn transpositions_with_different_clocks(kind: Kind) {
    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let reti = real_line(&[
        ("", "", START),
        (
            "g1f3",
            "Nf3",
            "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1",
        ),
        (
            "d7d5",
            "d5",
            "rnbqkbnr/ppp1pppp/8/3p4/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 2",
        ),
        (
            "d2d4",
            "d4",
            "rnbqkbnr/ppp1pppp/8/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R b KQkq - 0 2",
        ),
        (
            "g8f6",
            "Nf6",
            "rnbqkb1r/ppp1pppp/5n2/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - 1 3",
        ),
    ]);
    let queens = real_line(&[
        ("", "", START),
        (
            "d2d4",
            "d4",
            "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1",
        ),
        (
            "d7d5",
            "d5",
            "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - 0 2",
        ),
        (
            "g1f3",
            "Nf3",
            "rnbqkbnr/ppp1pppp/8/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R b KQkq - 1 2",
        ),
    ]);
    for lines in [[&reti, &queens], [&queens, &reti]] {
        let fixture = Fixture::new(kind).await;
        let mut store = fixture.store();
        for (line, offset) in lines.into_iter().zip(1..) {
            store.commit(&job("a"), line.clone(), &at(offset)).await.unwrap();
        }
        store.settle().await.unwrap();
        let positions = store.dump_positions().await.unwrap();
        let fen_of = |position: &Position| {
            let found = positions.iter().find(|p| p.id == position.id).unwrap();
            (found.fen.clone(), found.ply)
        };
        assert_eq!(fen_of(&reti.positions[3]), (queens.positions[3].fen.clone(), 3));
        assert_eq!(
            fen_of(&reti.positions[4]).0,
            "rnbqkb1r/ppp1pppp/5n2/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - 2 3"
        );
    }
}

pub(crate) async fn a_late_shortcut_lowers_the_whole_chain(kind: Kind) {
    let chain: Vec<u32> = (0..300).collect();
    let lines = [
        Line::from_start(&chain),
        Line::from_start(&[0, 150]),
        Line::from_start(&[0, 400, 100, 20]),
    ];
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    for (i, line) in lines.iter().enumerate() {
        store.commit(&job("a"), line.batch(None), &at(i as u64)).await.unwrap();
        store.settle().await.unwrap();
        assert_eq!(store.dump_positions().await.unwrap(), oracle::settled(&lines[..=i]));
    }
}

pub(crate) async fn two_roots_of_one_position(kind: Kind) {
    for turn in 0..3 {
        let mut writes = [position(5, 8, 9), position(5, 8, 10), position(5, 10, 0)];
        writes.rotate_left(turn);
        let fixture = Fixture::new(kind).await;
        let mut store = fixture.store();
        for write in writes {
            store.upsert_positions(vec![write]).await.unwrap();
            store.settle().await.unwrap();
        }
        assert_eq!(store.dump_positions().await.unwrap(), [position(5, 8, 10)]);
    }
}

/// Any order, any batching, settled in between or not: one answer.
pub(crate) async fn random_graphs_agree_with_the_oracle(kind: Kind) {
    let rounds = Fixture::new(kind).await.rounds();
    for seed in 0..rounds {
        let mut random = Random::new(seed + 1);
        let lines = random_lines(&mut random);
        let expected = oracle::settled(&lines);
        for _ in 0..2 {
            let fixture = Fixture::new(kind).await;
            let mut store = fixture.store();
            let mut shuffled = lines.clone();
            random.shuffle(&mut shuffled);
            let mut rest = shuffled.as_slice();
            while !rest.is_empty() {
                let count = 1 + random.below(u32::try_from(rest.len()).unwrap()) as usize;
                let (now, later) = rest.split_at(count);
                rest = later;
                let batch = join(now.iter().map(|line| line.batch(None)));
                store.commit(&job("a"), batch, &at(0)).await.unwrap();
                if random.below(2) == 0 {
                    store.settle().await.unwrap();
                }
            }
            assert_eq!(store.dump_positions().await.unwrap(), expected, "seed {seed}");
        }
    }
}

/// More than is remembered one by one: the look at all edges.
pub(crate) async fn a_bulk_load_agrees_with_the_oracle(kind: Kind) {
    let mut random = Random::new(99);
    let mut lines = Vec::new();
    let mut next = 1;
    while next < 60_000 {
        let mut nodes = vec![0];
        for _ in 0..60 {
            if random.below(8) == 0 && next > 100 {
                nodes.push(1 + random.below(next - 1));
            } else {
                nodes.push(next);
                next += 1;
            }
        }
        nodes.dedup();
        lines.push(Line::from_start(&nodes));
    }
    let fixture = Fixture::new(kind).await;
    let mut store = fixture.store();
    for chunk in lines.chunks(400) {
        let batch = join(chunk.iter().map(|line| line.batch(None)));
        store.commit(&job("a"), batch, &at(1)).await.unwrap();
    }
    assert!(store.dump_positions().await.unwrap() == fast_oracle(&lines));
}

/// The plain oracle looks at all edges for each position; that is too slow here.
fn fast_oracle(lines: &[Line]) -> Vec<Position> {
    use crate::rows::{is_zeroing, key};
    use std::collections::{BTreeMap, BTreeSet};
    let edges: BTreeSet<(u32, u32)> = lines
        .iter()
        .flat_map(|line| line.nodes.windows(2).map(|pair| (pair[0], pair[1])))
        .collect();
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (a, b) in edges {
        children.entry(a).or_default().push(b);
    }
    // Breadth first from the only root.
    let mut settled: BTreeMap<u32, (u32, u32)> = BTreeMap::from([(0, (0, 0))]);
    let mut level = vec![0];
    for ply in 1.. {
        let mut chosen: BTreeMap<u32, u32> = BTreeMap::new();
        for parent in &level {
            for child in children.get(parent).into_iter().flatten() {
                if !settled.contains_key(child) {
                    let best = chosen.entry(*child).or_insert(*parent);
                    if key(*parent) < key(*best) {
                        *best = *parent;
                    }
                }
            }
        }
        if chosen.is_empty() {
            break;
        }
        for (child, parent) in &chosen {
            let halfmove = if is_zeroing(*parent, *child) {
                0
            } else {
                settled[parent].1 + 1
            };
            settled.insert(*child, (ply, halfmove));
        }
        level = chosen.into_keys().collect();
    }
    let mut positions: Vec<Position> = settled
        .into_iter()
        .map(|(node, (ply, halfmove))| position(node, ply, halfmove))
        .collect();
    positions.sort_by_key(|p| p.id);
    positions
}
