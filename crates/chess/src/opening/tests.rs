//! The table as a whole: what ships, and the rules it is made by.

use std::collections::{HashMap, HashSet};

use shakmaty::{Chess, Color, Position};

use super::*;
use crate::{PositionId, epd, from_uci, full_fen, parse_fen, ply_of};

fn position(line: &str) -> PositionId {
    PositionId::of(&parse_line(line).expect(line).last())
}

fn line(system: NamingSystem, eco: &str, name: &str, moves: &str) -> OpeningLine {
    OpeningLine::read(system, eco.parse().expect(eco), name, moves).expect(name)
}

/// The name of the position behind a line in the embedded table.
fn named(moves: &str) -> String {
    let opening = OpeningTable::embedded().name_of(position(moves));
    opening.map_or("-".to_owned(), |opening| {
        format!("{} {}", opening.eco(), opening.name())
    })
}

#[test]
fn famous_positions_have_their_names() {
    for (moves, name) in [
        ("e4", "B00 King's Pawn Game"),
        ("e4 e5 Nf3 Nc6 Bc4", "C50 Italian Game"),
        ("e4 e5 Nf3 Nc6 Bb5", "C60 Ruy Lopez"),
        ("e4 c5", "B20 Sicilian Defense"),
        ("d4 d5 c4 e6", "D30 Queen's Gambit Declined"),
        ("c4 e6 d4 d5", "D30 Queen's Gambit Declined"),
        (
            "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Nxd5 Nxf7",
            "C57 Italian Game: Two Knights Defense, Fried Liver Attack",
        ),
        ("", "-"),
        ("e4 h5 h4 a5 a4", "-"),
    ] {
        assert_eq!(named(moves), name, "{moves}");
    }
}

/// Names quote moves as people write them; one package has the king's squares for castling.
#[test]
fn castling_in_names_is_castling() {
    for line in OpeningTable::embedded().lines() {
        let quoted = ["e1g1", "e8g8", "e1c1", "e8c8"];
        assert!(!quoted.iter().any(|uci| line.name().contains(uci)), "{}", line.name());
    }
    let nimzo = OpeningTable::embedded().lines().iter();
    let castled = nimzo.filter(|line| line.name().starts_with("Nimzo-Indian: 4.e3 O-O, 5.Nf3"));
    assert_eq!(castled.count(), 2);
}

#[test]
fn all_codes_are_there() {
    let table = OpeningTable::embedded();
    for eco in Eco::all() {
        assert!(table.openings().iter().any(|opening| opening.eco() == eco), "{eco}");
    }
    let primary = table
        .lines()
        .iter()
        .filter(|line| line.system() == NamingSystem::Lichess);
    assert!(primary.count() > 3_600);
    assert!(
        table
            .lines()
            .iter()
            .filter(|line| line.system() == NamingSystem::Eco)
            .count()
            >= 2_000
    );
}

#[test]
fn the_eco_book_gives_aliases_and_completes_the_codes() {
    let table = OpeningTable::embedded();
    let italian = table.by_slug("c50-italian-game").expect("an entry");
    assert!(
        italian.aliases().iter().any(|alias| alias.system == NamingSystem::Eco),
        "{:?}",
        italian.aliases()
    );
    let kings_pawn = table.name_of(position("e4")).expect("a name");
    assert!(
        kings_pawn
            .aliases()
            .iter()
            .any(|alias| alias.name == "King's pawn opening"),
        "{:?}",
        kings_pawn.aliases()
    );
    let eco: Eco = "E57".parse().unwrap();
    let e57 = (table.openings().iter().find(|opening| opening.eco() == eco)).expect("only the ECO book has it");
    assert_eq!(e57.system(), NamingSystem::Eco);
}

#[test]
fn ids_slugs_and_families_find_their_openings() {
    let table = OpeningTable::embedded();
    for opening in table.openings() {
        let (found, slugged) = (table.by_id(opening.id()), table.by_slug(opening.slug()));
        assert_eq!(found.expect("by id").name(), opening.name());
        assert_eq!(slugged.expect("by slug").id(), opening.id());
        let family = table.family(&slug(opening.opening_name())).expect("a family");
        assert!(table.openings_of(family).any(|member| member.id() == opening.id()));
        let line = table.root_line(opening);
        assert!(
            table
                .lines_of(opening)
                .all(|other| other.moves().len() >= line.moves().len())
        );
    }
    let family = table.family("italian-game").expect("a family");
    let main = table.openings_of(family).next().expect("a main line");
    assert_eq!((main.slug(), family.color()), ("c50-italian-game", Color::White));
    assert_eq!(table.family("sicilian-defense").map(Family::color), Some(Color::Black));
    assert!(table.by_slug("italian-game").is_none());
    assert!(table.by_id(OpeningId::of("A00".parse().unwrap(), "Nobody's")).is_none());
}

#[test]
fn named_positions_are_legal_and_numbered() {
    let table = OpeningTable::embedded();
    let mut seen = HashSet::new();
    for named in table.named_positions() {
        assert!(seen.insert(named.id));
        let fen = full_fen(named.position);
        let read = parse_fen(&fen).expect(&fen);
        assert!(!read.ignored.any(), "{fen}");
        assert_eq!(PositionId::of(&read.position), named.id);
        assert_eq!(ply_of(named.position), named.ply as u32, "{fen}");
        assert_eq!(table.name_of(named.id).map(Opening::id), Some(named.opening.id()));
    }
    assert!(seen.len() > 3_600);
}

#[test]
fn the_skeleton_holds_together() {
    let table = OpeningTable::embedded();
    let skeleton = table.skeleton();
    let nodes: HashMap<PositionId, &SkeletonNode> = skeleton.nodes().iter().map(|node| (node.id, node)).collect();
    assert_eq!(nodes.len(), skeleton.nodes().len());
    assert!(table.named_positions().all(|named| nodes[&named.id].ply <= named.ply));
    let mut parents: HashMap<PositionId, Vec<&SkeletonNode>> = HashMap::new();
    for edge in skeleton.edges() {
        let (parent, child) = (nodes[&edge.parent], nodes[&edge.child]);
        let mut position = parent.position.clone();
        position.play_unchecked(from_uci(&position, &edge.uci).expect(&edge.uci));
        assert_eq!(epd(&position), child.epd);
        assert!(child.ply <= parent.ply + 1);
        parents.entry(edge.child).or_default().push(parent);
    }
    for node in &skeleton.nodes()[1..] {
        let nearest = parents[&node.id]
            .iter()
            .min_by_key(|parent| (parent.ply, &parent.epd))
            .expect("a parent");
        assert_eq!(
            (node.parent, node.ply),
            (Some(nearest.id), nearest.ply + 1),
            "{}",
            node.epd
        );
        assert_eq!(ply_of(&node.position), node.ply as u32);
    }
    assert_eq!(skeleton.nodes()[0].parent, None);
    assert_eq!(skeleton.nodes()[0].position, Chess::default());
}

#[test]
fn ten_rows_make_ten_entries_and_ten_positions() {
    let rows: String = ["e4", "d4", "c4", "Nf3", "b3", "b4", "g3", "g4", "f4", "a3"]
        .iter()
        .map(|first| format!("A00,Opening {first},1. {first}\n"))
        .collect();
    let lines = read_names(&format!("eco,name,pgn\n{rows}"), NamesFormat::Csv, NamingSystem::Own).unwrap();
    let table = OpeningTable::from_lines(lines);
    assert_eq!((table.openings().len(), table.named_positions().count()), (10, 10));
    assert!(table.named_positions().all(|named| named.ply == 1));
    assert_eq!(table.skeleton().nodes().len(), 11);
}

#[test]
fn two_codes_may_share_a_position() {
    let one = line(NamingSystem::Own, "D06", "Queen's Gambit", "d4 d5 c4");
    let two = line(NamingSystem::Own, "A10", "English, transposed", "c4 d5 d4");
    for lines in [[one.clone(), two.clone()], [two, one]] {
        let table = OpeningTable::from_lines(lines);
        assert_eq!((table.openings().len(), table.named_positions().count()), (2, 1));
        let roots: HashSet<PositionId> = table
            .openings()
            .iter()
            .map(|opening| PositionId::of(table.root_line(opening).end()))
            .collect();
        assert_eq!(roots, HashSet::from([position("d4 d5 c4")]));
        assert_eq!(
            table.name_of(position("d4 d5 c4")).unwrap().name(),
            "English, transposed",
            "the smaller code"
        );
    }
}

#[test]
fn second_names_are_aliases_or_fill_gaps() {
    let table = OpeningTable::from_lines([
        line(NamingSystem::Alias, "C42", "Russian Game", "e4 e5 Nf3 Nf6"),
        line(NamingSystem::Eco, "C42", "petrov's defense", "e4 e5 Nf3 Nf6"),
        line(NamingSystem::Lichess, "C42", "Petrov's Defense", "e4 e5 Nf3 Nf6"),
        line(NamingSystem::Eco, "C43", "Petrov: modern attack", "e4 e5 Nf3 Nf6 d4"),
        line(NamingSystem::Alias, "C43", "Steinitz Attack", "e4 e5 d4 Nf6 Nf3"),
    ]);
    let names: Vec<&str> = table.openings().iter().map(Opening::name).collect();
    assert_eq!(names, ["Petrov's Defense", "Petrov: modern attack"]);
    let aliases = |at: usize| {
        table.openings()[at]
            .aliases()
            .iter()
            .map(|alias| &*alias.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(aliases(0), ["Russian Game"], "capital letters make no other name");
    assert_eq!(aliases(1), ["Steinitz Attack"]);
    assert_eq!(table.openings()[1].system(), NamingSystem::Eco);
}

#[test]
fn the_root_is_the_end_of_the_shortest_line() {
    let table = OpeningTable::from_lines([
        line(NamingSystem::Own, "A00", "X", "e4 e5 Nf3"),
        line(NamingSystem::Own, "A00", "X", "d4"),
        line(NamingSystem::Own, "A00", "X", "c4"),
    ]);
    let opening = &table.openings()[0];
    assert_eq!(table.openings().len(), 1);
    assert_eq!(table.lines_of(opening).count(), 3);
    let smaller = [position("d4"), position("c4")]
        .into_iter()
        .min_by_key(|id| epd(table.named_position(*id).expect("named").position));
    assert_eq!(Some(PositionId::of(table.root_line(opening).end())), smaller);
}

#[test]
fn a_path_is_called_by_its_deepest_named_position() {
    let table = OpeningTable::embedded();
    let played = parse_line("1.e4 e5 2.Nf3 Nc6 3.Bc4 a5 4.a4 h5").unwrap();
    let (index, opening) = table.name_on_path(played.positions()).expect("a name");
    assert_eq!((index, opening.name()), (4, "Italian Game"));
    assert!(table.name_on_path(&[]).is_none());
}

#[test]
fn names_that_differ_in_signs_have_slugs_of_their_own() {
    let table = OpeningTable::from_lines([
        line(NamingSystem::Own, "A00", "Line with d5", "a3 d5"),
        line(NamingSystem::Own, "A00", "Line, with ...d5", "b3 d5"),
    ]);
    let slugs: Vec<&str> = table.openings().iter().map(Opening::slug).collect();
    assert_eq!(slugs, ["a00-line-with-d5", "a00-line-with-d5-2"]);
}
