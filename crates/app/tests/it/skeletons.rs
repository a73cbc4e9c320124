//! Positions found by their pawns.

use std::collections::BTreeSet;

use tabiya_app::explore::{SkeletonIndex, SkeletonMatches, Snapshot};
use tabiya_chess::{PawnRule, parse_board};

use crate::workshop::{TEN_NAMES, Workshop, game};

const ISOLANI: &str = "d4 d5 c4 dxc4 e3 e5 Bxc4 exd4 exd4 Nf6 Nf3";
const FRENCH: &str = "e4 e6 d4 d5 Nc3 Nf6 e5 Nfd7";

async fn snapshot(lines: &[&str]) -> Snapshot {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games: String = (lines.iter().enumerate())
        .map(|(at, line)| game(at, "", line, "1-0"))
        .collect();
    workshop.write("games.pgn", &games);
    workshop.expand(&workshop.request(&["games.pgn"])).await;
    workshop.snapshot().await
}

fn find(snapshot: &Snapshot, rule: &str) -> SkeletonMatches {
    let rule: PawnRule = rule.parse().expect(rule);
    SkeletonIndex::of(snapshot).find(&rule, 10)
}

#[tokio::test]
async fn a_game_counts_once_however_long_it_keeps_its_pawns() {
    let snapshot = snapshot(&[ISOLANI, ISOLANI, FRENCH]).await;
    let found = find(&snapshot, "d4 -ce / -d ~");
    // After exd4, Nf6 and Nf3.
    assert_eq!((found.positions, found.games), (3, 2));
    assert_eq!((found.openings.len(), found.skeletons.len()), (1, 1));
    let opening = &snapshot.catalogue().openings()[found.openings[0].place].opening;
    assert_eq!(opening.name, "Queen's Pawn");
    assert_eq!((found.openings[0].positions, found.openings[0].games), (3, 2));
    let skeleton = &found.skeletons[0];
    assert_eq!(skeleton.pawns, "8/ppp2ppp/8/8/3P4/8/PP3PPP/8");
    assert_eq!((skeleton.positions, skeleton.games), (3, 2));
    let example = &snapshot.all().node(skeleton.example).epd;
    assert!(example.starts_with("rnbqkb") && example.contains("/2BP4/"), "{example}");

    // The chain has one skeleton, the French before it another, and the one game goes through both.
    let chain = find(&snapshot, "d4 e45 / d5 e6");
    assert_eq!((chain.games, chain.skeleton_count), (1, 2));
    assert_eq!(
        chain
            .skeletons
            .iter()
            .map(|skeleton| skeleton.games)
            .collect::<Vec<_>>(),
        [1, 1]
    );
    assert_eq!(chain.positions, 5);
}

#[tokio::test]
async fn a_game_counts_for_each_opening_it_keeps_its_pawns_in() {
    let snapshot = snapshot(&["e4 e5 Nf3 Nc6 Bc4 Bc5", "e4 e5 Nf3 Nc6 Bc4 Nf6", "e4 e5 Nf3 Nf6"]).await;
    let found = find(&snapshot, "e4 / e5");
    assert_eq!(found.games, 3);
    let named = found.openings.iter().map(|one| {
        let opening = &snapshot.catalogue().openings()[one.place].opening;
        (opening.name.as_str(), one.games)
    });
    let expected = [
        ("King's Pawn Game", 3),
        ("King's Knight Opening", 3),
        ("King's Knight Opening: Normal Variation", 2),
        ("Italian Game", 2),
        ("Italian Game: Giuoco Piano", 1),
        ("Italian Game: Two Knights Defense", 1),
        ("Ruy Lopez", 0),
    ];
    let (named, expected) = (BTreeSet::from_iter(named), BTreeSet::from(expected));
    assert_eq!(named, expected);
}

#[tokio::test]
async fn bishops_are_looked_at_where_a_rule_does() {
    let snapshot = snapshot(&[ISOLANI, "e4 e5 Nf3 Nc6 Bc4 Bc5", "e4 e5 Nf3 Nc6 Bb5"]).await;
    let found = find(&snapshot, "e4 Bc4 / e5");
    assert_eq!(
        (found.positions, found.games),
        (3, 1),
        "after Bc4, Bc5 and, by name, Nf6"
    );
    let other = find(&snapshot, "e4 Bb5 / e5");
    assert_eq!((other.positions, other.games), (1, 1));
    assert_eq!(find(&snapshot, "h8 / ."), SkeletonMatches::default());
}

#[tokio::test]
async fn every_position_is_found_that_a_rule_fits() {
    let snapshot = snapshot(&[ISOLANI, FRENCH, "d4 Nf6 c4 e6 Nc3 Bb4", "e4 c5 Nf3 d6 d4 cxd4 Nxd4"]).await;
    let (view, index) = (snapshot.all(), SkeletonIndex::of(&snapshot));
    for rule in [
        ". / .",
        "e4 / .",
        "-d / .",
        "d4 / -e ~",
        "c4 d4 / e6 Bb4; e45 / d5",
        "[Bc4 Bf1] / .",
    ] {
        let rule: PawnRule = rule.parse().expect(rule);
        let fits = |epd: &str| rule.matches(&parse_board(epd).expect(epd));
        let expected: BTreeSet<_> = view.places().filter(|place| fits(&view.node(*place).epd)).collect();
        let found = index.find(&rule, usize::MAX);
        assert_eq!(found.positions, expected.len() as u64, "{rule}");
        assert_eq!(
            found.skeletons.iter().map(|one| one.positions).sum::<u64>(),
            found.positions,
            "{rule}"
        );
        assert!(
            found.skeletons.iter().all(|one| expected.contains(&one.example)),
            "{rule}"
        );
        assert!(
            found.openings.iter().all(|one| expected.contains(&one.example)),
            "{rule}"
        );
    }
    // All games begin at the initial position.
    assert_eq!(index.find(&". / .".parse().expect("a rule"), 1).games, 4);
    assert_eq!(index.find(&". / .".parse().expect("a rule"), 1).skeletons.len(), 1);
}
