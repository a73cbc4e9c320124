//! Pawn structures of the positions where the tree ends.

use tabiya_app::build::{Steps, StructuresReport, assign_structure, audit, structure_reviews, structures};
use tabiya_chess::UNKNOWN;
use tabiya_store::StructureBy;

use crate::workshop::{TEN_NAMES, Workshop, game};

const ISOLANI: &str = "d4 d5 c4 dxc4 e3 e5 Bxc4 exd4 exd4";
const FRENCH: &str = "e4 e6 d4 d5";
/// Nobody has moved a pawn.
const NO_PAWN_MOVED: &str = "Nf3 Nf6";

async fn built(lines: &[&str]) -> Workshop {
    let workshop = Workshop::named(TEN_NAMES).await;
    let games: String = lines
        .iter()
        .enumerate()
        .map(|(at, line)| game(at, "", line, "1-0"))
        .collect();
    workshop.write("games.pgn", &games);
    workshop.expand(&workshop.request(&["games.pgn"])).await;
    workshop
}

async fn label(workshop: &Workshop) -> StructuresReport {
    structures(&workshop.database(), &Steps::default())
        .await
        .expect("labels")
}

#[tokio::test]
async fn all_terminal_nodes_get_tagged() {
    let workshop = built(&[ISOLANI, FRENCH, NO_PAWN_MOVED]).await;
    let report = label(&workshop).await;
    let graph = workshop.graph().await;
    let is_terminal = |id| !graph.edges.iter().any(|edge| edge.parent == id);
    let terminal: Vec<_> = graph.nodes.iter().filter(|node| is_terminal(node.id)).collect();
    assert_eq!(terminal.len() as u64, report.terminal_nodes);
    assert!(terminal.iter().all(|node| node.structure.is_some()), "{terminal:?}");
    let others = graph.nodes.iter().filter(|node| !is_terminal(node.id));
    assert!(others.clone().count() > 10 && others.clone().all(|node| node.structure.is_none()));
    for (line, structure) in [
        (ISOLANI, "Isolated Queen's Pawn"),
        (FRENCH, "French Structure"),
        (NO_PAWN_MOVED, UNKNOWN),
    ] {
        let node = workshop.node(line).await.expect(line);
        assert_eq!(node.structure.as_deref(), Some(structure), "{line}");
        assert_eq!(node.structure_by, Some(StructureBy::Rule));
    }
    assert_eq!(report.labels.values().sum::<u64>(), report.terminal_nodes);
    assert_eq!(report.labels.get(UNKNOWN), Some(&report.unknown_nodes));
    assert!(label(&workshop).await.skipped);
    // What is no longer the end of a line has no label.
    workshop.write("more.pgn", &game(50, "", &format!("{FRENCH} Nc3"), "0-1"));
    let mut request = workshop.request(&["more.pgn"]);
    request.add = true;
    workshop.expand(&request).await;
    assert!(!label(&workshop).await.skipped);
    assert_eq!(workshop.node(FRENCH).await.expect("a node").structure, None);
}

#[tokio::test]
async fn what_no_rule_knows_is_asked_and_the_answer_stays() {
    let workshop = built(&[ISOLANI, NO_PAWN_MOVED]).await;
    let database = workshop.database();
    let report = label(&workshop).await;
    let asked = structure_reviews(&database).await.expect("questions");
    assert_eq!(asked.len() as u64, report.unknown_nodes);
    let node = workshop.node(NO_PAWN_MOVED).await.expect("a node");
    let epd = node.fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
    assert!(asked.iter().any(|review| review.epd == epd && review.answer.is_none()));

    let answer = assign_structure(&database, &node.fen, "hedgehog")
        .await
        .expect("an answer");
    assert_eq!(answer.name, "Hedgehog");
    let open = structure_reviews(&database).await.expect("questions");
    assert_eq!(open.len() + 1, asked.len(), "answered questions are not asked again");
    assert_eq!(label(&workshop).await.by_person, 1);
    for rebuilt in 2..4 {
        let node = workshop.node(NO_PAWN_MOVED).await.expect("a node");
        assert_eq!(node.structure.as_deref(), Some("Hedgehog"), "{rebuilt}");
        assert_eq!(node.structure_by, Some(StructureBy::Person));
        assert_eq!(structure_reviews(&database).await.expect("questions").len(), open.len());
        // All counts anew, with another game.
        workshop.write(
            "games.pgn",
            &(game(1, "", NO_PAWN_MOVED, "1-0") + &game(rebuilt, "", "d4 f5", "0-1")),
        );
        workshop.expand(&workshop.request(&["games.pgn"])).await;
        let again = label(&workshop).await;
        assert!(!again.skipped && again.by_person == 1, "{again:?}");
    }
    assert!(audit(&database, &Steps::default()).await.expect("an audit").passed);
}

#[tokio::test]
async fn only_what_was_asked_can_be_answered() {
    let workshop = built(&[ISOLANI, NO_PAWN_MOVED]).await;
    let database = workshop.database();
    label(&workshop).await;
    let before = workshop.dump().await;
    let known = workshop.node(ISOLANI).await.expect("a node").fen;
    for (fen, structure, says) in [
        (known.as_str(), "Hedgehog", "nobody has asked"),
        ("8/8/8", "Hedgehog", "8/8/8"),
        (known.as_str(), "Porcupine", "Porcupine"),
    ] {
        let error = assign_structure(&database, fen, structure).await.expect_err(says);
        assert!(error.to_string().contains(says), "{error}");
    }
    crate::workshop::assert_same(&workshop.dump().await, &before);
}
