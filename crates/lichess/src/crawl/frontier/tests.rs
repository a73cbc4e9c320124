use std::collections::BTreeMap;

use proptest::prelude::*;
use tabiya_chess::{fnv1a, from_uci};

use super::*;

fn after(moves: &str) -> Chess {
    let mut pos = Chess::default();
    for uci in moves.split_whitespace() {
        pos.play_unchecked(from_uci(&pos, uci).expect(uci));
    }
    pos
}

fn options(depth: u32, min_games: u64) -> CrawlOptions {
    CrawlOptions { depth, min_games }
}

/// Children by UCI, with games.
fn children(pos: &Chess, moves: &[(&str, u64)]) -> Vec<(Chess, u64)> {
    let child = |uci| pos.clone().play(from_uci(pos, uci).expect(uci)).expect(uci);
    moves.iter().map(|(uci, games)| (child(uci), *games)).collect()
}

#[test]
fn the_most_played_first_then_by_epd() {
    let mut frontier = Frontier::new(options(9, 10), [Seed::new(Chess::default(), 0)]);
    let root = frontier.next().expect("the seed");
    let moves = [("d2d4", 20), ("e2e4", 30), ("c2c4", 20), ("a2a3", 9)];
    frontier.answered(&root, children(&root.position, &moves));
    assert_eq!(frontier.waiting(), 3, "a3 has too few games");
    let order: Vec<_> = std::iter::from_fn(|| frontier.next())
        .map(|target| (target.games, target.epd))
        .collect();
    let epds = ["e2e4", "c2c4", "d2d4"].map(|uci| epd(&after(uci)));
    assert!(epds[1] < epds[2], "equal games go by EPD");
    assert_eq!(order, [30, 20, 20].into_iter().zip(epds).collect::<Vec<_>>());
}

#[test]
fn a_depth_is_finished_before_the_next_begins() {
    let mut frontier = Frontier::new(options(9, 1), [Seed::new(Chess::default(), 0)]);
    let root = frontier.next().expect("the seed");
    assert!(frontier.next().is_none(), "the seed is still being asked for");
    frontier.answered(&root, children(&root.position, &[("e2e4", 5), ("d2d4", 4)]));
    let (e4, d4) = (frontier.next().expect("e4"), frontier.next().expect("d4"));
    frontier.answered(&e4, children(&e4.position, &[("e7e5", 1000)]));
    assert!(frontier.next().is_none(), "d4 is still being asked for");
    frontier.answered(&d4, []);
    assert_eq!(frontier.next().map(|target| target.depth), Some(2));
}

#[test]
fn transpositions_are_asked_once_with_all_their_games() {
    let mut frontier = Frontier::new(
        options(9, 1),
        [Seed::new(after("g1f3 d7d5"), 2), Seed::new(after("d2d4 d7d5"), 2)],
    );
    for _ in 0..2 {
        let seed = frontier.next().expect("a seed");
        let uci = if seed.position == after("d2d4 d7d5") {
            "g1f3"
        } else {
            "d2d4"
        };
        frontier.answered(&seed, children(&seed.position, &[(uci, 7)]));
    }
    let met = frontier.next().expect("where they meet");
    assert_eq!((met.games, met.depth, met.ply), (14, 1, 3));
    // One way leaves the half-move clock at 0, the other at 1; which one is taken does not depend on the order.
    assert_eq!(met.position.halfmoves(), 0);
    frontier.answered(&met, []);
    assert!(frontier.next().is_none() && frontier.waiting() == 0);
}

#[test]
fn a_shorter_way_is_taken() {
    let deep = Seed {
        depth: 7,
        ..Seed::new(after("e2e4"), 1)
    };
    let mut frontier = Frontier::new(options(9, 1), [deep, Seed::new(Chess::default(), 0)]);
    let root = frontier.next().expect("the initial position comes first");
    frontier.answered(&root, children(&root.position, &[("e2e4", 3)]));
    let e4 = frontier.next().expect("e4");
    assert_eq!((e4.depth, e4.games), (1, 3));
    frontier.answered(&e4, []);
    assert!(frontier.next().is_none());
}

#[test]
fn a_seed_that_lies_in_another_s_tree_starts_at_nothing() {
    let mut frontier = Frontier::new(
        options(2, 1),
        [Seed::new(Chess::default(), 0), Seed::new(after("e2e4"), 1)],
    );
    let (first, second) = (frontier.next().expect("a seed"), frontier.next().expect("a seed"));
    assert_eq!((first.depth, second.depth), (0, 0));
    for seed in [first, second] {
        let moves = if seed.position == Chess::default() {
            ("e2e4", 9)
        } else {
            ("e7e5", 9)
        };
        frontier.answered(&seed, children(&seed.position, &[moves]));
    }
    assert_eq!(frontier.next().map(|target| target.epd), Some(epd(&after("e2e4 e7e5"))));
}

#[test]
fn the_limit_is_never_asked_for() {
    let mut frontier = Frontier::new(options(0, 1), [Seed::new(Chess::default(), 0)]);
    assert!(frontier.next().is_none());
    let last = Seed {
        depth: 14,
        ..Seed::new(Chess::default(), 0)
    };
    let mut frontier = Frontier::new(options(15, 1), [last]);
    let root = frontier.next().expect("a position at depth 14 is asked for");
    frontier.answered(&root, children(&root.position, &[("e2e4", 9)]));
    assert!(frontier.next().is_none(), "its children are leaves");
}

/// An explorer of made-up counts: a few moves of every position, chosen by hash.
fn made_up(pos: &Chess, salt: u64) -> Vec<(Chess, u64)> {
    // Knights and rook's pawns shuffle to and fro, so that ways meet often and lead back.
    let legal = pos.legal_moves();
    let shuffles = legal.iter().filter(|m| m.to().file() as u32 % 7 != 3);
    shuffles
        .filter_map(|m| {
            let hash = fnv1a(format!("{} {m:?} {salt}", epd(pos)).as_bytes());
            let child = pos.clone().play(*m).ok()?;
            hash.is_multiple_of(5).then_some((child, hash >> 8 & 63))
        })
        .collect()
}

/// The depth of every position that is to be asked for, by relaxing until nothing changes.
fn depths_by_relaxation(seeds: &[Seed], options: CrawlOptions, salt: u64) -> BTreeMap<String, u32> {
    let mut best: BTreeMap<String, u32> = BTreeMap::new();
    let mut open: Vec<(Chess, u32)> = seeds.iter().map(|seed| (seed.position.clone(), seed.depth)).collect();
    while let Some((pos, depth)) = open.pop() {
        let known = best.get(&epd(&pos)).is_some_and(|known| *known <= depth);
        if depth >= options.depth || known {
            continue;
        }
        best.insert(epd(&pos), depth);
        let kept = made_up(&pos, salt)
            .into_iter()
            .filter(|(_, games)| *games >= options.min_games);
        open.extend(kept.map(|(child, _)| (child, depth + 1)));
    }
    best
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// However many are asked for at a time and in whatever order they are answered, everyone is asked once, at the
    /// smallest depth, in the same order.
    #[test]
    fn order_of_answers_does_not_matter(salt: u64, hands in 1_usize..6, min_games in 0_u64..40, starts in prop::collection::vec(0_u32..4, 1..4)) {
        let lines = ["", "g1f3", "g1f3 g8f6", "b1c3 b8c6"];
        let seeds: Vec<Seed> = starts
            .iter()
            .zip(lines)
            .map(|(depth, line)| Seed { depth: *depth, ..Seed::new(after(line), line.split_whitespace().count() as u32) })
            .collect();
        let options = options(5, min_games);
        let expected = depths_by_relaxation(&seeds, options, salt);

        let run = |hands: usize| {
            let mut frontier = Frontier::new(options, seeds.iter().cloned());
            let (mut order, mut held) = (Vec::new(), Vec::new());
            loop {
                while held.len() < hands && let Some(target) = frontier.next() {
                    order.push((target.epd.clone(), target.depth, target.ply, target.games, target.position.halfmoves()));
                    held.push(target);
                }
                // The last one given out is answered first.
                let Some(target) = held.pop() else { break };
                frontier.answered(&target, made_up(&target.position, salt));
            }
            order
        };
        let one_by_one = run(1);
        let found: BTreeMap<String, u32> = one_by_one.iter().map(|(epd, depth, ..)| (epd.clone(), *depth)).collect();
        prop_assert_eq!(found.len(), one_by_one.len(), "everyone once");
        prop_assert_eq!(found, expected);
        prop_assert_eq!(run(hands), one_by_one);
    }
}
